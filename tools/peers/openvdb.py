# SPDX-FileCopyrightText: 2026 The Dollop founders
# SPDX-License-Identifier: MIT OR Apache-2.0
"""Volumes made and written by OpenVDB in C++ and by Dollop, in turn, each with one thread and with several.

    python3 tools/peers/openvdb.py [--particles 1000000] [--voxel 0.6] [--runs 3] [--threads 1,2] [--folder /dev/shm]

Needs g++ and Debian's libopenvdb-dev. Both write the same grids, a density and a velocity, to a file in memory. Beside
each other stand also

- the density of the particles: points::rasterize with a transfer that sums the same kernel (openvdb/grids.cpp), all
  the way from positions to a grid with the same active voxels,
- the level set of the same mesh: tools::meshToLevelSet with a band of three voxels.

Prints medians in seconds, and files in MB. OpenVDB writes with one thread whatever it is given.
"""

from __future__ import annotations

import argparse
import os
import statistics
import subprocess
import sys
import tempfile
from collections import defaultdict
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
SOURCE = Path(__file__).with_suffix("") / "grids.cpp"
BINARY = ROOT / "build" / "peers" / "openvdb_grids"
FLAGS = ["-std=c++17", "-O3", "-march=native", "-fno-math-errno"]
EXAMPLE = ["--release", "--quiet", "--package", "dollop-cache", "--example", "peer_grids"]


def build() -> None:
    """Compiles the program that uses OpenVDB, if it is older than its source."""
    if BINARY.exists() and BINARY.stat().st_mtime > SOURCE.stat().st_mtime:
        return
    print(f"compiling {BINARY}", file=sys.stderr)
    BINARY.parent.mkdir(parents=True, exist_ok=True)
    subprocess.run(["g++", *FLAGS, SOURCE, "-o", BINARY, "-lopenvdb", "-ltbb"], check=True)


def lines(command: list[str], threads: int) -> dict[str, list[float]]:
    """The measurements of a program, by name."""
    environment = {**os.environ, "RAYON_NUM_THREADS": str(threads)}
    found = subprocess.run(command, cwd=ROOT, env=environment, stdout=subprocess.PIPE, text=True, check=True)
    values = defaultdict(list)
    for line in found.stdout.splitlines():
        name, value = line.split("\t")
        values[name].append(float(value))
    return values


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--particles", type=int, default=1_000_000)
    parser.add_argument("--voxel", type=float, default=0.6, help="in units of the spacing")
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--threads", default="1,2")
    parser.add_argument("--folder", type=Path, default=Path("/dev/shm"))
    given = parser.parse_args()
    build()
    subprocess.run(["cargo", "build", *EXAMPLE], cwd=ROOT, check=True)
    with tempfile.TemporaryDirectory(dir=given.folder) as folder:
        for threads in map(int, given.threads.split(",")):
            sizes = [str(given.particles), str(given.voxel), str(given.runs)]
            own = lines(["cargo", "run", *EXAMPLE, "--", folder, *sizes], threads)
            where = [str(own[name][0]) for name in ("spacing", "support", "voxel")]
            peer = lines([str(BINARY), folder, str(threads), str(given.runs), *where], threads)
            report(threads, own, peer)


def report(threads: int, own: dict[str, list[float]], peer: dict[str, list[float]]) -> None:
    """Prints the measurements with so many threads."""
    print(f"\n{own['particles'][0]:.0f} particles, threads: {threads}, medians in s")
    print(f"{'':28} {'OpenVDB':>9} {'Dollop':>9} {'ratio':>6} {'MB':>8} {'MB':>8}")
    for name in own:
        if name not in peer or not name.startswith(("write", "rasterise", "level")):
            continue
        mine, theirs = statistics.median(own[name]), statistics.median(peer[name])
        sizes = [values[f"bytes {name}"][0] / 1e6 if f"bytes {name}" in values else None for values in (peer, own)]
        columns = " ".join(f"{size:8.2f}" for size in sizes if size is not None)
        print(f"{name:28} {theirs:9.3f} {mine:9.3f} {mine / theirs:6.2f} {columns}")
    for name in ("active density", "check density", "active level set"):
        print(f"{name:28} {peer[name][0]:9.0f} {own[name][0]:9.0f}")
    print(f"{'memory of density, MB':28} {'':9} {own['memory density'][0]:9.0f}")


if __name__ == "__main__":
    main()
