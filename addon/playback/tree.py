# SPDX-FileCopyrightText: 2026 The Dollop founders
# SPDX-License-Identifier: GPL-3.0-or-later
"""Geometry node trees that read the file of the current frame."""

from __future__ import annotations

import bpy

from ..bake.index import runs
from . import paths

NodeSocket = bpy.types.NodeSocket


class Tree:
    """A geometry node tree in the making; nodes stand from left to right in the order they are made."""

    def __init__(self, tree: bpy.types.NodeTree) -> None:
        self.tree = tree
        tree.nodes.clear()
        tree.interface.clear()
        tree.interface.new_socket("Geometry", in_out="OUTPUT", socket_type="NodeSocketGeometry")
        self._x = 0.0

    def node(self, kind: str, **properties: object) -> bpy.types.Node:
        made = self.tree.nodes.new(kind)
        for name, value in properties.items():
            setattr(made, name, value)
        made.location = (self._x, 0.0)
        self._x += 190.0
        return made

    def link(self, source: NodeSocket, target: NodeSocket) -> None:
        self.tree.links.new(source, target)

    def math(self, operation: str, value: NodeSocket, constant: float) -> NodeSocket:
        made = self.node("ShaderNodeMath", operation=operation)
        self.link(value, made.inputs[0])
        made.inputs[1].default_value = constant
        return made.outputs[0]

    def named(self, name: str) -> NodeSocket:
        made = self.node("GeometryNodeInputNamedAttribute", data_type="FLOAT")
        made.inputs["Name"].default_value = name
        return made.outputs["Attribute"]

    def finish(self, geometry: NodeSocket, material: bpy.types.Material | None) -> None:
        """Gives the geometry a material slot; the object's own overrides it, but in Blender 5.2 not without one."""
        slot = self.node("GeometryNodeSetMaterial")
        slot.inputs["Material"].default_value = material
        self.link(geometry, slot.inputs["Geometry"])
        self.link(slot.outputs[0], self.node("NodeGroupOutput").inputs[0])

    def file(self, pattern: str, frames: tuple[int, ...]) -> NodeSocket:
        """The geometry in the file of the current frame, or of the nearest baked one before it."""
        text = self.node("FunctionNodeFormatString")
        text.name = paths.PATTERN_NODE
        text.format_items.new("INT", "frame")
        text.inputs["Format"].default_value = pattern
        self.link(self._baked_frame(frames), text.inputs["frame"])
        if pattern.endswith(".obj"):
            reader = self.node("GeometryNodeImportOBJ")
            self.link(text.outputs[0], reader.inputs["Path"])
            realize = self.node("GeometryNodeRealizeInstances")
            self.link(reader.outputs[0], realize.inputs[0])
            return realize.outputs[0]
        reader = self.node("GeometryNodeImportPLY")
        self.link(text.outputs[0], reader.inputs["Path"])
        return reader.outputs[0]

    def _baked_frame(self, frames: tuple[int, ...]) -> NodeSocket:
        stretches = runs(frames)
        first, last = stretches[0]
        now = self.node("GeometryNodeInputSceneTime").outputs["Frame"]
        frame = self.math("MINIMUM", self.math("MAXIMUM", now, first), last)
        for first, last in stretches[1:]:
            choice = self.node("GeometryNodeSwitch", input_type="FLOAT")
            # Frames are whole, or fractions of one for motion blur: at least the first of the stretch.
            self.link(self.math("GREATER_THAN", now, first - 1e-3), choice.inputs["Switch"])
            self.link(frame, choice.inputs["False"])
            self.link(self.math("MINIMUM", now, last), choice.inputs["True"])
            frame = choice.outputs[0]
        return self.math("FLOOR", frame, 0.0)

    def scaled(self, geometry: NodeSocket, factor: float) -> NodeSocket:
        """From metres to Blender units."""
        if factor == 1.0:
            return geometry
        transform = self.node("GeometryNodeTransform")
        self.link(geometry, transform.inputs["Geometry"])
        transform.inputs["Scale"].default_value = (factor, factor, factor)
        return transform.outputs[0]

    def with_velocity(self, geometry: NodeSocket, factor: float) -> NodeSocket:
        """Stores vx, vy, vz as the vector that motion blur asks for, in units per second."""
        vector = self.node("ShaderNodeCombineXYZ")
        for part, name in enumerate(("vx", "vy", "vz")):
            self.link(self.named(name), vector.inputs[part])
        scale = self.node("ShaderNodeVectorMath", operation="SCALE")
        self.link(vector.outputs[0], scale.inputs[0])
        scale.inputs["Scale"].default_value = factor
        store = self.node("GeometryNodeStoreNamedAttribute", data_type="FLOAT_VECTOR", domain="POINT")
        store.inputs["Name"].default_value = "velocity"
        self.link(geometry, store.inputs["Geometry"])
        self.link(scale.outputs[0], store.inputs["Value"])
        return store.outputs[0]

    def with_copy(self, geometry: NodeSocket, source: str, target: str) -> NodeSocket:
        """Stores the number attribute `source` once more under the name `target`."""
        store = self.node("GeometryNodeStoreNamedAttribute", data_type="FLOAT", domain="POINT")
        store.inputs["Name"].default_value = target
        self.link(geometry, store.inputs["Geometry"])
        self.link(self.named(source), store.inputs["Value"])
        return store.outputs[0]
