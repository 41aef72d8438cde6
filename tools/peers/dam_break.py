# SPDX-FileCopyrightText: 2026 The Dollop founders
# SPDX-License-Identifier: MIT OR Apache-2.0
"""The dam break of `solver/sim/examples/dam_break.rs` in SPlisHSPlasH and in Dollop, in turn.

    python3 tools/peers/dam_break.py [--particles 100000] [--seconds 0.02] [--start 0.1] [--runs 3] [--sound 12.1]
        [--threads 2]

Both take explicit steps, with a support of two particle spacings and sound of the same speed, m/s. SPlisHSPlasH bounds
its steps by the speed of particles alone, so it is given the longest step that Dollop would take at that sound; it may
take shorter ones. What counts is how long a simulated second takes; particle-steps a second tell
how fast the loops are, and flatter who takes more steps. SPlisHSPlasH takes steps of one length for all particles,
Dollop such ones and, as bakes do, individual ones.
SPlisHSPlasH 2.18.1 (weakly compressible) is installed from PyPI into `build/peers` (splishsplash.py).
"""

from __future__ import annotations

import argparse
import os
import re
import signal
import statistics
import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import splishsplash
from baking import ROOT, spacing_of
from splishsplash import DENSITY, FOLDER

# Tait's exponent.
EXPONENT = 7
# It comes in no package.
QUOTED = (
    "DualSPHysics 5.4 cannot be installed from a package. Measured once, 100,000 particles, one core, sound 12.1 m/s:\n"
    "162 s a simulated second, beside 315 s of SPlisHSPlasH, so 0.51 of its time."
)
# Dollop's Courant rule: (c + 0.6 c) dt = 0.6 h (solver/sim/src/timeline.rs).
COURANT = 0.6 / 1.6


def write_scene(particles: float, sound: float) -> Path:
    """The scene in the format of SPlisHSPlasH."""
    longest = COURANT * spacing_of(particles) / sound
    settings = {
        "simulationMethod": 0,
        "cflMethod": 1,
        "cflFactor": 0.5,
        "cflMaxTimeStepSize": longest,
        "timeStepSize": longest,
        # Its pressure is stiffness ((density / density0)^exponent - 1), with the slope sound^2.
        "stiffness": sound**2 * DENSITY / EXPONENT,
        "exponent": EXPONENT,
    }
    return splishsplash.write_scene(spacing_of(particles), settings, {"viscosity": 0.01, "viscosityMethod": 1})


def run_peer(scene: Path, seconds: float, start: float) -> None:
    """Runs within the Python that has SPlisHSPlasH, and prints one line."""
    import time

    import pysplishsplash as sph

    base = sph.Exec.SimulatorBase()
    base.init(sceneFile=str(scene), useGui=False, outputDir=str(FOLDER / "out"))
    base.setValueFloat(base.STOP_AT, start + seconds)
    marks: list[tuple[float, float]] = []

    def after_step() -> None:
        now = sph.TimeManager.getCurrent().getTime()
        if now >= start:
            marks.append((time.perf_counter(), now))

    base.setTimeStepCB(after_step)
    base.initSimulation()
    count = sph.Simulation.getCurrent().getFluidModel(0).getNumActiveParticles0()
    base.runSimulation()
    if len(marks) < 2:
        sys.exit("no step ended after the start; ask for more --seconds")
    steps, wall, simulated = len(marks) - 1, marks[-1][0] - marks[0][0], marks[-1][1] - marks[0][1]
    print(
        f"PEER {count} particles: {count * steps / wall / 1e6:.2f} M particle-steps/s, "
        f"{steps / simulated:.0f} steps and {wall / simulated:.1f} s a simulated second",
        flush=True,
    )
    # Its destructors crash.
    os._exit(0)


def line(command: list[str], mark: str, threads: int) -> str:
    """The line of a command's output that has the mark; empty if the machine lacks instructions for the command."""
    environment = {**os.environ, "OMP_NUM_THREADS": str(threads), "RAYON_NUM_THREADS": str(threads)}
    run = subprocess.run(command, capture_output=True, text=True, env=environment)
    found = [text for text in run.stdout.splitlines() if mark in text]
    if run.returncode == -signal.SIGILL:
        return ""
    if not found:
        raise SystemExit(f"{command[0]} printed no figure:\n{run.stdout}{run.stderr}")
    return found[-1]


def seconds_in(text: str) -> float:
    """The duration of a simulated second, from such a line."""
    return float(re.search(r"([0-9.]+) s a simulated second", text).group(1))


def main() -> None:
    """Runs both."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--particles", type=float, default=100000)
    parser.add_argument("--seconds", type=float, default=0.02)
    parser.add_argument("--start", type=float, default=0.1)
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--sound", type=float, default=12.1)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--peer", type=Path, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.peer:
        run_peer(options.peer, options.seconds, options.start)
    python = splishsplash.install()
    build = ["cargo", "build", "--release", "-q", "-p", "dollop-sim", "--example", "dam_break"]
    subprocess.run(build, cwd=ROOT, check=True)
    span = ["--seconds", str(options.seconds), "--start", str(options.start)]
    scene = write_scene(options.particles * splishsplash.CLOSER, options.sound)
    ours = [str(ROOT / "target/release/examples/dam_break"), "--particles", str(options.particles), *span]
    ours += ["--sound", str(options.sound)]
    commands = {
        "SPlisHSPlasH": ([str(python), __file__, "--peer", str(scene), *span], "PEER"),
        "Dollop, one step for all": ([*ours, "--stepping", "global"], "particle-steps/s"),
        "Dollop, individual steps": ([*ours, "--stepping", "individual"], "particle-steps/s"),
    }
    took: dict[str, list[float]] = {name: [] for name in commands}
    for _ in range(options.runs):
        for name, (command, mark) in commands.items():
            text = line(command, mark, options.threads).removeprefix("PEER ")
            if not text:
                print(f"{name}: cannot run on this machine, which lacks instructions that it was built for", flush=True)
                continue
            took[name].append(seconds_in(text))
            print(f"{name}: {text}", flush=True)
    print(f"\nSeconds a simulated second at sound {options.sound} m/s, {options.threads} threads:")
    for name, seconds in took.items():
        if seconds:
            print(f"  {name}: {statistics.median(seconds):.1f}")
    print(QUOTED)


if __name__ == "__main__":
    main()
