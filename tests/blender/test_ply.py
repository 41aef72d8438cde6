# SPDX-FileCopyrightText: 2026 The Dollop founders
# SPDX-License-Identifier: GPL-3.0-or-later
"""Numbers read from PLY files, without Blender."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from files import place_of, write_cube

from addon.bake import ply


def test_numbers_of_meshes_and_particles(tmp_path: Path) -> None:
    for faces in (True, False):
        path = tmp_path / f"{faces}.ply"
        write_cube(path, place_of(1), faces, hot=True)
        assert np.allclose(ply.column(path, "temperature"), np.linspace(300.0, 400.0, 8))
        assert ply.column(path, "source").tolist() == [0] * 8
        assert ply.extent([path], "x") == (place_of(1) - 0.5, place_of(1) + 0.5)
    assert ply.extent([], "x") is None


def test_other_files_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "cube.ply"
    write_cube(path, 0.0, True)
    whole = path.read_bytes()
    with pytest.raises(ply.PlyError, match="no temperature"):
        ply.column(path, "temperature")
    for damaged in (
        b"",
        b"solid",
        whole[:300],
        whole.replace(b"float x", b"short x"),
        whole.replace(b"vertex 8", b"vertex x"),
    ):
        path.write_bytes(damaged)
        with pytest.raises(ply.PlyError):
            ply.column(path, "x")
    path.write_bytes(whole.replace(b"vertex 8", b"vertex 0"))
    assert ply.extent([path], "x") is None
