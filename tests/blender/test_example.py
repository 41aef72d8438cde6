# SPDX-FileCopyrightText: 2026 The Dollop founders
# SPDX-License-Identifier: GPL-3.0-or-later
"""The scene file and meshes of the example are what its script exports."""

from __future__ import annotations

from pathlib import Path

from conftest import HERE, call, run

SCRIPT = HERE.parents[1] / "examples/suzanne-in-a-bowl/make.py"


def test_the_example_is_what_its_script_exports(blender: str, tmp_path: Path) -> None:
    run([blender, str(SCRIPT), str(tmp_path / "example.blend"), "--export", str(tmp_path / "export")], tmp_path)
    assert (tmp_path / "example.blend").is_file()
    call(blender, "cases.example:compare_with_committed", tmp_path)
    call(blender, "cases.example:check_that_it_can_be_exported_again", tmp_path)
