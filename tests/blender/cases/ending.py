# SPDX-FileCopyrightText: 2026 The Dollop founders
# SPDX-License-Identifier: GPL-3.0-or-later
"""Bakes of the real solver in Blender that end before they are done."""

from __future__ import annotations

import os
import signal
import time
from pathlib import Path

import bpy

import tools

LONG = 100_000
SHORT = 30


def abandoned_bakes_go_with_the_next(folder: Path) -> None:
    """Failed, abandoned and cancelled bakes neither hinder the next one nor accumulate."""
    from addon.session import BakeError, status

    scene = falling_block(folder)
    for _ in range(2):
        os.kill(begin(scene).run._process.pid, signal.SIGKILL)
        wait(lambda: status.session.run.poll().value != "running")
        tools.expect_error(BakeError, "killed", status.end)
        assert scene.dollop.folder == "" and len(bakes(folder)) == 1
    begin(scene)
    status.abandon()
    assert len(bakes(folder)) == 1
    cancelled = [cancel_at_once(scene) for _ in range(3)]
    assert bakes(folder) == [cancelled[-1]], "cancelled bakes pile up"
    bpy.ops.wm.save_mainfile()
    shown = cancel_at_once(scene)
    assert bakes(folder) == sorted({cancelled[-1], shown}), "the saved file shows the one before"
    scene.frame_end = 2
    ended = tools.bake()
    assert ended.run.progress.finished == 2 and len(bakes(folder)) == 2 and shown not in bakes(folder)
    assert bpy.ops.dollop.free() == {"FINISHED"} and bakes(folder) == [cancelled[-1]]


def cancel_at_once(scene: bpy.types.Scene) -> str:
    """Bakes, cancels twice after some frames, and returns the name of the folder that the scene shows."""
    from addon.bake.runner import State
    from addon.session import status

    begin(scene)
    bpy.ops.dollop.cancel()
    bpy.ops.dollop.cancel()
    wait(lambda: status.session.run.poll() is not State.RUNNING)
    assert status.end().run.state is State.CANCELLED
    check_falls(scene)
    return Path(scene.dollop.folder).name


def check_falls(scene: bpy.types.Scene) -> None:
    """Checks that the frames so far can be played."""
    heights = []
    for frame in (1, 3):
        scene.frame_set(frame)
        heights.append(tools.world_vertices(scene.dollop.surface)[:, 2].mean())
    assert heights[1] < heights[0] - 0.01, heights


def save_a_long_scene(folder: Path) -> None:
    falling_block(folder)
    bpy.ops.wm.save_mainfile()


def save_a_short_scene(folder: Path) -> None:
    scene = falling_block(folder)
    scene.dollop.settings.particle_spacing = 0.0625
    scene.frame_end = SHORT
    bpy.ops.wm.save_mainfile()


def resume_the_saved_scene(folder: Path) -> None:
    """The result equals the result of a whole bake."""
    import addon
    from addon import session

    addon.register()
    bpy.ops.wm.open_mainfile(filepath=str(folder / "project/scene.blend"))
    scene, root = bpy.context.scene, folder / "project/dollop_cache/Scene"
    assert frames(root / "bake_0001") < SHORT and scene.dollop.folder == ""
    ended = session.bake(scene, bpy.context.view_layer, start=session.resumed)
    assert session.CHANGED not in ended.warnings, ended.warnings
    assert bakes(folder) == ["bake_0001"] and frames(root / "bake_0001") == SHORT
    check_falls(scene)
    tools.bake()
    for number in range(1, SHORT + 1):
        one, other = (root / f"bake_000{i}/cache/mesh/mesh_{number:04}.ply" for i in (1, 2))
        assert one.read_bytes() == other.read_bytes(), number


def frames(bake: Path) -> int:
    from addon.bake import index

    return len(index.read(bake / "cache").frames)


def bake_the_saved_scene(folder: Path) -> None:
    import addon
    from addon.command_line import CANCELLED, run

    addon.register()
    # Blender without a window does not pass Ctrl-C on to Python.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    assert run(["bake", str(folder / "project/scene.blend")]) == CANCELLED


def falling_block(folder: Path) -> bpy.types.Scene:
    scene = tools.fresh(folder, fake=False)
    tools.cube("block", "BODY", 1.0)
    scene.dollop.settings.particle_spacing = 0.125
    scene.frame_end = LONG
    return scene


def begin(scene: bpy.types.Scene) -> object:
    """A bake with some listed frames."""
    from addon.bake import index
    from addon.session import status

    session = status.begin(scene, bpy.context.view_layer)

    def has_frames() -> bool:
        assert session.run.poll().value == "running", session.run.message
        try:
            return len(index.read(session.folder / "cache").frames) > 3
        except index.CacheError:
            return False

    wait(has_frames)
    return session


def bakes(folder: Path) -> list[str]:
    return sorted(path.name for path in (folder / "project/dollop_cache/Scene").iterdir())


def wait(happened: object) -> None:
    end = time.monotonic() + 60.0
    while not happened():
        assert time.monotonic() < end, "it did not happen in time"
        time.sleep(0.02)
