# SPDX-FileCopyrightText: 2026 The Dollop founders
# SPDX-License-Identifier: GPL-3.0-or-later
"""Makes shaders glow by the temperature of the matter, like a black body."""

from __future__ import annotations

import bpy

# The node with the strength of the glow.
NODE = "Glow"
# In kelvin: the temperature where the glow has the strength `_GLOW`, and its exponent. Total radiation grows by the
# fourth power (Stefan and Boltzmann), the visible part by about the 16th at 1500 K (Wien); half of that exponent lets a
# picture show dull red beside bright orange. Below `_DARK` the glow is invisible (Draper has the first at 798 K).
_GLOWING = 1500.0
_DARK = 700.0
_STEEPNESS = 8.0
_GLOW = 0.5
# From here on the glow is visible in a dim room.
_SEEN = 900.0


def sampling(hottest: float) -> str:
    return "AUTO" if hottest >= _SEEN else "NONE"


def look_for_light(material: bpy.types.Material, before: str, hottest: float) -> None:
    """By default Cycles sorts all triangles of a material that may emit, at ten times the cost of small pictures. This
    switches it off for matter too cold to glow, unless the user changed the setting."""
    settings = getattr(material, "cycles", None)
    if settings and settings.emission_sampling == before:
        settings.emission_sampling = sampling(hottest)


def emits(principled: bpy.types.ShaderNode) -> bool:
    colour, strength = principled.inputs["Emission Color"], principled.inputs["Emission Strength"]
    return colour.is_linked or strength.is_linked or strength.default_value > 0.0


def add(tree: bpy.types.NodeTree, attribute: str, principled: bpy.types.ShaderNode) -> bpy.types.NodeSocket:
    """Makes matter emit by its temperature, in the colour of a black body. Returns the strength."""

    def node(kind: str, label: str, x: float, y: float) -> bpy.types.ShaderNode:
        made = tree.nodes.new(kind)
        made.name = made.label = label
        made.location = (x, y)
        return made

    temperature = node("ShaderNodeAttribute", "Temperature in Kelvin", -1200.0, -400.0)
    temperature.attribute_name = attribute
    colour = node("ShaderNodeBlackbody", "Glow Colour", -600.0, -300.0)
    tree.links.new(temperature.outputs["Fac"], colour.inputs["Temperature"])
    tree.links.new(colour.outputs[0], principled.inputs["Emission Color"])
    value = temperature.outputs["Fac"]
    steps = (
        ("DIVIDE", "Of Bright Orange", _GLOWING),
        ("POWER", "Steepness", _STEEPNESS),
        ("SUBTRACT", "What Is Dark", (_DARK / _GLOWING) ** _STEEPNESS),
        ("MAXIMUM", "Nothing Below", 0.0),
        ("MULTIPLY", NODE, _GLOW),
    )
    for i, (operation, label, number) in enumerate(steps):
        step = node("ShaderNodeMath", label, -1000.0 + 160.0 * i, -500.0)
        step.operation = operation
        step.inputs[1].default_value = number
        tree.links.new(value, step.inputs[0])
        value = step.outputs[0]
    tree.links.new(value, principled.inputs["Emission Strength"])
    return value


def add_where_dense(tree: bpy.types.NodeTree, strength: bpy.types.NodeSocket, principled: bpy.types.ShaderNode) -> None:
    """A volume emits per metre: matter deep enough to hide the background emits like a surface."""
    density = tree.nodes.new("ShaderNodeAttribute")
    density.attribute_name = "density"
    density.location = (-800.0, -700.0)
    depth, emission = (tree.nodes.new("ShaderNodeMath") for _ in range(2))
    depth.name = depth.label = "Optical Density"
    depth.inputs[1].default_value = principled.inputs["Density"].default_value
    for i, (node, value) in enumerate(((depth, density.outputs["Fac"]), (emission, strength))):
        node.operation = "MULTIPLY"
        node.location = (-600.0 + 200.0 * i, -700.0)
        tree.links.new(value, node.inputs[0])
    tree.links.new(depth.outputs[0], emission.inputs[1])
    tree.links.new(emission.outputs[0], principled.inputs["Emission Strength"])
