# SPDX-FileCopyrightText: 2026 The Dollop founders
# SPDX-License-Identifier: GPL-3.0-or-later
"""One bake from the export to the loaded result."""

from __future__ import annotations

import atexit
import contextlib
from collections.abc import Callable
from functools import partial
from pathlib import Path

import bpy

from . import export, hiding, keeping, playback, preferences
from .bake import folders, index
from .bake.binary import BinaryError
from .bake.runner import Run, State, bake_command
from .data import BODY, REGIONS, sections
from .export.participants import find
from .export.problems import ExportError
from .wording import Wording

# The warning for a resumed bake.
CHANGED = "The scene has changed since this bake began: what is resumed is the bake as it was exported then"
STOPPING = "Stopping within five seconds; to stop at once and keep the frames so far"


class BakeError(RuntimeError):
    """A bake that failed; the message is for the user."""


class Session:
    """A bake in progress. Call `run.poll` regularly, and `finish` or `abandon` at the end."""

    def __init__(self, scene: bpy.types.Scene, view_layer: bpy.types.ViewLayer, resume: bool = False) -> None:
        """Exports the scene, or claims its last bake, and starts the solver. Raises `BakeError`."""
        self.scene_uid = scene.session_uid
        self.bodies = {source.session_uid for source in find(view_layer).bodies}
        try:
            binary = preferences.solver()
            self._claim, self.warnings = (keeping.claim_again(scene), []) if resume else keeping.new_folder(scene)
        except (BinaryError, keeping.FolderError, OSError) as error:
            raise BakeError(str(error)) from error
        try:
            exported = (self._exported_before if resume else export.write)(
                scene, view_layer, self.folder / folders.SCENE
            )
            self.warnings += exported.warnings
            self._wording = Wording(sections(), exported.names, exported.shapes)
            self.run = Run(bake_command(binary, exported.path, self.folder / folders.CACHE, resume))
        except (ExportError, OSError) as error:
            keeping.discard(scene, self._claim)
            raise BakeError(str(error)) from error

    @property
    def folder(self) -> Path:
        """The folder of this bake."""
        return self._claim.folder

    @property
    def scene(self) -> bpy.types.Scene | None:
        """The scene, looked up again: undo may have replaced it."""
        return next((scene for scene in bpy.data.scenes if scene.session_uid == self.scene_uid), None)

    def finish(self) -> None:
        """Loads the solver's files, once it has ended. Raises `BakeError`; the older bake then stays, and the new files
        can be resumed, or are removed by the next bake."""
        try:
            self._finish()
        finally:
            self._claim.leave()

    def abandon(self) -> None:
        """Ends the solver at once. Its files can be resumed, or are removed by the next bake."""
        self.run.kill()
        self._claim.leave()

    def _exported_before(
        self, scene: bpy.types.Scene, view_layer: bpy.types.ViewLayer, folder: Path
    ) -> export.Exported:
        exported = export.read(folder)
        if export.is_changed(scene, view_layer, folder):
            self.warnings.append(CHANGED)
        return exported

    def _finish(self) -> None:
        scene = self.scene
        if scene is None:
            return
        if self.run.state is State.FAILED:
            told = self._wording.error(self.run.message, self.run.path)
            if self.run.is_scene_wrong:
                self._claim.give_up(told)
            raise BakeError(told)
        found = self._index(scene)
        if found is None:
            return
        self.warnings += [self._wording.sentence(warning) for warning in self.run.warnings]
        self.warnings += playback.load(scene, found)
        bodies = [o for o in scene.objects if o.session_uid in self.bodies and o.dollop.kind == BODY]
        self.warnings += hiding.from_render(scene, bodies)
        keeping.accept(scene, self._claim, self.run.state is State.DONE)
        self.warnings += keeping.prune(scene)
        # Shows the result at the current frame.
        scene.frame_set(scene.frame_current, subframe=scene.frame_subframe)

    def _index(self, scene: bpy.types.Scene) -> index.Index | None:
        """The index of the bake; None if it was cancelled before its first frame."""
        try:
            found = index.read(self.folder / folders.CACHE)
        except index.CacheError as error:
            if self.run.state is State.CANCELLED:
                keeping.discard(scene, self._claim)
                return None
            raise BakeError(str(error)) from error
        if found.frames:
            return found
        keeping.discard(scene, self._claim)
        return None


class Status:
    """The state for the panels: the bake in progress, and the ending of each scene's last one."""

    def __init__(self) -> None:
        self.session: Session | None = None
        self._ends: dict[int, tuple[str, list[str]]] = {}

    def begin(
        self,
        scene: bpy.types.Scene,
        view_layer: bpy.types.ViewLayer,
        start: Callable[[bpy.types.Scene, bpy.types.ViewLayer], Session] = Session,
    ) -> Session:
        """Starts a bake, one at a time. Raises `BakeError`."""
        if self.session:
            raise BakeError("Another bake is running")
        self._ends.pop(scene.session_uid, None)
        try:
            self.session = start(scene, view_layer)
        except BakeError as error:
            self._ends[scene.session_uid] = (str(error), [])
            raise
        return self.session

    def end(self) -> Session:
        """Finishes the bake in progress, whose solver has ended. Raises `BakeError`."""
        session, self.session = self.session, None
        try:
            session.finish()
        except BakeError as error:
            self._ends[session.scene_uid] = (str(error), session.warnings)
            raise
        self._ends[session.scene_uid] = ("", session.warnings)
        return session

    def abandon(self) -> None:
        """Ends the solver at once."""
        if self.session:
            self.session.abandon()
            self.session = None

    def note(self, scene: bpy.types.Scene, warnings: list[str]) -> None:
        """Clears the ending of the last bake from the panel."""
        self._ends[scene.session_uid] = ("", warnings)

    def last(self, scene: bpy.types.Scene) -> tuple[str, list[str]]:
        """Error and warnings of the last action on the bakes of `scene` since Blender was started."""
        return self._ends.get(scene.session_uid, ("", []))


status = Status()
atexit.register(status.abandon)


resumed = partial(Session, resume=True)


def bake(
    scene: bpy.types.Scene,
    view_layer: bpy.types.ViewLayer,
    tell: object = None,
    start: Callable[[bpy.types.Scene, bpy.types.ViewLayer], Session] = Session,
) -> Session:
    """Bakes and blocks until it is done. Calls `tell` with the run after each frame and when it is asked to stop.
    Ctrl-C cancels, and a second one ends the solver at once."""
    session = status.begin(scene, view_layer, start)
    shown = None
    while True:
        try:
            while session.run.poll() is State.RUNNING:
                now = session.run.progress.frame, session.run.cancelling
                if callable(tell) and now != shown:
                    shown = now
                    tell(session.run)
                session.run.pause()
            break
        except KeyboardInterrupt:
            session.run.cancel()
    return status.end()


def free(scene: bpy.types.Scene) -> list[str]:
    """Hides the result, restores the bodies and removes the files. Returns warnings for the user."""
    shown = {scene.dollop.surface, scene.dollop.volume, scene.dollop.particles}
    warnings = playback.retire(scene)
    for source in scene.objects:
        if source not in shown and source.dollop.kind not in REGIONS and not _is_replaced_elsewhere(scene, source):
            hiding.restore(source)
    kept = keeping.free(scene)
    if kept:
        warnings.append(kept)
    with contextlib.suppress(OSError):
        warnings += keeping.prune(scene)
    status.note(scene, warnings)
    return warnings


def _is_replaced_elsewhere(scene: bpy.types.Scene, source: bpy.types.Object) -> bool:
    """Whether another scene has the object and shows a bake in its place."""
    return any(other != scene and other.dollop.folder for other in source.users_scene)


def cache_of(scene: bpy.types.Scene) -> Path | None:
    """The cache folder that the scene shows."""
    folder = keeping.current(scene)
    if folder is None or scene.dollop.loaded:
        return folder
    return folder / folders.CACHE
