# SPDX-FileCopyrightText: 2026 The Dollop founders
# SPDX-License-Identifier: GPL-3.0-or-later
"""Prints the volume of the drop over the frames of a bake, in shares of what its body was filled with.

With a Python that has numpy:

    python volumes.py CACHE [EVERY]     every so many frames, by default 1

matter: the sum of mass / density over the particles, by the density that drives the pressure.
inside: the mean of rest density / density over the particles that have matter all around.
mesh:   what the mesh encloses, with the skin that the paper's isovalue puts around the matter.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

import numpy as np

# A particle with matter all around has at least this many others within two spacings; close-packed it has 42.
AROUND = 36


def main(cache: Path, every: int) -> None:
    index = json.loads((cache / "bake.json").read_text())
    spacing = index["particle_spacing"]
    particles = next(output for output in index["outputs"] if output["kind"] == "particles")
    print("frame  matter  inside    mesh")
    for done in index["done"][::every]:
        columns = read(cache / particles["pattern"].replace("{frame:04}", f"{done['frame']:04}"))
        relative = columns["density"] / REST_DENSITY
        filled = len(columns) * spacing**3
        position = np.stack([columns[axis] for axis in "xyz"], axis=1)
        inner = neighbours(position, 2.0 * spacing) >= AROUND
        inside = (1.0 / relative[inner]).mean() if inner.any() else np.nan
        print(
            f"{done['frame']:5}  {(1.0 / relative).mean():6.4f}  {inside:6.4f}  {done['mesh']['volume'] / filled:6.4f}"
        )


REST_DENSITY = 1000.0
