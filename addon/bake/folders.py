# SPDX-FileCopyrightText: 2026 The Dollop founders
# SPDX-License-Identifier: GPL-3.0-or-later
"""The folders of bakes: each bake gets a new one, and only folders that their maker knows as its own are ever removed.

bake_0001/made_by.json      whose bake this is
bake_0001/.claim            there until the bake is kept, and locked while it runs
bake_0001/scene/            what the solver reads
bake_0001/cache/            what it wrote
"""

from __future__ import annotations

import contextlib
import json
import re
from pathlib import Path

from .lock import Lock, is_held

MARKER = "made_by.json"
SCENE = "scene"
CACHE = "cache"
_NAME = re.compile(r"bake_(\d{4,})")
# All that a bake writes; anything else in a folder belongs to somebody else.
_OWN_FOLDERS = (
    f"{SCENE}/shapes",
    SCENE,
    f"{CACHE}/mesh",
    f"{CACHE}/volume",
    f"{CACHE}/particles",
    f"{CACHE}/checkpoints",
    f"{CACHE}/records",
    f"{CACHE}/done",
    CACHE,
)
_OWN_SUFFIXES = {".ply", ".obj", ".vdb", ".json", ".tmp", ".state"}
_CLAIM = ".claim"
# The solver's lock in the cache; it stays behind where the solver is killed.
_SOLVER_LOCK = ".dollop-lock"
_OWN_NAMES = {_CLAIM, _SOLVER_LOCK}


class Claim:
    """A new bake folder of this process, which nobody else removes until `keep` or `leave` is called."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._lock = Lock(folder / _CLAIM)

    def keep(self) -> None:
        """The bake is needed."""
        self._lock.remove()

    def leave(self) -> None:
        """The bake is not needed: `abandoned` finds it from now on, as it does when this process dies."""
        self._lock.release()


def create(root: Path, maker: dict[str, str]) -> Claim:
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
    # Before the marker, so that the folder is never known as ours and free.
    claim = Claim(folder)
    (folder / MARKER).write_text(json.dumps(maker), encoding="utf-8")
    return claim


def maker_of(folder: Path) -> dict[str, str] | None:
    """Who made the bake in `folder`; nothing where it is no bake."""
    if not _NAME.fullmatch(folder.name) or folder.is_symlink():
        return None
    try:
        found = json.loads((folder / MARKER).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None
    return found if isinstance(found, dict) else None


def is_made_by(folder: Path, maker: dict[str, str]) -> bool:
    """Whether `folder` is a bake that this very maker made."""
    return maker_of(folder) == maker


def abandoned(root: Path, maker: dict[str, str]) -> list[Path]:
    """Bakes of this maker that were never kept and that nobody works on: failed, left, or their process was killed."""
    found = sorted(root.iterdir()) if root.is_dir() else []
    return [
        folder for folder in found if is_made_by(folder, maker) and (folder / _CLAIM).exists() and not is_busy(folder)
    ]


def disown(folder: Path) -> None:
    """Makes `folder`, where it is a bake, nobody's, so that nobody removes it."""
    if _NAME.fullmatch(folder.name) and not folder.is_symlink():
        with contextlib.suppress(OSError):
            (folder / MARKER).unlink(missing_ok=True)


def is_busy(folder: Path) -> bool:
    """Whether a Blender or a solver works on a bake."""
    return is_held(folder / _CLAIM) or is_held(folder / CACHE / _SOLVER_LOCK)


def remove(folder: Path, maker: dict[str, str]) -> bool:
    """Removes a bake of this maker that nobody works on, but no file that a bake does not write. Tells whether the
    folder is gone."""
    if not is_made_by(folder, maker) or is_busy(folder):
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
        if (path.suffix in _OWN_SUFFIXES or path.name in _OWN_NAMES) and path.is_file():
            with contextlib.suppress(OSError):
                path.unlink()
    with contextlib.suppress(OSError):
        folder.rmdir()
