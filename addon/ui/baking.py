# SPDX-FileCopyrightText: 2026 The Dollop founders
# SPDX-License-Identifier: GPL-3.0-or-later
"""The buttons that start long work, and the button that stops it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import bpy

from .. import keeping, session
from ..bake.runner import State
from ..session import BakeError, status

_INTERVAL_SECONDS = 0.1


class Running:
    """An operator that starts something, looks after it while Blender stays usable, and ends it. Without a window it
    waits for the end."""

    start: Callable[[bpy.types.Scene, bpy.types.ViewLayer], Any]

    _timer: bpy.types.Timer | None = None

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        if status.session:
            cls.poll_message_set("Another bake is running")
        return context.scene is not None and status.session is None

    def execute(self, context: bpy.types.Context) -> set[str]:
        try:
            ended = session.bake(context.scene, context.view_layer, start=type(self).start)
        except BakeError as error:
            return self._failed(str(error))
        return self._ended(ended)

    def invoke(self, context: bpy.types.Context, _event: bpy.types.Event) -> set[str]:
        if bpy.app.background:
            return self.execute(context)
        try:
            status.begin(context.scene, context.view_layer, type(self).start)
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

    def _ended(self, ended: Any) -> set[str]:
        for warning in ended.warnings:
            self.report({"WARNING"}, warning)
        self._tell(ended)
        return {"FINISHED"}

    def _tell(self, ended: Any) -> None:
        """Reports the ending."""
        if ended.run.state is State.CANCELLED:
            self.report({"WARNING"}, f"Bake cancelled after {ended.run.progress.finished} frames")


class DOLLOP_OT_bake(Running, bpy.types.Operator):
    """Bake the bodies of this scene over its frame range, and show the result"""

    bl_idname = "dollop.bake"
    bl_label = "Bake"
    bl_options = {"REGISTER", "UNDO"}

    start = session.Session


class DOLLOP_OT_resume(Running, bpy.types.Operator):
    """Go on with the last bake of this scene, which was cut short, as it was exported when it began: what was changed
    since then does not count, and takes a new bake"""

    bl_idname = "dollop.resume"
    bl_label = "Resume"
    bl_options = {"REGISTER", "UNDO"}

    start = session.resumed

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        if not super().poll(context):
            return False
        if keeping.resumable(context.scene) is None:
            cls.poll_message_set("The last bake of this scene is complete, gone, or in use")
            return False
        return True


class DOLLOP_OT_cancel(bpy.types.Operator):
    """Stop the bake within five seconds; pressed again, at once. The frames so far are kept"""

    bl_idname = "dollop.cancel"
    bl_label = "Cancel"

    @classmethod
    def poll(cls, _context: bpy.types.Context) -> bool:
        return status.session is not None

    def execute(self, _context: bpy.types.Context) -> set[str]:
        status.session.run.cancel()
        return {"FINISHED"}


def progress_text(run: session.Run) -> str:
    """One line on a running bake."""
    progress = run.progress
    if run.cancelling:
        return "Stopping..."
    if run.told:
        return f"{run.told}..."
    if progress.settled is not None:
        return "Letting the matter settle..."
    left = "" if progress.time_left is None else f", {_duration(progress.time_left)} left"
    if progress.within:
        frame, part, left_of_frame = progress.within
        of_frame = f"{int(100 * part)} %, {_duration(left_of_frame)} left of it"
        return f"Frame {frame} ({progress.finished} of {progress.total} done): {of_frame}{left} in all"
    if not progress.finished:
        return "Starting..."
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


_CLASSES = (DOLLOP_OT_bake, DOLLOP_OT_resume, DOLLOP_OT_cancel)


def register() -> None:
    for made in _CLASSES:
        bpy.utils.register_class(made)


def unregister() -> None:
    status.abandon()
    for made in reversed(_CLASSES):
        bpy.utils.unregister_class(made)
