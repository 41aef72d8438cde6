# SPDX-FileCopyrightText: 2026 The Dollop founders
# SPDX-License-Identifier: GPL-3.0-or-later
"""The folders of bakes: each bake gets a new one, and only folders that a scene made itself are ever removed.

bake_0001/made_by.json      whose bake this is
bake_0001/scene/            what the solver reads
bake_0001/cache/            what it wrote
"""

from __future__ import annotations

import contextlib
import json
import re
from pathlib import Path

MARKER = "made_by.json"
SCENE = "scene"
CACHE = "cache"
_NAME = re.compile(r"bake_(\d{4,})")
# All that a bake writes; anything else in a folder belongs to somebody else.
_OWN_FOLDERS = (f"{SCENE}/shapes", SCENE, f"{CACHE}/mesh", f"{CACHE}/volume", f"{CACHE}/particles", CACHE)
_OWN_SUFFIXES = {".ply", ".obj", ".vdb", ".json", ".tmp"}
_LOCK = ".dollop-lock"


def create(root: Path, maker: dict[str, str]) -> Path:
    """A new folder `bake_0001`, `bake_0002`, ... below `root`, marked with its maker."""
    root.mkdir(parents=True, exist_ok=True)
    taken = [int(match[1]) for entry in root.iterdir() if (match := _NAME.fullmatch(entry.name))]
    number = max(taken, default=0) + 1
    while True:
        folder = root / f"bake_{number:04}"
        with contextlib.suppress(FileExistsError):
            folder.mkdir()
            break
        number += 1
    (folder / MARKER).write_text(json.dumps(maker), encoding="utf-8")
    return folder


def is_made_by(folder: Path, maker: dict[str, str]) -> bool:
    """Whether `folder` is a bake that this very maker made."""
    if not _NAME.fullmatch(folder.name) or folder.is_symlink():
        return False
    try:
        return json.loads((folder / MARKER).read_text(encoding="utf-8")) == maker
    except (OSError, ValueError):
        return False


def remove(folder: Path, maker: dict[str, str]) -> bool:
    """Removes a bake of this maker, but no file that a bake does not write. Tells whether the folder is gone."""
    if not is_made_by(folder, maker) or (folder / CACHE / _LOCK).exists():
        return False
    for name in _OWN_FOLDERS:
        # A link may lead to files that are not of this bake.
        if (folder / name).resolve() == folder.resolve() / name:
            _remove_files(folder / name)
    if not any((folder / name).exists() for name in _OWN_FOLDERS):
        _remove_files(folder)
    return not folder.exists()


def _remove_files(folder: Path) -> None:
    if not folder.is_dir():
        return
    for path in folder.iterdir():
        if path.suffix in _OWN_SUFFIXES and path.is_file():
            with contextlib.suppress(OSError):
                path.unlink()
    with contextlib.suppress(OSError):
        folder.rmdir()
