# SPDX-FileCopyrightText: 2026 The Dollop founders
# SPDX-License-Identifier: GPL-3.0-or-later
"""Bakes with the solver of this repository, where it is built: DOLLOP_BINARY, or target/."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from conftest import HERE, call


@pytest.fixture
def solver() -> str:
    target = HERE.parents[1] / "target"
    for path in (os.environ.get("DOLLOP_BINARY", ""), target / "release/dollop", target / "debug/dollop"):
        if path and Path(path).is_file():
            return str(path)
    pytest.skip("the solver is not built")


@pytest.mark.parametrize("scene", ["suzanne_falls_into_a_bowl", "solver_refuses_a_scene"])
def test_real_solver(blender: str, solver: str, scene: str, tmp_path: Path) -> None:
    call(blender, f"cases.real:{scene}", tmp_path, DOLLOP_BINARY=solver)
