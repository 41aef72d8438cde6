# SPDX-FileCopyrightText: 2026 The Dollop founders
# SPDX-License-Identifier: GPL-3.0-or-later
"""The scene files and meshes of the examples equal the exports of their scripts, and the hand-written ones can be
shown."""

from __future__ import annotations

import ast
import json
from pathlib import Path

import pytest
from conftest import HERE, call, run

SCRIPTS = sorted((HERE.parents[1] / "examples").glob("*/make.py"))
EXPORTED = [script for script in SCRIPTS if (script.parent / "shapes").is_dir()]
BY_HAND = [script for script in SCRIPTS if script not in EXPORTED and (script.parent / "scene.json").is_file()]


def _names(scripts: list[Path]) -> list[str]:
    return [script.parent.name for script in scripts]


@pytest.mark.parametrize("script", EXPORTED, ids=_names(EXPORTED))
def test_the_example_equals_the_export_of_its_script(blender: str, script: Path, tmp_path: Path) -> None:
    run([blender, str(script), str(tmp_path / "example.blend"), "--export", str(tmp_path / "export")], tmp_path)
    assert (tmp_path / "example.blend").is_file()
    call(blender, "cases.example:compare_with_committed", tmp_path, EXAMPLE=str(script.parent))
    call(blender, "cases.example:check_that_it_can_be_exported_again", tmp_path, EXAMPLE=str(script.parent))


@pytest.mark.parametrize("script", BY_HAND, ids=_names(BY_HAND))
def test_the_example_by_hand_is_shown(blender: str, solver: str, script: Path, tmp_path: Path) -> None:
    scene = json.loads((script.parent / "scene.json").read_text())
    scene["particle_spacing"] *= 4.0
    (tmp_path / "scene.json").write_text(json.dumps(scene))
    run([solver, "bake", "scene.json", "--cache", "cache", "--frames", str(scene["frames"]["start"])], tmp_path)
    run([blender, str(script), "example.blend", "cache"], tmp_path)
    assert (tmp_path / "example.blend").is_file()


def _colours_bodies(script: Path) -> bool:
    """Whether a script gives more than one body its own colour."""
    calls = [node for node in ast.walk(ast.parse(script.read_text())) if isinstance(node, ast.Call)]
    colours = [call.args[1] for call in calls if ast.unparse(call.func) == "stage.colour"]
    return any(not isinstance(given, ast.List) or len(given.elts) > 1 for given in colours)


@pytest.mark.parametrize("script", EXPORTED + BY_HAND, ids=_names(EXPORTED + BY_HAND))
def test_examples_with_coloured_bodies_have_meshes_with_sources(script: Path) -> None:
    mesh = json.loads((script.parent / "scene.json").read_text())["output"].get("mesh", {})
    assert not _colours_bodies(script) or "source" in mesh.get("attributes", [])


def test_a_torus_is_fitted_as_on_its_page(blender: str, solver: str, tmp_path: Path) -> None:
    script = HERE.parents[1] / "examples" / "torus-through-points" / "make.py"
    run([blender, str(script), solver, str(tmp_path)], tmp_path)
    assert (tmp_path / "torus.obj").is_file()
