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

SPACING = 0.009
FRAMES = 96
LOWER, UPPER = (0.03, 0.16, 0.45), (0.6, 0.11, 0.03)
# A dome, and the foot below it that sticks to a plate.
RADIUS, FOOT = 0.05, 0.02
TALL = RADIUS + FOOT
PLATE = (0.16, 0.16, 0.02)
GAP = 5e-4
# How far apart the plates are, by frame: together, harder and harder, and drawn back.
APART = {1: 0.155, 10: 0.148, 18: 0.142, 28: 0.142, 40: 0.125, 46: 0.125, 60: 0.1, 68: 0.1, 84: 0.116, 96: 0.116}


def dome(name: str, colour: tuple[float, float, float], up: int) -> bpy.types.Object:
    """A ball whose lower half is drawn out flat; its place is that of its foot."""
    bpy.ops.mesh.primitive_uv_sphere_add(segments=64, ring_count=32, radius=RADIUS)
    made = bpy.context.object
    made.name = name
    for vertex in made.data.vertices:
        vertex.co.z = max(vertex.co.z, 0.0) + FOOT if vertex.co.z > -RADIUS / 100 else 0.0
        vertex.co.z *= up
    if up < 0:
        made.data.flip_normals()
    made.data.materials.append(glazed(name, colour, 0.3))
    material = {"type": "soft", "rest_density": 1100, "stiffness": 100, "friction": 5, "viscosity": 10}
    studio.matter(made, material={**material, "fusion_pressure": 18000})
    return made


def build(scene: bpy.types.Scene) -> None:
    scene.frame_start, scene.frame_end = 1, FRAMES
    dome("Lower", LOWER, 1).location = (0.0, 0.0, GAP)
    dome("Upper", UPPER, -1).location = (0.0, 0.0, APART[1] - GAP)
    studio.sticky_plate("Lower plate", PLATE).location = (0.0, 0.0, -PLATE[2] / 2)
    upper = studio.sticky_plate("Upper plate", PLATE)
    studio.animate(upper, "location", {f: (0.0, 0.0, z + PLATE[2] / 2) for f, z in APART.items()})
    studio.move_evenly(upper)
    settings = scene.dollop.settings
    settings.particle_spacing = SPACING
    settings.output.use_particles = True
    stage.keep_sources(settings)
    settings.output.mesh.resolution = 0.35


def prepare_render(scene: bpy.types.Scene) -> None:
    scene.dollop.particles.hide_render = True
    for name in ("Lower plate", "Upper plate"):
        scene.objects[name].data.materials.append(glazed(name, (0.35, 0.35, 0.37), 0.35))
    floor = studio.block("Floor", (3.0, 3.0, 0.1), (0.0, 0.0, -PLATE[2] - 0.05))
    floor.data.materials.append(glazed("Floor", (0.4, 0.38, 0.36), 0.7))
    stage.colour(scene.dollop.surface, [LOWER, UPPER])
    aim = (0.0, 0.0, 0.075)
    stage.camera(scene, (0.15, -0.65, 0.12), aim, 85.0)
    stage.lamp(scene, (-0.4, -0.5, 0.5), aim, 9.0, 0.25)
    stage.world(scene, (0.85, 0.88, 0.95), 0.35)
    stage.cycles(scene, 240, 240)


if __name__ == "__main__":
    studio.main(__doc__.splitlines()[0], build, prepare_render)
