# SPDX-FileCopyrightText: 2026 The Dollop founders
# SPDX-License-Identifier: GPL-3.0-or-later
"""The shape of an object in its panel."""

from __future__ import annotations

from typing import Any

import bpy

from .. import shapes
from ..data import NONE, section, shape_of
from ..settings.draw import draw as draw_settings
from ..settings.names import shape_name


def draw(layout: Any, source: bpy.types.Object) -> None:
    """The choice of the shape of an object that takes part, and the shape's numbers."""
    layout.prop(source.dollop, shape_name(section(source.dollop.kind).key))
    shape = shape_of(source)
    if shape.settings:
        draw_settings(layout, shape.settings, shapes.numbers(source, shape), f"dollop.shape.{shape.item.value}")
        layout.operator(DOLLOP_OT_fit_shape.bl_idname, icon="FULLSCREEN_EXIT")


class DOLLOP_OT_fit_shape(bpy.types.Operator):
    """Make the shape as large as the object is"""

    bl_idname = "dollop.fit_shape"
    bl_label = "Fit to Object"
    bl_options = {"REGISTER", "UNDO"}

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        source = context.object
        if source is None or source.dollop.kind == NONE or not shape_of(source).settings:
            cls.poll_message_set("The object has no shape with numbers")
        elif not source.is_editable:
            cls.poll_message_set("The object is linked from another file: make a Library Override in the Object menu")
        else:
            return True
        return False

    def execute(self, context: bpy.types.Context) -> set[str]:
        shapes.fit(context.object, shape_of(context.object), again=True)
        return {"FINISHED"}


_CLASSES = (DOLLOP_OT_fit_shape,)
register, unregister = bpy.utils.register_classes_factory(_CLASSES)
