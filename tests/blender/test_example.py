# SPDX-FileCopyrightText: 2026 The Dollop founders
# SPDX-License-Identifier: GPL-3.0-or-later
"""The scene files and meshes of the examples are what their scripts export."""

from __future__ import annotations

from pathlib import Path

import pytest
from conftest import HERE, call, run

EXAMPLES = sorted((HERE.parents[1] / "examples").glob("*/make.py"))


@pytest.mark.parametrize("script", EXAMPLES, ids=[script.parent.name for script in EXAMPLES])
def test_the_example_is_what_its_script_exports(blender: str, script: Path, tmp_path: Path) -> None:
    run([blender, str(script), str(tmp_path / "example.blend"), "--export", str(tmp_path / "export")], tmp_path)
    assert (tmp_path / "example.blend").is_file()
    call(blender, "cases.example:compare_with_committed", tmp_path, EXAMPLE=str(script.parent))
    call(blender, "cases.example:check_that_it_can_be_exported_again", tmp_path, EXAMPLE=str(script.parent))
