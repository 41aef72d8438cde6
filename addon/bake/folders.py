# SPDX-FileCopyrightText: 2026 The Dollop founders
# SPDX-License-Identifier: GPL-3.0-or-later
"""The folders of bakes: each bake gets a new one, and a folder is removed only by the maker that its marker names.

bake_0001/made_by.json      the maker of the bake
bake_0001/.claim            exists until the bake is kept, and is locked while it runs
bake_0001/failed.json       exists if the scene was wrong, so that the bake cannot be resumed
bake_0001/scene/            the solver's input
bake_0001/cache/            the solver's output; a folder with a farm job in it is never removed
bake_0001/look/             the first frame, while a farm job is written
"""

from __future__ import annotations

import contextlib
import json
import re
from collections.abc import Iterable
from pathlib import Path

from ..settings import schema
from .index import kinds
from .lock import Lock, is_held

MARKER = "made_by.json"
SCENE = "scene"
CACHE = "cache"
LOOK = "look"
RENDERED = f"{SCENE}/render.blend"
_FARM = f"{CACHE}/farm"
_NAME = re.compile(r"bake_(\d{4,})")
# Folders in a cache besides those of its kinds of files.
_BESIDE_KINDS = ("checkpoints", "records", "done")
# Besides the files of outputs and the meshes of scenes.
_OWN_SUFFIXES = {".obj", ".json", ".tmp", ".state"}
_CLAIM = ".claim"
_FAILED = "failed.json"
# The solver's lock in the cache; a killed solver leaves it behind.
_SOLVER_LOCK = ".dollop-lock"
_OWN_NAMES = {_CLAIM, _SOLVER_LOCK, Path(RENDERED).name}


class Claim:
    """A bake folder of this process, which no other process removes until `keep` or `leave` is called."""

    def __init__(self, folder: Path, is_new: bool) -> None:
        self.folder = folder
        self.is_new = is_new
        self.was_kept = not is_new and not (folder / _CLAIM).exists()
        self._lock = Lock(folder / _CLAIM)

    def keep(self) -> None:
        """Keeps the bake."""
        self._lock.remove()

    def leave(self) -> None:
        """Leaves the bake as it was claimed. If it was never kept, `abandoned` finds it from now on, as it does when
        this process dies."""
        if self.was_kept:
            self.keep()
        else:
            self._lock.release()

    def give_up(self, message: str) -> None:
        """Marks the scene of the bake as wrong, so that the bake is not resumed."""
        with contextlib.suppress(OSError):
            (self.folder / _FAILED).write_text(json.dumps({"message": message}), encoding="utf-8")


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
    claim = Claim(folder, is_new=True)
    (folder / MARKER).write_text(json.dumps(maker), encoding="utf-8")
    return claim


def claim_again(folder: Path) -> Claim:
    """Claims a bake that no process works on. Raises `OSError` if one does."""
    if is_busy(folder):
        raise BlockingIOError(f"{folder} is in use: another Blender or a solver works on it")
    return Claim(folder, is_new=False)


def newest(root: Path, maker: dict[str, str]) -> Path | None:
    """The last bake of this maker below `root`."""
    found = root.iterdir() if root.is_dir() else ()
    bakes = [entry for entry in found if _NAME.fullmatch(entry.name)]
    bakes.sort(key=lambda folder: int(_NAME.fullmatch(folder.name)[1]), reverse=True)
    return next((folder for folder in bakes if is_made_by(folder, maker)), None)


def is_given_up(folder: Path) -> bool:
    """Whether the scene of a bake is marked as wrong."""
    return (folder / _FAILED).exists()


def maker_of(folder: Path) -> dict[str, str] | None:
    """The maker of the bake in `folder`; None if it is no bake."""
    if not _NAME.fullmatch(folder.name) or folder.is_symlink():
        return None
    try:
        found = json.loads((folder / MARKER).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None
    return found if isinstance(found, dict) else None


def is_made_by(folder: Path, maker: dict[str, str]) -> bool:
    """Whether this maker made the bake in `folder`."""
    return maker_of(folder) == maker


def abandoned(root: Path, maker: dict[str, str]) -> list[Path]:
    """Bakes of this maker that were never kept and that no process works on: failed, left, or their process was
    killed."""
    found = sorted(root.iterdir()) if root.is_dir() else []
    return [
        folder for folder in found if is_made_by(folder, maker) and (folder / _CLAIM).exists() and not is_busy(folder)
    ]


def disown(folder: Path) -> None:
    """Removes the maker from a bake in `folder`, so that no file ever removes it."""
    if _NAME.fullmatch(folder.name) and not folder.is_symlink():
        with contextlib.suppress(OSError):
            (folder / MARKER).unlink(missing_ok=True)


def is_busy(folder: Path) -> bool:
    """Whether a Blender or a solver works on a bake."""
    return is_held(folder / _CLAIM) or is_held(folder / CACHE / _SOLVER_LOCK)


def remove(folder: Path, maker: dict[str, str]) -> bool:
    """Removes a bake of this maker that no process works on, but only files that a bake writes. Returns whether the
    folder is gone."""
    if not is_made_by(folder, maker) or is_busy(folder) or (folder / _FARM).exists():
        return False
    own = [f"{SCENE}/shapes", SCENE, *_cache_folders(CACHE), *_cache_folders(LOOK)]
    _remove_within(folder, own)
    if not any((folder / name).exists() for name in own):
        _remove_files(folder)
    return not folder.exists()


def remove_look(folder: Path) -> None:
    """Removes the preview of a bake's first frame."""
    _remove_within(folder, _cache_folders(LOOK))


def _cache_folders(cache: str) -> list[str]:
    """All folders that the solver writes of a cache; other files in a bake folder belong to somebody else."""
    return [*(f"{cache}/{name}" for name in (*kinds(), *_BESIDE_KINDS)), cache]


def _remove_within(folder: Path, names: Iterable[str]) -> None:
    for name in names:
        # A link may lead to files outside of this bake.
        if (folder / name).resolve() == folder.resolve() / name:
            _remove_files(folder / name)


def _remove_files(folder: Path) -> None:
    if not folder.is_dir():
        return
    formats = {f".{name}" for names in schema.load().formats.values() for name in names}
    for path in folder.iterdir():
        if (path.suffix in _OWN_SUFFIXES | formats or path.name in _OWN_NAMES) and path.is_file():
            with contextlib.suppress(OSError):
                path.unlink()
    with contextlib.suppress(OSError):
        folder.rmdir()
