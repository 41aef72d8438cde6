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
from math import pi
from pathlib import Path

import bpy

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import stage
import studio
from studio import glazed

SPACING = 0.02
FRAMES = 60
# Of the lattice that bodies are filled with, half an edge of its cube: (HALF, HALF, 0) is a place beside the origin.
HALF = SPACING * 4 ** (1 / 3) / 2
# A ball that holds as much as a particle.
BALL = SPACING * (3 / (4 * pi)) ** (1 / 3)
# Of the pairs, above and below.
APART = 2.6 * SPACING
KEPT, LEFT = (0.03, 0.16, 0.45), (0.6, 0.11, 0.03)


def pair(name: str, height: float, colour: tuple[float, float, float], control: dict[str, float]) -> None:
    """Two balls two steps of the lattice apart, each around one particle."""
    balls = []
    for side in (-1, 1):
        bpy.ops.mesh.primitive_ico_sphere_add(subdivisions=3, radius=BALL, location=(side * HALF, side * HALF, 0.0))
        balls.append(bpy.context.object)
    bpy.ops.object.select_all(action="DESELECT")
    for ball in balls:
        ball.select_set(True)
    bpy.context.view_layer.objects.active = balls[0]
    bpy.ops.object.transform_apply()
    bpy.ops.object.join()
    made = bpy.context.object
    made.name, made.location = name, (0.0, 0.0, height)
    made.data.materials.append(glazed(name, colour, 0.25))
    studio.matter(made, material={"type": "soft", "stiffness": 0.02, "friction": 0, "viscosity": 1.5, **control})


def build(scene: bpy.types.Scene) -> None:
    scene.frame_start, scene.frame_end = 1, FRAMES
    scene.use_gravity = False
    pair("Kept", APART / 2, KEPT, {"volume_rate": 10, "volume_damping": 1})
    pair("Left", -APART / 2, LEFT, {"volume_rate": 0, "volume_damping": 0})
    settings = scene.dollop.settings
    settings.particle_spacing = SPACING
    settings.settle = False
    settings.output.use_particles = True
    stage.keep_sources(settings)
    settings.output.mesh.resolution = 0.1


def prepare_render(scene: bpy.types.Scene) -> None:
    scene.dollop.particles.hide_render = True
    stage.colour(scene.dollop.surface, [KEPT, LEFT])
    aim = (0.0, 0.0, 0.0)
    stage.camera(scene, (0.25, -0.25, 0.06), aim, 115.0)
    stage.lamp(scene, (0.1, -0.4, 0.35), aim, 4.0, 0.12)
    stage.world(scene, (0.9, 0.92, 0.95), 0.45)
    stage.cycles(scene, 300, 260)


if __name__ == "__main__":
    studio.main(__doc__.splitlines()[0], build, prepare_render)
