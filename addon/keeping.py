# SPDX-FileCopyrightText: 2026 The Dollop founders
# SPDX-License-Identifier: GPL-3.0-or-later
"""The places of a scene's bakes, and when an old bake may be removed."""

from __future__ import annotations

import os
import platform
import time
import uuid
from pathlib import Path

import bpy

from .bake import folders, resuming
from .bake.folders import Claim
from .data import DEFAULT_ROOT
from .export.target import SCENE_FILE
from .playback import paths

UNSAVED = "The file is not saved: the bake lies in a temporary folder and is lost when Blender quits"

_FOREIGN = (
    "is not deleted: another file made it, or this one under another name or in another place; "
    "delete it by hand if no other file shows it"
)

# Cancelled bakes that were kept since the last save: no file on disk can show them.
_halves: set[Path] = set()


class FolderError(RuntimeError):
    """There is no place for a bake; the message gives the reason and a remedy."""


def new_folder(scene: bpy.types.Scene) -> tuple[Claim, list[str]]:
    """A new folder for a bake of `scene`, and warnings for the user. First removes failed bakes of the scene. Raises
    `FolderError`."""
    state = scene.dollop
    state.token = state.token or _token(scene)
    root, warnings = _place(scene)
    try:
        return _new_folder(scene, root), warnings
    except OSError as error:
        raise FolderError(
            f"The Cache Folder cannot be used, as {error.filename or root} cannot be made or written: "
            f"{error.strerror}; choose another one in the Scene tab under Dollop"
        ) from error


def _new_folder(scene: bpy.types.Scene, root: Path) -> Claim:
    state = scene.dollop
    replaced = {paths.found(old.path) for old in state.superseded}
    maker = _maker(scene, root)
    for folder in folders.abandoned(root, maker):
        if folder not in replaced and not _is_in_use(folder):
            folders.remove(folder, maker)
    return folders.create(root, maker)


def resumable(scene: bpy.types.Scene) -> Path | None:
    """The last bake of the scene, if it is incomplete and can be resumed."""
    folder = _last(scene)
    return folder if folder and resuming.can_go_on(folder, SCENE_FILE) else None


def claim_again(scene: bpy.types.Scene) -> Claim:
    """Claims the last bake of the scene, to resume it. Raises `FolderError`."""
    folder = resumable(scene)
    if folder is None:
        raise FolderError("There is no bake of this scene to go on with: its last one is complete, gone, or in use")
    scene.dollop.token = scene.dollop.token or _token(scene)
    try:
        return folders.claim_again(folder)
    except OSError as error:
        raise FolderError(f"{folder} cannot be gone on with: {error.strerror or error}") from error


def _last(scene: bpy.types.Scene) -> Path | None:
    """The last bake of the scene by this file, shown or not; None if another bake has replaced it."""
    root, _ = _place(scene)
    found = folders.newest(root, _maker(scene, root))
    shown = None if scene.dollop.loaded else current(scene)
    if found is None and shown and folders.is_made_by(shown, _maker(scene, shown.parent)):
        found = shown
    replaced = {paths.found(old.path) for old in scene.dollop.superseded}
    return None if found != shown and found in replaced else found


def current(scene: bpy.types.Scene) -> Path | None:
    """The folder of the bake that the scene shows."""
    return paths.found(scene.dollop.folder) if scene.dollop.folder else None


def goes_with_blender(scene: bpy.types.Scene) -> bool:
    """Whether the bakes of the scene are removed when Blender quits, as its file is not saved."""
    return is_temporary(_place(scene)[0])


def give_away(scene: bpy.types.Scene | None, claim: Claim) -> None:
    """Leaves a bake to a farm. No file removes it from now on; the scene stores its place."""
    folders.disown(claim.folder)
    claim.keep()
    if scene:
        scene.dollop.farm.folder = paths.stored(claim.folder)


def given_away(scene: bpy.types.Scene) -> Path | None:
    """The folder of the bake that was last left to a farm."""
    return paths.found(scene.dollop.farm.folder) if scene.dollop.farm.folder else None


def plan(scene: bpy.types.Scene, cache: Path) -> None:
    """Makes the scene of a copy show a future cache, which does not belong to this file and is never removed by it."""
    state = scene.dollop
    state.superseded.clear()
    state.folder, state.loaded = paths.stored(cache), True
    state.farm.folder = ""


def is_temporary(folder: Path) -> bool:
    """Whether Blender removes a bake when it quits."""
    return folder.is_relative_to(bpy.app.tempdir)


def accept(scene: bpy.types.Scene, claim: Claim, whole: bool) -> None:
    """Makes the scene show a bake, complete or cancelled; the replaced one may be removed later."""
    _show(scene, claim.folder, loaded=False)
    if whole:
        # A number is used again after its folder was removed.
        _halves.discard(current(scene))
    elif not claim.was_kept:
        _halves.add(current(scene))
    claim.keep()


def adopt(scene: bpy.types.Scene, cache: Path) -> None:
    """Makes the scene show a loaded cache, which is never removed; the replaced bake may be removed later."""
    folders.disown(cache.parent)
    _show(scene, cache, loaded=True)


def saved() -> None:
    """Records that a file was saved, which may show any of the bakes so far."""
    _halves.clear()


def prune(scene: bpy.types.Scene) -> list[str]:
    """Removes replaced bakes of this file that neither the open file nor the .blend on disk refers to: the latter
    was saved after they were replaced, or never since they were cancelled. Returns warnings about bakes that stay
    for good."""
    try:
        written = Path(bpy.data.filepath).stat().st_mtime if bpy.data.filepath else 0.0
    except OSError:
        return []
    warnings = []
    superseded = scene.dollop.superseded
    for i in reversed(range(len(superseded))):
        folder = paths.found(superseded[i].path)
        if (_replaced_at(folder) >= written and folder not in _halves) or _is_in_use(folder):
            continue
        maker = _maker(scene, folder.parent)
        if folders.is_made_by(folder, maker):
            if folders.remove(folder, maker):
                superseded.remove(i)
            continue
        # Bakes of another file stay, for that file to remove.
        superseded.remove(i)
        if _is_of_a_copy(folder, maker):
            warnings.append(f"The older bake {folder} {_FOREIGN}")
    return warnings


def free(scene: bpy.types.Scene) -> str:
    """Removes the bake that the scene shows, once the scene no longer reads it. Returns the reason if its folder still
    exists; empty if it is gone."""
    folder, loaded = current(scene), scene.dollop.loaded
    scene.dollop.folder, scene.dollop.loaded = "", False
    if folder is None or not folder.exists():
        return ""
    if loaded:
        return f"{folder} is not deleted: it was loaded"
    if _is_in_use(folder):
        # A later bake removes it, when it is no longer needed.
        _supersede(scene, folder)
        return f"{folder} is not deleted: another scene or object of this file shows it"
    maker = _maker(scene, folder.parent)
    if not folders.is_made_by(folder, maker):
        return f"{folder} {_FOREIGN}"
    if folders.remove(folder, maker):
        return ""
    if folders.is_busy(folder):
        return f"{folder} is not deleted: another Blender or a solver works on it"
    return f"{folder} is not wholly deleted: it holds files that no bake wrote; delete it by hand"


def discard(scene: bpy.types.Scene, claim: Claim) -> None:
    """Removes a failed bake; a resumed one stays."""
    claim.leave()
    if claim.is_new:
        folders.remove(claim.folder, _maker(scene, claim.folder.parent))


def _show(scene: bpy.types.Scene, folder: Path, loaded: bool) -> None:
    state = scene.dollop
    if state.folder and not state.loaded and current(scene) != folder:
        _supersede(scene, current(scene))
    state.folder, state.loaded = paths.stored(folder), loaded


def _supersede(scene: bpy.types.Scene, folder: Path) -> None:
    old = scene.dollop.superseded.add()
    old.path = paths.stored(folder)
    old.time = repr(time.time())


def _token(scene: bpy.types.Scene) -> str:
    """A name for the scene of this file. It stays the same until the file is saved with it, so that a bake from before
    a crash of Blender is recognised."""
    if not bpy.data.filepath:
        return uuid.uuid4().hex
    return uuid.uuid5(uuid.NAMESPACE_URL, "\n".join((platform.node(), bpy.data.filepath, scene.name))).hex


def _maker(scene: bpy.types.Scene, root: Path) -> dict[str, str]:
    """The maker of the bakes in `root`: the scene of this file, under any name, and the path from there to the file. So
    a file and its cache can be moved together, and a copy of the file does not count as its original."""
    return {"blend": _file_seen_from(root), "token": scene.dollop.token or _token(scene)}


def _file_seen_from(root: Path) -> str:
    if not bpy.data.filepath:
        return ""
    file = Path(bpy.data.filepath)
    file = file.parent.resolve() / file.name
    try:
        return Path(os.path.relpath(file, root.resolve())).as_posix()
    except ValueError:
        # The folder is on another drive.
        return file.as_posix()


def _is_of_a_copy(folder: Path, maker: dict[str, str]) -> bool:
    """Whether this file made a bake before it was renamed or moved outside of Blender, or one of the two files is a
    copy of the other; these cases look the same. Bakes that Blender itself removes when it quits do not count."""
    found = folders.maker_of(folder)
    return bool(found) and found.get("token") == maker["token"] and not is_temporary(folder)


def _replaced_at(folder: Path) -> float:
    """The time when the last scene of the open file stopped showing a bake, in seconds since 1970."""
    times = [
        float(old.time)
        for scene in bpy.data.scenes
        for old in scene.dollop.superseded
        if paths.found(old.path) == folder
    ]
    return max(times)


def _place(scene: bpy.types.Scene) -> tuple[Path, list[str]]:
    """The place of the scene's bakes, and warnings for the user."""
    root, warnings = _root(scene.dollop.root)
    return root / bpy.path.clean_name(scene.name), warnings


def _root(chosen: str) -> tuple[Path, list[str]]:
    # An empty path would mean the folder in which Blender was started.
    chosen = chosen.strip() or DEFAULT_ROOT
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
