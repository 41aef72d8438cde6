# SPDX-FileCopyrightText: 2026 The Dollop founders
# SPDX-License-Identifier: GPL-3.0-or-later
"""A material for each kind of result, for objects whose user has not chosen one."""

from __future__ import annotations

from collections.abc import Callable

import bpy

# Cycles takes the name "temperature" for a grid of a volume and finds no such attribute on meshes and points.
TEMPERATURE = "matter_temperature"

_CARAMEL = (0.80, 0.33, 0.12, 1.0)
_BLUE = (0.10, 0.30, 0.70, 1.0)
_WHITE = (1.0, 0.95, 0.85, 1.0)
_RED = (0.75, 0.03, 0.01, 1.0)


def assign(shown: bpy.types.Object, make: Callable[[], bpy.types.Material]) -> bpy.types.Material:
    """Gives an object without a material one, in a slot of the object, and returns the material it has."""
    if not shown.material_slots:
        shown.data.materials.append(None)
        shown.material_slots[0].link = "OBJECT"
    if not any(slot.material for slot in shown.material_slots):
        shown.material_slots[0].material = make()
    return next(slot.material for slot in shown.material_slots if slot.material)


def surface(has_temperature: bool, coldest: float, hottest: float) -> bpy.types.Material:
    """A glossy colour; where the matter has a temperature, white at the coldest to red at the hottest, in kelvin."""
    material, principled = _principled("Dollop Surface", "ShaderNodeBsdfPrincipled", "Surface")
    principled.inputs["Base Color"].default_value = _CARAMEL
    principled.inputs["Roughness"].default_value = 0.35
    if has_temperature:
        _colour_by_temperature(material.node_tree, principled.inputs["Base Color"], coldest, hottest)
    return material


def volume(voxel_density: float) -> bpy.types.Material:
    """Smoke of the given optical density, per metre as the grids are, where the density grid is 1."""
    material, principled = _principled("Dollop Volume", "ShaderNodeVolumePrincipled", "Volume")
    principled.inputs["Color"].default_value = _CARAMEL
    principled.inputs["Density"].default_value = voxel_density
    return material


def particles() -> bpy.types.Material:
    """One matte colour."""
    material, principled = _principled("Dollop Particles", "ShaderNodeBsdfPrincipled", "Surface")
    principled.inputs["Base Color"].default_value = _BLUE
    principled.inputs["Roughness"].default_value = 0.6
    return material


def _principled(name: str, kind: str, socket: str) -> tuple[bpy.types.Material, bpy.types.ShaderNode]:
    material = bpy.data.materials.new(name)
    if material.node_tree is None:
        # From 5.0 on every material has nodes, and asking for them is deprecated.
        material.use_nodes = True
    tree = material.node_tree
    tree.nodes.clear()
    output = tree.nodes.new("ShaderNodeOutputMaterial")
    principled = tree.nodes.new(kind)
    principled.location = (-300.0, 0.0)
    tree.links.new(principled.outputs[0], output.inputs[socket])
    return material, principled


def _colour_by_temperature(
    tree: bpy.types.NodeTree, target: bpy.types.NodeSocket, coldest: float, hottest: float
) -> None:
    attribute = tree.nodes.new("ShaderNodeAttribute")
    attribute.attribute_name = TEMPERATURE
    attribute.location = (-1000.0, 0.0)
    degree = tree.nodes.new("ShaderNodeMapRange")
    degree.location = (-800.0, 0.0)
    degree.inputs["From Min"].default_value = coldest
    degree.inputs["From Max"].default_value = hottest
    ramp = tree.nodes.new("ShaderNodeValToRGB")
    ramp.location = (-600.0, 0.0)
    ramp.color_ramp.elements[0].color = _WHITE
    ramp.color_ramp.elements[1].color = _RED
    tree.links.new(attribute.outputs["Fac"], degree.inputs["Value"])
    tree.links.new(degree.outputs[0], ramp.inputs[0])
    tree.links.new(ramp.outputs[0], target)
