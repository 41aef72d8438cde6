# SPDX-FileCopyrightText: 2026 The Dollop founders
# SPDX-License-Identifier: GPL-3.0-or-later
"""Tools that join and cut sheets, from the panel to the scene file."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace

import bpy
import numpy as np

import tools
from cases.heating import curves
from cases.pinning import pin, sheet
from cases.real import particles
from cases.settings import Recorder
from tools import cube, expect_error, export, exported_vertices, square


def case_a_tool_is_a_region_that_may_move(folder: Path) -> None:
    scene = tools.fresh(folder)
    scene.unit_settings.scale_length = 0.1
    sheet()
    assert "tools" not in export(folder)
    cube("torch", "HEATER")
    tool = cube("knife", "TOOL")
    tool.location = (0, 0, 30)
    document = export(folder)
    (entry,) = document["tools"]
    assert set(entry) == {"name", "shape", "transform", "action"} and entry["name"] == "knife"
    assert entry["action"] == "join" and np.allclose(entry["transform"]["translation"], (0, 0, 3))
    assert np.isclose(np.abs(exported_vertices(folder, entry)).max(), 0.1)
    assert [one["name"] for one in document["heaters"]] == ["torch"] and document["colliders"] == []
    tool.dollop.tool.action = "cut"
    for frame in (1, 4):
        tool.location.x = 10 * frame
        tool.keyframe_insert("location", frame=frame)
    (entry,) = export(folder)["tools"]
    assert entry["action"] == "cut" and "transform" not in entry
    assert [key["frame"] for key in entry["motion"]] == [1, 2, 3, 4]
    assert [entry["motion"][i]["transform"]["translation"][0] for i in (0, -1)] == [1.0, 4.0]


def case_wrong_tools_are_refused(folder: Path) -> None:
    from addon.export.problems import ExportError

    tools.fresh(folder)
    sheet()
    flat = square("flat", "TOOL")
    told = "The tool 'flat' is not a closed surface (4 edges without a face on each side): add a Remesh"
    expect_error(ExportError, told, export, folder)
    flat.dollop.kind = "NONE"
    bending = cube("bending", "TOOL")
    modifier = bending.modifiers.new("bend", "SIMPLE_DEFORM")
    for frame, factor in ((2, 0.0), (4, 1.0)):
        modifier.factor = factor
        modifier.keyframe_insert("factor", frame=frame)
    expect_error(ExportError, "The tool 'bending' changes its shape at frame 3", export, folder)


def case_a_tool_is_a_wireframe_for_as_long_as_it_is_one(folder: Path) -> None:
    tools.fresh(folder)
    sheet()
    tool = cube("knife")

    def look() -> tuple[str, bool]:
        return tool.display_type, tool.hide_render

    for kinds in (("TOOL", "NONE"), ("HEATER", "TOOL", "COLLIDER")):
        for kind in kinds[:-1]:
            tool.dollop.kind = kind
            assert look() == ("WIRE", True), kind
        tool.dollop.kind = kinds[-1]
        assert look() == ("TEXTURED", False), kinds
    tool.dollop.kind = "TOOL"
    tools.bake()
    bpy.ops.dollop.free()
    assert look() == ("WIRE", True)
    tool.hide_viewport = True
    from addon.export import write

    exported = write(bpy.context.scene, bpy.context.view_layer, folder / "told")
    assert any("Baked though hidden: 'knife'" in warning for warning in exported.warnings)
    assert exported.names["tools"] == ["knife"]


def case_the_panel_of_a_tool_has_its_action(folder: Path) -> None:
    from addon.ui import panels

    tools.fresh(folder)
    drawn: list[tuple[str, str]] = []
    context = SimpleNamespace(object=cube("knife", "TOOL"))
    panels.DOLLOP_PT_physics.draw(SimpleNamespace(layout=Recorder(drawn)), context)
    assert [name for _, name in drawn] == ["kind", "tool_shape", "action"]


def solver_reads_pins_and_tools(folder: Path) -> None:
    """The solver of this repository accepts the export."""
    scene = tools.fresh(folder, fake=False)
    scene.frame_end = 2
    scene.dollop.settings.particle_spacing = 0.2
    body = sheet("flag")
    body.dollop.body.material.oriented_settings.stretch_stiffness = 200
    pin(body)
    hand = tools.empty("hand")
    pin(body, "other", hand)
    for frame in (1, 2):
        hand.location.z = 0.01 * frame
        hand.keyframe_insert("location", frame=frame)
    for name, action in (("needle", "join"), ("knife", "cut")):
        cube(name, "TOOL", 0.3).dollop.tool.action = action
    ended = tools.bake()
    # Both hold the same vertices.
    assert ended.run.progress.finished == 2 and len(ended.warnings) == 2, ended.warnings
    assert '"top" and "other"' in ended.warnings[0] and "move differently" in ended.warnings[0]
    # The scene has only one sheet.
    assert '"needle" has joined nothing' in ended.warnings[1]


def solver_holds_what_is_pinned(folder: Path) -> None:
    """The pinned edge of a hanging flag follows the hand to the digit, and the rest falls."""
    scene = tools.fresh(folder, fake=False)
    scene.frame_end = 5
    scene.dollop.settings.particle_spacing = 0.1
    scene.dollop.settings.output.use_particles = True
    body = sheet("flag")
    body.dollop.body.material.oriented_settings.stretch_stiffness = 200
    hand = tools.empty("hand")
    pin(body, target=hand)
    for frame in (1, 5):
        hand.location.z = 0.05 * (frame - 1)
        hand.keyframe_insert("location", frame=frame)
    for curve in curves(hand):
        for key in curve.keyframe_points:
            key.interpolation = "LINEAR"
    assert not tools.bake().warnings
    first, last = (particles(scene, frame) for frame in (1, 5))
    # The outermost row.
    held = first[:, 1] > 0.95
    assert held.sum() >= 10 and np.allclose(last[held] - first[held], (0, 0, 0.2), atol=1e-5)
    assert (last[~held] - first[~held])[:, 2].min() < -0.05


def case_an_outflow_is_a_region_that_removes_matter(folder: Path) -> None:
    """From the panel to the scene file; the remaining particles keep their ids, and an empty surface shows no
    matter."""
    tools.fresh(folder)
    cube("drop", "BODY")
    assert "outflows" not in export(folder)
    drain = cube("drain", "OUTFLOW")
    assert drain.display_type == "WIRE" and drain.hide_render
    drain.location = (0, 0, -30)
    drain.dollop.outflow.inverted = True
    (entry,) = export(folder)["outflows"]
    assert set(entry) == {"name", "shape", "transform", "inverted"} and entry["inverted"]
    assert np.allclose(entry["transform"]["translation"], (0, 0, -30))
