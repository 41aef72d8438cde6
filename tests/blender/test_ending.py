# SPDX-FileCopyrightText: 2026 The Dollop founders
# SPDX-License-Identifier: GPL-3.0-or-later
"""Bakes of the real solver that end before they are done: by a kill, a second cancel, or the death of Blender."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from conftest import HERE, call, clean_environment

from addon.bake import folders, index
from addon.bake.runner import Run, State, bake_command

MAKER = {"blend": "a.blend", "scene": "Scene", "token": "t"}
PATIENCE_SECONDS = 60.0

pytestmark = pytest.mark.skipif(os.name == "nt", reason="kills as POSIX does")


def write_scene(path: Path, rate: float = 24.0, spacing: float = 0.1) -> None:
    """A falling block, with more frames than a test waits for."""
    block = {"name": "block", "shape": {"type": "box", "size": [1, 1, 1]}, "material": {"type": "smoothed"}}
    scene = {"version": 1, "frames": {"start": 1, "end": 1_000_000, "rate": rate}, "particle_spacing": spacing}
    scene |= {"settle": False, "bodies": [block], "output": {"mesh": {}}}
    path.parent.mkdir(exist_ok=True)
    path.write_text(json.dumps(scene), encoding="utf-8")


def wait_until(happened: Callable[[], bool], what: str) -> None:
    end = time.monotonic() + PATIENCE_SECONDS
    while not happened():
        assert time.monotonic() < end, f"{what} did not happen within {PATIENCE_SECONDS} s"
        time.sleep(0.05)


def start(solver: str, root: Path, **scene: float) -> tuple[folders.Claim, Run]:
    """A bake that has written its first frame."""
    claim = folders.create(root, MAKER)
    path = claim.folder / folders.SCENE / "scene.json"
    write_scene(path, **scene)
    run = Run(bake_command(Path(solver), path, claim.folder / folders.CACHE))
    wait_until(lambda: run.poll() is not State.RUNNING or run.progress.finished > 0, "the first frame")
    assert run.state is State.RUNNING, run.message
    return claim, run


def is_alive(process: int) -> bool:
    """Whether a process runs; a process that has ended stays listed until its parent waits for it."""
    told = subprocess.run(["ps", "-o", "stat=", "-p", str(process)], capture_output=True, text=True, check=False)
    return bool(told.stdout.strip()) and not told.stdout.startswith("Z")


def check_whole(cache: Path) -> None:
    """All listed files exist."""
    found = index.read(cache)
    assert found.frames and not any(found.missing(output) for output in found.outputs)


def test_a_killed_bake_can_be_removed(solver: str, tmp_path: Path) -> None:
    claim, run = start(solver, tmp_path)
    claim.leave()
    lock = claim.folder / folders.CACHE / ".dollop-lock"
    assert folders.abandoned(tmp_path, MAKER) == [] and not folders.remove(claim.folder, MAKER), "its solver runs"
    assert lock.exists() and (claim.folder / folders.SCENE / "scene.json").exists()
    run.kill()
    assert run.wait() is State.FAILED and "killed" in run.message
    check_whole(claim.folder / folders.CACHE)
    assert lock.exists(), "the kill came too late to test anything"
    assert folders.abandoned(tmp_path, MAKER) == [claim.folder]
    assert folders.remove(claim.folder, MAKER) and list(tmp_path.iterdir()) == []


def test_cancel_within_a_frame_of_minutes(solver: str, tmp_path: Path) -> None:
    # A frame of a hundred seconds of falling.
    claim, run = start(solver, tmp_path, rate=0.01, spacing=0.01)
    wait_until(lambda: run.poll() is State.RUNNING and run.progress.within is not None, "word from within the frame")
    frame, part, left = run.progress.within
    assert frame == 2 and 0.0 < part < 0.9 and left > 0.0, run.progress
    assert 1.0 < run.progress.done < 2.0 and run.progress.time_left > left, run.progress
    asked = time.monotonic()
    run.cancel()
    wait_until(lambda: run.poll() is not State.RUNNING, "the end")
    assert time.monotonic() - asked < 5.0
    assert run.state is State.CANCELLED
    check_whole(claim.folder / folders.CACHE)
    assert index.read(claim.folder / folders.CACHE).frames == (1,)
    claim.keep()
    assert folders.remove(claim.folder, MAKER)


def test_the_solver_ends_when_its_parent_is_killed(solver: str, tmp_path: Path) -> None:
    scene, cache = tmp_path / "scene.json", tmp_path / "cache"
    write_scene(scene)
    code = (
        "import sys, time, pathlib\n"
        "from addon.bake.runner import Run, bake_command\n"
        "run = Run(bake_command(*map(pathlib.Path, sys.argv[1:])))\n"
        "while run.progress.finished < 1: run.poll(); time.sleep(0.02)\n"
        "print(run._process.pid, flush=True); time.sleep(1e6)"
    )
    command = [sys.executable, "-c", code, solver, str(scene), str(cache)]
    with subprocess.Popen(command, cwd=HERE.parents[1], stdout=subprocess.PIPE, text=True) as parent:
        process = int(parent.stdout.readline())
        assert is_alive(process)
        parent.kill()
    wait_until(lambda: not is_alive(process), "the end of the solver")
    assert json.loads((cache / index.INDEX_FILE).read_text(encoding="utf-8"))["status"] == "cancelled"
    check_whole(cache)
    assert not (cache / ".dollop-lock").exists()


def test_abandoned_bakes_in_blender(blender: str, solver: str, tmp_path: Path) -> None:
    call(blender, "cases.ending:abandoned_bakes_go_with_the_next", tmp_path, DOLLOP_BINARY=solver)


def test_a_killed_command_line_bake_is_replaced(blender: str, solver: str, tmp_path: Path) -> None:
    """Its solver ends with it, and the next bake of the same file replaces its files."""
    call(blender, "cases.ending:save_a_long_scene", tmp_path, DOLLOP_BINARY=solver)
    root = tmp_path / "project/dollop_cache/Scene"
    for _ in range(2):
        bake_and_signal(blender, solver, tmp_path, root, signal.SIGKILL)
        (left,) = root.iterdir()
        wait_until(lambda left=left: not folders.is_busy(left), "the end of the solver")
        document = json.loads((left / folders.CACHE / index.INDEX_FILE).read_text(encoding="utf-8"))
        assert document["status"] == "cancelled"
        check_whole(left / folders.CACHE)


def test_ctrl_c_on_the_command_line_cancels(blender: str, solver: str, tmp_path: Path) -> None:
    call(blender, "cases.ending:save_a_long_scene", tmp_path, DOLLOP_BINARY=solver)
    root = tmp_path / "project/dollop_cache/Scene"
    assert bake_and_signal(blender, solver, tmp_path, root, signal.SIGINT) == 0
    check_whole(root / "bake_0001" / folders.CACHE)


def bake_and_signal(blender: str, solver: str, folder: Path, root: Path, number: int) -> int:
    """Bakes the saved scene, sends Blender a signal once a frame is listed, and returns its exit code."""
    begun = time.time_ns()
    command = [blender, str(HERE / "inside.py"), "cases.ending:bake_the_saved_scene", str(folder)]
    environment = clean_environment(folder, {"DOLLOP_BINARY": solver})

    def has_frames(path: Path) -> bool:
        return path.stat().st_mtime_ns > begun and bool(index.read(path.parent).frames)

    with subprocess.Popen(command, env=environment, cwd=folder) as parent:
        try:
            wait_until(
                lambda: parent.poll() is not None or any(map(has_frames, root.glob(f"*/*/{index.INDEX_FILE}"))),
                "the first frame",
            )
            assert parent.poll() is None, "Blender has ended"
            parent.send_signal(number)
            return parent.wait(PATIENCE_SECONDS)
        finally:
            parent.kill()


def test_a_bake_goes_on_where_blender_was_killed(blender: str, solver: str, tmp_path: Path) -> None:
    """All frames exist, and equal the frames of an uninterrupted bake."""
    call(blender, "cases.ending:save_a_short_scene", tmp_path, DOLLOP_BINARY=solver)
    root = tmp_path / "project/dollop_cache/Scene"
    bake_and_signal(blender, solver, tmp_path, root, signal.SIGKILL)
    wait_until(lambda: not folders.is_busy(root / "bake_0001"), "the end of the solver")
    call(blender, "cases.ending:resume_the_saved_scene", tmp_path, DOLLOP_BINARY=solver)
