# SPDX-FileCopyrightText: 2026 The Dollop founders
# SPDX-License-Identifier: GPL-3.0-or-later
"""Bakes with the solver of this repository."""

from __future__ import annotations

import shutil
from pathlib import Path

from conftest import HERE, call, run


def test_suzanne_in_a_bowl(blender: str, solver: str, tmp_path: Path) -> None:
    """From the scene made in Blender to its pictures, and again from the moved project alone: in a Blender with factory
    settings and empty user folders, which cannot find the add-on."""
    call(blender, "cases.real:bake_and_render", tmp_path, DOLLOP_BINARY=solver)
    (tmp_path / "project").rename(tmp_path / "moved")
    elsewhere = tmp_path / "elsewhere"
    (elsewhere / "resources").mkdir(parents=True)
    script = shutil.copy(HERE / "alone.py", elsewhere)
    command = [blender, "-I", str(script), str(tmp_path / "moved/scene.blend"), str(tmp_path)]
    run(command, elsewhere, BLENDER_USER_RESOURCES=str(elsewhere / "resources"), DOLLOP_BINARY="")


def test_solver_refuses_a_scene(blender: str, solver: str, tmp_path: Path) -> None:
    call(blender, "cases.real:solver_refuses_a_scene", tmp_path, DOLLOP_BINARY=solver)


def test_heat_from_animated_heaters_and_plates(blender: str, solver: str, tmp_path: Path) -> None:
    call(blender, "cases.heating:solver_bakes_what_is_exported", tmp_path, DOLLOP_BINARY=solver)


def test_pins_and_tools(blender: str, solver: str, tmp_path: Path) -> None:
    call(blender, "cases.cutting:solver_reads_pins_and_tools", tmp_path, DOLLOP_BINARY=solver)


def test_pinned_sheets(blender: str, solver: str, tmp_path: Path) -> None:
    call(blender, "cases.cutting:solver_holds_what_is_pinned", tmp_path, DOLLOP_BINARY=solver)


def test_matter_falls_alike_at_any_unit_scale(blender: str, solver: str, tmp_path: Path) -> None:
    call(blender, "cases.real:matter_falls_alike_at_any_unit_scale", tmp_path, DOLLOP_BINARY=solver)


def test_all_shapes(blender: str, solver: str, tmp_path: Path) -> None:
    call(blender, "cases.shaping:solver_reads_every_shape", tmp_path, DOLLOP_BINARY=solver)


def test_a_farm_job(blender: str, solver: str, tmp_path: Path) -> None:
    call(blender, "cases.farming:write_and_play_the_farm", tmp_path, DOLLOP_BINARY=solver)
