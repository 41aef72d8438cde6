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
import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import stage
import studio
from studio import glazed

SPACING = 0.02
FRAMES = 96
PUTTY = (0.6, 0.11, 0.03)
# A disc that lies flat. It holds two layers of the lattice, of five and four places, and as much as nine particles.
RADIUS = 1.3 * SPACING
LENGTH = 9 * SPACING**3 / (pi * RADIUS**2)
HEIGHT = 1.5 * SPACING
JAW = (2.0 * SPACING, 0.5 * SPACING, 1.6 * SPACING)
# How far the tips of the pliers are from the middle, and how wide they are open, by frame.
TIPS = {1: 0.45, 14: 0.45, 46: 2.3, 54: 2.3, 72: 0.6, 96: 0.6}
OPEN = {1: 2.7, 14: 1.85, 74: 1.85, 80: 2.05, 81: 60.0, 96: 60.0}


def pliers(side: int) -> None:
    """Two jaws, one before and one behind, that grip the lump from one side."""
    for name, back in (("far", 1), ("near", -1)):
        jaw = studio.block(f"{'Left' if side < 0 else 'Right'} {name} jaw", JAW, (0.0, 0.0, 0.0))
        jaw.dollop.kind = "COLLIDER"
        jaw.dollop.collider.adhesion = 0.2
        jaw.dollop.collider.friction = 2.0
        for frame in sorted({*TIPS, *OPEN}):
            tip, wide = (between(values, frame) * SPACING for values in (TIPS, OPEN))
            jaw.location = (side * (tip + JAW[0] / 2), back * (wide + JAW[1]) / 2, HEIGHT)
            jaw.keyframe_insert("location", frame=frame)
        studio.move_evenly(jaw)


def between(values: dict[int, float], frame: int) -> float:
    """A value between the frames that it is given at."""
    return float(np.interp(frame, list(values), list(values.values())))


def build(scene: bpy.types.Scene) -> None:
    scene.frame_start, scene.frame_end = 1, FRAMES
    bpy.ops.mesh.primitive_cylinder_add(vertices=64, radius=RADIUS, depth=LENGTH)
    lump = bpy.context.object
    lump.name, lump.location = "Lump", (0.0, 0.0, HEIGHT)
    lump.data.materials.append(glazed("Lump", PUTTY, 0.25))
    studio.matter(
        lump, material={"type": "soft", "rest_density": 1300, "stiffness": 100, "friction": 20, "viscosity": 20}
    )
    for side in (-1, 1):
        pliers(side)
    table = studio.block("Table", (0.6, 0.6, 0.02), (0.0, 0.0, -0.01))
    table.dollop.kind = "COLLIDER"
    table.dollop.collider.friction = 1.0
    settings = scene.dollop.settings
    settings.particle_spacing = SPACING
    settings.settle = False
    settings.output.use_particles = True
    settings.output.mesh.resolution = 0.1


def prepare_render(scene: bpy.types.Scene) -> None:
    scene.dollop.particles.hide_render = True
    for made in scene.objects:
        if "jaw" in made.name:
            made.data.materials.append(glazed(made.name, (0.16, 0.18, 0.21), 0.3))
    scene.objects["Table"].data.materials.append(glazed("Table", (0.4, 0.38, 0.36), 0.7))
    stage.colour(scene.dollop.surface, [PUTTY])
    aim = (0.0, 0.0, 0.02)
    stage.camera(scene, (0.08, -0.32, 0.3), aim, 72.0)
    stage.lamp(scene, (-0.2, -0.3, 0.4), aim, 3.0, 0.15)
    stage.world(scene, (0.85, 0.88, 0.95), 0.4)
    stage.cycles(scene, 240, 220)


if __name__ == "__main__":
    studio.main(__doc__.splitlines()[0], build, prepare_render)
