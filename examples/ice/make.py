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

SPACING = 0.0007
FRAMES = 84
# The cube, m: its edge, and how round that is.
EDGE, ROUND = 0.026, 0.0025
# How warm the dish is, K.
DISH = 303.0


def build(scene: bpy.types.Scene) -> None:
    scene.frame_start, scene.frame_end = 1, FRAMES
    settings = scene.dollop.settings
    settings.use_heat = True
    cube()
    dish()
    settings.particle_spacing = SPACING
    settings.heat.rate = 20.0
    settings.output.use_particles = True
    settings.output.mesh.smoothing = 10.0


def cube() -> None:
    made = studio.block("Ice", (EDGE, EDGE, EDGE), (0.0, 0.0, EDGE / 2 + 0.0005))
    made.rotation_euler.z = math.radians(28.0)
    rounded = made.modifiers.new("Round", "BEVEL")
    rounded.width, rounded.segments = ROUND, 4
    made.data.materials.append(glazed("Ice", (0.8, 0.9, 1.0), 0.1))
    studio.preset(made, "ice")


def dish() -> None:
    """A shallow dish, wide enough for all the water."""
    outline = [(0.0, -0.012), (0.039, -0.012), (0.0475, -0.004), (0.051, 0.006), (0.0505, 0.0085), (0.0485, 0.0092)]
    outline += [(0.0465, 0.0085), (0.0435, 0.005), (0.04, 0.002), (0.0365, 0.0005), (0.033, 0.0), (0.0, 0.0)]
    made = studio.turned("Dish", outline)
    made.data.materials.append(glazed("Dish", (0.02, 0.022, 0.026), 0.25))
    made.dollop.kind = "COLLIDER"
    collider = made.dollop.collider
    collider.friction = 1.0
    collider.use_temperature, collider.temperature = True, DISH


def clear() -> bpy.types.Material:
    """Clear and blue where it is deep; dull where it is cold."""
    made = studio.clear("Clear", 0.05, 1.32, (0.75, 0.92, 1.0), 22.0)
    studio.roughness_by_temperature(made, (271.5, 0.12), (273.1, 0.0))
    return made


def prepare_render(scene: bpy.types.Scene) -> None:
    scene.dollop.particles.hide_render = True
    scene.dollop.surface.material_slots[0].material = clear()
    table = studio.block("Table", (4.0, 4.0, 0.02), (0.0, 0.0, -0.022))
    table.data.materials.append(glazed("Table", (0.16, 0.19, 0.22), 0.45))
    stage.camera(scene, (0.02, -0.2, 0.105), (0.0, 0.0, 0.006), 62.0)
    scene.camera.data.clip_start = 0.01
    stage.lamp(scene, (-0.12, 0.2, 0.12), (0.0, 0.0, 0.01), 1.6, 0.12)
    stage.lamp(scene, (0.2, 0.05, 0.15), (0.0, 0.0, 0.01), 0.8, 0.1)
    stage.world(scene, (0.7, 0.85, 1.0), 0.35)
    stage.cycles(scene, 1280, 720, 128)


if __name__ == "__main__":
    studio.main(__doc__.splitlines()[0], build, prepare_render)
