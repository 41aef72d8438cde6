# SPDX-FileCopyrightText: 2026 The Dollop founders
# SPDX-License-Identifier: GPL-3.0-or-later
"""How colliders move over the frames of a bake."""

from __future__ import annotations

from dataclasses import dataclass, field

import bpy
import numpy as np

from ..geometry import placement
from ..geometry.mesh import TriangleMesh
from .evaluate import matrix_of, mesh_of

_SHAPE_CHECKS = 5


@dataclass
class Track:
    """A collider over the frames: its mesh at the first one, its matrix at each, and whether its shape changes."""

    source: bpy.types.Object
    mesh: TriangleMesh
    matrices: list[np.ndarray] = field(default_factory=list)
    deforms: bool = False


def record(scene: bpy.types.Scene, view_layer: bpy.types.ViewLayer, sources: list[bpy.types.Object]) -> list[Track]:
    """Steps through the frames of `scene` from its first one, where it must stand already."""
    frames = range(scene.frame_start, scene.frame_end + 1)
    checked = {frames[round(i * (len(frames) - 1) / (_SHAPE_CHECKS - 1))] for i in range(_SHAPE_CHECKS)}
    tracks = [Track(source, mesh_of(source, view_layer.depsgraph)) for source in sources]
    for frame in frames if tracks else ():
        scene.frame_set(frame)
        for track in tracks:
            track.matrices.append(matrix_of(track.source, view_layer.depsgraph))
            if frame in checked and not track.deforms:
                track.deforms = _differs(mesh_of(track.source, view_layer.depsgraph), track.mesh)
    return tracks


def split(track: Track) -> tuple[TriangleMesh, list[placement.Placement]]:
    """A mesh and its placements, one if it stands still. A shear goes into the vertices. Raises `PlacementError`."""
    matrices = track.matrices[:1] if placement.is_still(track.matrices) else track.matrices
    mesh = track.mesh
    if placement.is_sheared(matrices[0]):
        linear = matrices[0][:3, :3]
        mesh = mesh.mapped(linear)
        matrices = [_without(matrix, linear) for matrix in matrices]
    if any(placement.is_sheared(matrix) for matrix in matrices):
        raise placement.PlacementError("is skewed by a changing amount; keep its parents' scale even")
    placements = placement.follow(matrices)
    if not placement.scales_evenly(placements):
        raise placement.PlacementError("changes its scale along one axis more than along another; scale it evenly")
    return mesh, placements


def _without(matrix: np.ndarray, linear: np.ndarray) -> np.ndarray:
    rest = matrix.copy()
    rest[:3, :3] = matrix[:3, :3] @ np.linalg.inv(linear)
    return rest


def _differs(mesh: TriangleMesh, first: TriangleMesh) -> bool:
    if mesh.vertices.shape != first.vertices.shape:
        return True
    size = max(float(np.abs(first.vertices).max(initial=0.0)), 1e-12)
    return bool(np.abs(mesh.vertices - first.vertices).max(initial=0.0) > 1e-4 * size)
