# SPDX-FileCopyrightText: 2026 The Dollop founders
# SPDX-License-Identifier: MIT OR Apache-2.0
"""The surface of the same particles by splashsurf and by Dollop, in turn: time, memory, triangles, how good they are.

    python3 tools/peers/splashsurf.py [--particles 100000] [--points FILE.xyz --spacing D] [--rounds 3] [--threads 2]
                                      [--splashsurf PATH]

Without --points there is a wavy block, shaken, with drops from lone particles to balls of eight spacings above it.
Both have cells of half a spacing and a kernel with a support of two spacings, which splashsurf calls `-l 2.0`: its
smoothing length is in particle radii, of which two are a spacing, and its support is twice that. Raw is the
density in both, without any mending or smoothing in splashsurf, and without smoothing in Dollop, which always mends.
Smoothed is its clean-up, weights, 25 iterations and smoothed normals, against Dollop's default: ellipsoids, smoothed
over 6 spacings.

Times are medians of whole processes, which read the points and write a binary PLY file. Memory is the largest of the
rounds. The least angle of each triangle is taken from the files. splashsurf 0.14.1 is got by
`cargo install splashsurf --version 0.14.1`. Needs numpy.
"""

from __future__ import annotations

import argparse
import shutil
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from baking import ROOT
from measuring import Cost, measured

OURS = ROOT / "target/release/examples/surface_of_points"
# Radius of drops in spacings, and their share of all drops.
DROPS = ((0.3, 0.4), (1.0, 0.2), (1.5, 0.15), (2.5, 0.1), (4.0, 0.1), (8.0, 0.05))
SMOOTHED = (
    "mesh-cleanup=on",
    "mesh-smoothing-weights=on",
    "mesh-smoothing-iters=25",
    "normals=on",
    "normals-smoothing-iters=10",
)
PLY_TYPES = {
    "float": "<f4",
    "float32": "<f4",
    "double": "<f8",
    "uchar": "u1",
    "uint8": "u1",
    "int": "<i4",
    "uint": "<u4",
}


def lattice(steps: int) -> np.ndarray:
    """The points of a cubic lattice, so many steps along each axis."""
    return np.stack(np.meshgrid(*[np.arange(steps)] * 3, indexing="ij"), -1).reshape(-1, 3).astype(float)


def splash(count: int) -> np.ndarray:
    """So many points at a spacing of 1: a wavy block and drops above it."""
    random = np.random.default_rng(1)
    steps = round((0.9 * count) ** (1 / 3))
    block = lattice(steps)
    top = steps * (0.8 + 0.15 * np.sin(6 * block[:, 0] / steps) * np.cos(5 * block[:, 1] / steps))
    parts = [block[block[:, 2] < top]]
    left = count - len(parts[0])
    radii, parts_of = zip(*DROPS, strict=True)
    while left > 0:
        radius = random.choice(radii, p=parts_of)
        ball = lattice(2 * int(radius) + 3) - int(radius) - 1
        ball = ball[np.linalg.norm(ball / random.uniform(0.4, 1.6, 3), axis=1) <= radius][:left]
        parts.append(ball + random.uniform((0, 0, 1.1 * steps), (steps, steps, 2 * steps)))
        left -= len(ball)
    points = np.concatenate(parts)
    return points + random.uniform(-0.2, 0.2, points.shape)


def read_ply(path: Path) -> tuple[np.ndarray, np.ndarray]:
    """Positions and triangles of a binary PLY file."""
    data = path.read_bytes()
    end = data.index(b"end_header\n") + len(b"end_header\n")
    counts: dict[str, int] = {}
    columns: list[tuple[str, str]] = []
    element = index = ""
    for words in (line.split() for line in data[:end].decode().splitlines()):
        if words[0] == "element":
            element = words[1]
            counts[element] = int(words[2])
        elif words[0] == "property" and element == "vertex":
            columns.append((words[2], PLY_TYPES[words[1]]))
        elif words[:2] == ["property", "list"]:
            index = PLY_TYPES[words[3]]
    vertices = np.frombuffer(data, np.dtype(columns), counts["vertex"], end)
    faces = np.frombuffer(data, np.dtype([("n", "u1"), ("v", index, 3)]), counts["face"], end + vertices.nbytes)
    return np.stack([vertices[axis] for axis in "xyz"], -1).astype(float), faces["v"]


def least_angles(path: Path) -> np.ndarray:
    """The least angle of each triangle of a file, degrees."""
    positions, triangles = read_ply(path)
    corners = positions[triangles]
    sides = np.roll(corners, -1, axis=1) - corners
    area = np.linalg.norm(np.cross(sides[:, 0], sides[:, 1]), axis=1)
    angles = [np.arctan2(area, -np.sum(sides[:, n] * sides[:, n - 1], axis=1)) for n in range(3)]
    return np.degrees(np.min(angles, axis=0))


def commands(arguments: argparse.Namespace, points: Path, folder: Path) -> dict[str, list[str]]:
    """The command for each surface; the last word is the file."""
    spacing, threads = arguments.spacing, arguments.threads
    peer = [
        arguments.splashsurf,
        "reconstruct",
        str(points),
        "-r",
        str(spacing / 2),
        "-l",
        "2.0",
        "-c",
        "1.0",
        "-t",
        "0.6",
    ]
    peer += ["-n", str(threads), "-q"]
    ours = [str(OURS), str(points), "--spacing", str(spacing), "--support", "2", "--cells", "0.5"]
    made = {
        "splashsurf, raw": [*peer, "-o"],
        "Dollop, raw": [*ours, "--field", "density", "--out"],
        "splashsurf, smoothed": [*peer, *(f"--{option}" for option in SMOOTHED), "-o"],
        "Dollop, smoothed": [*ours, "--smoothing", "6", "--out"],
    }
    return {name: [*command, str(folder / f"{place}.ply")] for place, (name, command) in enumerate(made.items())}


def report(name: str, runs: list[Cost], mesh: Path) -> None:
    """Prints one line."""
    angles = least_angles(mesh)
    parts = "  ".join(f"{100 * np.mean(angles < limit):7.3f}" for limit in (10, 20, 30))
    seconds = [one.seconds for one in runs]
    print(
        f"{name:21}  {statistics.median(seconds):7.2f} s ({min(seconds):.2f} to {max(seconds):.2f})  "
        f"{max(one.megabytes for one in runs):6.0f} MB  {len(angles):9} triangles  {parts} %  least {angles.min():.2f}"
    )


def main() -> None:
    """Runs both in turn, and prints a line for each."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--particles", type=float, default=100000)
    parser.add_argument("--points", type=Path)
    parser.add_argument("--spacing", type=float, default=1.0)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--splashsurf", default=shutil.which("splashsurf"))
    arguments = parser.parse_args()
    if not arguments.splashsurf:
        sys.exit("splashsurf is not on the path; get it by `cargo install splashsurf --version 0.14.1` or name it")
    build = ["cargo", "build", "--release", "-q", "-p", "dollop-surface", "--example", "surface_of_points"]
    subprocess.run(build, cwd=ROOT, check=True)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        points = arguments.points or folder / "points.xyz"
        if not arguments.points:
            splash(int(arguments.particles)).astype("<f4").tofile(points)
        all_commands = commands(arguments, points, folder)
        runs: dict[str, list[Cost]] = {surface: [] for surface in all_commands}
        for _ in range(arguments.rounds):
            for surface, command in all_commands.items():
                runs[surface].append(measured(command, arguments.threads)[0])
        print(f"{points.stat().st_size // 12} particles; parts of the triangles below 10, 20 and 30 degrees")
        for surface, command in all_commands.items():
            report(surface, runs[surface], Path(command[-1]))


if __name__ == "__main__":
    main()
