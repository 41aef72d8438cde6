# SPDX-FileCopyrightText: 2026 The Dollop founders
# SPDX-License-Identifier: GPL-3.0-or-later
"""Showing bakes from elsewhere, and warnings about bakes whose files are missing."""

from __future__ import annotations

import json
import shutil
import time
from pathlib import Path
from types import SimpleNamespace

import bpy
from files import write_cache

import tools
from cases.settings import Recorder
from tools import bake, cube, expect_error, shown


def panel_text() -> str:
    """All labels of the panel in the Scene tab."""
    from addon.ui import panels

    class Labels(Recorder):
        def label(self, text: str = "", **_: object) -> None:
            self.drawn.append(text)

        def operator(self, name: str, **_: object) -> None:
            self.drawn.append(name)

    drawn: list = []
    context = SimpleNamespace(scene=bpy.context.scene, region=SimpleNamespace(width=4000))
    panels.DOLLOP_PT_scene.draw(SimpleNamespace(layout=Labels(drawn)), context)
    return "\n".join(text for text in drawn if isinstance(text, str))


def change_index(cache: Path, **values: object) -> None:
    path = cache / "bake.json"
    path.write_text(json.dumps({**json.loads(path.read_text(encoding="utf-8")), **values}), encoding="utf-8")


def case_a_cache_made_elsewhere_is_shown(folder: Path) -> None:
    from addon.session import status

    scene = tools.fresh(folder)
    body = cube("body", "BODY")
    bake()
    farm = folder / "farm"
    write_cache(farm, [1, 2, 3, 4], ["mesh", "particles"])
    assert "dollop.load" in panel_text()
    assert bpy.ops.dollop.load(directory=str(farm) + "/") == {"FINISHED"}
    assert scene.dollop.folder == "//../farm" and status.last(scene) == ("", [])
    assert abs(shown(3) - 0.75) < 1e-6 and body.hide_render and not scene.dollop.particles.hide_render
    bpy.ops.wm.save_mainfile()
    bpy.ops.wm.save_as_mainfile(filepath=str(folder / "deeper.blend"))
    bpy.ops.wm.open_mainfile(filepath=str(folder / "deeper.blend"))
    assert abs(shown(3) - 0.75) < 1e-6 and "missing" not in panel_text()
    assert bpy.ops.dollop.free() == {"FINISHED"}
    state = bpy.context.scene.dollop
    assert state.folder == "" and state.surface.hide_render and not bpy.data.objects["body"].hide_render
    assert len(list(farm.rglob("*.ply"))) == 8, "what was loaded is not ours to delete"


def case_an_earlier_bake_is_shown_and_stays(folder: Path) -> None:
    scene = tools.fresh(folder)
    cube("body", "BODY")
    root = folder / "project/dollop_cache/Scene"
    bake()
    scene.frame_start, scene.frame_end = 11, 14
    bake()
    assert bpy.ops.dollop.load(directory=str(root / "bake_0001")) == {"FINISHED"}
    assert abs(shown(3) - 0.75) < 1e-6
    for number in (3, 4, 5):
        bake()
        assert scene.dollop.folder.endswith(f"bake_{number:04}")
        time.sleep(0.05)
        bpy.ops.wm.save_mainfile()
    names = sorted(path.name for path in root.iterdir())
    assert names == ["bake_0001", "bake_0004", "bake_0005"], names
    bpy.ops.dollop.load(directory=str(root / "bake_0005/cache"))
    bpy.ops.dollop.free()
    assert (root / "bake_0005/cache/bake.json").exists()


def case_a_folder_without_a_cache_is_refused_and_changes_nothing(folder: Path) -> None:
    scene = tools.fresh(folder)
    cube("body", "BODY")
    bake()
    before = scene.dollop.folder
    farm = folder / "farm"

    def refused(words: str) -> None:
        expect_error(RuntimeError, words, bpy.ops.dollop.load, directory=str(farm))
        assert scene.dollop.folder == before and abs(shown(3) - 0.75) < 1e-6

    refused("There is no folder")
    farm.mkdir()
    refused("is no cache: there is no bake.json in it")
    write_cache(farm, [], ["mesh"])
    refused("no frame of this bake is finished")
    write_cache(farm, [1, 2], ["mesh"])
    change_index(farm, version={"major": 2, "minor": 0})
    refused("this release reads 1.x")
    change_index(farm, version={"major": 1, "minor": 8}, frames={"rate": 0})
    refused("damaged")
    write_cache(farm, [1, 2], ["mesh"])
    shutil.rmtree(farm / "mesh")
    refused("none of the files")


def case_a_cache_unlike_the_scene_is_shown_with_a_warning(folder: Path) -> None:
    from addon import loading

    scene = tools.fresh(folder)
    farm = folder / "farm"
    write_cache(farm, [3, 4, 5], ["mesh"])
    change_index(farm, status="cancelled")
    scene.render.fps = 25
    (farm / "mesh/mesh_0004.ply").unlink()
    told = "\n".join(loading.load(scene, bpy.context.view_layer, farm))
    for words in ("cancelled", "frames 3 to 5, and the scene 1 to 4", "24 frames a second", "the first at frame 4"):
        assert words in told, (words, told)
    assert abs(shown(5) - 1.25) < 1e-6


def case_the_command_line_loads(folder: Path) -> None:
    from addon.command_line import FAILED, OK, run

    tools.fresh(folder)
    cube("body", "BODY")
    bpy.ops.wm.save_mainfile()
    file = bpy.data.filepath
    write_cache(folder / "farm", [1, 2, 3, 4], ["mesh"])
    assert run(["load", file, str(folder / "farm")]) == OK
    bpy.ops.wm.open_mainfile(filepath=file)
    assert abs(shown(3) - 0.75) < 1e-6 and bpy.data.objects["body"].hide_render
    assert run(["load", file, str(folder / "absent")]) == FAILED


def case_files_deleted_by_hand_are_missed(folder: Path) -> None:
    tools.fresh(folder)
    cube("body", "BODY")
    bake()
    cache = folder / "project/dollop_cache/Scene/bake_0001/cache"
    assert "missing" not in panel_text()
    (cache / "mesh/mesh_0002.ply").unlink()
    assert f"1 of the 4 files of this bake are missing; the first was looked for at {cache}/mesh/mesh_0002.ply" in (
        panel_text()
    )
    shutil.rmtree(folder / "project/dollop_cache")
    assert f"The files of this bake are missing; they were looked for in {cache}" in panel_text()
    bpy.ops.wm.save_mainfile()
    bpy.ops.wm.open_mainfile(filepath=bpy.data.filepath)
    assert f"looked for in {cache}" in panel_text()
    bpy.ops.dollop.free()
    assert "missing" not in panel_text() and not bpy.data.objects["body"].hide_render


def case_undo_after_free_reports_the_missing_files(folder: Path) -> None:
    tools.fresh(folder)
    cube("body", "BODY")
    bake()
    bpy.ops.ed.undo_push(message="baked")
    bpy.ops.dollop.free()
    bpy.ops.ed.undo_push(message="freed")
    assert "missing" not in panel_text()
    bpy.ops.ed.undo()
    assert bpy.context.scene.dollop.folder
    assert f"looked for in {folder}/project/dollop_cache/Scene/bake_0001/cache" in panel_text()
    bake()
    assert "missing" not in panel_text() and abs(shown(3) - 0.75) < 1e-6
