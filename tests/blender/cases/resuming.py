# SPDX-FileCopyrightText: 2026 The Dollop founders
# SPDX-License-Identifier: GPL-3.0-or-later
"""Resuming interrupted bakes."""

from __future__ import annotations

import contextlib
import io
import json
import os
import time
from pathlib import Path

import bpy

import tools
from cases.loading import panel_text
from tools import bake, cube, expect_error, shown

NOTHING = "The last bake of this scene is complete, gone, or in use"


def bakes(folder: Path) -> list[str]:
    return sorted(path.name for path in (folder / "project/dollop_cache/Scene").iterdir())


def cut(scene: bpy.types.Scene, behaviour: str = "slow") -> None:
    """Cancels a bake after two frames."""
    from addon.bake.runner import State
    from addon.session import status

    os.environ["FAKE_SOLVER"] = behaviour
    running = status.begin(scene, bpy.context.view_layer)
    while running.run.poll() is State.RUNNING and running.run.progress.finished < 2:
        time.sleep(0.02)
    running.run.cancel()
    running.run.wait()
    os.environ["FAKE_SOLVER"] = ""
    assert status.end().run.state is State.CANCELLED


def case_a_cancelled_bake_is_resumed(folder: Path) -> None:
    scene = tools.fresh(folder)
    cube("body", "BODY")
    expect_error(RuntimeError, NOTHING, bpy.ops.dollop.resume)
    cut(scene)
    assert abs(shown(4) - 0.5) < 1e-6 and "dollop.resume" in panel_text()
    assert bpy.ops.dollop.resume() == {"FINISHED"}
    assert abs(shown(4) - 1.0) < 1e-6 and bakes(folder) == ["bake_0001"] and len(scene.dollop.superseded) == 0
    assert not (folder / "project/dollop_cache/Scene/bake_0001/.claim").exists()
    expect_error(RuntimeError, NOTHING, bpy.ops.dollop.resume)
    assert "dollop.resume" not in panel_text()
    assert bpy.ops.dollop.free() == {"FINISHED"} and bakes(folder) == []


def case_a_resumed_bake_uses_its_own_export(folder: Path) -> None:
    from addon import session

    scene = tools.fresh(folder)
    body = cube("body", "BODY")
    cut(scene)
    file = folder / "project/dollop_cache/Scene/bake_0001/scene/scene.json"
    before = file.read_bytes()
    ended = session.bake(scene, bpy.context.view_layer, start=session.resumed)
    assert session.CHANGED not in ended.warnings and abs(shown(4) - 1.0) < 1e-6
    bpy.ops.dollop.free()
    cut(scene)
    body.location.x = 3.0
    scene.frame_end = 9
    told = session.bake(scene, bpy.context.view_layer, start=session.resumed).warnings
    assert session.CHANGED in told and file.read_bytes() == before
    assert abs(shown(9) - 1.0) < 1e-6 and scene.frame_end == 9


def case_a_full_disk_can_be_resumed_and_a_wrong_scene_not(folder: Path) -> None:
    from addon.session import BakeError

    scene = tools.fresh(folder)
    cube("body", "BODY")
    for behaviour, words in (("refuse", "open"), ("wild", "too fast")):
        os.environ["FAKE_SOLVER"] = behaviour
        expect_error(BakeError, words, bake)
        expect_error(RuntimeError, NOTHING, bpy.ops.dollop.resume)
    os.environ["FAKE_SOLVER"] = ""
    bake()
    before = scene.dollop.folder
    os.environ["FAKE_SOLVER"] = "full"
    expect_error(BakeError, "No space left", bake)
    expect_error(RuntimeError, "No space left", bpy.ops.dollop.resume)
    assert scene.dollop.folder == before, "what is whole stays until there is more"
    os.environ["FAKE_SOLVER"] = ""
    assert bpy.ops.dollop.resume() == {"FINISHED"}
    assert abs(shown(4) - 1.0) < 1e-6 and scene.dollop.folder != before
    assert [Path(old.path).name for old in scene.dollop.superseded] == [Path(before).name]


def case_a_resumed_bake_that_fails_again_stays(folder: Path) -> None:
    scene = tools.fresh(folder)
    cube("body", "BODY")
    cut(scene)
    bpy.ops.wm.save_mainfile()
    os.environ["FAKE_SOLVER"] = "full"
    expect_error(RuntimeError, "No space left", bpy.ops.dollop.resume)
    assert abs(shown(4) - 0.5) < 1e-6 and "dollop.resume" in panel_text()
    assert not (folder / "project/dollop_cache/Scene/bake_0001/.claim").exists(), "the file shows it"
    cut(scene, "slow")
    assert bakes(folder) == ["bake_0001", "bake_0002"], "the saved file shows the first"
    bpy.ops.wm.open_mainfile(filepath=bpy.data.filepath)
    assert abs(shown(4) - 0.5) < 1e-6


def case_a_bake_whose_blender_died_is_resumed_from_the_file(folder: Path) -> None:
    from addon.session import status

    scene = tools.fresh(folder)
    cube("body", "BODY")
    bpy.ops.wm.save_mainfile()
    os.environ["FAKE_SOLVER"] = "full"
    running = status.begin(scene, bpy.context.view_layer)
    running.run.wait()
    status.abandon()
    os.environ["FAKE_SOLVER"] = ""
    bpy.ops.wm.open_mainfile(filepath=bpy.data.filepath)
    scene = bpy.context.scene
    assert scene.dollop.folder == "" and "dollop.resume" in panel_text()
    assert bpy.ops.dollop.resume() == {"FINISHED"} and abs(shown(4) - 1.0) < 1e-6
    assert scene.dollop.folder == "//dollop_cache/Scene/bake_0001"
    bake()
    expect_error(RuntimeError, NOTHING, bpy.ops.dollop.resume)


def case_a_new_bake_replaces_an_interrupted_one(folder: Path) -> None:
    from addon.session import BakeError

    scene = tools.fresh(folder, "full")
    cube("body", "BODY")
    expect_error(BakeError, "No space left", bake)
    assert bakes(folder) == ["bake_0001"]
    os.environ["FAKE_SOLVER"] = ""
    bake()
    assert len(bakes(folder)) == 1
    expect_error(RuntimeError, NOTHING, bpy.ops.dollop.resume)
    cut(scene)
    bpy.ops.dollop.load(directory=str(folder / "project" / scene.dollop.folder.removeprefix("//")))
    expect_error(RuntimeError, NOTHING, bpy.ops.dollop.resume)


def case_the_command_line_resumes(folder: Path) -> None:
    from addon.command_line import FAILED, OK, run

    tools.fresh(folder, "full")
    cube("body", "BODY")
    bpy.ops.wm.save_mainfile()
    file = bpy.data.filepath
    assert run(["bake", file]) == FAILED
    os.environ["FAKE_SOLVER"] = ""
    told = io.StringIO()
    with contextlib.redirect_stdout(told):
        assert run(["bake", file, "--resume", "--save"]) == OK
    assert "bake_0001/cache\n" in told.getvalue()
    cache = folder / "project/dollop_cache/Scene/bake_0001/cache"
    assert json.loads((cache / "bake.json").read_text(encoding="utf-8"))["status"] == "complete"
