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

SPACING = 0.013
FRAMES = 84
TOFFEE = (0.42, 0.16, 0.035)
# Of the lump, which touches both plates but for a hundredth of its height.
RADIUS, HEIGHT = 0.075, 0.13
PLATE = (0.26, 0.26, 0.03)
# The height of the upper plate's lower face above the table, by frame.
LIFTED = {1: 0.131, 4: 0.131, 40: 0.40, 48: 0.40, 74: 0.17, 84: 0.17}


def build(scene: bpy.types.Scene) -> None:
    scene.frame_start, scene.frame_end = 1, FRAMES
    bpy.ops.mesh.primitive_cylinder_add(vertices=96, radius=RADIUS, depth=HEIGHT, location=(0, 0, HEIGHT / 2 + 5e-4))
    toffee = bpy.context.object
    toffee.name = "Toffee"
    toffee.data.materials.append(glazed("Toffee", TOFFEE, 0.25))
    material = {"type": "soft", "rest_density": 1300, "stiffness": 100, "friction": 20, "viscosity": 20}
    studio.matter(toffee, material=material)
    lower, upper = studio.sticky_plate("Lower plate", PLATE), studio.sticky_plate("Upper plate", PLATE)
    lower.location = (0.0, 0.0, -PLATE[2] / 2)
    studio.animate(upper, "location", {f: (0.0, 0.0, z + PLATE[2] / 2) for f, z in LIFTED.items()})
    studio.move_evenly(upper)
    settings = scene.dollop.settings
    settings.particle_spacing = SPACING
    settings.output.use_particles = True


def prepare_render(scene: bpy.types.Scene) -> None:
    scene.dollop.particles.hide_render = True
    for name in ("Lower plate", "Upper plate"):
        scene.objects[name].data.materials.append(glazed(name, (0.75, 0.75, 0.78), 0.35))
    floor = studio.block("Floor", (3.0, 3.0, 0.1), (0.0, 0.0, -PLATE[2] - 0.05))
    floor.data.materials.append(glazed("Floor", (0.55, 0.52, 0.5), 0.7))
    stage.colour(scene.dollop.surface, [TOFFEE])
    stage.camera(scene, (0.5, -1.05, 0.3), (0.0, 0.0, 0.19), 50.0)
    stage.lamp(scene, (-0.8, -0.9, 1.0), (0.0, 0.0, 0.15), 28.0, 0.5)
    stage.world(scene, (0.85, 0.88, 0.95), 0.4)
    stage.cycles(scene, 360, 300)


if __name__ == "__main__":
    studio.main(__doc__.splitlines()[0], build, prepare_render)
