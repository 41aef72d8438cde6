# SPDX-FileCopyrightText: 2026 The Dollop founders
# SPDX-License-Identifier: GPL-3.0-or-later
"""The buttons."""

from __future__ import annotations

from pathlib import Path

import bpy

from .. import export, loading, session
from ..bake.index import CacheError, read
from ..bake.runner import State
from ..data import BODY, NONE
from ..export.participants import MESH_LIKE
from ..export.problems import ExportError
from ..playback import colours, paths
from ..session import BakeError, status

_INTERVAL_SECONDS = 0.1


class DOLLOP_OT_bake(bpy.types.Operator):
    """Bake the bodies of this scene over its frame range, and show the result"""

    bl_idname = "dollop.bake"
    bl_label = "Bake"
    bl_options = {"REGISTER", "UNDO"}

    _timer: bpy.types.Timer | None = None

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        if status.session:
            cls.poll_message_set("Another bake is running")
        return context.scene is not None and status.session is None

    def execute(self, context: bpy.types.Context) -> set[str]:
        try:
            ended = session.bake(context.scene, context.view_layer)
        except BakeError as error:
            return self._failed(str(error))
        return self._ended(ended)

    def invoke(self, context: bpy.types.Context, _event: bpy.types.Event) -> set[str]:
        if bpy.app.background:
            return self.execute(context)
        try:
            status.begin(context.scene, context.view_layer)
        except BakeError as error:
            _redraw(context)
            return self._failed(str(error))
        manager = context.window_manager
        self._timer = manager.event_timer_add(_INTERVAL_SECONDS, window=context.window)
        manager.modal_handler_add(self)
        return {"RUNNING_MODAL"}

    def modal(self, context: bpy.types.Context, event: bpy.types.Event) -> set[str]:
        if event.type != "TIMER":
            return {"PASS_THROUGH"}
        _redraw(context)
        running = status.session
        if running is None:
            self._stop(context)
            return {"CANCELLED"}
        if running.run.poll() is State.RUNNING:
            context.workspace.status_text_set(progress_text(running.run))
            return {"PASS_THROUGH"}
        self._stop(context)
        try:
            ended = status.end()
        except BakeError as error:
            return self._failed(str(error))
        return self._ended(ended)

    def cancel(self, context: bpy.types.Context) -> None:
        """Blender ends the operator, as when another file is opened."""
        self._stop(context)
        status.abandon()

    def _stop(self, context: bpy.types.Context) -> None:
        if self._timer:
            context.window_manager.event_timer_remove(self._timer)
            self._timer = None
        if context.workspace:
            context.workspace.status_text_set(None)

    def _failed(self, message: str) -> set[str]:
        self.report({"ERROR"}, message)
        return {"CANCELLED"}

    def _ended(self, ended: session.Session) -> set[str]:
        for warning in ended.warnings:
            self.report({"WARNING"}, warning)
        if ended.run.state is State.CANCELLED:
            self.report({"WARNING"}, f"Bake cancelled after {ended.run.progress.finished} frames")
        return {"FINISHED"}


class DOLLOP_OT_cancel(bpy.types.Operator):
    """Stop the bake after the frame it is at; pressed again, at once. The frames so far are kept"""

    bl_idname = "dollop.cancel"
    bl_label = "Cancel"

    @classmethod
    def poll(cls, _context: bpy.types.Context) -> bool:
        return status.session is not None

    def execute(self, _context: bpy.types.Context) -> set[str]:
        status.session.run.cancel()
        return {"FINISHED"}


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
        return context.object is not None and context.object.type in MESH_LIKE

    def execute(self, context: bpy.types.Context) -> set[str]:
        settings = context.object.dollop
        settings.kind = BODY if settings.kind == NONE else NONE
        return {"FINISHED"}


def _has_bake(operator: type[bpy.types.Operator], context: bpy.types.Context) -> bool:
    """The poll of what is done with a finished bake."""
    if status.session:
        operator.poll_message_set("A bake is running: wait for its end, or cancel it")
        return False
    if not context.scene.dollop.folder:
        operator.poll_message_set("This scene shows no bake: press Bake or Load Bake first")
        return False
    return True


def progress_text(run: session.Run) -> str:
    """One line on a running bake."""
    progress = run.progress
    if run.cancelling:
        return "Stopping after this frame..."
    if progress.settled is not None:
        return "Letting the matter settle..."
    if not progress.finished:
        return "Starting..."
    left = "" if progress.time_left is None else f", {_duration(progress.time_left)} left"
    return f"Frame {progress.frame} ({progress.finished} of {progress.total}){left}"


def _duration(seconds: float) -> str:
    minutes, seconds = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{seconds:02}" if hours else f"{minutes}:{seconds:02}"


def _redraw(context: bpy.types.Context) -> None:
    for window in context.window_manager.windows:
        for area in window.screen.areas:
            if area.type == "PROPERTIES":
                area.tag_redraw()


_CLASSES = (
    DOLLOP_OT_bake,
    DOLLOP_OT_cancel,
    DOLLOP_OT_free,
    DOLLOP_OT_load,
    DOLLOP_OT_export,
    DOLLOP_OT_temperature_colours,
    DOLLOP_OT_toggle,
)


def register() -> None:
    for made in _CLASSES:
        bpy.utils.register_class(made)


def unregister() -> None:
    status.abandon()
    for made in reversed(_CLASSES):
        bpy.utils.unregister_class(made)
