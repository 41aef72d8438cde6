# SPDX-FileCopyrightText: 2026 The Dollop founders
# SPDX-License-Identifier: GPL-3.0-or-later
"""Heaters and temperatures, from the panel to the scene file."""

from __future__ import annotations

from pathlib import Path

import bpy
import numpy as np

import tools
from tools import cube, expect_error, export, exported_vertices, square


def case_a_heater_is_a_region_that_may_move(folder: Path) -> None:
    scene = tools.fresh(folder)
    scene.unit_settings.scale_length = 0.1
    cube("body", "BODY")
    assert "heaters" not in export(folder)
    heater = cube("torch", "HEATER")
    heater.location = (0, 0, 30)
    effect = {"type": "temperature", "temperature": 400.0, "response": 0.5}
    entry = export(folder)["heaters"][0]
    assert entry["name"] == "torch" and entry["effect"] == effect and not {"motion", "values"} & set(entry)
    assert np.allclose(entry["transform"]["translation"], (0, 0, 3)) and entry["shape"]["type"] == "mesh"
    assert np.isclose(np.abs(exported_vertices(folder, entry)).max(), 0.1)
    heater.dollop.heater.effect.type = "power"
    heater.dollop.heater.effect.power_settings.power = -250.0
    for frame in (1, 4):
        heater.location.x = 10 * frame
        heater.keyframe_insert("location", frame=frame)
    entry = export(folder)["heaters"][0]
    assert entry["effect"] == {"type": "power", "power": -250.0} and "transform" not in entry
    assert [key["frame"] for key in entry["motion"]] == [1, 2, 3, 4]
    assert [entry["motion"][i]["transform"]["translation"][0] for i in (0, -1)] == [1.0, 4.0]


def case_heaters_that_cannot_be_baked(folder: Path) -> None:
    from addon.export.problems import ExportError

    tools.fresh(folder)
    cube("body", "BODY")
    sheet = square("sheet", "HEATER")
    told = "The heater 'sheet' is not a closed surface (4 edges without a face on each side): add a Remesh"
    expect_error(ExportError, told, export, folder)
    sheet.dollop.kind = "NONE"
    bending = cube("bending", "HEATER")
    modifier = bending.modifiers.new("bend", "SIMPLE_DEFORM")
    for frame, factor in ((2, 0.0), (4, 1.0)):
        modifier.factor = factor
        modifier.keyframe_insert("factor", frame=frame)
    expect_error(ExportError, "The heater 'bending' changes its shape at frame 3", export, folder)


def case_a_heater_is_a_wireframe_for_as_long_as_it_is_one(folder: Path) -> None:
    tools.fresh(folder)
    body, heater = cube("body", "BODY"), cube("heater")
    heater.display_type = "SOLID"

    def look(source: bpy.types.Object) -> tuple[str, bool]:
        return source.display_type, source.hide_render

    for kind in ("NONE", "BODY", "COLLIDER"):
        heater.dollop.kind = "HEATER"
        assert look(heater) == ("WIRE", True)
        heater.dollop.kind = kind
        assert look(heater) == ("SOLID", False), kind
    heater.dollop.kind = "HEATER"
    tools.bake()
    assert look(body) == look(heater) == ("WIRE", True)
    body.dollop.kind = "BODY"
    assert look(body) == ("WIRE", True), "a body stays hidden while its bake is shown"
    bpy.ops.dollop.free()
    assert look(body) == ("TEXTURED", False) and look(heater) == ("WIRE", True)
