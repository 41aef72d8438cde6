# SPDX-FileCopyrightText: 2026 The Dollop founders
# SPDX-License-Identifier: GPL-3.0-or-later
"""Small caches with files written by the tests, in the solver's layout."""

from __future__ import annotations

import json
import stat
import sys
from pathlib import Path

import numpy as np

# The name of no format, now and later: formats are extensions of files.
NO_FORMAT = "no/format"

# Units a frame, at 24 frames per second; the cube stands at x = frame * STEP.
STEP = 0.25
RATE = 24.0
HALF = 0.5
_CORNERS = np.array([[x, y, z] for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)], float) * HALF
_QUADS = ((0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3))
TRIANGLES = np.array([t for a, b, c, d in _QUADS for t in ((a, b, c), (a, c, d))])


def place_of(frame: int) -> float:
    return frame * STEP


Colour = tuple[float, float, float]


def write_cache(
    cache: Path,
    frames: list[int],
    kinds: list[str],
    hot: bool = False,
    colour: Colour | None = None,
    status: str = "complete",
) -> None:
    """A cube, or its corners, moving along X; of the `kinds`, a volume is listed but not written."""
    cache.mkdir(parents=True, exist_ok=True)
    names = ["position", "velocity", "source"] + (["temperature"] if hot else []) + (["color"] if colour else [])
    outputs = []
    for kind in kinds:
        suffix = "vdb" if kind == "volume" else "ply"
        pattern = f"{kind}/{kind}_{{frame:04}}.{suffix}"
        attributes = [{"name": name, "kind": "float", "unit": "", "description": ""} for name in names]
        outputs.append({"kind": kind, "format": suffix, "pattern": pattern, "attributes": attributes})
        (cache / kind).mkdir(exist_ok=True)
        for frame in frames:
            if kind != "volume":
                write_cube(cache / pattern.format(frame=frame), place_of(frame), kind == "mesh", hot, colour)
    index = {
        "format": "dollop-bake",
        "version": {"major": 1, "minor": 0},
        "status": status,
        "frames": {"start": min(frames, default=1), "end": max(frames, default=1), "rate": RATE},
        "particle_spacing": 0.1,
        "outputs": outputs,
        "done": [{"frame": frame} for frame in frames],
    }
    (cache / "bake.json").write_text(json.dumps(index), encoding="utf-8")


def write_cube(path: Path, x: float, faces: bool, hot: bool = False, colour: Colour | None = None) -> None:
    columns = {"x": _CORNERS[:, 0] + x, "y": _CORNERS[:, 1], "z": _CORNERS[:, 2]}
    columns |= {"vx": np.full(8, STEP * RATE), "vy": np.zeros(8), "vz": np.zeros(8)}
    if hot:
        columns["temperature"] = np.linspace(300.0, 400.0, 8)
    if colour:
        columns |= {f"color_{part}": np.full(8, value) for part, value in zip("rgb", colour, strict=True)}
    if not faces:
        columns["radius"] = np.full(8, 0.2)
    head = ["ply", "format binary_little_endian 1.0", "element vertex 8"]
    head += [f"property float {name}" for name in columns] + ["property int source"]
    rows = np.zeros(8, [(name, "<f4") for name in columns] + [("source", "<i4")])
    for name, values in columns.items():
        rows[name] = values
    body = rows.tobytes()
    if faces:
        head += [f"element face {len(TRIANGLES)}", "property list uchar int vertex_indices"]
        lists = np.zeros(len(TRIANGLES), [("count", "u1"), ("indices", "<i4", 3)])
        lists["count"], lists["indices"] = 3, TRIANGLES
        body += lists.tobytes()
    path.write_bytes(("\n".join([*head, "end_header"]) + "\n").encode("ascii") + body)


def fake_solver(folder: Path) -> Path:
    """The fake solver as an executable in `folder`."""
    path = folder / "dollop"
    script = Path(__file__).with_name("fake_solver.py")
    path.write_text(f'#!/bin/sh\nexec "{sys.executable}" "{script}" "$@"\n', encoding="utf-8")
    path.chmod(path.stat().st_mode | stat.S_IXUSR)
    return path
