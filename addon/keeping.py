# SPDX-FileCopyrightText: 2026 The Dollop founders
# SPDX-License-Identifier: GPL-3.0-or-later
"""Where a scene's bakes are kept, and when an old one may go."""

from __future__ import annotations

import platform
import time
import uuid
from pathlib import Path

import bpy

from .bake import folders
from .bake.folders import Claim
from .playback import paths

UNSAVED = "The file is not saved: the bake lies in a temporary folder and is lost when Blender quits"

# Cancelled bakes that were kept since anything was last saved: no file on disk can show them.
_halves: set[Path] = set()


def new_folder(scene: bpy.types.Scene) -> tuple[Claim, list[str]]:
    """A new folder for a bake of `scene`, and what the user should know about it. Bakes of the scene that came to
    nothing go first."""
    state = scene.dollop
    state.token = state.token or _token(scene)
    root, warnings = _root(state.root)
    root /= bpy.path.clean_name(scene.name)
    replaced = {paths.found(old.path) for old in state.superseded}
    for folder in folders.abandoned(root, _maker(scene)):
        if folder not in replaced and not _is_in_use(folder):
            folders.remove(folder, _maker(scene))
    return folders.create(root, _maker(scene)), warnings


def current(scene: bpy.types.Scene) -> Path | None:
    """The folder of the bake that the scene shows."""
    return paths.found(scene.dollop.folder) if scene.dollop.folder else None


def accept(scene: bpy.types.Scene, claim: Claim, whole: bool) -> None:
    """Makes a bake, whole or cancelled, the one that the scene shows; the one before may go later."""
    state = scene.dollop
    if state.folder and not state.loaded:
        _supersede(scene, paths.found(state.folder))
    state.folder, state.loaded = paths.stored(claim.folder), False
    # A number is used again where a folder is gone.
    (_halves.discard if whole else _halves.add)(paths.found(state.folder))
    claim.keep()


def adopt(scene: bpy.types.Scene, cache: Path) -> None:
    """Makes a cache that was loaded the one that the scene shows. It is never removed; the bake before may go later."""
    state = scene.dollop
    if state.folder and not state.loaded:
        _supersede(scene, paths.found(state.folder))
    folders.disown(cache.parent)
    state.folder, state.loaded = paths.stored(cache), True


def saved() -> None:
    """Notes that a file was written, which may show any of the bakes so far."""
    _halves.clear()


def prune(scene: bpy.types.Scene) -> None:
    """Removes superseded bakes of this scene that the .blend on disk does not need either: it was saved after they were
    replaced, or never since they were cancelled; and nothing in the open file refers to them."""
    try:
        written = Path(bpy.data.filepath).stat().st_mtime if bpy.data.filepath else 0.0
    except OSError:
        return
    superseded = scene.dollop.superseded
    for i in reversed(range(len(superseded))):
        folder = paths.found(superseded[i].path)
        if (float(superseded[i].time) >= written and folder not in _halves) or _is_in_use(folder):
            continue
        # What another file made stays, for that file to remove.
        if not folders.is_made_by(folder, _maker(scene)) or folders.remove(folder, _maker(scene)):
            superseded.remove(i)


def free(scene: bpy.types.Scene) -> str:
    """Removes the bake that the scene shows, once nothing of the scene reads it. Returns why its folder is not gone,
    or nothing."""
    folder, loaded = current(scene), scene.dollop.loaded
    scene.dollop.folder, scene.dollop.loaded = "", False
    if folder is None or not folder.exists():
        return ""
    if loaded:
        return f"Not deleted, as it was loaded: {folder}"
    if _is_in_use(folder):
        # A later bake removes it, when it is needed no more.
        _supersede(scene, folder)
        return f"Not deleted, as another scene or object of this file shows it: {folder}"
    if folders.remove(folder, _maker(scene)):
        return ""
    return f"Not deleted, as this scene and file did not make all that is in it: {folder}"


def discard(scene: bpy.types.Scene, claim: Claim) -> None:
    """Removes a bake that came to nothing."""
    claim.leave()
    folders.remove(claim.folder, _maker(scene))


def _supersede(scene: bpy.types.Scene, folder: Path) -> None:
    old = scene.dollop.superseded.add()
    old.path = paths.stored(folder)
    old.time = repr(time.time())


def _token(scene: bpy.types.Scene) -> str:
    """A name for the scene of this file. The same until the file is saved with it, so that a bake made before Blender
    died is known again."""
    if not bpy.data.filepath:
        return uuid.uuid4().hex
    return uuid.uuid5(uuid.NAMESPACE_URL, "\n".join((platform.node(), bpy.data.filepath, scene.name))).hex


def _maker(scene: bpy.types.Scene) -> dict[str, str]:
    # The name of the file, so that neither a copy under another name nor a copied scene counts as the maker.
    return {"blend": Path(bpy.data.filepath).name, "scene": scene.name, "token": scene.dollop.token}


def _root(chosen: str) -> tuple[Path, list[str]]:
    if chosen.startswith("//") and not bpy.data.filepath:
        return Path(bpy.app.tempdir) / chosen.removeprefix("//"), [UNSAVED]
    return Path(bpy.path.abspath(chosen)).absolute(), []


def _is_in_use(folder: Path) -> bool:
    """Whether a scene, a volume or a node tree of the open file refers to `folder`."""
    used = [paths.found(scene.dollop.folder) for scene in bpy.data.scenes if scene.dollop.folder]
    used += [paths.found(volume.filepath) for volume in bpy.data.volumes if volume.filepath]
    texts = [socket.default_value for socket in paths.formats()]
    used += [paths.found(text.replace("{{", "{").replace("}}", "}")) for text in texts]
    return any(folder == path or folder in path.parents for path in used)
