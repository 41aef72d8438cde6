# SPDX-FileCopyrightText: 2026 The Dollop founders
# SPDX-License-Identifier: GPL-3.0-or-later
"""Prints how far the surface of the cast is from the inside of its mould: when it has set in it, and at the end,
moved back into the mould as a rigid body.

With a Python that has numpy:

    python fit.py CACHE

Distances are in particle spacings, from vertices of the mesh to the mould, and from points of the mould that wax
reached to the mesh. The free surface, which no mould formed, does not count.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

import numpy as np

HERE = Path(__file__).resolve().parent
# Before the plate comes.
SET = 29
TYPES = {"float": "<f4", "int": "<i4"}


def main(cache: Path) -> None:
    scene = json.loads((HERE / "scene.json").read_text())
    index = json.loads((cache / "bake.json").read_text())
    spacing = index["particle_spacing"]
    mould = next(collider for collider in scene["colliders"] if collider["name"] == "Mould")
    inside = wall(HERE / mould["shape"]["path"], spacing / 3)
    last = index["done"][-1]["frame"]
    cast, end = (vertices(cache / f"particles/particles_{frame:04}.ply") for frame in (SET, last))
    place = np.array(mould["motion"][0]["transform"]["translation"])
    back, moved = rigid(end, cast)
    strain = np.linalg.norm(end @ back.T + moved - cast, axis=1) / spacing
    print(f"{len(cast)} particles; how far they moved in the cast from frame {SET} to {last}, spacings:", told(strain))
    top = np.percentile(cast[:, 2], 99) - place[2] - 1.5 * spacing
    for frame, turn, shift in ((SET, np.eye(3), 0.0), (last, back, moved)):
        surface = vertices(cache / f"mesh/mesh_{frame:04}.ply") @ turn.T + shift - place
        formed = surface[surface[:, 2] < top][::4]
        print(f"frame {frame}: cast to mould", told(nearest(formed, inside) / spacing), end="; ")
        reached = inside[inside[:, 2] < top - spacing][::8]
        print("mould to cast", told(nearest(reached, surface) / spacing))


def told(distances: np.ndarray) -> str:
    return f"mean {distances.mean():.2f}, 95 % below {np.percentile(distances, 95):.2f}, at most {distances.max():.2f}"


def vertices(path: Path) -> np.ndarray:
    """The places of particles or of a mesh's vertices."""
    header, rows = path.read_bytes().split(b"end_header\n", 1)
    lines = [line.split() for line in header.decode().splitlines()]
    count = next(int(line[2]) for line in lines if line[:2] == ["element", "vertex"])
    columns = [line[1:] for line in lines if line[0] == "property" and line[1] != "list"]
    table = np.frombuffer(rows, [(name, TYPES[kind]) for kind, name in columns], count)
    return np.stack([table[axis] for axis in "xyz"], axis=1).astype(float)


def wall(path: Path, step: float) -> np.ndarray:
    """Points on the inside of the mould, about `step` apart, in its own frame."""
    lines = [line.split() for line in path.read_text().splitlines()]
    corners = np.array([line[1:4] for line in lines if line[:1] == ["v"]], float)
    faces = np.array([[part.split("/")[0] for part in line[1:4]] for line in lines if line[:1] == ["f"]], int) - 1
    triangles = corners[faces]
    a, b, c = triangles.transpose(1, 0, 2)
    normal = np.cross(b - a, c - a)
    # The inside looks at the axis or up.
    centre = triangles.mean(axis=1)
    inner = (normal[:, :2] * centre[:, :2]).sum(axis=1) - normal[:, 2] * 0.05 < 0
    points = []
    for one, two, three in triangles[inner]:
        longest = max(np.linalg.norm(side) for side in (two - one, three - one, three - two))
        count = max(1, int(np.ceil(longest / step)))
        u, v = (grid.ravel() / count for grid in np.mgrid[: count + 1, : count + 1])
        u, v = u[u + v <= 1], v[u + v <= 1]
        points.append(one + np.outer(u, two - one) + np.outer(v, three - one))
    return np.concatenate(points)


def rigid(places: np.ndarray, others: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The turn and the shift that bring places nearest to others (Kabsch 1976)."""
    centre, other = places.mean(axis=0), others.mean(axis=0)
    u, _, v = np.linalg.svd((places - centre).T @ (others - other))
    flip = np.diag([1.0, 1.0, np.sign(np.linalg.det(u @ v))])
    turn = (u @ flip @ v).T
    return turn, other - turn @ centre


def nearest(points: np.ndarray, others: np.ndarray) -> np.ndarray:
    """The distance of each point to the nearest of the others."""
    return np.concatenate([_nearest(part, others) for part in np.array_split(points, max(1, len(points) // 200))])


def _nearest(points: np.ndarray, others: np.ndarray) -> np.ndarray:
    squares = (points**2).sum(axis=1)[:, None] + (others**2).sum(axis=1) - 2.0 * points @ others.T
    return np.sqrt(np.maximum(squares.min(axis=1), 0.0))


if __name__ == "__main__":
    main(Path(sys.argv[1]))
