# SPDX-FileCopyrightText: 2026 The Dollop founders
# SPDX-License-Identifier: GPL-3.0-or-later
"""A triangle mesh, and its faults."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class TriangleMesh:
    """`vertices` (n, 3) floats and `triangles` (m, 3) indices, counter-clockwise seen from outside."""

    vertices: np.ndarray
    triangles: np.ndarray

    def used(self) -> TriangleMesh:
        """The same mesh without vertices that no triangle uses."""
        kept, index = np.unique(self.triangles, return_inverse=True)
        return TriangleMesh(self.vertices[kept], index.reshape(-1, 3))

    def mapped(self, linear: np.ndarray) -> TriangleMesh:
        """Each vertex multiplied by the 3x3 matrix; a reflection also reverses the triangles, so that outside stays
        outside."""
        triangles = self.triangles if np.linalg.det(linear) > 0 else self.triangles[:, ::-1]
        return TriangleMesh(self.vertices @ linear.T, triangles)

    def middle(self) -> np.ndarray:
        """The middle of the box around it; its origin if it is empty."""
        if not len(self.vertices):
            return np.zeros(3)
        return (self.vertices.min(axis=0) + self.vertices.max(axis=0)) / 2

    def size(self) -> list[float]:
        """The edges of the box around it; zero if it is empty."""
        return np.ptp(self.vertices, axis=0).tolist() if len(self.vertices) else [0.0] * 3

    def scaled(self, factor: float) -> TriangleMesh:
        return TriangleMesh(self.vertices * factor, self.triangles)


@dataclass(frozen=True)
class Faults:
    """Counts of the edges that keep a mesh from being the boundary of a solid."""

    open_edges: int
    flipped_edges: int

    def __bool__(self) -> bool:
        return bool(self.open_edges or self.flipped_edges)

    def __str__(self) -> str:
        parts = (
            (self.open_edges, "without a face on each side"),
            (self.flipped_edges, "between faces of opposite direction"),
        )
        return ", ".join(f"{count} edge{'s' if count > 1 else ''} {what}" for count, what in parts if count)


def faults(mesh: TriangleMesh) -> Faults:
    """Checks every edge by the solver's rule: with vertices at the same position merged, a closed, consistently
    oriented surface runs along each edge as often in one direction as in the other."""
    if not len(mesh.triangles):
        return Faults(0, 0)
    triangles = _positions(mesh.vertices)[mesh.triangles]
    ends = np.concatenate([triangles[:, [0, 1]], triangles[:, [1, 2]], triangles[:, [2, 0]]])
    ends = ends[ends[:, 0] != ends[:, 1]]
    low, high = ends.min(axis=1), ends.max(axis=1)
    _, edge, count = np.unique(low * len(mesh.vertices) + high, return_inverse=True, return_counts=True)
    balance = np.bincount(edge.ravel(), weights=np.where(ends[:, 0] == low, 1, -1), minlength=len(count))
    odd = count % 2 == 1
    return Faults(
        open_edges=int(np.count_nonzero(odd)),
        flipped_edges=int(np.count_nonzero(~odd & (balance != 0))),
    )


def _positions(vertices: np.ndarray) -> np.ndarray:
    """A number for each vertex; vertices at the same position share one."""
    order = np.lexsort(vertices.T)
    is_new = np.any(np.diff(vertices[order], axis=0) != 0, axis=1)
    numbers = np.zeros(len(vertices), np.int64)
    numbers[order[1:]] = np.cumsum(is_new)
    return numbers
