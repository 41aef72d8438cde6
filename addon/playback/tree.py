# SPDX-FileCopyrightText: 2026 The Dollop founders
# SPDX-License-Identifier: GPL-3.0-or-later
"""Geometry node trees that read the file of the current frame."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import bpy

from ..bake.index import runs
from . import paths

NodeSocket = bpy.types.NodeSocket
# The reader node for each extension, and whether it gives instances.
_READERS = {".ply": ("GeometryNodeImportPLY", False), ".obj": ("GeometryNodeImportOBJ", True)}


@dataclass(frozen=True)
class Clock:
    """The choice of the file that a tree shows, by numbers that change with the scene's time."""

    file: NodeSocket
    """The frame whose file is shown."""
    is_near: NodeSocket
    """1 if that frame is the nearest to the present time, 0 if the nearest is missing and another is held."""
    since: NodeSocket
    """Frames from the file to the present time, -0.5 to 0.5; 0 if the frame is held."""


class Tree:
    """A geometry node tree under construction; nodes stand from left to right in the order of their creation."""

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

    def math(self, operation: str, value: NodeSocket, other: NodeSocket | float) -> NodeSocket:
        made = self.node("ShaderNodeMath", operation=operation)
        self.link(value, made.inputs[0])
        self._give(other, made.inputs[1])
        return made.outputs[0]

    def times(self, vector: NodeSocket, factor: NodeSocket | float) -> NodeSocket:
        made = self.node("ShaderNodeVectorMath", operation="SCALE")
        self.link(vector, made.inputs[0])
        self._give(factor, made.inputs["Scale"])
        return made.outputs[0]

    def named(self, name: str) -> NodeSocket:
        made = self.node("GeometryNodeInputNamedAttribute", data_type="FLOAT")
        made.inputs["Name"].default_value = name
        return made.outputs["Attribute"]

    def finish(self, geometry: NodeSocket, material: bpy.types.Material | None) -> None:
        """Gives the geometry a material slot; the object's own overrides it, but Blender 5.2 needs this one, too."""
        slot = self.node("GeometryNodeSetMaterial")
        slot.inputs["Material"].default_value = material
        self.link(geometry, slot.inputs["Geometry"])
        self.link(slot.outputs[0], self.node("NodeGroupOutput").inputs[0])

    def clock(self, frames: tuple[int, ...]) -> Clock:
        """The file to show at the present time."""
        now = self.node("GeometryNodeInputSceneTime").outputs["Frame"]
        nearest = self.math("ROUND", now, 0.0)
        file = self._baked(nearest, frames)
        held = self.node("ShaderNodeMath", operation="COMPARE")
        self.link(nearest, held.inputs[0])
        self.link(file, held.inputs[1])
        held.inputs[2].default_value = 0.5
        is_near = held.outputs[0]
        return Clock(file, is_near, self.math("MULTIPLY", self.math("SUBTRACT", now, nearest), is_near))

    def file(self, pattern: str, frame: NodeSocket) -> NodeSocket:
        """The geometry in the file of a frame."""
        text = self.node("FunctionNodeFormatString")
        text.name = paths.PATTERN_NODE
        text.format_items.new("INT", "frame")
        text.inputs["Format"].default_value = pattern
        self.link(frame, text.inputs["frame"])
        node, gives_instances = _READERS[Path(pattern).suffix]
        reader = self.node(node)
        self.link(text.outputs[0], reader.inputs["Path"])
        if not gives_instances:
            return reader.outputs[0]
        realize = self.node("GeometryNodeRealizeInstances")
        self.link(reader.outputs[0], realize.inputs[0])
        return realize.outputs[0]

    def _baked(self, wanted: NodeSocket, frames: tuple[int, ...]) -> NodeSocket:
        """The wanted frame if it is baked, else the last one before it, or the first of all."""
        stretches = runs(frames)
        first, last = stretches[0]
        frame = self.math("MINIMUM", self.math("MAXIMUM", wanted, first), last)
        for first, last in stretches[1:]:
            choice = self.node("GeometryNodeSwitch", input_type="FLOAT")
            self.link(self.math("GREATER_THAN", wanted, first - 0.5), choice.inputs["Switch"])
            self.link(frame, choice.inputs["False"])
            self.link(self.math("MINIMUM", wanted, last), choice.inputs["True"])
            frame = choice.outputs[0]
        return frame

    def _give(self, value: NodeSocket | float, target: NodeSocket) -> None:
        if isinstance(value, NodeSocket):
            self.link(value, target)
        else:
            target.default_value = value

    def scaled(self, geometry: NodeSocket, factor: float) -> NodeSocket:
        """From metres to Blender units."""
        if factor == 1.0:
            return geometry
        transform = self.node("GeometryNodeTransform")
        self.link(geometry, transform.inputs["Geometry"])
        transform.inputs["Scale"].default_value = (factor, factor, factor)
        return transform.outputs[0]

    def with_motion(self, geometry: NodeSocket, factor: float, clock: Clock, rate: float) -> NodeSocket:
        """Stores vx, vy, vz as the vector for motion blur, in units per second, and moves the points along it by the
        time since their file, at `rate` frames a second: with the shutter before or after the frame, Blender asks for
        times between two files."""
        velocity = self.times(self._vector("vx", "vy", "vz"), factor)
        # A held frame stands still.
        geometry = self._stored(geometry, "velocity", self.times(velocity, clock.is_near), "FLOAT_VECTOR")
        move = self.node("GeometryNodeSetPosition")
        self.link(geometry, move.inputs["Geometry"])
        self.link(self.times(velocity, self.math("DIVIDE", clock.since, rate)), move.inputs["Offset"])
        return move.outputs[0]

    def with_copy(self, geometry: NodeSocket, source: str, target: str) -> NodeSocket:
        """Copies the number attribute `source` to the name `target`."""
        return self._stored(geometry, target, self.named(source))

    def with_colour(
        self, geometry: NodeSocket, target: str, otherwise: tuple[float, float, float] | None
    ) -> NodeSocket:
        """Stores color_r, color_g, color_b as the colour for shaders, or `otherwise` if there are none."""
        if otherwise is None:
            return self._stored(geometry, target, self._vector("color_r", "color_g", "color_b"), "FLOAT_VECTOR")
        constant = self.node("FunctionNodeInputVector")
        constant.vector = otherwise
        return self._stored(geometry, target, constant.outputs[0], "FLOAT_VECTOR")

    def _vector(self, *names: str) -> NodeSocket:
        """Three number attributes as one vector."""
        vector = self.node("ShaderNodeCombineXYZ")
        for part, name in enumerate(names):
            self.link(self.named(name), vector.inputs[part])
        return vector.outputs[0]

    def _stored(self, geometry: NodeSocket, name: str, value: NodeSocket, kind: str = "FLOAT") -> NodeSocket:
        store = self.node("GeometryNodeStoreNamedAttribute", data_type=kind, domain="POINT")
        store.inputs["Name"].default_value = name
        self.link(geometry, store.inputs["Geometry"])
        self.link(value, store.inputs["Value"])
        return store.outputs[0]
