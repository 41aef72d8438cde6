# SPDX-FileCopyrightText: 2026 The Dollop founders
# SPDX-License-Identifier: GPL-3.0-or-later
"""Paths in the form that a .blend stores."""

from __future__ import annotations

import os
from pathlib import Path

import bpy

# The name of the nodes with the pattern of a cache's files.
PATTERN_NODE = "Dollop Files"


def stored(path: Path, start: Path | None = None) -> str:
    """Relative to the .blend, or to the folder `start`, if it is on the same drive, so that both can be moved together;
    absolute while the .blend is not saved."""
    if start or bpy.data.filepath:
        try:
            return bpy.path.relpath(str(path), start=start and str(start)).replace("\\", "/")
        except ValueError:
            pass
    return path.as_posix()


def found(text: str) -> Path:
    """The path on this machine."""
    return Path(os.path.normpath(bpy.path.abspath(text)))


def pattern(cache: Path, relative: str) -> str:
    """The Format String pattern of files in a cache; braces in folder names are escaped."""
    return stored(cache).replace("{", "{{").replace("}", "}}") + "/" + relative


def formats(own: bool = False) -> list[bpy.types.NodeSocket]:
    """The sockets with the patterns of all Format String nodes, or only of our own that are not linked from another
    file."""
    return [
        node.inputs["Format"]
        for group in bpy.data.node_groups
        for node in group.nodes
        if node.bl_idname == "FunctionNodeFormatString"
        and (not own or (node.name.startswith(PATTERN_NODE) and not group.library))
    ]
