# SPDX-FileCopyrightText: 2026 The Dollop founders
# SPDX-License-Identifier: GPL-3.0-or-later
"""Writes Wavefront OBJ: positions and triangles only, at full precision."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from .mesh import TriangleMesh


def write(path: Path, mesh: TriangleMesh) -> None:
    """Writes `mesh` to `path`; each number is the shortest text that reads back as the same 32-bit value."""
    vertices = _lines("v", _texts(mesh))
    faces = _lines("f", (np.asarray(mesh.triangles) + 1).astype(str))
    path.write_text(vertices + faces, encoding="ascii", newline="\n")


def places(mesh: TriangleMesh) -> np.ndarray:
    """The vertex positions in a file of `mesh`, (n, 3), to all digits."""
    return _texts(mesh).astype(float)


def _texts(mesh: TriangleMesh) -> np.ndarray:
    return np.asarray(mesh.vertices, np.float32).astype(str)


def _lines(prefix: str, rows: np.ndarray) -> str:
    return "".join(f"{prefix} {a} {b} {c}\n" for a, b, c in rows.tolist())
