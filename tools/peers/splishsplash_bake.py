# SPDX-FileCopyrightText: 2026 The Dollop founders
# SPDX-License-Identifier: MIT OR Apache-2.0
"""Runs in the Python with SPlisHSPlasH: simulates a scene, and prints a line with its cost.

    python splishsplash_bake.py SCENE VISCOSITY SECONDS

The viscosity, m^2/s, is set here for liquid and walls, as one in the scene did nothing.
"""

from __future__ import annotations

import json
import os
import resource
import sys
import time
from pathlib import Path
from typing import NamedTuple

import pysplishsplash as sph


class Mark(NamedTuple):
    """A moment: of the clock, of all cores, and simulated, s."""

    clock: float
    cpu: float
    simulated: float


def mark() -> Mark:
    """Now."""
    return Mark(time.perf_counter(), time.process_time(), sph.TimeManager.getCurrent().getTime())


def main() -> None:
    """Simulates."""
    scene, viscosity, seconds = sys.argv[1], float(sys.argv[2]), float(sys.argv[3])
    base = sph.Exec.SimulatorBase()
    base.init(sceneFile=scene, useGui=False, outputDir=str(Path(scene).with_name("out")))
    base.setValueFloat(base.STOP_AT, seconds)
    marks: list[Mark] = []
    base.setTimeStepCB(lambda: marks.append(mark()))
    base.initSimulation()
    liquid = sph.Simulation.getCurrent().getFluidModel(0)
    solver = liquid.getViscosityBase()
    solver.setValueFloat(solver.VISCOSITY_COEFFICIENT, viscosity)
    solver.setValueFloat(solver.VISCOSITY_COEFFICIENT_BOUNDARY, viscosity)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    base.runSimulation()
    if len(marks) < 2:
        sys.exit("fewer than two steps were taken; ask for more seconds")
    # The first step has to make what the others find.
    first, last = marks[0], marks[-1]
    count = liquid.numActiveParticles()
    told = {
        "seconds": last.clock - first.clock,
        "cpu": last.cpu - first.cpu,
        "simulated": last.simulated - first.simulated,
        "steps": len(marks) - 1,
        "before": before,
        "particles": count,
        "iterations": solver.getValueUInt(solver.ITERATIONS),
        "front": max(float(liquid.getPosition(index)[0]) for index in range(count)),
    }
    print("PEER", json.dumps(told), flush=True)
    # Its destructors crash.
    os._exit(0)


main()
