# SPDX-FileCopyrightText: 2026 The Dollop founders
# SPDX-License-Identifier: GPL-3.0-or-later
"""Makes this example in Blender: the .blend, its scene file and meshes; or bakes it and renders frames.

With a Python that has the bpy module:

    python make.py OUT.blend                              the scene, ready for Bake in the Scene tab
    python make.py OUT.blend --export .                   writes scene.json and shapes/ as the add-on does
    python make.py OUT.blend --render 1,20 --cache CACHE  renders frames of a bake beside OUT.blend; without a cache,
                                                          bakes with DOLLOP_BINARY before
"""

from __future__ import annotations

import sys
from pathlib import Path

import bpy

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import stage
import studio
from studio import glazed

SPACING = 0.01
FRAMES = 60
LOWER, UPPER = (0.5, 0.42, 0.34), (0.42, 0.14, 0.07)
# A cake, and a dome that lies on it a little beside its middle, with a foot.
CAKE, HIGH = 0.065, 0.045
DOME, FOOT = 0.055, 0.01
ASIDE = 0.008
PLATE = (0.2, 0.2, 0.02)
# The height of the press above the table, by frame.
PRESS = {1: 0.135, 6: 0.11, 34: 0.06, 40: 0.06, 54: 0.15, 60: 0.15}


def lump(made: bpy.types.Object, name: str, colour: tuple[float, float, float]) -> None:
    made.name = name
    made.data.materials.append(glazed(name, colour, 0.4))
    material = {"type": "soft", "rest_density": 1700, "stiffness": 400, "friction": 2, "viscosity": 20}
    studio.matter(made, material={**material, "fusion_pressure": 20000})


def build(scene: bpy.types.Scene) -> None:
    scene.frame_start, scene.frame_end = 1, FRAMES
    gap = SPACING / 4
    bpy.ops.mesh.primitive_cylinder_add(vertices=96, radius=CAKE, depth=HIGH, location=(-ASIDE, 0.0, HIGH / 2 + gap))
    lump(bpy.context.object, "Lower", LOWER)
    bpy.ops.mesh.primitive_uv_sphere_add(segments=64, ring_count=32, radius=DOME, location=(ASIDE, 0.0, HIGH + 2 * gap))
    dome = bpy.context.object
    for vertex in dome.data.vertices:
        vertex.co.z = max(vertex.co.z, 0.0) + FOOT if vertex.co.z > -DOME / 100 else 0.0
    lump(dome, "Upper", UPPER)
    press = studio.block("Press", PLATE, (0.0, 0.0, 0.0))
    table = studio.block("Table", (1.0, 1.0, 0.04), (0.0, 0.0, -0.02))
    for made in (press, table):
        made.dollop.kind = "COLLIDER"
        made.dollop.collider.friction = 1.0
    studio.animate(press, "location", {f: (0.0, 0.0, z + PLATE[2] / 2) for f, z in PRESS.items()})
    studio.move_evenly(press)
    settings = scene.dollop.settings
    settings.particle_spacing = SPACING
    settings.output.use_particles = True
    stage.keep_sources(settings)
    settings.output.mesh.resolution = 0.35


def prepare_render(scene: bpy.types.Scene) -> None:
    scene.dollop.particles.hide_render = True
    scene.objects["Press"].data.materials.append(glazed("Press", (0.3, 0.3, 0.32), 0.35))
    scene.objects["Table"].data.materials.append(glazed("Table", (0.35, 0.33, 0.31), 0.7))
    stage.colour(scene.dollop.surface, [LOWER, UPPER])
    aim = (0.0, 0.0, 0.065)
    stage.camera(scene, (0.15, -0.7, 0.22), aim, 88.0)
    stage.lamp(scene, (-0.5, -0.5, 0.6), aim, 12.0, 0.3)
    stage.world(scene, (0.85, 0.88, 0.95), 0.35)
    stage.cycles(scene, 240, 240)


if __name__ == "__main__":
    studio.main(__doc__.splitlines()[0], build, prepare_render)
