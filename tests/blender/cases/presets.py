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


def case_firmness_follows_the_height_of_the_body(folder: Path) -> None:
    scene = tools.fresh(folder)
    scene.unit_settings.scale_length = 0.01
    low, high = cube("low", "BODY"), cube("high", "BODY")
    low.dimensions, high.dimensions = (10.0, 10.0, 3.0), (10.0, 10.0, 90.0)
    bpy.context.view_layer.update()
    select(low, high)
    wanted = {
        "thermal_chocolate": {"dissociation_energy": 30, "molten dissociation_energy": 30, "molten stiffness": 30},
        "smoothed_lava": {"stiffness": 1, "molten stiffness": 1},
        "chocolate": {"shear_modulus": 30, "strength": 30, "fracture_energy": 900, "viscosity": 164},
        "wax": {"yield_stress": 30, "molten viscosity": 1},
        "clay": {"shear_modulus": 1, "yield_stress": 1, "viscosity": 1},
    }
    for name, ratios in wanted.items():
        bpy.ops.dollop.preset(preset=name)
        found = {entry["name"]: flat(entry["material"]) for entry in export(folder)["bodies"]}
        for key, ratio in ratios.items():
            assert isclose(found["high"][key] / found["low"][key], ratio, rel_tol=0.05), (name, key, found)


def flat(material: dict) -> dict:
    return material | {f"molten {key}": value for key, value in material.get("molten", {}).items()}


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
    assert kinds == ["continuum"] * 4
    bpy.ops.dollop.preset(preset="thermal_ice")
    kinds = [one.dollop.body.material.type for one in (active, selected, other, wall)]
    assert kinds == ["thermal", "thermal", "continuum", "continuum"]
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
    assert body.use_temperature and body.material.continuum_settings.use_molten and body.heat.solidus > 1000.0
    bpy.ops.ed.undo()
    body = bpy.data.objects["body"].dollop.body
    assert not body.use_temperature and not body.material.continuum_settings.use_molten
    assert abs(body.heat.solidus - 323.15) < 1e-3


def case_the_menu_lists_them(folder: Path) -> None:
    from addon.presets import load
    from addon.ui import panels, presets

    tools.fresh(folder)
    found = bpy.ops.dollop.preset.get_rna_type().properties["preset"].enum_items
    wanted = [(preset.label, preset.description) for preset in load()]
    assert [(item.name, item.description) for item in found] == wanted and all(text for _, text in wanted)
    drawn: list[tuple[str, str]] = []
    for menu in (presets.DOLLOP_MT_presets, presets.DOLLOP_MT_sheet_presets, presets.DOLLOP_MT_particle_presets):
        entries: list[SimpleNamespace] = []
        menu.draw(SimpleNamespace(layout=Entries(entries)), bpy.context)
        drawn += [(entry.text, presets.DOLLOP_OT_preset.description(None, entry)) for entry in entries]
    assert sorted(drawn) == sorted(wanted)
    for kind, wanted in (("BODY", ["DOLLOP_MT_presets"]), ("COLLIDER", [])):
        menus = []
        layout = Menus(menus)
        context = SimpleNamespace(object=cube("cube", kind))
        panels.DOLLOP_PT_physics.draw(SimpleNamespace(layout=layout), context)
        assert menus == wanted, kind


class Entries(Recorder):
    """Records the operators that were drawn, with what was set on them."""

    def __init__(self, entries: list[SimpleNamespace]) -> None:
        super().__init__([])
        object.__setattr__(self, "entries", entries)

    def operator(self, name: str, text: str) -> SimpleNamespace:
        assert name == "dollop.preset"
        self.entries.append(SimpleNamespace(text=text))
        return self.entries[-1]

    def separator(self) -> None:
        pass

    def menu(self, name: str) -> None:
        assert hasattr(bpy.types, name)


class Menus(Recorder):
    """Records which menus were drawn."""

    def __init__(self, menus: list[str]) -> None:
        super().__init__([])
        object.__setattr__(self, "menu", menus.append)
