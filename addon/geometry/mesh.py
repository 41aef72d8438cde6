# SPDX-FileCopyrightText: 2026 The Dollop founders
# SPDX-License-Identifier: GPL-3.0-or-later
"""A triangle mesh, and what is wrong with it."""

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
        """Each vertex multiplied by the 3x3 matrix; a reflection turns the triangles round: outside stays outside."""
        triangles = self.triangles if np.linalg.det(linear) > 0 else self.triangles[:, ::-1]
        return TriangleMesh(self.vertices @ linear.T, triangles)

    def scaled(self, factor: float) -> TriangleMesh:
        return TriangleMesh(self.vertices * factor, self.triangles)


@dataclass(frozen=True)
class Faults:
    """How many edges keep a mesh from being the boundary of a solid."""

    open_edges: int
    crowded_edges: int
    flipped_edges: int

    def __bool__(self) -> bool:
        return bool(self.open_edges or self.crowded_edges or self.flipped_edges)

    def __str__(self) -> str:
        parts = (
            (self.open_edges, "at a hole"),
            (self.crowded_edges, "with more than two faces"),
            (self.flipped_edges, "between faces of opposite direction"),
        )
        return ", ".join(f"{count} edge{'s' if count > 1 else ''} {what}" for count, what in parts if count)


def faults(mesh: TriangleMesh) -> Faults:
    """Looks at every edge: a closed, consistently turned surface runs along each exactly once in either direction."""
    ends = np.concatenate([mesh.triangles[:, [0, 1]], mesh.triangles[:, [1, 2]], mesh.triangles[:, [2, 0]]])
    low, high = ends.min(axis=1).astype(np.int64), ends.max(axis=1).astype(np.int64)
    _, edge, count = np.unique(low * len(mesh.vertices) + high, return_inverse=True, return_counts=True)
    direction = np.bincount(edge.ravel(), weights=np.where(ends[:, 0] == low, 1, -1), minlength=len(count))
    return Faults(
        open_edges=int(np.count_nonzero(count == 1)),
        crowded_edges=int(np.count_nonzero(count > 2)),
        flipped_edges=int(np.count_nonzero((count == 2) & (direction != 0))),
    )
