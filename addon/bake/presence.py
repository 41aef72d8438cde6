# SPDX-FileCopyrightText: 2026 The Dollop founders
# SPDX-License-Identifier: GPL-3.0-or-later
"""Checks whether the files of a bake are in their place; fast enough for a panel."""

from __future__ import annotations

import functools
from pathlib import Path

from . import index


def complaint(cache: Path) -> str:
    """The missing part of the bake in a cache folder, and the searched place; empty if nothing is missing."""
    return _complaint(cache, _stamp(cache))


@functools.lru_cache(maxsize=16)
def _complaint(cache: Path, _stamp: tuple[int, ...]) -> str:
    if not (cache / index.INDEX_FILE).is_file():
        return f"The files of this bake are missing; they were looked for in {cache}"
    try:
        found = index.read(cache)
    except index.CacheError as error:
        return str(error)
    wanted = [output.path(cache, frame) for output in found.outputs for frame in found.frames]
    missing = [path for path in wanted if not path.is_file()]
    if not missing:
        return ""
    return (
        f"{len(missing)} of the {len(wanted)} files of this bake are missing; the first was looked for at {missing[0]}"
    )


def _stamp(cache: Path) -> tuple[int, ...]:
    """Changes when a file appears or disappears."""
    return tuple(_changed(cache / name) for name in (index.INDEX_FILE, *index.kinds()))


def _changed(path: Path) -> int:
    try:
        return path.stat().st_mtime_ns
    except OSError:
        return 0
