# SPDX-FileCopyrightText: 2026 The Dollop founders
# SPDX-License-Identifier: GPL-3.0-or-later
"""The presets against the schema and the solver, without Blender."""

from __future__ import annotations

import json
import runpy
import subprocess
from pathlib import Path

import pytest
from conftest import HERE

from addon import presets
from addon.settings import schema

PRESETS = {preset.name: preset for preset in presets.load()}
PAGE = (HERE.parents[1] / "docs/presets.md").read_text(encoding="utf-8")
WRITTEN = runpy.run_path(str(HERE.parents[1] / "tools/preset_tables.py"))["written"]


def is_sheet(preset: presets.Preset) -> bool:
    return preset.settings["material"]["type"] == "oriented"


SHEETS = [name for name, preset in PRESETS.items() if is_sheet(preset)]


def written_scene(preset: presets.Preset, folder: Path) -> Path:
    """A ball or a sheet of the matter, as large as the page says, above a floor."""
    (folder / "sheet.obj").write_text("v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nf 1 2 3 4\n", encoding="ascii")
    sheet, ball = {"type": "mesh", "path": "sheet.obj"}, {"type": "sphere", "radius": 0.15}
    path = folder / "scene.json"
    path.write_text(json.dumps(scene(preset, sheet if is_sheet(preset) else ball)), encoding="utf-8")
    return path


def scene(preset: presets.Preset, shape: dict) -> dict:
    place = {"transform": {"translation": [0, 0, 0.2]}}
    return {
        "version": 1,
        "frames": {"start": 1, "end": 2, "rate": 24},
        "particle_spacing": 0.02 if is_sheet(preset) else 0.03,
        "heat": {"rate": 100},
        "bodies": [{"name": preset.name, "shape": shape, **place, **preset.settings}],
        "colliders": [{"name": "floor", "shape": {"type": "plane"}}],
        "output": {"particles": {}},
    }


# These presets are meant to collapse under their own weight.
FLOWING = ("soft_dough", "soft_toffee")


@pytest.mark.parametrize("name", PRESETS)
def test_the_solver_accepts_it_without_a_warning(solver: str, name: str, tmp_path: Path) -> None:
    path = written_scene(PRESETS[name], tmp_path)
    ended = subprocess.run([solver, "check", str(path)], capture_output=True, text=True, check=False)
    told = [line for line in (ended.stdout + ended.stderr).splitlines() if "warning" in line.lower()]
    if name in FLOWING:
        assert len(told) == 1 and "unless it is meant to flow" in told.pop(), ended
    assert ended.returncode == 0 and not told, ended


@pytest.mark.parametrize("name", PRESETS)
def test_it_names_every_setting_of_its_matter(name: str) -> None:
    """So that a changed default changes no preset."""
    settings = PRESETS[name].settings
    assert list(settings) == ["temperature", "material", "heat"]
    body = {setting.key: setting for setting in schema.load().body.settings}
    assert_whole(settings["heat"], body["heat"].settings)
    material = dict(settings["material"])
    kind = material.pop("type")
    assert_whole(material, next(case.settings for case in body["material"].cases if case.item.value == kind))


def assert_whole(values: dict, settings: tuple[schema.Setting, ...]) -> None:
    """That all settings have a value, also those within others."""
    assert set(values) == {setting.key for setting in settings}
    for setting in settings:
        if isinstance(setting, schema.Group):
            assert_whole(values[setting.key], setting.settings)


def test_the_page_has_the_tables_of_their_values() -> None:
    assert WRITTEN(PAGE) == PAGE, "write them anew: python3 tools/preset_tables.py"
    with pytest.raises(ValueError, match="no place for the table of `soft`"):
        WRITTEN(PAGE.replace("<!-- presets: soft -->", ""))
    with pytest.raises(ValueError, match="a place for a table of `no-matter`"):
        WRITTEN(PAGE + "<!-- presets: no-matter -->\n\n\n<!-- end -->\n")


@pytest.mark.parametrize("name", SHEETS)
def test_the_page_has_the_steps_of_sheets(solver: str, name: str, tmp_path: Path) -> None:
    path = written_scene(PRESETS[name], tmp_path)
    ended = subprocess.run([solver, "check", "--json", str(path)], capture_output=True, text=True, check=True)
    steps = json.loads(ended.stdout)["steps_per_frame"]
    row = next(line for line in reversed(PAGE.splitlines()) if line.startswith(f"| {name} | "))
    assert row.split(" | ")[1] == str(steps), row


@pytest.mark.parametrize("name", SHEETS)
def test_a_sheet_that_heat_does_not_soften_stays_below_its_solidus(name: str) -> None:
    settings = PRESETS[name].settings
    assert PRESETS[name].softens == (settings["heat"]["solidus"] < 1000), "cloth burns, and does not melt"
