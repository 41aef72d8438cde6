# SPDX-FileCopyrightText: 2026 The Dollop founders
# SPDX-License-Identifier: GPL-3.0-or-later
"""Presets of matter, from the menu to the scene file."""

from __future__ import annotations

from math import isclose
from pathlib import Path
from types import SimpleNamespace

import bpy

import tools
from cases.settings import Recorder
from tools import cube, export


def select(*chosen: bpy.types.Object) -> None:
    """The first is the active one."""
    for source in bpy.context.scene.objects:
        source.select_set(source in chosen)
    bpy.context.view_layer.objects.active = chosen[0]


def case_each_is_exported_as_it_is(folder: Path) -> None:
    from addon import presets

    scene = tools.fresh(folder)
    scene.unit_settings.scale_length = 0.01
    body = cube("body", "BODY")
    # 30 cm, the height of the presets' bodies.
    body.dimensions = (10.0, 10.0, 30.0)
    bpy.context.view_layer.update()
    body.dollop.body.velocity = (1.0, 2.0, 3.0)
    select(body)
    before = export(folder)["bodies"][0]
    found = presets.load()
    for preset in found:
        assert bpy.ops.dollop.preset(preset=preset.name) == {"FINISHED"}
        entry = export(folder)["bodies"][0]
        assert is_same({key: entry[key] for key in preset.settings}, preset.settings), preset.name
        assert set(entry) == set(before) | set(preset.settings) and entry["velocity"] == before["velocity"]


def case_melting_matter_follows_the_height_of_the_body(folder: Path) -> None:
    scene = tools.fresh(folder)
    scene.unit_settings.scale_length = 0.01
    low, high = cube("low", "BODY"), cube("high", "BODY")
    low.dimensions, high.dimensions = (10.0, 10.0, 3.0), (10.0, 10.0, 90.0)
    bpy.context.view_layer.update()
    select(low, high)
    for name, follows in (("chocolate", True), ("lava", False)):
        bpy.ops.dollop.preset(preset=name)
        found = {entry["name"]: entry["material"] for entry in export(folder)["bodies"]}
        ratios = [found["high"]["molten"]["stiffness"] / found["low"]["molten"]["stiffness"]]
        if follows:
            ratios += [
                found["high"]["dissociation_energy"] / found["low"]["dissociation_energy"],
                found["high"]["molten"]["dissociation_energy"] / found["low"]["molten"]["dissociation_energy"],
            ]
        assert all(isclose(ratio, 30.0 if follows else 1.0, rel_tol=0.03) for ratio in ratios), ratios


def is_same(exported: object, wanted: object) -> bool:
    """To the last digit or the one before: lengths are converted by the unit scale."""
    if isinstance(wanted, dict):
        return set(exported) == set(wanted) and all(is_same(exported[key], wanted[key]) for key in wanted)
    return isclose(exported, wanted, rel_tol=1e-15) if isinstance(wanted, float) else exported == wanted


def case_it_is_for_all_selected_bodies_and_no_others(folder: Path) -> None:
    tools.fresh(folder)
    active, selected, other = (cube(name, "BODY") for name in ("active", "selected", "other"))
    wall = cube("wall", "COLLIDER")
    select(active, selected, wall)
    bpy.ops.dollop.preset(preset="ice")
    kinds = [one.dollop.body.material.type for one in (active, selected, other, wall)]
    assert kinds == ["thermal", "thermal", "smoothed", "smoothed"]
    select(wall)
    assert not bpy.ops.dollop.preset.poll()


def case_it_warns_where_no_heat_flows(folder: Path) -> None:
    from addon.ui.presets import DOLLOP_OT_preset

    scene = tools.fresh(folder)
    select(cube("body", "BODY"))
    # Heat does not change cloth.
    for name, softens in (("wax", True), ("film", True), ("cloth", False), ("clay", False)):
        for flows in (False, True):
            scene.dollop.settings.use_heat = flows
            told = []
            operator = SimpleNamespace(preset=name, report=lambda _, text, told=told: told.append(text))
            DOLLOP_OT_preset.execute(operator, bpy.context)
            assert told[0] == f"{name.title()}: body", told
            assert any("switch on Heat" in text for text in told) == (softens and not flows), told


def case_undo_takes_it_back(folder: Path) -> None:
    tools.fresh(folder)
    select(cube("body", "BODY"))
    bpy.ops.ed.undo_push(message="before")
    bpy.ops.dollop.preset(preset="lava")
    bpy.ops.ed.undo_push(message="after")
    body = bpy.data.objects["body"].dollop.body
    assert body.use_temperature and body.material.smoothed_settings.use_molten and body.heat.solidus > 1000.0
    bpy.ops.ed.undo()
    body = bpy.data.objects["body"].dollop.body
    assert not body.use_temperature and not body.material.smoothed_settings.use_molten
    assert abs(body.heat.solidus - 323.15) < 1e-3


def case_the_menu_lists_them(folder: Path) -> None:
    from addon.presets import load
    from addon.ui import panels, presets

    tools.fresh(folder)
    found = bpy.ops.dollop.preset.get_rna_type().properties["preset"].enum_items
    wanted = [(preset.label, preset.description) for preset in load()]
    assert [(item.name, item.description) for item in found] == wanted and all(text for _, text in wanted)
    drawn = []
    layout = SimpleNamespace(operator_enum=lambda *names: drawn.append(names))
    presets.DOLLOP_MT_presets.draw(SimpleNamespace(layout=layout), bpy.context)
    assert drawn == [("dollop.preset", "preset")]
    for kind, wanted in (("BODY", ["DOLLOP_MT_presets"]), ("COLLIDER", [])):
        menus = []
        layout = Menus(menus)
        context = SimpleNamespace(object=cube("cube", kind))
        panels.DOLLOP_PT_physics.draw(SimpleNamespace(layout=layout), context)
        assert menus == wanted, kind


class Menus(Recorder):
    """Records which menus were drawn."""

    def __init__(self, menus: list[str]) -> None:
        super().__init__([])
        object.__setattr__(self, "menu", menus.append)
