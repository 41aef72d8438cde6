# SPDX-FileCopyrightText: 2026 The Dollop founders
# SPDX-License-Identifier: GPL-3.0-or-later
"""The folder of an export. Only an earlier export that is unchanged since is overwritten.

scene.json             the scene file
shapes/000.obj         a mesh
.dollop-export.json    the hash of the scene file, which shows whether another program wrote or changed it
"""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

from .problems import ExportError

SCENE_FILE = "scene.json"
SHAPES = "shapes"
_RECORD = ".dollop-export.json"


def prepare(folder: Path) -> None:
    """Makes the folders. Raises `ExportError` if they hold other files than an export, and `OSError`."""
    shapes, scene = folder / SHAPES, folder / SCENE_FILE
    recorded = _recorded(folder)
    foreign = scene if scene.exists() and recorded != _hash(scene.read_bytes()) else None
    if recorded is None and shapes.exists() and any(shapes.iterdir()):
        foreign = foreign or shapes
    if foreign:
        raise ExportError(
            f"{foreign} is not as an export of Dollop left it, and is not overwritten: "
            "choose another folder, or move it away"
        )
    shapes.mkdir(parents=True, exist_ok=True)
    if recorded is None:
        # At once, so that meshes without a scene file are recognised, too, after a failed export.
        _record(folder, "")


def finish(folder: Path, text: str) -> Path:
    """Writes the scene file and returns its path."""
    path = folder / SCENE_FILE
    written = text.encode("utf-8")
    path.write_bytes(written)
    _record(folder, _hash(written))
    return path


def _record(folder: Path, scene: str) -> None:
    (folder / _RECORD).write_text(json.dumps({"scene": scene}), encoding="utf-8")


def _recorded(folder: Path) -> str | None:
    """The hash of the last exported scene file; empty if that export failed."""
    try:
        return str(json.loads((folder / _RECORD).read_text(encoding="utf-8"))["scene"])
    except (FileNotFoundError, NotADirectoryError, ValueError, KeyError, TypeError):
        return None


def _hash(written: bytes) -> str:
    # Git may change line endings.
    return hashlib.sha256(written.replace(b"\r\n", b"\n")).hexdigest()
