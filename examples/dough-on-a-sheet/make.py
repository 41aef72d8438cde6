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

FRAMES = 40
EDGE = 0.9
HEIGHT = 0.5
RADIUS = 0.1
CLOTH, DOUGH = (0.16, 0.3, 0.5), (0.8, 0.62, 0.38)


def build(scene: bpy.types.Scene) -> None:
    scene.frame_start, scene.frame_end = 1, FRAMES
    cloth = studio.grid("Cloth", (EDGE, EDGE), (18, 18), (0.0, 0.0, HEIGHT))
    cloth.data.materials.append(glazed("Cloth", CLOTH, 0.6))
    material = {"type": "oriented", "rest_density": 800, "thickness": 1e-3, "stretch_stiffness": 1000}
    studio.matter(cloth, material=material | {"bending_stiffness": 5e-4, "viscosity": 6, "tear_stretch": 1.4})
    studio.pin(cloth, "Rim", lambda place: max(abs(place.x), abs(place.y)) > 0.49 * EDGE)
    bpy.ops.mesh.primitive_ico_sphere_add(radius=RADIUS, subdivisions=4, location=(0.02, 0.01, HEIGHT + 0.2))
    dough = bpy.context.object
    dough.name = "Dough"
    dough.data.materials.append(glazed("Dough", DOUGH, 0.5))
    studio.matter(dough, material={"type": "smoothed", "viscosity": 15, "yield_stress": 150})
    floor = studio.block("Floor", (3.0, 3.0, 0.1), (0.0, 0.0, -0.05))
    floor.dollop.kind = "COLLIDER"
    settings = scene.dollop.settings
    settings.particle_spacing = 0.018
    settings.output.use_particles = True
    stage.keep_sources(settings)


def prepare_render(scene: bpy.types.Scene) -> None:
    scene.dollop.particles.hide_render = True
    scene.objects["Floor"].data.materials.append(glazed("Floor", (0.55, 0.52, 0.5), 0.7))
    stage.colour(scene.dollop.surface, [CLOTH, DOUGH])
    stage.camera(scene, (0.85, -1.35, 1.2), (0.0, 0.0, 0.42), 42.0)
    stage.lamp(scene, (-1.2, -1.4, 2.2), (0.0, 0.0, 0.4), 110.0, 0.8)
    stage.world(scene, (0.85, 0.88, 0.95), 0.4)
    stage.cycles(scene, 360, 300)


if __name__ == "__main__":
    studio.main(__doc__.splitlines()[0], build, prepare_render)
