# SPDX-FileCopyrightText: 2026 The Dollop founders
# SPDX-License-Identifier: GPL-3.0-or-later
"""Keeps caches loaded when the .blend is saved in another folder or under another name.

Blender rewrites its own relative paths then, but knows of no path in the text of a node or in an add-on's settings.
What is rewritten holds for the file that is written; where that is a copy, or saving fails, the open file gets it all
back.
"""

from __future__ import annotations

import atexit
import contextlib
import textwrap
from collections.abc import Iterator
from pathlib import Path

import bpy

from . import keeping, overriding
from .playback import paths
from .session import status

_STILL_TEMPORARY = (
    "Saved, but the bake still lies in a temporary folder and is lost when Blender quits: bake again to have it kept "
    "with the file"
)

# Temporary bakes that the user was warned of.
_told: set[Path] = set()
# Values of the open file before saving: owner, name of the property, value.
_before: list[tuple[bpy.types.bpy_struct, str, str]] = []


@bpy.app.handlers.persistent
def _before_saving(file: str, _unused: object = None) -> None:
    _before.clear()
    overriding.before_saving()
    opened = bpy.data.filepath
    if not file or file == opened:
        return
    for owner, name in _texts():
        text = getattr(owner, name)
        # A file that was never saved has absolute paths; Blender makes its own relative, too.
        if text.startswith("//") or not opened:
            _set(owner, name, paths.stored(paths.found(text), Path(file).parent))
    if opened:
        for scene in _scenes():
            # The bakes so far belong to the file that made them: another file must not remove them.
            _set(scene.dollop, "token", "")


@bpy.app.handlers.persistent
def _after_saving(file: str, _unused: object = None) -> None:
    keeping.saved()
    if file != bpy.data.filepath:
        for owner, name, value in _before:
            setattr(owner, name, value)
    else:
        _tell_of_temporary_bakes()
    _before.clear()


def _tell_of_temporary_bakes() -> None:
    for scene in _scenes():
        folder = keeping.current(scene)
        if folder and folder not in _told and keeping.is_temporary(folder):
            _told.add(folder)
            status.note(scene, [_STILL_TEMPORARY])
            print(f"Dollop: {scene.name}: {_STILL_TEMPORARY}")
            if not bpy.app.background:
                _show(_STILL_TEMPORARY)


def _show(text: str) -> None:
    def draw(menu: bpy.types.Menu, _context: bpy.types.Context) -> None:
        for line in textwrap.wrap(text, 60):
            menu.layout.label(text=line)

    bpy.context.window_manager.popup_menu(draw, title="Dollop", icon="ERROR")


def _set(owner: bpy.types.bpy_struct, name: str, value: str) -> None:
    text = getattr(owner, name)
    if text and text != value:
        _before.append((owner, name, text))
        setattr(owner, name, value)


def _scenes() -> list[bpy.types.Scene]:
    """The scenes that are not linked from another file."""
    return [scene for scene in bpy.data.scenes if not scene.library]


def _texts() -> Iterator[tuple[bpy.types.bpy_struct, str]]:
    """Each text with a path of ours: its owner, and the name of its property."""
    for scene in _scenes():
        if scene.dollop.folder:
            yield scene.dollop, "folder"
        if scene.dollop.farm.folder:
            yield scene.dollop.farm, "folder"
        for old in scene.dollop.superseded:
            yield old, "path"
    for socket in paths.formats(own=True):
        yield socket, "default_value"


# A failed save leaves the file under its old name, as saving a copy does.
_HANDLERS = {"save_pre": _before_saving, "save_post": _after_saving, "save_post_fail": _after_saving}


def register() -> None:
    for event, handler in _HANDLERS.items():
        getattr(bpy.app.handlers, event).append(handler)


@atexit.register
def unregister() -> None:
    # Also at exit, as Blender 4.5 as a Python module hangs there while handlers are registered.
    for event, handler in _HANDLERS.items():
        with contextlib.suppress(ValueError):
            getattr(bpy.app.handlers, event).remove(handler)
