# SPDX-FileCopyrightText: 2026 The Dollop founders
# SPDX-License-Identifier: GPL-3.0-or-later
"""The buttons, except those for running work in `baking` and `farm`."""

from __future__ import annotations

from pathlib import Path

import bpy

from .. import export, loading, session
from ..bake.index import CacheError, read
from ..data import BODY, NONE
from ..export.participants import MESH_LIKE
from ..export.problems import ExportError
from ..playback import colours, paths
from ..session import status


class DOLLOP_OT_free(bpy.types.Operator):
    """Delete the files of the bake, hide its objects and show the bodies again"""

    bl_idname = "dollop.free"
    bl_label = "Free"
    bl_options = {"REGISTER"}

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        return _has_bake(cls, context)

    def invoke(self, context: bpy.types.Context, event: bpy.types.Event) -> set[str]:
        return context.window_manager.invoke_confirm(self, event)

    def execute(self, context: bpy.types.Context) -> set[str]:
        for warning in session.free(context.scene):
            self.report({"WARNING"}, warning)
        return {"FINISHED"}


class DOLLOP_OT_load(bpy.types.Operator):
    """Show a bake that was made elsewhere, or an earlier one: a folder with a bake.json"""

    bl_idname = "dollop.load"
    bl_label = "Load Bake"
    bl_options = {"REGISTER", "UNDO"}

    directory: bpy.props.StringProperty(subtype="DIR_PATH")

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        if status.session:
            cls.poll_message_set("A bake is running")
        return context.scene is not None and status.session is None

    def invoke(self, context: bpy.types.Context, _event: bpy.types.Event) -> set[str]:
        context.window_manager.fileselect_add(self)
        return {"RUNNING_MODAL"}

    def execute(self, context: bpy.types.Context) -> set[str]:
        try:
            warnings = loading.load(context.scene, context.view_layer, paths.found(self.directory))
        except CacheError as error:
            self.report({"ERROR"}, str(error))
            return {"CANCELLED"}
        for warning in warnings:
            self.report({"WARNING"}, warning)
        status.note(context.scene, warnings)
        return {"FINISHED"}


class DOLLOP_OT_export(bpy.types.Operator):
    """Write the scene for the solver, to bake it elsewhere"""

    bl_idname = "dollop.export"
    bl_label = "Export for the Solver"

    directory: bpy.props.StringProperty(subtype="DIR_PATH")

    def invoke(self, context: bpy.types.Context, _event: bpy.types.Event) -> set[str]:
        context.window_manager.fileselect_add(self)
        return {"RUNNING_MODAL"}

    def execute(self, context: bpy.types.Context) -> set[str]:
        try:
            exported = export.write(context.scene, context.view_layer, Path(bpy.path.abspath(self.directory)))
        except ExportError as error:
            self.report({"ERROR"}, str(error))
            return {"CANCELLED"}
        for warning in exported.warnings:
            self.report({"WARNING"}, warning)
        self.report({"INFO"}, f"Wrote {exported.path}")
        return {"FINISHED"}


class DOLLOP_OT_temperature_colours(bpy.types.Operator):
    """Colour the surface and the particles of the bake by their temperature, from white at the coldest to red at the
    hottest; pressed again, show their materials"""

    bl_idname = "dollop.temperature_colours"
    bl_label = "Temperature Colours"
    bl_options = {"REGISTER", "UNDO"}

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        return _has_bake(cls, context)

    def execute(self, context: bpy.types.Context) -> set[str]:
        scene = context.scene
        if colours.are_shown(scene):
            colours.hide(scene)
            return {"FINISHED"}
        try:
            shown = colours.show(scene, read(session.cache_of(scene)))
        except CacheError as error:
            self.report({"ERROR"}, str(error))
            return {"CANCELLED"}
        if not shown:
            self.report({"ERROR"}, "The bake has no surface or particles with temperatures: give a body one")
        return {"FINISHED" if shown else "CANCELLED"}


class DOLLOP_OT_toggle(bpy.types.Operator):
    """Make the object take part in Dollop's bakes, or leave it out"""

    bl_idname = "dollop.toggle"
    bl_label = "Dollop"
    bl_options = {"REGISTER", "UNDO"}

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        source = context.object
        # An empty can have got a type by Copy to Selected, and must be able to lose it.
        return source is not None and (source.type in MESH_LIKE or source.dollop.kind != NONE)

    def execute(self, context: bpy.types.Context) -> set[str]:
        settings = context.object.dollop
        settings.kind = BODY if settings.kind == NONE else NONE
        return {"FINISHED"}


def _has_bake(operator: type[bpy.types.Operator], context: bpy.types.Context) -> bool:
    """The poll of actions on a finished bake."""
    if status.session:
        operator.poll_message_set("A bake is running: wait for its end, or cancel it")
        return False
    if not context.scene.dollop.folder:
        operator.poll_message_set("This scene shows no bake: press Bake or Load Bake first")
        return False
    return True


_CLASSES = (
    DOLLOP_OT_free,
    DOLLOP_OT_load,
    DOLLOP_OT_export,
    DOLLOP_OT_temperature_colours,
    DOLLOP_OT_toggle,
)
register, unregister = bpy.utils.register_classes_factory(_CLASSES)
