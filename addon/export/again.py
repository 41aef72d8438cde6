# SPDX-FileCopyrightText: 2026 The Dollop founders
# SPDX-License-Identifier: GPL-3.0-or-later
"""Reads an earlier export, and tells whether the scene has changed since."""

from __future__ import annotations

import json
import tempfile
from pathlib import Path
from typing import Any

import bpy

from ..data import sections
from .problems import ExportError
from .scene import Exported, write
from .target import SCENE_FILE, SHAPES


def read(folder: Path) -> Exported:
    """The export in `folder`. Raises `ExportError`."""
    path = folder / SCENE_FILE
    try:
        document = json.loads(path.read_text(encoding="utf-8"))
        lists = {key: document.get(key, []) for key in sections().lists}
        lists |= {f"bodies[{i}].pins": body.get("pins", []) for i, body in enumerate(lists["bodies"])}
        names = {key: [one["name"] for one in found] for key, found in lists.items()}
        shapes = [(one.get("shape", {}).get("path"), one["name"]) for found in lists.values() for one in found]
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise ExportError(f"{path} cannot be read: {error}") from error
    return Exported(path, [], {folder / file: name for file, name in shapes if file}, names)


def is_changed(scene: bpy.types.Scene, view_layer: bpy.types.ViewLayer, folder: Path) -> bool:
    """Whether an export of the present scene would differ from the one in `folder`."""
    with tempfile.TemporaryDirectory() as temporary:
        try:
            write(scene, view_layer, Path(temporary))
        except ExportError:
            return True
        return _files(Path(temporary)) != _files(folder)


def _files(folder: Path) -> dict[str, Any]:
    """The solver's input by name: the settings, or the bytes of a mesh."""
    found: dict[str, Any] = {path.name: path.read_bytes() for path in (folder / SHAPES).glob("*.obj")}
    found[SCENE_FILE] = json.loads((folder / SCENE_FILE).read_text(encoding="utf-8"))
    return found
