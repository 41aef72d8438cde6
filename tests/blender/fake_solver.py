# SPDX-FileCopyrightText: 2026 The Dollop founders
# SPDX-License-Identifier: GPL-3.0-or-later
"""Speaks and writes like the solver, without physics. The environment variable FAKE_SOLVER says how it behaves."""

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
    kinds = [kind for kind in ("mesh", "volume", "particles") if scene["output"].get(kind)]
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


if __name__ == "__main__":
    sys.exit(main())
