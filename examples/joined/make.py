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

FRAMES = 72
WIDTH, DEPTH = 0.5, 0.6
HEIGHT = 0.6
GAP = 0.006
COLOURS = ((0.7, 0.22, 0.1), (0.1, 0.28, 0.55))


def build(scene: bpy.types.Scene) -> None:
    scene.frame_start, scene.frame_end = 1, FRAMES
    material = {"type": "oriented", "rest_density": 400, "thickness": 5e-4, "stretch_stiffness": 80}
    material |= {"bending_stiffness": 2e-4, "viscosity": 4}
    for name, side, colour in zip(("Left", "Right"), (-1, 1), COLOURS, strict=True):
        made = studio.grid(name, (WIDTH, DEPTH), (1, 1), (side * (WIDTH + GAP) / 2, 0.0, HEIGHT))
        made.data.materials.append(glazed(name, colour, 0.6))
        studio.matter(made, material=material)
        studio.pin(made, "Outside", lambda place, side=side: place.x * side > 0)
    table = studio.block("Table", (1.15, 0.75, 0.05), (0.0, 0.0, 0.0))
    studio.animate(table, "location", {24: (0.0, 0.0, HEIGHT - 0.035), 48: (0.0, 0.0, 0.05)})
    table.dollop.kind = "COLLIDER"
    bpy.ops.mesh.primitive_uv_sphere_add(radius=0.06, segments=48, ring_count=24)
    iron = bpy.context.object
    iron.name = "Iron"
    bpy.ops.object.shade_smooth()
    studio.animate(iron, "location", {1: (0.0, -0.4, HEIGHT), 22: (0.0, 0.4, HEIGHT)})
    studio.move_evenly(iron)
    iron.dollop.kind = "TOOL"
    settings = scene.dollop.settings
    settings.particle_spacing = 0.0125
    settings.output.use_particles = True
    stage.keep_sources(settings)


def prepare_render(scene: bpy.types.Scene) -> None:
    scene.dollop.particles.hide_render = True
    iron = scene.objects["Iron"]
    iron.hide_render, iron.display_type = False, "TEXTURED"
    iron.data.materials.append(glazed("Iron", (0.8, 0.8, 0.82), 0.25))
    scene.objects["Table"].data.materials.append(glazed("Table", (0.5, 0.46, 0.42), 0.7))
    stage.colour(scene.dollop.surface, list(COLOURS))
    stage.camera(scene, (0.9, -1.6, 1.35), (0.0, 0.0, 0.45), 45.0)
    stage.lamp(scene, (-1.2, -1.4, 2.2), (0.0, 0.0, 0.4), 110.0, 0.8)
    stage.world(scene, (0.85, 0.88, 0.95), 0.4)
    stage.cycles(scene, 360, 300)


if __name__ == "__main__":
    studio.main(__doc__.splitlines()[0], build, prepare_render)
