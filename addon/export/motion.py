# SPDX-FileCopyrightText: 2026 The Dollop founders
# SPDX-License-Identifier: GPL-3.0-or-later
"""How objects move over the frames of a bake."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

import bpy
import numpy as np

from ..data import section
from ..geometry import placement
from ..geometry.mesh import TriangleMesh
from ..settings.values import keyed
from .evaluate import form_of, matrix_of, mesh_of, settings_of


@dataclass
class Track:
    """The motion of an object: its mesh at the first frame; its matrix and its animated values at each frame, by the
    name of their list in the scene file; and the first frame with another shape, if its mesh changes."""

    source: bpy.types.Object
    mesh: TriangleMesh
    matrices: list[np.ndarray] = field(default_factory=list)
    values: list[dict[str, float]] = field(default_factory=list)
    deforms_at: int | None = None


# The matrix of an object at each frame.
Ways = dict[bpy.types.Object, list[np.ndarray]]


def record(
    scene: bpy.types.Scene,
    view_layer: bpy.types.ViewLayer,
    sources: list[bpy.types.Object],
    followed: Iterable[bpy.types.Object],
) -> tuple[list[Track], Ways]:
    """The tracks of `sources` and the ways of `followed`. Steps through the frames of `scene` from its first one, where
    it must stand already, to the last."""
    depsgraph = view_layer.depsgraph
    tracks = [Track(source, mesh_of(source, depsgraph)) for source in sources]
    forms = [form_of(source, depsgraph) for source in sources]
    ways: Ways = {source: [] for source in followed}
    for frame in range(scene.frame_start, scene.frame_end + 1) if tracks or ways else ():
        scene.frame_set(frame)
        for source, matrices in ways.items():
            matrices.append(matrix_of(source, depsgraph))
        for track, form in zip(tracks, forms, strict=True):
            track.matrices.append(matrix_of(track.source, depsgraph))
            track.values.append(_values(settings_of(track.source, depsgraph)))
            if track.deforms_at is None and not form_of(track.source, depsgraph).is_like(form):
                track.deforms_at = frame
    return tracks, ways


def _values(settings: bpy.types.PropertyGroup) -> dict[str, float]:
    found = section(settings.kind)
    return keyed(found.settings, getattr(settings, found.key))


def changes(track: Track, start: int) -> dict[str, list[dict[str, float]]]:
    """The keys of the values that change over the frames from `start` on."""
    return {
        name: [{"frame": start + i, "value": values[name]} for i, values in enumerate(track.values)]
        for name in track.values[0]
        if any(values[name] != track.values[0][name] for values in track.values)
    }


def split(track: Track) -> tuple[TriangleMesh, list[placement.Placement]]:
    """A mesh and its placements, a single one if it stands still. A shear is applied to the vertices. Raises
    `PlacementError`."""
    matrices = _checked(track)
    mesh = track.mesh
    if placement.is_sheared(matrices[0]):
        linear = matrices[0][:3, :3]
        mesh = mesh.mapped(linear)
        matrices = [_without(matrix, linear) for matrix in matrices]
    return mesh, placement.follow(matrices)


def placements(track: Track) -> list[placement.Placement]:
    """The placements of a shape that has no vertices to shear, a single one if it stands still. Raises
    `PlacementError`."""
    matrices = _checked(track)
    if placement.is_sheared(matrices[0]):
        raise placement.PlacementError(
            "is skewed by its parents, as only a mesh can be: apply their scale, or choose the shape Mesh"
        )
    return placement.follow(matrices)


def _checked(track: Track) -> list[np.ndarray]:
    """The matrices of a track, a single one if it stands still."""
    placement.check(track.matrices)
    return track.matrices[:1] if placement.is_still(track.matrices) else track.matrices


def keys(placements: list[placement.Placement], start: int, unit_scale: float) -> list[dict[str, Any]]:
    """The placements at the frames from `start` on, in the form of the scene file."""
    return [{"frame": start + i, "transform": one.to_json(unit_scale)} for i, one in enumerate(placements)]


def _without(matrix: np.ndarray, linear: np.ndarray) -> np.ndarray:
    rest = matrix.copy()
    rest[:3, :3] = matrix[:3, :3] @ np.linalg.inv(linear)
    return rest
