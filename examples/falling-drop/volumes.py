# SPDX-FileCopyrightText: 2026 The Dollop founders
# SPDX-License-Identifier: GPL-3.0-or-later
"""Prints the volume of the matter over the frames of a bake with meshes and particles, against the volume that its
bodies were filled with.

With a Python that has numpy:

    python volumes.py CACHE

matter  the sum of mass over density, by the density that drives the pressure
range   the lowest and the highest density over that at rest, of 98 % of the particles
mesh    what the mesh encloses
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

import numpy as np

REST_DENSITY = 1000.0
TYPES = {"float": "<f4", "int": "<i4"}


def main(cache: Path) -> None:
    index = json.loads((cache / "bake.json").read_text())
    pattern = next(output["pattern"] for output in index["outputs"] if output["kind"] == "particles")
    shares = []
    print("frame  matter  range          mesh")
    for done in index["done"]:
        density = vertices(cache / pattern.format(frame=done["frame"]))["density"] / REST_DENSITY
        matter, (low, high) = (1.0 / density).mean(), np.percentile(density, [1, 99])
        mesh = done["mesh"]["volume"] / (len(density) * index["particle_spacing"] ** 3)
        shares.append((matter, mesh))
        print(f"{done['frame']:5}  {matter:.4f}  {low:.3f} to {high:.3f}  {mesh:.4f}")
    matter, mesh = np.ptp(shares, axis=0) / np.mean(shares, axis=0)
    print(f"the matter's volume varies by {matter:.1%}, that of the mesh by {mesh:.1%}")


def vertices(path: Path) -> np.ndarray:
    """The columns of a file of particles."""
    header, rows = path.read_bytes().split(b"end_header\n", 1)
    properties = [line.split()[1:] for line in header.decode().splitlines() if line.startswith("property")]
    return np.frombuffer(rows, [(name, TYPES[kind]) for kind, name in properties])


if __name__ == "__main__":
    main(Path(sys.argv[1]))
