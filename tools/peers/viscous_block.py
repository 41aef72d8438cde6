# SPDX-FileCopyrightText: 2026 The Dollop founders
# SPDX-License-Identifier: MIT OR Apache-2.0
"""A block of viscous liquid that collapses in a tank, in Dollop (`continuum`), Mantaflow and SPlisHSPlasH, in turn.

    python3 tools/peers/viscous_block.py [--particles 100000] [--viscosity 20 ...] [--frames 24] [--rounds 3]
        [--threads 2] [--peer-seconds 0.125] [--programs dollop mantaflow splishsplash] [--binary PATH] [--blender PATH]

The block is 0.8 x 1 x 1 m, in a corner of a tank of 2.02 x 1.52 x 1.02 m, with 1000 kg/m^3 and 24 frames a second. It
sticks to the walls, in all three. Viscosities are in Pa s.

- Dollop bakes with `dollop bake`, with a mesh in each frame as the scene's defaults make it. All of the process is
  counted: filling the block, the mesh of the first frame, writing.
- Mantaflow is that of Debian 12's Blender 3.4.1, with the viscosity solver; data and mesh are baked at the defaults
  (CFL number 4, a mesh twice as fine as the cells). mantaflow.py tells how its domain is chosen, so that each particle
  has the same volume. Its number for the viscosity is in its own units: kinematic viscosity, m^2/s, times 0.4 s over
  the square of the domain's longest side. Blender's start is not counted, but its memory is, also by itself.
- SPlisHSPlasH 2.18.1 takes DFSPH and Weiler's viscosity of 2018, at its own defaults. It makes no mesh, and nothing is
  counted for one. As it is dear, it simulates only the first --peer-seconds, which cost less than those where the
  liquid is fast: a ratio to Dollop's whole time flatters it. Its iterations end at a hundred, done or not.

Each fills the block on a lattice of its own, so counts of particles differ by some per cent; they are printed. The
front is how far from the wall the liquid has come at the end, m: where it differs much, so does the work. Other work on
the machine lengthens seconds of the clock more than those of the cores (CPU).
"""

from __future__ import annotations

import argparse
import json
import shutil
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import mantaflow
import splishsplash
from baking import ROOT, TANK, collapse, frames_of, largest_x, run, spacing_of
from measuring import measured

PROGRAMS = {"dollop": "Dollop", "mantaflow": "Mantaflow", "splishsplash": "SPlisHSPlasH"}
PRECISIONS = {
    "dollop": "single, state double",
    "mantaflow": "single, files half",
    "splishsplash": "single",
}
RATE = 24
# Coulomb's friction of the tank, by default; with any but none liquids stick.
FRICTION = 0.3


class Result(NamedTuple):
    """The cost of a frame, s of all cores and of the clock; the largest memory, and that before the liquid, MB."""

    cpu: float
    seconds: float
    megabytes: float
    before: float
    told: str


def bake_dollop(binary: str, viscosity: float, options: argparse.Namespace) -> Result:
    """Bakes the block in Dollop."""
    material = {"type": "continuum", "rest_density": splishsplash.DENSITY, "viscosity": viscosity}
    scene = collapse(material, options.particles, options.frames, FRICTION)
    with tempfile.TemporaryDirectory() as folder:
        cache, cost = run(binary, scene, Path(folder), options.threads)
        done = frames_of(cache)
        front = largest_x(max((cache / "mesh").glob("*.ply"))) + TANK[0] / 2
    steps = sum(frame["steps"] for frame in done) / options.frames
    told = f"{done[-1]['particles']:,} particles, {steps:.1f} steps a frame, "
    told += f"{done[-1]['mesh']['triangles']:,} triangles, front {front:.2f} m"
    return Result(cost.cpu / options.frames, cost.seconds / options.frames, cost.megabytes, 0.0, told)


def bake_peer(command: list[str], threads: int) -> tuple[dict[str, Any], float]:
    """Runs a peer; returns what it told, and its largest memory, MB."""
    cost, text = measured(command, threads)
    lines = [line for line in text.splitlines() if line.startswith("PEER ")]
    if not lines:
        raise SystemExit(f"{command[0]} told nothing:\n{text}")
    return json.loads(lines[-1].removeprefix("PEER ")), cost.megabytes


def bake_mantaflow(blender: str, viscosity: float, options: argparse.Namespace) -> Result:
    """Bakes the block in Mantaflow."""
    made = mantaflow.domain(options.particles)
    with tempfile.TemporaryDirectory() as folder:
        kinematic = viscosity / splishsplash.DENSITY
        asked = mantaflow.asked(options.particles, kinematic, options.frames, Path(folder))
        told, megabytes = bake_peer(mantaflow.command(blender, asked, options.threads), options.threads)
    text = f"{made.cells} cells, of {made.cell:.4f} m, {made.filled:,} particles if filled, "
    text += f"{told['particles']:,} kept, {told['triangles']:,} triangles, front {told['front']:.2f} m"
    return Result(told["cpu"] / options.frames, told["seconds"] / options.frames, megabytes, told["before"], text)


def bake_splishsplash(python: str, viscosity: float, options: argparse.Namespace) -> Result:
    """Simulates the start of the block in SPlisHSPlasH."""
    # Its numbers: DFSPH, and the viscosity of Weiler and others.
    scene = splishsplash.write_scene(
        spacing_of(options.particles * splishsplash.CLOSER), {"simulationMethod": 4}, {"viscosityMethod": 6}
    )
    bake = str(Path(__file__).with_name("splishsplash_bake.py"))
    command = [python, bake, str(scene), str(viscosity / splishsplash.DENSITY), str(options.peer_seconds)]
    told, megabytes = bake_peer(command, options.threads)
    frames = told["simulated"] * RATE
    text = f"{told['particles']:,} particles, {told['steps'] / frames:.1f} steps a frame, "
    text += f"{told['iterations']} iterations for viscosity at the end, front {told['front'] + TANK[0] / 2:.2f} m "
    text += f"after {options.peer_seconds} s, no mesh"
    return Result(told["cpu"] / frames, told["seconds"] / frames, megabytes, told["before"], text)


BAKES: dict[str, Callable[[str, float, argparse.Namespace], Result]] = {
    "dollop": bake_dollop,
    "mantaflow": bake_mantaflow,
    "splishsplash": bake_splishsplash,
}


def build() -> str:
    """Builds Dollop, and returns its binary."""
    if not shutil.which("cargo"):
        raise SystemExit("cargo is not on the path; install Rust, or name a binary of Dollop by --binary")
    target = ["--target-dir", str(ROOT / "target")]
    command = ["cargo", "build", "--release", "--locked", "-q", "-p", "dollop", "--bin", "dollop", *target]
    if subprocess.run(command, cwd=ROOT).returncode:
        raise SystemExit("Dollop cannot be built")
    return str(ROOT / "target/release/dollop")


def found(options: argparse.Namespace) -> dict[str, str]:
    """The program to run for each that was asked for."""
    finders: dict[str, Callable[[], str]] = {
        "dollop": lambda: options.binary or build(),
        "mantaflow": lambda: mantaflow.install(options.blender),
        "splishsplash": lambda: str(splishsplash.install()),
    }
    return {name: finders[name]() for name in PROGRAMS if name in options.programs}


def measure(programs: dict[str, str], viscosity: float, options: argparse.Namespace) -> dict[str, list[Result]]:
    """The results of each round, in which the order alternates."""
    results: dict[str, list[Result]] = {name: [] for name in programs}
    for turn in range(options.rounds):
        for name in list(programs)[:: 1 if turn % 2 == 0 else -1]:
            results[name].append(BAKES[name](programs[name], viscosity, options))
            print(f"round {turn + 1}, {PROGRAMS[name]}: {results[name][-1].cpu:.3f} s CPU a frame", file=sys.stderr)
    return results


def ratio(runs: list[Result], ours: list[Result], which: str) -> str:
    """The median of the ratios of the rounds."""
    pairs = zip(runs, ours, strict=True)
    return f"{statistics.median(getattr(peer, which) / getattr(own, which) for peer, own in pairs):.2f}"


def row(name: str, results: dict[str, list[Result]]) -> str:
    """The row of a program."""
    runs, ours = results[name], results.get("dollop")
    cells = [PROGRAMS[name]]
    for which in ("cpu", "seconds", "megabytes"):
        values = [getattr(each, which) for each in runs]
        value = max(values) if which == "megabytes" else statistics.median(values)
        cells += [f"{value:.0f}" if which == "megabytes" else f"{value:.3f}"]
        cells += [ratio(runs, ours, which) if ours else ""]
    cells += [f"{runs[-1].before:.0f}" if runs[-1].before else "", PRECISIONS[name], runs[-1].told]
    return "| " + " | ".join(cells) + " |"


def report(viscosity: float, results: dict[str, list[Result]], options: argparse.Namespace) -> None:
    """Prints the table of a viscosity."""
    scene = f"{viscosity:g} Pa s, {options.particles:,.0f} particles, {options.frames} frames"
    print(f"\n{scene}, threads: {options.threads}, rounds: {options.rounds}, medians, ratios to Dollop:\n")
    columns = ["", "s CPU a frame", "ratio", "s a frame", "ratio", "MB at most", "ratio", "MB before", "precision", ""]
    print("| " + " | ".join(columns) + " |\n|" + "---|" * len(columns))
    for name in results:
        print(row(name, results), flush=True)


def main() -> None:
    """Prints a table for each viscosity."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--particles", type=float, default=100000, help="12500 and 400000 are the others to try")
    parser.add_argument("--viscosity", type=float, nargs="+", default=[1e-3, 1, 20, 2000, 1e5], help="Pa s")
    parser.add_argument("--frames", type=int, default=24)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--peer-seconds", type=float, default=0.125, help="simulated by SPlisHSPlasH")
    parser.add_argument("--programs", nargs="+", choices=PROGRAMS, default=list(PROGRAMS))
    parser.add_argument("--binary", help="Dollop's; otherwise it is built")
    parser.add_argument("--blender", help="a Blender 3.4; otherwise Debian 12's, installed by apt-get if need be")
    options = parser.parse_args()
    if "mantaflow" in options.programs:
        for viscosity in options.viscosity:
            # Refuses what cannot be set, before anything is run.
            mantaflow.domain(options.particles).number(viscosity / splishsplash.DENSITY)
    programs = found(options)
    for viscosity in options.viscosity:
        report(viscosity, measure(programs, viscosity, options), options)


if __name__ == "__main__":
    main()
