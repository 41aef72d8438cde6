# SPDX-FileCopyrightText: 2026 The Dollop founders
# SPDX-License-Identifier: GPL-3.0-or-later
"""Makes the .blend for rendering on a farm: a copy of the open file that shows a future bake.

Another Blender does that, so that the open file stays as it is: `begin` saves the copy, `command` runs that Blender,
and `script.py` calls `plan` in it. What they tell each other lies in files beside the copy.
"""

from __future__ import annotations

import dataclasses
import json
import sys
from pathlib import Path
from typing import Any

import bpy

from .. import hiding, keeping, playback
from ..bake import folders, index
from ..export.participants import find

_PLAN = "plan.json"
_TOLD = "told.json"


def begin(scene: bpy.types.Scene, view_layer: bpy.types.ViewLayer, folder: Path, kinds: list[str]) -> None:
    """Saves a copy of the open file into a bake folder; its relative paths are adjusted. The copy will show files of
    these `kinds`."""
    wanted = {"scene": scene.name, "view_layer": view_layer.name, "kinds": kinds}
    wanted["frames"] = [scene.frame_start, scene.frame_end]
    (folder / folders.SCENE / _PLAN).write_text(json.dumps(wanted), encoding="utf-8")
    file = folder / folders.RENDERED
    bpy.ops.wm.save_as_mainfile(filepath=str(file), copy=True, relative_remap=True, check_existing=False)


def command(folder: Path) -> list[str]:
    """The command that makes the copy in a bake folder show the future files of that folder's cache. Needs the preview
    of the first frame."""
    script = str(Path(__file__).with_name("script.py"))
    if not bpy.app.binary_path:
        # Blender as a Python module.
        return [sys.executable, script, "--", str(folder)]
    options = ["--background", "--factory-startup", "--python-exit-code", "1"]
    return [bpy.app.binary_path, *options, "--python", script, "--", str(folder)]


def end(folder: Path) -> list[str]:
    """Removes temporary files, once the other Blender has ended. Returns warnings for the user."""
    told = json.loads((folder / folders.SCENE / _TOLD).read_text(encoding="utf-8"))
    for name in (_PLAN, _TOLD):
        (folder / folders.SCENE / name).unlink()
    folders.remove_look(folder)
    return told


def plan(folder: Path) -> None:
    """Runs in another Blender, started by `command`."""
    wanted: dict[str, Any] = json.loads((folder / folders.SCENE / _PLAN).read_text(encoding="utf-8"))
    # A backup of the copy is not needed.
    bpy.context.preferences.filepaths.save_version = 0
    bpy.ops.wm.open_mainfile(filepath=str(folder / folders.RENDERED), load_ui=True, use_scripts=False)
    scene = bpy.data.scenes[wanted["scene"]]
    first, last = wanted["frames"]
    look = index.read(folder / folders.LOOK).only(wanted["kinds"])
    cache = folder / folders.CACHE
    warnings = playback.load(
        scene, dataclasses.replace(look, cache=cache, frames=tuple(range(first, last + 1))), planned=True
    )
    warnings += hiding.from_render(scene, find(scene.view_layers[wanted["view_layer"]]).bodies)
    keeping.plan(scene, cache)
    bpy.ops.wm.save_mainfile()
    (folder / folders.SCENE / _TOLD).write_text(json.dumps(warnings), encoding="utf-8")
