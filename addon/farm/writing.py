# SPDX-FileCopyrightText: 2026 The Dollop founders
# SPDX-License-Identifier: GPL-3.0-or-later
"""One farm job, from the export to the file for submitting."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Iterator
from pathlib import Path

import bpy

from .. import export, keeping, preferences
from ..bake import farm, folders
from ..bake.binary import BinaryError
from ..bake.farm import Job, Wishes
from ..bake.runner import Run, State, look_command
from ..bake.steps import StepError, Steps, Task
from ..data import sections
from ..export.problems import ExportError
from ..session import BakeError
from ..wording import Wording
from . import planning

TEMPORARY = "Save the file first: a farm job lies beside it, and outlives this Blender"
# Longest time in seconds for another Blender to open, change and save the file, and for the solver to write a job.
_PLANNING_SECONDS = 900.0
_WRITING_SECONDS = 120.0
_LOOK_SCENE = "look.json"


class Writing:
    """A farm job that is being written; the counterpart of `session.Session` for a bake."""

    def __init__(self, scene: bpy.types.Scene, view_layer: bpy.types.ViewLayer) -> None:
        """Exports the scene, saves the copy for rendering and starts to write the job. Raises `BakeError`."""
        self.scene_uid = scene.session_uid
        self.job: Job | None = None
        if keeping.goes_with_blender(scene):
            raise BakeError(TEMPORARY)
        try:
            self._wishes = _wishes(scene)
            self._binary = preferences.solver()
            self._claim, self.warnings = keeping.new_folder(scene)
        except (BinaryError, keeping.FolderError, ValueError, OSError) as error:
            raise BakeError(str(error)) from error
        try:
            self._export(scene, view_layer)
        except (ExportError, OSError, RuntimeError) as error:
            keeping.discard(scene, self._claim)
            raise BakeError(str(error)) from error
        self.run = Steps(self._work())

    @property
    def folder(self) -> Path:
        """The folder of the future bake."""
        return self._claim.folder

    def finish(self) -> None:
        """Keeps the job, once it is written. Raises `BakeError`; then no files stay."""
        # Undo may have replaced the scene.
        scene = next((scene for scene in bpy.data.scenes if scene.session_uid == self.scene_uid), None)
        if self.run.state is State.DONE:
            keeping.give_away(scene, self._claim)
            return
        if scene:
            keeping.discard(scene, self._claim)
        self._claim.leave()
        if self.run.state is State.FAILED:
            raise BakeError(self.run.message)

    def abandon(self) -> None:
        """Ends the running step at once. The next bake removes its files."""
        self.run.kill()
        self._claim.leave()

    def _export(self, scene: bpy.types.Scene, view_layer: bpy.types.ViewLayer) -> None:
        exported = export.write(scene, view_layer, self.folder / folders.SCENE)
        self.warnings += exported.warnings
        self._scene_file = exported.path
        self._document = json.loads(exported.path.read_text(encoding="utf-8"))
        self._wording = Wording(sections(), exported.names, exported.shapes)
        if scene.dollop.farm.render:
            self._wishes = dataclasses.replace(self._wishes, render=self.folder / folders.RENDERED)
            planning.begin(scene, view_layer, self.folder, list(self._document["output"]))

    def _work(self) -> Iterator[tuple[str, Run | Task]]:
        if self._wishes.render:
            yield from self._plan()
        cache = self.folder / folders.CACHE
        writing = Task(farm.job_command(self._binary, self._scene_file, cache, self._wishes), _WRITING_SECONDS)
        yield "Writing the farm job", writing
        if writing.state is State.FAILED:
            raise StepError(self._wording.error(*farm.complaint(writing.complaint, self._scene_file)))
        try:
            self.job = farm.record(self.folder, writing.output)
        except ValueError as error:
            raise StepError(str(error)) from error

    def _plan(self) -> Iterator[tuple[str, Run | Task]]:
        """Makes the copy show the future bake; a bake of the first frame tells which data its files hold."""
        scene_file = self._scene_file.with_name(_LOOK_SCENE)
        # The position of the matter does not matter.
        scene_file.write_text(json.dumps(self._document | {"settle": False}), encoding="utf-8")
        first = self._document["frames"]["start"]
        look = Run(look_command(self._binary, scene_file, self.folder / folders.LOOK, first))
        yield "Looking at the first frame", look
        if look.state is State.FAILED:
            raise StepError(self._wording.error(look.message, look.path))
        scene_file.unlink()
        planned = Task(planning.command(self.folder), _PLANNING_SECONDS)
        yield "Preparing the file to render", planned
        if planned.state is State.FAILED:
            raise StepError(f"The file to render could not be made:\n{planned.complaint}")
        self.warnings += planning.end(self.folder)


def _wishes(scene: bpy.types.Scene) -> Wishes:
    """The wishes in the panel. Raises `ValueError` if they cannot be understood."""
    chosen = scene.dollop.farm
    return Wishes(
        engine=chosen.engine,
        segment=chosen.segment,
        chunk=chosen.chunk,
        wedges=tuple(farm.wedge(one.setting, one.values) for one in chosen.wedges),
        dollop=chosen.dollop.strip(),
        blender=chosen.blender.strip(),
    )
