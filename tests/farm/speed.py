# SPDX-FileCopyrightText: 2026 The Dollop founders
# SPDX-License-Identifier: GPL-3.0-or-later
"""Prints the speedup of two workers over one in making the meshes of a bake: `python speed.py`, with DOLLOP_BINARY.

Each worker has one thread and a half of the frames; the folder is the same. Medians of runs that take turns.
"""

from __future__ import annotations

import statistics
import subprocess
import tempfile
import time
from pathlib import Path

from baking import dollop, scene, solver

RUNS = 5
SHARES = {1: ["-2..13"], 2: ["-2..5", "6..13"]}


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        cache = Path(folder) / "cache"
        dollop("simulate", scene(Path(folder), last=13, spacing=0.02), "--cache", cache)
        taken: dict[int, list[float]] = {workers: [] for workers in SHARES}
        for _ in range(RUNS):
            for workers, chunks in SHARES.items():
                taken[workers].append(seconds(cache, chunks))
    one, two = (statistics.median(taken[workers]) for workers in SHARES)
    print(f"16 meshes of 14,000 particles: 1 worker {one:.2f} s, 2 workers {two:.2f} s, {one / two:.2f} times as fast")


def seconds(cache: Path, chunks: list[str]) -> float:
    """The duration of workers that each make a chunk, in parallel."""
    begun = time.monotonic()
    commands = [[solver(), "mesh", cache, "--frames", chunk, "--threads", "1"] for chunk in chunks]
    started = [subprocess.Popen(command, stderr=subprocess.DEVNULL) for command in commands]
    codes = [worker.wait() for worker in started]
    if any(codes):
        raise SystemExit("a worker has failed")
    return time.monotonic() - begun


if __name__ == "__main__":
    main()
