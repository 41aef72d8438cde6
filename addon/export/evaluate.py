# SPDX-FileCopyrightText: 2026 The Dollop founders
# SPDX-License-Identifier: GPL-3.0-or-later
"""Evaluated objects as plain arrays."""

from __future__ import annotations

import contextlib
from collections.abc import Collection, Iterator
from dataclasses import dataclass

import bpy
import numpy as np

from ..geometry.mesh import TriangleMesh


def matrix_of(source: bpy.types.Object, depsgraph: bpy.types.Depsgraph) -> np.ndarray:
    """The evaluated matrix to the world, 4x4, in Blender units."""
    return np.array(source.evaluated_get(depsgraph).matrix_world, dtype=float)


def settings_of(source: bpy.types.Object, depsgraph: bpy.types.Depsgraph) -> bpy.types.PropertyGroup:
    """The object's Dollop settings, with the present values of curves and drivers."""
    return source.evaluated_get(depsgraph).dollop


def mesh_of(source: bpy.types.Object, depsgraph: bpy.types.Depsgraph) -> TriangleMesh:
    """The triangles of the object with its modifiers, in its own space, in Blender units; empty if it has none."""
    with _evaluated_mesh(source, depsgraph) as mesh:
        if mesh is None:
            return TriangleMesh(np.empty((0, 3), np.float32), np.empty((0, 3), np.int32))
        return TriangleMesh(_places(mesh), _triangles(mesh)).used()


def weights_of(
    source: bpy.types.Object, depsgraph: bpy.types.Depsgraph, groups: Collection[str]
) -> dict[str, np.ndarray]:
    """The weight of each vertex of `mesh_of` in some vertex groups, (n,) each; 0 outside of a group, and if the object
    lacks the group."""
    known = source.evaluated_get(depsgraph).vertex_groups
    with _evaluated_mesh(source, depsgraph) as mesh:
        weights = {group: np.zeros(len(mesh.vertices)) for group in groups}
        by_number = {known.find(group): weights[group] for group in groups if known.find(group) >= 0}
        for vertex in mesh.vertices if by_number else ():
            for one in vertex.groups:
                if one.group in by_number:
                    by_number[one.group][vertex.index] = one.weight
        # The vertices that `TriangleMesh.used` keeps.
        used = np.unique(_triangles(mesh))
        return {group: of_all[used] for group, of_all in weights.items()}


@dataclass(frozen=True)
class Form:
    """Shows whether an object changes its shape, without the cost of its triangles: the positions of all vertices, (n,
    3), and the vertex at each corner of each face."""

    places: np.ndarray
    corners: np.ndarray

    def is_like(self, other: Form) -> bool:
        """Whether both are equal within a ten thousandth of their size."""
        if self.places.shape != other.places.shape or not np.array_equal(self.corners, other.corners):
            return False
        size = max(float(np.abs(other.places).max(initial=0.0)), 1e-12)
        return bool(np.abs(self.places - other.places).max(initial=0.0) <= 1e-4 * size)


def form_of(source: bpy.types.Object, depsgraph: bpy.types.Depsgraph) -> Form:
    """The form of the object with its modifiers, in its own space."""
    with _evaluated_mesh(source, depsgraph) as mesh:
        if mesh is None:
            return Form(np.empty((0, 3), np.float32), np.empty(0, np.int32))
        corners = np.empty(len(mesh.loops), np.int32)
        mesh.loops.foreach_get("vertex_index", corners)
        return Form(_places(mesh), corners)


@contextlib.contextmanager
def _evaluated_mesh(source: bpy.types.Object, depsgraph: bpy.types.Depsgraph) -> Iterator[bpy.types.Mesh | None]:
    evaluated = source.evaluated_get(depsgraph)
    mesh = evaluated.to_mesh()
    try:
        yield mesh
    finally:
        evaluated.to_mesh_clear()


def _triangles(mesh: bpy.types.Mesh) -> np.ndarray:
    mesh.calc_loop_triangles()
    triangles = np.empty(len(mesh.loop_triangles) * 3, np.int32)
    mesh.loop_triangles.foreach_get("vertices", triangles)
    return triangles.reshape(-1, 3)


def _places(mesh: bpy.types.Mesh) -> np.ndarray:
    places = np.empty(len(mesh.vertices) * 3, np.float32)
    mesh.vertices.foreach_get("co", places)
    return places.reshape(-1, 3)
