# SPDX-FileCopyrightText: 2026 The Dollop founders
# SPDX-License-Identifier: MIT OR Apache-2.0
"""The speedup of one build of the solver over another in baking scenes: a table of steps and seconds, mesh included.

    python3 tools/paired_bakes.py --before OLD_BINARY --after target/release/dollop [--rounds 3] [--threads 2] \\
        [--spacing FACTOR] [--frames N] SCENE.json|dam-break:100000|honey:100000 ...

A dam break and honey are the block of 0.8 x 1 x 1 m in a tank that peers are measured with, of so many particles,
without settling; sound goes 12.1 m/s in the dam break.
Both bake each scene in turn, so that other work on the machine slows both alike: the ratio is the median of that
of each round, the seconds are the least of each. Evaluations are of the forces on a particle.
"""

from __future__ import annotations

import argparse
import json
import statistics
import tempfile
from pathlib import Path
from typing import Any, NamedTuple

from baking import collapse, frames_of, run


class Run(NamedTuple):
    """The result of a bake."""

    seconds: float
    particles: int
    steps: int
    evaluations: int


# Materials of the blocks.
MATERIALS = {"dam-break": {"viscosity": 1.0, "stiffness": 12.1**2}, "honey": {"viscosity": 100.0}}


def block(kind: str, particles: float) -> dict[str, Any]:
    """A block that collapses in a tank."""
    return collapse({"type": "smoothed", **MATERIALS[kind]}, particles, frames=8, friction=0.0)


def scene_of(named: str, spacing: float, frames: int | None) -> dict[str, Any]:
    """A scene with its particle spacing times a factor, of some frames, with absolute paths of its meshes."""
    kind, _, particles = named.partition(":")
    path = Path(named)
    scene = block(kind, float(particles)) if particles else json.loads(path.read_text(encoding="utf-8"))
    scene["particle_spacing"] *= spacing
    # Some builds lack this output.
    scene["output"].get("mesh", {}).pop("attributes", None)
    if frames is not None:
        scene["frames"]["end"] = scene["frames"]["start"] + frames
    placed = [each for key in ("bodies", "colliders", "heaters", "tools") for each in scene.get(key, [])]
    for shape in (each["shape"] for each in placed if "path" in each.get("shape", {})):
        shape["path"] = str((path.parent / shape["path"]).resolve())
    return scene


def bake(binary: str, scene: dict[str, Any], threads: int) -> Run:
    """Bakes a scene with a binary."""
    with tempfile.TemporaryDirectory() as folder:
        cache, cost = run(binary, scene, Path(folder), threads)
        done = frames_of(cache)
    total = {key: sum(frame[key] for frame in done) for key in ("steps", "force_evaluations")}
    return Run(cost.seconds, done[-1]["particles"], total["steps"], total["force_evaluations"])


def row(name: str, befores: list[Run], afters: list[Run]) -> str:
    """The row of a scene."""
    before, after = (min(runs, key=lambda each: each.seconds) for runs in (befores, afters))
    ratio = statistics.median(a.seconds / b.seconds for a, b in zip(befores, afters, strict=True))
    millions = [f"{each.evaluations / 1e6:.2f}" for each in (before, after)]
    cells = [name, f"{after.particles:,}", f"{before.steps:,}", f"{after.steps:,}", *millions]
    cells += [f"{before.seconds:.1f}", f"{after.seconds:.1f}", f"{ratio:.2f}"]
    return "| " + " | ".join(cells) + " |"


def main() -> None:
    """Prints the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("scenes", nargs="+")
    parser.add_argument("--before", required=True)
    parser.add_argument("--after", required=True)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--spacing", type=float, default=1.0)
    parser.add_argument("--frames", type=int)
    asked = parser.parse_args()
    for named in asked.scenes:
        kind, _, particles = named.partition(":")
        if not (kind in MATERIALS and particles.isdecimal()) and not Path(named).is_file():
            parser.error(
                f"{named} is neither a file nor one of {', '.join(MATERIALS)} with a number, as dam-break:8000"
            )
    columns = ["scene", "particles", "steps before", "after", "million evaluations before", "after"]
    columns += ["seconds before", "after", "times faster"]
    print("| " + " | ".join(columns) + " |\n|" + "---|" * len(columns))
    for named in asked.scenes:
        scene = scene_of(named, asked.spacing, asked.frames)
        befores: list[Run] = []
        afters: list[Run] = []
        for turn in range(asked.rounds):
            pair = [(asked.before, befores), (asked.after, afters)]
            # The builds alternate in running first.
            for binary, runs in pair[:: 1 if turn % 2 == 0 else -1]:
                runs.append(bake(binary, scene, asked.threads))
        name = Path(named).parent.name if named.endswith(".json") else named
        print(row(name, befores, afters), flush=True)


if __name__ == "__main__":
    main()
