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

# These live inside bpy.
import bmesh  # isort: skip
from mathutils import Vector, noise  # isort: skip

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import stage
import studio
from studio import glazed

SPACING = 0.0022
FRAMES = 52
# How far each end is drawn aside, m.
ASIDE = 0.09
# The bar, m: its length, width and height, and how much narrower its middle is.
BAR, WAIST = (0.26, 0.07, 0.045), 0.25


def build(scene: bpy.types.Scene) -> None:
    scene.frame_start, scene.frame_end = 1, FRAMES
    bar()
    for side in (-1.0, 1.0):
        hold(side)
    table = studio.block("Table", (4.0, 4.0, 0.02), (0.0, 0.0, -0.03))
    table.data.materials.append(glazed("Table", (0.32, 0.33, 0.34), 0.6))
    table.dollop.kind = "COLLIDER"
    table.dollop.collider.friction = 0.8
    settings = scene.dollop.settings
    settings.particle_spacing = SPACING
    settings.output.use_particles = True


def bar() -> None:
    """A bar as hands roll it, flat below, thinner in its middle."""
    data = bpy.data.meshes.new("Dough")
    made = bmesh.new()
    bmesh.ops.create_cube(made, size=2.0)
    bmesh.ops.subdivide_edges(made, edges=made.edges[:], cuts=31, use_grid_fill=True)
    for vertex in made.verts:
        # Of boxes and balls, a round one between.
        at = vertex.co / sum(abs(part) ** 4 for part in vertex.co) ** 0.25
        narrower = 1.0 - WAIST * math.exp(-((at.x / 0.35) ** 2))
        uneven = 1.0 + 0.06 * noise.noise(at * 2.5 + Vector((3.0, 1.0, 5.0)))
        vertex.co = Vector((at.x, at.y * narrower * uneven, at.z * narrower * uneven))
        vertex.co = Vector(part * size / 2 for part, size in zip(vertex.co, BAR, strict=True))
        vertex.co.z = max(vertex.co.z + BAR[2] / 2, 0.003)
    made.to_mesh(data)
    made.free()
    data.shade_smooth()
    dough = studio.in_scene("Dough", data)
    dough.location.z = -0.0025
    data.materials.append(glazed("Dough", (0.75, 0.62, 0.42), 0.5))
    studio.preset(dough, "dough")
    # It tears where the preset would thin until it parts.
    settings = dough.dollop.body.material.continuum_settings
    settings.strength, settings.fracture_energy = 5000.0, 200.0


def hold(side: float) -> None:
    """A board below one end of the bar and a block above it, which comes down on it; both then go aside."""
    board = studio.block("Board", (0.2, 0.16, 0.02), (side * 0.1005, 0.0, -0.01))
    upper = studio.block("Block", (0.07, 0.11, 0.035), (side * 0.095, 0.0, 0.0))
    for made in (board, upper):
        rounded = made.modifiers.new("Round", "BEVEL")
        rounded.width, rounded.segments = 0.003, 3
        made.data.materials.append(studio.wood())
        studio.sticky(made)
    for made, high, low in ((board, -0.01, -0.01), (upper, 0.075, 0.037)):
        near, away = made.location.x, made.location.x + side * ASIDE
        place = {1: (near, high), 3: (near, high), 13: (near, low), 17: (near, low), 44: (away, low)}
        studio.animate(made, "location", {frame: (x, 0.0, z) for frame, (x, z) in place.items()})
        studio.move_evenly(made)


def skin() -> bpy.types.Material:
    """Pale, soft and a little moist."""
    made = glazed("Skin", (0.75, 0.59, 0.38), 0.45)
    shader = made.node_tree.nodes["Principled BSDF"]
    shader.inputs["Subsurface Weight"].default_value = 0.6
    shader.inputs["Subsurface Radius"].default_value = (0.008, 0.005, 0.002)
    shader.inputs["Subsurface Scale"].default_value = 1.0
    return made


def prepare_render(scene: bpy.types.Scene) -> None:
    scene.dollop.particles.hide_render = True
    scene.dollop.surface.material_slots[0].material = skin()
    stage.camera(scene, (0.1, -0.55, 0.3), (0.0, 0.0, 0.015), 40.0)
    stage.lamp(scene, (-0.35, -0.1, 0.4), (0.0, 0.0, 0.06), 7.0, 0.2)
    stage.lamp(scene, (0.5, -0.2, 0.4), (0.0, 0.0, 0.06), 2.5, 0.3)
    stage.world(scene, (0.85, 0.9, 1.0), 0.35)
    stage.cycles(scene, 1280, 720, 64)


if __name__ == "__main__":
    studio.main(__doc__.splitlines()[0], build, prepare_render)
