# SPDX-FileCopyrightText: 2026 The Dollop founders
# SPDX-License-Identifier: GPL-3.0-or-later
"""Where a scene's bakes are kept, and when an old one may go."""

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

# Cancelled bakes that were kept since anything was last saved: no file on disk can show them.
_halves: set[Path] = set()


class FolderError(RuntimeError):
    """There is no place for a bake; the message says where and what to do."""


def new_folder(scene: bpy.types.Scene) -> tuple[Claim, list[str]]:
    """A new folder for a bake of `scene`, and what the user should know about it. Bakes of the scene that came to
    nothing go first. Raises `FolderError`."""
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
    """The last bake of the scene, where it came to no end and can be gone on with."""
    folder = _last(scene)
    return folder if folder and resuming.can_go_on(folder, SCENE_FILE) else None


def claim_again(scene: bpy.types.Scene) -> Claim:
    """The last bake of the scene, to go on with it. Raises `FolderError`."""
    folder = resumable(scene)
    if folder is None:
        raise FolderError("There is no bake of this scene to go on with: its last one is complete, gone, or in use")
    scene.dollop.token = scene.dollop.token or _token(scene)
    try:
        return folders.claim_again(folder)
    except OSError as error:
        raise FolderError(f"{folder} cannot be gone on with: {error.strerror or error}") from error


def _last(scene: bpy.types.Scene) -> Path | None:
    """The last bake that this file made for the scene, shown or not; none where another has replaced it."""
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
    """Whether the bakes of the scene go when Blender quits, as its file is not saved."""
    return is_temporary(_place(scene)[0])


def give_away(scene: bpy.types.Scene | None, claim: Claim) -> None:
    """Leaves a bake to a farm. Nobody removes it from now on; the scene notes where it is."""
    folders.disown(claim.folder)
    claim.keep()
    if scene:
        scene.dollop.farm.folder = paths.stored(claim.folder)


def given_away(scene: bpy.types.Scene) -> Path | None:
    """The folder of the bake that was left to a farm last."""
    return paths.found(scene.dollop.farm.folder) if scene.dollop.farm.folder else None


def plan(scene: bpy.types.Scene, cache: Path) -> None:
    """Makes a cache that is still to come, and not this file's to remove, the one that the scene of a copy shows."""
    state = scene.dollop
    state.superseded.clear()
    state.folder, state.loaded = paths.stored(cache), True
    state.farm.folder = ""


def is_temporary(folder: Path) -> bool:
    """Whether Blender removes a bake when it quits."""
    return folder.is_relative_to(bpy.app.tempdir)


def accept(scene: bpy.types.Scene, claim: Claim, whole: bool) -> None:
    """Makes a bake, whole or cancelled, the one that the scene shows; the one before may go later."""
    _show(scene, claim.folder, loaded=False)
    if whole:
        # A number is used again where a folder is gone.
        _halves.discard(current(scene))
    elif not claim.was_kept:
        _halves.add(current(scene))
    claim.keep()


def adopt(scene: bpy.types.Scene, cache: Path) -> None:
    """Makes a cache that was loaded the one that the scene shows. It is never removed; the bake before may go later."""
    folders.disown(cache.parent)
    _show(scene, cache, loaded=True)


def saved() -> None:
    """Notes that a file was written, which may show any of the bakes so far."""
    _halves.clear()


def prune(scene: bpy.types.Scene) -> list[str]:
    """Removes superseded bakes of this file that the .blend on disk does not need either: it was saved after they were
    replaced, or never since they were cancelled; and nothing in the open file refers to them. Returns what the user
    should know of those that stay for good."""
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
        # What another file made stays, for that file to remove.
        superseded.remove(i)
        if _is_of_a_copy(folder, maker):
            warnings.append(f"The older bake {folder} {_FOREIGN}")
    return warnings


def free(scene: bpy.types.Scene) -> str:
    """Removes the bake that the scene shows, once nothing of the scene reads it. Returns why its folder is still there;
    nothing where it is gone."""
    folder, loaded = current(scene), scene.dollop.loaded
    scene.dollop.folder, scene.dollop.loaded = "", False
    if folder is None or not folder.exists():
        return ""
    if loaded:
        return f"{folder} is not deleted: it was loaded"
    if _is_in_use(folder):
        # A later bake removes it, when it is needed no more.
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
    """Removes a bake that came to nothing; one that was gone on with stays."""
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
    """A name for the scene of this file. The same until the file is saved with it, so that a bake made before Blender
    died is known again."""
    if not bpy.data.filepath:
        return uuid.uuid4().hex
    return uuid.uuid5(uuid.NAMESPACE_URL, "\n".join((platform.node(), bpy.data.filepath, scene.name))).hex


def _maker(scene: bpy.types.Scene, root: Path) -> dict[str, str]:
    """Who makes the bakes in `root`: the scene of this file, whatever they are called now, and where the file is from
    there, so that a file and its cache can be moved together, and a copy of the file is not its original."""
    return {"blend": _file_seen_from(root), "token": scene.dollop.token or _token(scene)}


def _file_seen_from(root: Path) -> str:
    if not bpy.data.filepath:
        return ""
    file = Path(bpy.data.filepath)
    file = file.parent.resolve() / file.name
    try:
        return Path(os.path.relpath(file, root.resolve())).as_posix()
    except ValueError:
        # Another drive.
        return file.as_posix()


def _is_of_a_copy(folder: Path, maker: dict[str, str]) -> bool:
    """Whether a bake was made by this file before it was renamed or moved outside of Blender, or by one that is a copy
    of the other; which of them cannot be told. What Blender itself removes when it quits does not count."""
    found = folders.maker_of(folder)
    return bool(found) and found.get("token") == maker["token"] and not is_temporary(folder)


def _replaced_at(folder: Path) -> float:
    """When the last of the scenes of the open file ceased to show a bake, in seconds since 1970."""
    times = [
        float(old.time)
        for scene in bpy.data.scenes
        for old in scene.dollop.superseded
        if paths.found(old.path) == folder
    ]
    return max(times)


def _place(scene: bpy.types.Scene) -> tuple[Path, list[str]]:
    """Where the bakes of the scene go, and what the user should know about that."""
    root, warnings = _root(scene.dollop.root)
    return root / bpy.path.clean_name(scene.name), warnings


def _root(chosen: str) -> tuple[Path, list[str]]:
    # An empty path would be the folder that Blender was started in.
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
