# SPDX-FileCopyrightText: 2026 The Dollop founders
# SPDX-License-Identifier: GPL-3.0-or-later
"""The pins of a sheet in the panel of a body."""

from __future__ import annotations

from typing import Any

import bpy

from ..data import OTHER, can_be_pinned


def draw(layout: Any, source: bpy.types.Object) -> None:
    """The pins of an object; empty if it cannot have any."""
    if not can_be_pinned(source):
        return
    header, body = layout.panel("dollop.pins")
    header.label(text="Pins")
    if body is None:
        return
    for number, pin in enumerate(source.dollop.pins):
        _draw_pin(body.box(), number, pin, source)
    body.operator(DOLLOP_OT_add_pin.bl_idname, icon="ADD")


def _draw_pin(box: Any, number: int, pin: bpy.types.PropertyGroup, source: bpy.types.Object) -> None:
    row = box.row(align=True)
    row.prop_search(pin, "vertex_group", source, "vertex_groups")
    row.operator(DOLLOP_OT_remove_pin.bl_idname, text="", icon="X").number = number
    box.prop(pin, "follow")
    if pin.follow == OTHER:
        box.prop(pin, "target")


class _OfPins:
    """An operator on the pins of the object whose panel is shown."""

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        if context.object is None or not can_be_pinned(context.object):
            cls.poll_message_set("Only a body that is a mesh of oriented material has pins")
        elif not context.object.is_editable:
            cls.poll_message_set("The object is linked from another file: make a Library Override in the Object menu")
        else:
            return True
        return False


class DOLLOP_OT_add_pin(_OfPins, bpy.types.Operator):
    """Hold a part of the sheet, or move it: the vertices of a vertex group, at first the active one"""

    bl_idname = "dollop.add_pin"
    bl_label = "Add Pin"
    bl_options = {"REGISTER", "UNDO"}

    def execute(self, context: bpy.types.Context) -> set[str]:
        source = context.object
        active = source.vertex_groups.active
        source.dollop.pins.add().vertex_group = active.name if active else ""
        return {"FINISHED"}


class DOLLOP_OT_remove_pin(_OfPins, bpy.types.Operator):
    """Let go of the vertices"""

    bl_idname = "dollop.remove_pin"
    bl_label = "Remove Pin"
    bl_options = {"REGISTER", "UNDO"}

    number: bpy.props.IntProperty(min=0, options={"HIDDEN"})

    def execute(self, context: bpy.types.Context) -> set[str]:
        pins = context.object.dollop.pins
        if self.number >= len(pins):
            return {"CANCELLED"}
        try:
            pins.remove(self.number)
        except TypeError:
            # Blender's error for a pin that an override has from its library.
            self.report({"ERROR"}, "This pin is kept in the linked file: remove it there")
            return {"CANCELLED"}
        return {"FINISHED"}


_CLASSES = (DOLLOP_OT_add_pin, DOLLOP_OT_remove_pin)
register, unregister = bpy.utils.register_classes_factory(_CLASSES)
