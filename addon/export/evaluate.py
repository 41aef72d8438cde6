# SPDX-FileCopyrightText: 2026 The Dollop founders
# SPDX-License-Identifier: GPL-3.0-or-later
"""Evaluated objects as plain arrays."""

from __future__ import annotations

import bpy
import numpy as np

from ..geometry.mesh import TriangleMesh


def matrix_of(source: bpy.types.Object, depsgraph: bpy.types.Depsgraph) -> np.ndarray:
    """The evaluated matrix to the world, 4x4, in Blender units."""
    return np.array(source.evaluated_get(depsgraph).matrix_world, dtype=float)


def mesh_of(source: bpy.types.Object, depsgraph: bpy.types.Depsgraph) -> TriangleMesh:
    """The triangles of the object with its modifiers, in its own space, in Blender units; empty if it has none."""
    evaluated = source.evaluated_get(depsgraph)
    mesh = evaluated.to_mesh()
    if mesh is None:
        return TriangleMesh(np.empty((0, 3), np.float32), np.empty((0, 3), np.int32))
    try:
        mesh.calc_loop_triangles()
        vertices = np.empty(len(mesh.vertices) * 3, np.float32)
        triangles = np.empty(len(mesh.loop_triangles) * 3, np.int32)
        mesh.vertices.foreach_get("co", vertices)
        mesh.loop_triangles.foreach_get("vertices", triangles)
    finally:
        evaluated.to_mesh_clear()
    return TriangleMesh(vertices.reshape(-1, 3), triangles.reshape(-1, 3)).used()
