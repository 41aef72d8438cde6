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

SPACING = 0.0021
FRAMES = 36
# The lump, m: its radius before its foot is flat, and how high its middle is.
RADIUS, MIDDLE = 0.05, 0.036


def build(scene: bpy.types.Scene) -> None:
    scene.frame_start, scene.frame_end = 1, FRAMES
    lump()
    board = studio.block("Board", (0.5, 0.34, 0.02), (0.0, 0.0, -0.01))
    board.data.materials.append(studio.wood())
    board.dollop.kind = "COLLIDER"
    board.dollop.collider.friction = 1.0
    hammer()
    settings = scene.dollop.settings
    settings.particle_spacing = SPACING
    settings.output.use_particles = True
    settings.output.mesh.attributes |= {"rest_position"}


def lump() -> None:
    """A ball as hands leave it, with a flat foot."""
    data = bpy.data.meshes.new("Clay")
    ball = bmesh.new()
    bmesh.ops.create_icosphere(ball, subdivisions=5, radius=RADIUS)
    for vertex in ball.verts:
        vertex.co *= 1.0 + 0.1 * noise.noise(vertex.co * 22.0 + Vector((3.0, 1.0, 5.0)))
        vertex.co.x *= 1.12
        vertex.co.z = max(vertex.co.z, -MIDDLE)
    ball.to_mesh(data)
    ball.free()
    data.shade_smooth()
    made = studio.in_scene("Clay", data)
    made.location.z = MIDDLE + 0.0005
    data.materials.append(glazed("Clay", (0.36, 0.17, 0.1), 0.6))
    studio.preset(made, "clay")


def hammer() -> None:
    """Strikes twice: down on the right, then aslant on the left."""
    outline = [(0.0, 0.0), (0.0165, 0.0), (0.0185, 0.0006), (0.0195, 0.0025), (0.0195, 0.05), (0.0185, 0.052)]
    outline += [(0.0, 0.052)]
    head = studio.turned("Hammer", outline, 96)
    head.data.materials.append(studio.metal("Steel", (0.55, 0.56, 0.58), 0.25))
    head.dollop.kind = "COLLIDER"
    head.dollop.collider.friction = 0.3
    handle = studio.turned("Handle", [(0.0, 0.0), (0.007, 0.0), (0.0085, 0.05), (0.0095, 0.2), (0.0, 0.2)], 48)
    handle.data.materials.append(studio.wood())
    handle.parent = head
    handle.location, handle.rotation_euler = (0.0, 0.0, 0.032), (math.radians(-80.0), 0.0, math.radians(-20.0))
    turned = (0.0, math.radians(-32.0), 0.0)
    up, down = (0.02, -0.008, 0.16), (0.02, -0.008, 0.052)
    left, struck = (-0.105, -0.02, 0.165), (-0.0295, -0.02, 0.045)
    studio.animate(head, "location", {1: up, 3: up, 7: down, 8: down, 12: up, 17: left, 20: left, 24: struck})
    studio.animate(head, "location", {25: struck, 29: left, FRAMES: left})
    studio.animate(head, "rotation_euler", {1: (0.0, 0.0, 0.0), 12: (0.0, 0.0, 0.0), 17: turned})
    studio.move_evenly(head)


def terracotta() -> bpy.types.Material:
    """Wet and grainy; the grain goes with the matter."""
    made = glazed("Terracotta", (0.25, 0.115, 0.07), 0.6)
    nodes, links = made.node_tree.nodes, made.node_tree.links
    shader = nodes["Principled BSDF"]
    grain, bump, ramp = (nodes.new(f"ShaderNode{kind}") for kind in ("TexNoise", "Bump", "ValToRGB"))
    grain.inputs["Scale"].default_value, grain.inputs["Detail"].default_value = 220.0, 8.0
    bump.inputs["Strength"].default_value, bump.inputs["Distance"].default_value = 0.6, 0.002
    ramp.color_ramp.elements[0].color = (0.17, 0.07, 0.042, 1.0)
    ramp.color_ramp.elements[1].color = (0.3, 0.145, 0.088, 1.0)
    links.new(studio.rest_position(made.node_tree), grain.inputs["Vector"])
    links.new(grain.outputs[0], bump.inputs["Height"])
    links.new(grain.outputs[0], ramp.inputs[0])
    links.new(ramp.outputs[0], shader.inputs["Base Color"])
    links.new(bump.outputs[0], shader.inputs["Normal"])
    return made


def prepare_render(scene: bpy.types.Scene) -> None:
    scene.dollop.particles.hide_render = True
    scene.dollop.surface.material_slots[0].material = terracotta()
    table = studio.block("Table", (4.0, 4.0, 0.02), (0.0, 0.0, -0.03))
    table.data.materials.append(glazed("Table", (0.32, 0.33, 0.34), 0.6))
    stage.camera(scene, (0.03, -0.36, 0.21), (0.0, 0.0, 0.04), 50.0)
    stage.lamp(scene, (-0.35, 0.1, 0.4), (0.0, 0.0, 0.03), 7.0, 0.2)
    stage.lamp(scene, (0.5, -0.3, 0.4), (0.0, 0.0, 0.03), 2.5, 0.3)
    stage.world(scene, (0.85, 0.9, 1.0), 0.3)
    stage.cycles(scene, 1280, 720, 64)


if __name__ == "__main__":
    studio.main(__doc__.splitlines()[0], build, prepare_render)
