# SPDX-FileCopyrightText: 2026 The Dollop founders
# SPDX-License-Identifier: GPL-3.0-or-later
"""Checks whether a bake can be resumed; fast enough for a panel."""

from __future__ import annotations

import functools
from pathlib import Path

from . import folders, index


def can_go_on(folder: Path, scene_file: str) -> bool:
    """Whether a bake has frames, is incomplete, did not fail by its scene, and no process works on it."""
    if folders.is_given_up(folder) or not (folder / folders.SCENE / scene_file).is_file():
        return False
    cache = folder / folders.CACHE
    try:
        changed = (cache / index.INDEX_FILE).stat().st_mtime_ns
    except OSError:
        return False
    return _is_cut(cache, changed) and not folders.is_busy(folder)


@functools.lru_cache(maxsize=16)
def _is_cut(cache: Path, _changed: int) -> bool:
    try:
        found = index.read(cache)
    except index.CacheError:
        return False
    return bool(found.frames) and found.status != "complete"
