# SPDX-FileCopyrightText: 2026 The Dollop founders
# SPDX-License-Identifier: GPL-3.0-or-later
"""Prints and writes like the solver, without physics. The environment variable FAKE_SOLVER selects its behaviour."""

from __future__ import annotations

import json
import os
import signal
import sys
import threading
import time
from pathlib import Path

from files import write_cache

stopped = False


def stop_when_input_ends() -> None:
    global stopped
    sys.stdin.read()
    stopped = True


def say(**event: object) -> None:
    print(json.dumps(event), flush=True)


def main() -> int:
    behaviour = os.environ.get("FAKE_SOLVER", "")
    if behaviour != "deaf":
        threading.Thread(target=stop_when_input_ends, daemon=True).start()
    if sys.argv[1] == "farm":
        return farm(sys.argv[2:], behaviour)
    if sys.argv[1] == "simulate":
        return look(Path(sys.argv[2]), sys.argv[3:], behaviour)
    assert sys.argv[1] == "bake" and sys.argv[3] == "--cache", sys.argv
    resume = sys.argv[5:6] == ["--resume"]
    assert sys.argv[5 + resume :] == ["--progress", "json", "--until-stdin-closes"], sys.argv
    scene = json.loads(Path(sys.argv[2]).read_text(encoding="utf-8"))
    if behaviour == "refuse":
        shape = Path(sys.argv[2]).parent / scene["bodies"][0]["shape"]["path"]
        say(event="error", code=2, message=f"the mesh is open (mesh file {shape})", help="close it")
        return 2
    if behaviour == "misfit":
        message = "must not be below the solidus, 300 K, but is 280 K"
        say(event="error", code=2, message=message, help=None, path="bodies[1].heat.liquidus")
        return 2
    if behaviour == "crash":
        print("thread 'main' panicked: out of cheese", file=sys.stderr)
        return 101
    if behaviour == "killed":
        os.kill(os.getpid(), signal.SIGKILL)
    return bake(scene, Path(sys.argv[4]), behaviour, resume)


def bake(scene: dict, cache: Path, behaviour: str, resume: bool) -> int:
    frames = range(scene["frames"]["start"], scene["frames"]["end"] + 1)
    assert (cache / "bake.json").exists() == resume, cache
    kinds = [kind for kind, settings in scene["output"].items() if settings]
    hot = any("temperature" in body for body in scene["bodies"])
    say(event="settle", step=60, most=240)
    if behaviour == "slow":
        time.sleep(0.3)
    say(event="start", total=len(frames), particles=8, warnings=["few particles"])
    for index, frame in enumerate(frames, 1):
        if behaviour in ("slow", "deaf"):
            time.sleep(0.3)
        while behaviour == "waiting" and not stopped:
            time.sleep(0.02)
        if stopped:
            write_cache(cache, list(frames[: index - 1]), kinds, hot, status="cancelled")
            say(event="cancelled")
            return 130
        if behaviour in ("full", "wild") and index > 2:
            write_cache(cache, list(frames[: index - 1]), kinds, hot, status="failed")
            code = 3 if behaviour == "full" else 2
            say(event="error", code=code, message="No space left" if code == 3 else "too fast to follow", help=None)
            return code
        say(
            event="frame",
            frame=frame,
            index=index,
            total=len(frames),
            particles=8,
            steps=4,
            force_evaluations=32,
            global_force_evaluations=40,
            bins=[{"bin": 1, "step": 1 / 48, "particles": 4.0}, {"bin": 2, "step": 1 / 96, "particles": 4.0}],
            energy_drift=-1e-3,
            momentum_drift=1e-5,
            seconds=0.1,
            eta=1.0,
        )
    write_cache(cache, list(frames), kinds, hot)
    say(event="done")
    return 0


def look(scene_file: Path, options: list[str], behaviour: str) -> int:
    """The first frame, with particles in any scene."""
    scene = json.loads(scene_file.read_text(encoding="utf-8"))
    first = scene["frames"]["start"]
    assert options[0] == "--cache" and options[2] == f"--frames={first}" and not scene["settle"], options
    if behaviour == "refuse":
        say(event="error", code=2, message="must not be wild", help=None, path="bodies[0].heat.liquidus")
        return 2
    while behaviour == "waiting" and not stopped:
        time.sleep(0.02)
    if stopped:
        say(event="cancelled")
        return 130
    hot = any("temperature" in body for body in scene["bodies"])
    write_cache(Path(options[1]), [first], list(dict.fromkeys([*scene["output"], "particles"])), hot)
    say(event="done")
    return 0


def farm(words: list[str], behaviour: str) -> int:
    """Writes a job that contains the words of its command line."""
    engine, scene, cache = words[0], Path(words[1]), Path(words[3])
    if behaviour == "refuse job":
        print(f"error: {scene}: bodies[0].x: with x=1: there is no such field\n  help: its fields are", file=sys.stderr)
        return 2
    names = [word.removeprefix("--wedge=") for word in words if word.startswith("--wedge=")] or [""]
    job = cache / "farm" / engine / "submit.sh"
    job.parent.mkdir(parents=True)
    job.write_text("\n".join(words), encoding="utf-8")
    caches = [{"name": name, "cache": str(cache / name), "scene": str(scene)} for name in names]
    document = json.loads(scene.read_text(encoding="utf-8"))["frames"]
    frames = [document["start"], document["end"]]
    say(engine=engine, job=str(job), submit=f"bash '{job}'", caches=caches, frames=frames)
    return 0


if __name__ == "__main__":
    sys.exit(main())
