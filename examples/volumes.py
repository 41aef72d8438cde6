# SPDX-FileCopyrightText: 2026 The Dollop founders
# SPDX-License-Identifier: GPL-3.0-or-later
"""Prints what the meshes of a bake enclose over the frames, as shares of the first frame, each body's by itself.

With a Python that has numpy:

    python volumes.py CACHE
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

import numpy as np

TYPES = {"float": "<f4", "int": "<i4", "uint": "<u4", "uchar": "<u1"}


def main(cache: Path) -> None:
    index = json.loads((cache / "bake.json").read_text())
    pattern = next(output["pattern"] for output in index["outputs"] if output["kind"] == "mesh")
    frames = [done["frame"] for done in index["done"]]
    volumes = np.array([enclosed(cache / pattern.format(frame=frame), len(index["bodies"])) for frame in frames])
    shares = np.column_stack([volumes, volumes.sum(axis=1)])
    shares /= shares[0]
    names = [*(body["name"] for body in index["bodies"]), "all"]
    print("frame  " + "  ".join(f"{name:>12}" for name in names))
    for frame, row in zip(frames, shares, strict=True):
        print(f"{frame:5}  " + "  ".join(f"{share:12.4f}" for share in row))
    for name, (least, most) in zip(names, zip(shares.min(axis=0), shares.max(axis=0), strict=True), strict=True):
        print(f"{name}: {least - 1:+.1%} to {most - 1:+.1%}")


def enclosed(path: Path, bodies: int) -> np.ndarray:
    """What the mesh of a file encloses, m^3, by the body that its vertices are of."""
    vertices, faces = elements(path)
    corners = np.stack([vertices[axis] for axis in "xyz"], axis=1).astype(float)[faces]
    parts = np.einsum("ij,ij->i", corners[:, 0], np.cross(corners[:, 1], corners[:, 2])) / 6.0
    return np.bincount(vertices["source"][faces[:, 0]], parts, bodies)


def elements(path: Path) -> tuple[np.ndarray, np.ndarray]:
    """The columns of the vertices of a PLY file, and the corners of its triangles."""
    header, rows = path.read_bytes().split(b"end_header\n", 1)
    counts, columns = {}, []
    for word, *rest in (line.split() for line in header.decode().splitlines()):
        if word == "element":
            counts[rest[0]] = int(rest[1])
        elif word == "property" and rest[0] != "list":
            columns.append((rest[1], TYPES[rest[0]]))
    vertices = np.frombuffer(rows, columns, counts["vertex"])
    faces = np.frombuffer(rows, [("count", "u1"), ("corners", "<i4", 3)], counts["face"], vertices.nbytes)
    return vertices, faces["corners"]


if __name__ == "__main__":
    main(Path(sys.argv[1]))
