# SPDX-FileCopyrightText: 2026 The Dollop founders
# SPDX-License-Identifier: GPL-3.0-or-later
"""Splits 4x4 matrices into translation, rotation and scale for the scene file."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

# Matrices come in 32 bits through chains of parents; a cosine above this between two axes is a real shear.
_ORTHOGONAL = 1e-5
_SAME = 1e-6
_EVEN = 1e-4
_FLAT = 1e-6


_FLATTENED = "is flattened to nothing by a scale of 0"


class PlacementError(ValueError):
    """A matrix that translation, rotation and scale cannot represent; `number` is its index in a motion."""

    number = 0


@dataclass(frozen=True)
class Placement:
    """Scaled, then rotated, then moved. `rotation` is a unit quaternion w, x, y, z."""

    translation: np.ndarray
    rotation: np.ndarray
    scale: np.ndarray

    def to_json(self, unit_scale: float) -> dict[str, list[float]]:
        return {
            "translation": (self.translation * unit_scale).tolist(),
            "rotation": self.rotation.tolist(),
            "scale": self.scale.tolist(),
        }


def is_sheared(matrix: np.ndarray) -> bool:
    """Whether the axes of the matrix are not perpendicular."""
    axes = matrix[:3, :3] / _lengths(matrix)
    return bool(np.abs(axes.T @ axes - np.eye(3)).max() > _ORTHOGONAL)


def place(matrix: np.ndarray) -> Placement:
    """Splits a matrix without shear. A mirrored one gets three negative factors; a flattened one is refused."""
    scale = _lengths(matrix)
    if np.linalg.det(matrix[:3, :3]) < 0:
        scale = -scale
    return Placement(matrix[:3, 3].copy(), _quaternion(matrix[:3, :3] / scale), scale)


def follow(matrices: list[np.ndarray]) -> list[Placement]:
    """Splits the matrices of a motion; each rotation takes the sign nearest to the last one. Refuses a skew, and a
    scale that changes by different factors along the axes."""
    placements: list[Placement] = []
    for number, matrix in enumerate(matrices):
        try:
            placements.append(_next(placements, matrix))
        except PlacementError as error:
            error.number = number
            raise
    return placements


def carry(matrices: list[np.ndarray]) -> list[Placement]:
    """The placements of things that follow an object, without its scale and shear; None if they stay in place. Raises
    `PlacementError`."""
    check(matrices)
    rigid = [_rigid(matrix) for matrix in matrices]
    return [] if is_still(rigid) else [replace(one, scale=np.ones(3)) for one in follow(rigid)]


def _rigid(matrix: np.ndarray) -> np.ndarray:
    """The matrix reduced to the rotation of its polar decomposition; for a mirrored matrix, to that of its negative."""
    before, _, after = np.linalg.svd(matrix[:3, :3])
    rotation = before @ after
    rigid = matrix.copy()
    rigid[:3, :3] = rotation * np.sign(np.linalg.det(rotation))
    return rigid


def _next(before: list[Placement], matrix: np.ndarray) -> Placement:
    if is_sheared(matrix):
        raise PlacementError("is skewed by a changing amount; keep its parents' scale even")
    placed = place(matrix)
    if not before:
        return placed
    ratios = placed.scale / before[0].scale
    if np.ptp(ratios) > _EVEN * np.abs(ratios).max():
        raise PlacementError("changes its scale along one axis more than along another; scale it evenly")
    turned = placed.rotation @ before[-1].rotation < 0
    return replace(placed, rotation=-placed.rotation) if turned else placed


def check(matrices: list[np.ndarray]) -> None:
    """Refuses the matrices of a motion that flatten an object or have no finite position."""
    for number, matrix in enumerate(matrices):
        try:
            _check(matrix)
        except PlacementError as error:
            error.number = number
            raise


def _check(matrix: np.ndarray) -> None:
    if not np.isfinite(matrix).all():
        raise PlacementError(
            "has a transform that is no number (NaN or infinite): look at its location, rotation and scale, and its "
            "parents, constraints and drivers"
        )
    if abs(np.linalg.det(matrix[:3, :3] / _lengths(matrix))) <= _FLAT:
        raise PlacementError(_FLATTENED)


def is_still(matrices: list[np.ndarray]) -> bool:
    """Whether all matrices equal the first one, within rounding."""
    first = matrices[0]
    size = max(1.0, float(np.abs(first).max()))
    return all(np.abs(matrix - first).max() <= _SAME * size for matrix in matrices)


def _lengths(matrix: np.ndarray) -> np.ndarray:
    lengths = np.linalg.norm(matrix[:3, :3], axis=0)
    if lengths.min() <= 1e-12:
        raise PlacementError(_FLATTENED)
    return lengths


def _quaternion(rotation: np.ndarray) -> np.ndarray:
    """The unit quaternion of a rotation matrix: the eigenvector to the largest eigenvalue (Bar-Itzhack 2000)."""
    xx, yx, zx, xy, yy, zy, xz, yz, zz = rotation.T.ravel()
    symmetric = np.array(
        [
            [xx + yy + zz, zy - yz, xz - zx, yx - xy],
            [zy - yz, xx - yy - zz, xy + yx, xz + zx],
            [xz - zx, xy + yx, yy - xx - zz, yz + zy],
            [yx - xy, xz + zx, yz + zy, zz - xx - yy],
        ]
    )
    _, vectors = np.linalg.eigh(symmetric)
    quaternion = vectors[:, -1]
    return quaternion if quaternion[0] >= 0 else -quaternion
