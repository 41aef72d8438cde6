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

SPACING = 0.0026
FRAMES = 48
# Above the plate at the start, m.
ABOVE = 0.03
# Radii and heights of the mould, and how deep its flutes are there, m: two tiers and a dome.
MOULD = [(0.07, 0.0, 0.004), (0.0715, 0.003, 0.004), (0.067, 0.03, 0.004), (0.063, 0.045, 0.0035)]
MOULD += [(0.058, 0.051, 0.003), (0.049, 0.053, 0.002), (0.045, 0.057, 0.002), (0.042, 0.072, 0.0018)]
MOULD += [(0.0385, 0.082, 0.0014), (0.031, 0.089, 0.0008), (0.018, 0.093, 0.0003), (0.0, 0.094, 0.0)]
FLUTES = 12


def build(scene: bpy.types.Scene) -> None:
    scene.frame_start, scene.frame_end = 1, FRAMES
    jelly()
    plate()
    spoon()
    settings = scene.dollop.settings
    settings.particle_spacing = SPACING
    settings.output.use_particles = True
    settings.output.mesh.smoothing = 8.0


def jelly() -> None:
    made = studio.turned("Jelly", [(0.0, 0.0), *((radius, z) for radius, z, _ in MOULD)], 16 * FLUTES)
    for vertex in made.data.vertices:
        radius = math.hypot(vertex.co.x, vertex.co.y)
        depth = next((depth for _, z, depth in MOULD if abs(z - vertex.co.z) < 1e-6), 0.0) if radius > 1e-6 else 0.0
        wider = 1.0 + depth / max(radius, 1e-6) * math.cos(FLUTES * math.atan2(vertex.co.y, vertex.co.x))
        vertex.co.x, vertex.co.y = vertex.co.x * wider, vertex.co.y * wider
    made.location.z = ABOVE
    made.data.materials.append(glazed("Jelly", (0.8, 0.03, 0.06), 0.05))
    studio.preset(made, "jelly")


def plate() -> None:
    outline = [(0.0, -0.016), (0.075, -0.016), (0.08, -0.013), (0.128, 0.003), (0.1305, 0.0055), (0.129, 0.008)]
    outline += [(0.126, 0.0085), (0.098, 0.0015), (0.09, 0.0), (0.0, 0.0)]
    made = studio.turned("Plate", outline, 192)
    made.data.materials.append(glazed("Plate", (0.8, 0.79, 0.77), 0.12))
    made.dollop.kind = "COLLIDER"
    made.dollop.collider.friction = 1.0


def spoon() -> None:
    """Pushes the top to the left from the right, and slips off."""
    outline = [(0.0, -0.03), (0.008, -0.0285), (0.0145, -0.023), (0.018, -0.014), (0.0185, -0.004), (0.016, 0.008)]
    outline += [(0.01, 0.02), (0.006, 0.03), (0.0045, 0.045), (0.0045, 0.14), (0.003, 0.144), (0.0, 0.145)]
    made = studio.turned("Spoon", outline, 64)
    made.scale.x, made.scale.y = 0.6, 1.3
    made.rotation_euler.y = math.radians(15.0)
    made.data.materials.append(studio.metal("Steel", (0.75, 0.75, 0.77), 0.15))
    made.dollop.kind = "COLLIDER"
    made.dollop.collider.friction = 0.1
    far, near, pushed = (0.12, 0.0, 0.1), (0.058, 0.0, 0.088), (0.031, 0.0, 0.084)
    away = (0.11, 0.0, 0.12)
    studio.animate(made, "location", {1: far, 13: far, 18: near, 23: pushed, 24: pushed, 26: near, 29: away})
    studio.move_evenly(made)


def raspberry() -> bpy.types.Material:
    """Cloudy, with a wet skin, and redder where it is deep."""
    made = studio.clear("Raspberry", 0.14, 1.36, (1.0, 0.05, 0.07), 55.0)
    shader = made.node_tree.nodes["Principled BSDF"]
    shader.inputs["Coat Weight"].default_value = 1.0
    shader.inputs["Coat Roughness"].default_value = 0.02
    return made


def prepare_render(scene: bpy.types.Scene) -> None:
    scene.dollop.particles.hide_render = True
    scene.dollop.surface.material_slots[0].material = raspberry()
    table = studio.block("Table", (3.0, 3.0, 0.02), (0.0, 0.0, -0.026))
    table.data.materials.append(glazed("Table", (0.62, 0.47, 0.36), 0.5))
    stage.camera(scene, (0.08, -0.5, 0.22), (0.012, 0.0, 0.05), 56.0)
    stage.lamp(scene, (-0.25, 0.45, 0.35), (0.0, 0.0, 0.04), 9.0, 0.3)
    stage.lamp(scene, (-0.45, -0.3, 0.5), (0.0, 0.0, 0.04), 5.0, 0.25)
    stage.world(scene, (0.85, 0.9, 1.0), 0.5)
    stage.cycles(scene, 1280, 720, 64)


if __name__ == "__main__":
    studio.main(__doc__.splitlines()[0], build, prepare_render)
