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

SPACING = 0.00042
FRAMES = 48
# The tube, m: radii of its inside, its mouth and its outside. Its mouth is at z = 0.
INSIDE, MOUTH, OUTSIDE = 0.0035, 0.0053, 0.0062
# The strand in the tube, m: how long its even part is, and its round end above that.
STRAND, END = 0.0719, 0.0022
AROUND = 48
# Width, depth and height of the bristles together, m.
BRISTLES = (0.031, 0.0115, 0.011)
# Where the middle of the bristles is by frame, m. The brush moves, as a tube that stands costs less.
BRUSH = {1: (0.012, -0.0121), 3: (0.012, -0.0121), 15: (-0.0125, -0.0121), 18: (-0.0105, -0.0181)}
BRUSH |= {28: (0.0085, -0.0181), 31: (0.0065, -0.0235), 37: (-0.005, -0.0232), 39: (-0.007, -0.0228)}
BRUSH |= {40: (-0.0075, -0.0245), 44: (-0.0085, -0.08)}
# How far the piston has gone by frame, m.
PISTON = {1: 0.0, 3: 0.004, 15: 0.0285, 18: 0.0348, 28: 0.0538, 31: 0.0596, 38: 0.0721}
# What part of the strand's surface is coloured.
STRIPE = 0.28
WHITE, BLUE, RED = (0.86, 0.88, 0.88), (0.01, 0.08, 0.42), (0.55, 0.006, 0.012)


def build(scene: bpy.types.Scene) -> None:
    scene.frame_start, scene.frame_end = 1, FRAMES
    toothpaste()
    tube()
    brush()
    settings = scene.dollop.settings
    settings.particle_spacing = SPACING
    settings.output.use_particles = True
    settings.output.mesh.smoothing = 8.0
    settings.output.mesh.attributes |= {"rest_position"}


def end(radius: float, start: float) -> list[tuple[float, float]]:
    """The outline of the end of a strand, up to its axis."""
    turns = [math.pi / 2 * n / 5 for n in range(6)]
    return [(radius * math.cos(turn) if turn < 1.5 else 0.0, start + END * math.sin(turn)) for turn in turns]


def toothpaste() -> None:
    radius = INSIDE - 0.0001
    made = studio.turned("Toothpaste", [(0.0, 0.0), (radius, 0.0), *end(radius, STRAND)], AROUND)
    made.location.z = 0.0005
    made.data.materials.append(glazed("Toothpaste", WHITE))
    studio.preset(made, "toothpaste")


def tube() -> None:
    """The tube, and a piston in it, hollow as the end of the strand. It reaches well into the wall of the tube, so
    nothing slips past."""
    top = STRAND + 0.012
    outline = [(INSIDE, 0.0), (MOUTH, 0.0), (OUTSIDE, 0.012), (OUTSIDE, top), (INSIDE, top)]
    made = studio.turned("Tube", outline, AROUND)
    made.data.materials.append(glazed("Tube", (0.02, 0.1, 0.32), 0.25))
    radius = MOUTH - 0.0002
    piston = studio.turned("Piston", [(radius, 0.0), (radius, 0.01), (0.0, 0.01), *reversed(end(INSIDE, 0.0))], AROUND)
    piston.data.materials.append(glazed("Piston", WHITE))
    start = STRAND + 0.0008
    studio.animate(piston, "location", {frame: (0.0, 0.0, start - gone) for frame, gone in PISTON.items()})
    studio.move_evenly(piston)
    for part in (made, piston):
        part.dollop.kind = "COLLIDER"
        part.dollop.collider.friction = 0.0


def brush() -> None:
    """The bristles, which carry the paste as a block would."""
    made = studio.block("Bristles", BRISTLES, (0.0, 0.0, 0.0))
    made.dollop.kind = "COLLIDER"
    made.dollop.collider.friction = 1.0
    studio.animate(made, "location", {frame: (x, 0.0, z) for frame, (x, z) in BRUSH.items()})
    studio.move_evenly(made)


def striped() -> bpy.types.Material:
    """White with stripes of blue and red around the strand, which go with the matter."""
    made = glazed("Stripes", WHITE, 0.22)
    nodes, links = made.node_tree.nodes, made.node_tree.links
    place = nodes.new("ShaderNodeSeparateXYZ")
    links.new(studio.rest_position(made.node_tree), place.inputs[0])
    angle, turn = nodes.new("ShaderNodeMath"), nodes.new("ShaderNodeMath")
    angle.operation = "ARCTAN2"
    links.new(place.outputs["Y"], angle.inputs[0])
    links.new(place.outputs["X"], angle.inputs[1])
    turn.operation = "MULTIPLY_ADD"
    turn.inputs[1].default_value, turn.inputs[2].default_value = 1.0 / (2.0 * math.pi), 0.5
    links.new(angle.outputs[0], turn.inputs[0])
    ramp = nodes.new("ShaderNodeValToRGB")
    ramp.color_ramp.interpolation = "CONSTANT"
    colours = [colour for stripe in (RED, BLUE) * 3 for colour in (stripe, WHITE)]
    stops = [((n // 2 + n % 2 * STRIPE) / 6.0, colour) for n, colour in enumerate(colours)]
    studio.fill_ramp(ramp.color_ramp, stops)
    links.new(turn.outputs[0], ramp.inputs[0])
    shader = nodes["Principled BSDF"]
    links.new(ramp.outputs[0], shader.inputs["Base Color"])
    shader.inputs["Subsurface Weight"].default_value = 0.25
    shader.inputs["Subsurface Scale"].default_value = 0.001
    shader.inputs["Coat Weight"].default_value = 0.6
    shader.inputs["Coat Roughness"].default_value = 0.05
    return made


def toothbrush(bristles: bpy.types.Object) -> list[bpy.types.Object]:
    """What is seen of the brush: rows of tufts, blue at both ends, in a head with a handle."""
    width, depth, height = BRISTLES
    white, blue = glazed("Tufts", (0.85, 0.88, 0.9), 0.4), glazed("Tufts, blue", (0.03, 0.2, 0.55), 0.4)
    made = []
    columns, rows, radius = 10, 4, 0.00138
    for column in range(columns):
        for row in range(rows):
            outline = [(0.0, -height / 2), (radius, -height / 2), (radius, height / 2 - 0.0003)]
            outline += [(radius - 0.0003, height / 2), (0.0, height / 2)]
            tuft = studio.turned("Tuft", outline, 32)
            x = (width - 2 * radius) * (column / (columns - 1) - 0.5)
            tuft.location = (x, (depth - 2 * radius) * (row / (rows - 1) - 0.5), 0.0)
            tuft.data.materials.append(blue if column in (0, columns - 1) else white)
            made.append(tuft)
    head = studio.block("Head", (0.24, depth + 0.003, 0.005), (-0.1005, 0.0, -height / 2 - 0.0023))
    head.data.materials.append(glazed("Head", (0.85, 0.87, 0.88), 0.2))
    rounded = head.modifiers.new("Rounded", "BEVEL")
    rounded.width, rounded.segments = 0.0024, 6
    head.data.shade_smooth()
    made.append(head)
    for part in made:
        part.parent = bristles
    bristles.hide_render = True
    return made


def prepare_render(scene: bpy.types.Scene) -> None:
    scene.dollop.particles.hide_render = True
    scene.dollop.surface.material_slots[0].material = striped()
    bristles = scene.objects["Bristles"]
    toothbrush(bristles)
    table = studio.block("Table", (6.0, 6.0, 0.02), (0.0, 0.0, -0.0215))
    table.data.materials.append(glazed("Table", (0.16, 0.46, 0.54), 0.35))
    before = set(scene.objects)
    stage.camera(scene, (0.014, -0.125, 0.04), (0.0, 0.0, 0.0115), 58.0)
    scene.camera.data.clip_start = 0.01
    stage.lamp(scene, (-0.1, -0.07, 0.13), (0.0, 0.0, 0.005), 0.6, 0.07)
    stage.lamp(scene, (0.13, 0.07, 0.09), (0.0, 0.0, 0.005), 0.5, 0.05)
    # Seen from the brush it is the tube that moves.
    for part in (table, *(set(scene.objects) - before)):
        part.parent = bristles
    stage.world(scene, (0.85, 0.92, 1.0), 0.25)
    stage.cycles(scene, 1280, 720, 64)


if __name__ == "__main__":
    studio.main(__doc__.splitlines()[0], build, prepare_render)
