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

import math
import sys
from pathlib import Path

import bpy

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import stage
import studio
from studio import glazed

SPACING = 0.0011
FRAMES = 96
SIZE = (0.1, 0.06, 0.012)
# How far the bar is turned, degrees, and above the plate, m.
TURNED, ABOVE = 20.0, 0.004


def build(scene: bpy.types.Scene) -> None:
    scene.frame_start, scene.frame_end = 1, FRAMES
    bar = studio.block("Bar", SIZE, (0.0, 0.0, SIZE[2] / 2 + ABOVE))
    bar.rotation_euler.z = math.radians(TURNED)
    bar.data.materials.append(glazed("Chocolate", (0.07, 0.022, 0.009), 0.28))
    studio.preset(bar, "chocolate")
    plate = studio.block("Plate", (0.6, 0.6, 0.01), (0.0, 0.0, -0.005))
    plate.data.materials.append(glazed("Plate", (0.7, 0.68, 0.65), 0.35))
    plate.dollop.kind = "COLLIDER"
    plate.dollop.collider.use_temperature, plate.dollop.collider.temperature = True, 345.0
    settings = scene.dollop.settings
    settings.particle_spacing = SPACING
    settings.use_heat = True
    settings.heat.rate = 300.0
    settings.output.use_particles = True
    settings.output.mesh.smoothing = 10.0


def prepare_render(scene: bpy.types.Scene) -> None:
    scene.dollop.particles.hide_render = True
    stage.camera(scene, (0.0, -0.2, 0.13), (0.0, 0.0, 0.002), 50.0)
    stage.lamp(scene, (-0.12, 0.25, 0.2), (0.0, 0.0, 0.0), 1.0, 0.12)
    stage.lamp(scene, (-0.2, -0.2, 0.3), (0.0, 0.0, 0.0), 1.2, 0.1)
    stage.world(scene, (0.75, 0.82, 0.9), 0.4)
    stage.cycles(scene, 480, 300, studio.samples(128))


if __name__ == "__main__":
    studio.main(__doc__.splitlines()[0], build, prepare_render)
