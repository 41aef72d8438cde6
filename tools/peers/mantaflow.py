# SPDX-FileCopyrightText: 2026 The Dollop founders
# SPDX-License-Identifier: MIT OR Apache-2.0
"""Finds or installs Blender 3.4, and describes the block in the tank to its Mantaflow.

The domain is the tank and a layer of cells around it, which Mantaflow takes for its walls. A cell is two particle
spacings wide, as Mantaflow puts two particles along each edge of one by default: 100,000 particles in Dollop are 50
cells along the tank's longest side. `Domain.filled` tells how many particles that would be in the whole block. It
keeps them only within three cells of the surface, which is its default, too; the bake counts those.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any, NamedTuple

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from baking import BLOCK, TANK, spacing_of

BAKE = Path(__file__).with_name("mantaflow_bake.py")
VERSION = "3.4"
# Mantaflow's unit of time, s: a frame at 25 frames a second takes 0.1 of it.
UNIT = 0.4
# The largest viscosity that Blender lets one set.
MOST = 10.0


class Domain(NamedTuple):
    """The cells along the longest side, and the width of one, m."""

    cells: int
    cell: float

    @property
    def sizes(self) -> list[float]:
        """The edges of the domain, m."""
        return [edge + 2 * self.cell for edge in TANK]

    @property
    def filled(self) -> int:
        """How many particles the block would have at eight a cell."""
        return round(8 * BLOCK[0] * BLOCK[1] * BLOCK[2] / self.cell**3)

    def number(self, viscosity: float) -> float:
        """The number to set for a kinematic viscosity, m^2/s: Mantaflow's unit of length is the longest side."""
        number = viscosity * UNIT / max(self.sizes) ** 2
        if number > MOST:
            raise SystemExit(f"Blender does not let one set a viscosity of {viscosity:g} m^2/s in a tank of this size")
        return number


def domain(particles: float) -> Domain:
    """The domain with the same volume of liquid for each particle."""
    within = round(max(TANK) / (2 * spacing_of(particles)))
    return Domain(within + 2, max(TANK) / within)


def version(blender: str) -> str:
    """The version of a Blender; empty if it cannot be run."""
    try:
        run = subprocess.run([blender, "--version"], capture_output=True, text=True, check=True)
    except (OSError, subprocess.CalledProcessError):
        return ""
    return run.stdout.split()[1]


def install(named: str | None) -> str:
    """The Blender that was named, or one that is there, or Debian 12's, installed for all."""
    candidates = [named] if named else [shutil.which("blender") or "", "/usr/bin/blender"]
    found = {each: version(each) for each in candidates if each}
    for blender, its in found.items():
        if its.startswith(VERSION):
            return blender
    if named:
        raise SystemExit(f"{named} is not Blender {VERSION}, but {found[named] or 'cannot be run'}")
    apt_get()
    if not version("/usr/bin/blender").startswith(VERSION):
        raise SystemExit(f"this system's package is not Blender {VERSION}, as Debian 12's is; name one by --blender")
    return "/usr/bin/blender"


def apt_get() -> None:
    """Installs the system's Blender."""
    if not shutil.which("apt-get") or os.geteuid() != 0:
        raise SystemExit(f"Blender {VERSION} is missing; install Debian 12's as root, or name one by --blender")
    print("installing Debian's package blender by apt-get", file=sys.stderr)
    environment = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
    for words in (["update", "-qq"], ["install", "-y", "-qq", "--no-install-recommends", "blender"]):
        run = subprocess.run(["apt-get", *words], env=environment, capture_output=True, text=True)
        if run.returncode:
            raise SystemExit(f"apt-get {' '.join(words)} failed:\n{run.stderr}")


def command(blender: str, asked: dict[str, Any], threads: int) -> list[str]:
    """The command that bakes what is asked for in JSON (mantaflow_bake.py)."""
    options = ["--background", "--factory-startup", "--threads", str(threads), "--python-exit-code", "1"]
    return [blender, *options, "--python", str(BAKE), "--", json.dumps(asked)]


def asked(particles: float, viscosity: float, frames: int, cache: Path) -> dict[str, Any]:
    """What the bake needs to know, for a kinematic viscosity, m^2/s."""
    made = domain(particles)
    return {
        "block": BLOCK,
        "tank": TANK,
        "domain": made.sizes,
        "cells": made.cells,
        "viscosity": made.number(viscosity),
        "frames": frames,
        "cache": str(cache),
    }
