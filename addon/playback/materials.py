# SPDX-FileCopyrightText: 2026 The Dollop founders
# SPDX-License-Identifier: GPL-3.0-or-later
"""A material for each kind of result, for objects whose user has not chosen one."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import bpy
import numpy as np

from . import glow

# Cycles reads the name "temperature" as a volume grid and finds no such attribute on meshes and points.
TEMPERATURE = "matter_temperature"
COLOUR = "matter_color"
# The colour of matter whose files have none, linear.
UNKNOWN = (0.55, 0.17, 0.035)

_BLUE = (0.10, 0.30, 0.70, 1.0)

Colour = tuple[float, float, float, float]


@dataclass(frozen=True)
class _Look:
    """The colours of a shader by temperature: at the coldest, without temperature or in the middle, and at the
    hottest."""

    socket: str
    attribute: str
    colours: tuple[Colour, Colour, Colour]


# Names of the shader nodes, and of their materials.
_SURFACE, _VOLUME, _COLOURS = "Dollop Surface", "Dollop Volume", "Dollop Temperature Colours"
# By default light that was scattered twice is lost, so that a volume is much darker than a surface of its colour.
_LOOKS = {
    _VOLUME: _Look("Color", "temperature", ((0.30, 0.10, 0.045, 1.0), (1.0, 0.42, 0.14, 1.0), (1.0, 0.70, 0.26, 1.0))),
    # Tonnesen 1992, section 6.1.1.
    _COLOURS: _Look("Base Color", TEMPERATURE, ((1.0, 1.0, 1.0, 1.0), (1.0, 0.5, 0.5, 1.0), (1.0, 0.0, 0.0, 1.0))),
}
# Glowing shaders, and the attribute of their temperature.
_GLOWS = {_SURFACE: TEMPERATURE, _VOLUME: "temperature"}
# Since light is lost, backward scattering counts: most light is scattered towards its source, and to the camera beside
# it.
_BACKWARDS = -0.5
# The node with the span of temperatures, and the property in which our materials store it: lowest and highest, equal
# while there is none.
_SPAN_NODE = "Temperatures"
_SPAN = "dollop_temperatures"


def assign(shown: bpy.types.Object, make: Callable[[], bpy.types.Material]) -> bpy.types.Material:
    """Gives an object without a material a new one, in a slot of the object, and returns the object's material."""
    if not shown.material_slots:
        shown.data.materials.append(None)
        shown.material_slots[0].link = "OBJECT"
    if not any(slot.material for slot in shown.material_slots):
        shown.material_slots[0].material = make()
    return next(slot.material for slot in shown.material_slots if slot.material)


def surface() -> bpy.types.Material:
    """Glazed, in the colour of the matter."""
    material, principled = _principled(_SURFACE, "ShaderNodeBsdfPrincipled", "Surface")
    principled.inputs["Roughness"].default_value = 0.3
    principled.inputs["Coat Weight"].default_value = 0.5
    principled.inputs["Coat Roughness"].default_value = 0.08
    colour = material.node_tree.nodes.new("ShaderNodeAttribute")
    colour.attribute_name = COLOUR
    colour.location = (-600.0, 0.0)
    material.node_tree.links.new(colour.outputs["Color"], principled.inputs["Base Color"])
    return material


def show_temperatures(material: bpy.types.Material, coldest: float, hottest: float) -> None:
    """Sets the range of temperatures, in kelvin, of a material that `surface`, `volume` or `by_temperature` made. The
    last two spread their colours over it; the first two glow from about 900 K on. A user's own material, span or
    emission stays as it is."""
    if _SPAN not in material:
        return
    tree, before = material.node_tree, list(material[_SPAN])
    is_new = before[0] >= before[1]
    name = next((name for name in (_SURFACE, _VOLUME, _COLOURS) if name in tree.nodes), None)
    if name is None or (name in _LOOKS and not _spread(tree, name, before, [coldest, hottest])):
        return
    if is_new and name in _GLOWS and not glow.emits(tree.nodes[name]):
        strength = glow.add(tree, _GLOWS[name], tree.nodes[name])
        if name == _VOLUME:
            glow.add_where_dense(tree, strength, tree.nodes[name])
    if glow.NODE in tree.nodes:
        glow.look_for_light(material, "AUTO" if is_new else glow.sampling(before[1]), hottest)
    material[_SPAN] = [coldest, hottest]


def _spread(tree: bpy.types.NodeTree, name: str, before: list[float], span: list[float]) -> bool:
    """Spreads the colours over a span of temperatures; returns False if the user chose another span, or other nodes."""
    node, target = tree.nodes.get(_SPAN_NODE), tree.nodes[name].inputs[_LOOKS[name].socket]
    if node is None:
        if before[0] < before[1] or target.is_linked:
            return False
        node = _colour_by_temperature(tree, _LOOKS[name], target)
    elif not np.allclose([node.inputs[end].default_value for end in ("From Min", "From Max")], before):
        return False
    node.inputs["From Min"].default_value, node.inputs["From Max"].default_value = span
    return True


def volume(voxel_density: float) -> bpy.types.Material:
    """A caramel cloud of the given optical density, per metre in the space of the grids, where the density grid is
    1."""
    material, principled = _coloured(_VOLUME, "ShaderNodeVolumePrincipled", "Volume")
    principled.inputs["Anisotropy"].default_value = _BACKWARDS
    principled.inputs["Density"].default_value = voxel_density
    return material


def by_temperature() -> bpy.types.Material:
    """White at the coldest and red at the hottest, for reading temperatures from a picture."""
    material, principled = _coloured(_COLOURS, "ShaderNodeBsdfPrincipled", "Surface")
    principled.inputs["Roughness"].default_value = 0.6
    return material


def is_by_temperature(material: bpy.types.Material) -> bool:
    """Whether `by_temperature` made it."""
    return _SPAN in material and _COLOURS in material.node_tree.nodes


def particles() -> bpy.types.Material:
    """One matte colour."""
    material, principled = _principled("Dollop Particles", "ShaderNodeBsdfPrincipled", "Surface")
    principled.inputs["Base Color"].default_value = _BLUE
    principled.inputs["Roughness"].default_value = 0.6
    return material


def _coloured(name: str, kind: str, socket: str) -> tuple[bpy.types.Material, bpy.types.ShaderNode]:
    """A material that `show_temperatures` can colour."""
    material, principled = _principled(name, kind, socket)
    look = _LOOKS[name]
    principled.inputs[look.socket].default_value = look.colours[1]
    return material, principled


def _principled(name: str, kind: str, socket: str) -> tuple[bpy.types.Material, bpy.types.ShaderNode]:
    material = bpy.data.materials.new(name)
    material[_SPAN] = [0.0, 0.0]
    if material.node_tree is None:
        # From 5.0 on every material has nodes, and the property is deprecated.
        material.use_nodes = True
    tree = material.node_tree
    tree.nodes.clear()
    output = tree.nodes.new("ShaderNodeOutputMaterial")
    principled = tree.nodes.new(kind)
    principled.name = name
    principled.location = (-300.0, 0.0)
    tree.links.new(principled.outputs[0], output.inputs[socket])
    return material, principled


def _colour_by_temperature(tree: bpy.types.NodeTree, look: _Look, target: bpy.types.NodeSocket) -> bpy.types.ShaderNode:
    """Returns the node whose span of temperatures the colours cover."""
    attribute = tree.nodes.new("ShaderNodeAttribute")
    attribute.attribute_name = look.attribute
    attribute.location = (-1000.0, 0.0)
    degree = tree.nodes.new("ShaderNodeMapRange")
    degree.name = degree.label = _SPAN_NODE
    degree.location = (-800.0, 0.0)
    colours = tree.nodes.new("ShaderNodeValToRGB")
    colours.location = (-600.0, 0.0)
    ramp = colours.color_ramp.elements
    ramp[0].color, ramp[1].color = look.colours[0], look.colours[2]
    ramp.new(0.5).color = look.colours[1]
    tree.links.new(attribute.outputs["Fac"], degree.inputs["Value"])
    tree.links.new(degree.outputs[0], colours.inputs[0])
    tree.links.new(colours.outputs[0], target)
    return degree
