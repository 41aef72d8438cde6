# SPDX-FileCopyrightText: 2026 The Dollop founders
# SPDX-License-Identifier: GPL-3.0-or-later
"""Shows a bake from elsewhere, or an earlier one."""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path

import bpy

from . import hiding, keeping, playback
from .bake import folders, index
from .bake.index import CacheError, Index
from .export.participants import find


def load(
    scene: bpy.types.Scene, view_layer: bpy.types.ViewLayer, folder: Path, kinds: Collection[str] | None = None
) -> list[str]:
    """Shows these kinds of files, or all, of the cache in `folder`, which Dollop will not remove, in place of the
    bodies. Returns warnings for the user. Raises `CacheError` without any change."""
    found = _read(_cache_in(folder)).only(index.kinds() if kinds is None else kinds)
    warnings = _differences(scene, found) + playback.load(scene, found)
    warnings += hiding.from_render(scene, find(view_layer).bodies)
    keeping.adopt(scene, found.cache)
    # Shows the result at the current frame.
    scene.frame_set(scene.frame_current, subframe=scene.frame_subframe)
    return warnings


def _cache_in(folder: Path) -> Path:
    """The folder with the index: the chosen one, or the cache in a bake folder of ours."""
    if folder.name == index.INDEX_FILE and folder.is_file():
        return folder.parent
    for cache in (folder, folder / folders.CACHE):
        if (cache / index.INDEX_FILE).is_file():
            return cache
    if not folder.is_dir():
        raise CacheError(f"There is no folder {folder}")
    raise CacheError(f"{folder} is no cache: there is no {index.INDEX_FILE} in it; choose the folder that holds one")


def _read(cache: Path) -> Index:
    found = index.read(cache)
    if not found.frames:
        raise CacheError(f"{cache} is empty: no frame of this bake is finished")
    if all(len(found.missing(output)) == len(found.frames) for output in found.outputs):
        raise CacheError(f"{cache} has an index but none of the files that it lists; copy the whole folder")
    return found


def _differences(scene: bpy.types.Scene, found: Index) -> list[str]:
    """Differences between the cache and the scene, and missing frames."""
    warnings = []
    if found.status == "running":
        warnings.append("This bake is still running, or was killed; load it again for more frames")
    elif found.status != "complete":
        warnings.append(f"This bake was {found.status} before its last frame")
    first, last = found.frames[0], found.frames[-1]
    if (first, last) != (scene.frame_start, scene.frame_end):
        warnings.append(
            f"The cache has the frames {first} to {last}, and the scene {scene.frame_start} to {scene.frame_end}"
        )
    rate = scene.render.fps / scene.render.fps_base
    if abs(rate - found.rate) > 1e-4 * rate:
        warnings.append(
            f"The cache was baked at {found.rate:g} frames a second, and the scene plays {rate:g}: its matter moves "
            f"{rate / found.rate:.3g} times as fast, with motion blur for the old speed"
        )
    return warnings
