# SPDX-FileCopyrightText: 2026 The Dollop founders
# SPDX-License-Identifier: GPL-3.0-or-later
"""Paths as a .blend keeps them."""

from __future__ import annotations

from pathlib import Path

import bpy


def stored(path: Path) -> str:
    """Relative to the .blend where it is saved and on the same drive, so that both can be moved together."""
    if bpy.data.filepath:
        try:
            return bpy.path.relpath(str(path)).replace("\\", "/")
        except ValueError:
            pass
    return path.as_posix()


def found(text: str) -> Path:
    """The path on this machine."""
    return Path(bpy.path.abspath(text))


def pattern(cache: Path, relative: str) -> str:
    """The Format String pattern of files in a cache; braces in folder names are not places for values."""
    return stored(cache).replace("{", "{{").replace("}", "}}") + "/" + relative
