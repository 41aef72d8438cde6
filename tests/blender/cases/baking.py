# SPDX-FileCopyrightText: 2026 The Dollop founders
# SPDX-License-Identifier: GPL-3.0-or-later
"""Baking with a fake solver: folders, objects, errors."""

from __future__ import annotations

import contextlib
import io
import json
import os
import time
from pathlib import Path
from types import SimpleNamespace

import bpy

import tools
from tools import bake, cube, expect_error, shown


def case_bake_loads_the_result(folder: Path) -> None:
    scene = tools.fresh(folder)
    body = cube("body", "BODY")
    assert bpy.ops.dollop.bake() == {"FINISHED"}
    assert scene.dollop.folder == "//dollop_cache/Scene/bake_0001"
    assert (folder / "project/dollop_cache/Scene/bake_0001/cache/bake.json").is_file()
    assert abs(shown(3) - 0.75) < 1e-6
    assert body.hide_render and body.display_type == "WIRE" and not scene.dollop.surface.hide_render
    assert scene.dollop.volume is None and scene.dollop.particles is None


def case_a_rebake_keeps_objects_materials_and_transforms(folder: Path) -> None:
    scene = tools.fresh(folder)
    cube("body", "BODY")
    scene.dollop.settings.output.use_particles = True
    bake()
    surface, particles = scene.dollop.surface, scene.dollop.particles
    mine = bpy.data.materials.new("mine")
    surface.material_slots[0].material = mine
    surface.location, surface.scale = (0, 0, 5), (2, 2, 2)
    surface.modifiers.new("more", "SUBSURF").levels = 0
    scene.dollop.settings.output.use_particles = False
    count = len(bpy.data.objects)
    bake()
    assert scene.dollop.folder.endswith("bake_0002") and scene.dollop.surface == surface
    assert len(bpy.data.objects) == count and surface.material_slots[0].material == mine
    assert tuple(surface.location) == (0, 0, 5) and tuple(surface.scale) == (2, 2, 2)
    assert [m.name for m in surface.modifiers] == ["Dollop", "more"]
    assert particles.hide_render and particles.hide_viewport
    scene.dollop.settings.output.use_particles = True
    bake()
    assert scene.dollop.particles == particles and not particles.hide_render and not particles.hide_viewport


def case_old_bakes_go_only_when_the_saved_file_does_not_need_them(folder: Path) -> None:
    scene = tools.fresh(folder)
    cube("body", "BODY")
    root = folder / "project/dollop_cache/Scene"
    names = lambda: sorted(path.name for path in root.iterdir())  # noqa: E731
    bake()
    bpy.ops.wm.save_mainfile()
    bake()
    assert names() == ["bake_0001", "bake_0002"], "the file on disk still shows the first"
    time.sleep(0.05)
    bpy.ops.wm.save_mainfile()
    bake()
    assert names() == ["bake_0002", "bake_0003"]
    keeper = bpy.data.volumes.new("other")
    keeper.filepath = "//dollop_cache/Scene/bake_0002/cache/volume/volume_0001.vdb"
    time.sleep(0.05)
    bpy.ops.wm.save_mainfile()
    bake()
    assert names() == ["bake_0002", "bake_0003", "bake_0004"], "another volume still shows the second"
    assert len(scene.dollop.superseded) == 2


def case_another_file_with_the_same_scene_keeps_its_bakes(folder: Path) -> None:
    tools.fresh(folder)
    cube("body", "BODY")
    bake()
    bpy.ops.wm.save_mainfile()
    bpy.ops.wm.save_as_mainfile(filepath=str(folder / "project/second.blend"))
    for _ in range(2):
        bake()
        time.sleep(0.05)
        bpy.ops.wm.save_mainfile()
    bake()
    assert (folder / "project/dollop_cache/Scene/bake_0001/cache/bake.json").is_file()


def case_errors_reach_the_user_and_leave_the_bake_before(folder: Path) -> None:
    from addon.session import BakeError, status

    scene = tools.fresh(folder)
    cube("body", "BODY")
    bake()
    before = scene.dollop.folder
    for behaviour, words in (("refuse", "'body': the mesh is open\nclose it"), ("crash", "out of cheese")):
        os.environ["FAKE_SOLVER"] = behaviour
        expect_error(BakeError, words, bake)
        assert words in status.last(scene)[0]
        expect_error(RuntimeError, words, bpy.ops.dollop.bake)
        assert scene.dollop.folder == before and status.session is None
    os.environ["DOLLOP_BINARY"] = "/nowhere/dollop"
    expect_error(BakeError, "/nowhere/dollop", bake)
    assert abs(shown(2) - 0.5) < 1e-6


def case_an_error_names_the_object_and_the_setting(folder: Path) -> None:
    from addon.session import BakeError, status

    scene = tools.fresh(folder, "misfit")
    for name in ("Wax block", "Ball", "Candle"):
        cube(name, "BODY")
    # Bodies are exported in the order of their names.
    told = "'Candle': Heat > Liquidus: must not be below the solidus, 300 K, but is 280 K"
    expect_error(BakeError, told, bake)
    assert status.last(scene) == (told, [])
    expect_error(RuntimeError, told, bpy.ops.dollop.bake)


def case_a_scene_that_cannot_be_exported_leaves_no_folder(folder: Path) -> None:
    from addon.session import BakeError

    tools.fresh(folder)
    tools.square("sheet", "BODY")
    expect_error(BakeError, "Remesh", bake)
    assert list((folder / "project/dollop_cache/Scene").iterdir()) == []


def case_a_cancelled_bake_shows_the_frames_so_far(folder: Path) -> None:
    from addon.bake.runner import State
    from addon.session import status

    scene = tools.fresh(folder, "slow")
    cube("body", "BODY")
    running = status.begin(scene, bpy.context.view_layer)
    while running.run.poll() is State.RUNNING and running.run.progress.finished < 2:
        time.sleep(0.02)
    assert bpy.ops.dollop.cancel() == {"FINISHED"}
    running.run.wait()
    assert status.end().run.state is State.CANCELLED
    assert abs(shown(2) - 0.5) < 1e-6 and abs(shown(4) - 0.5) < 1e-6


def case_the_panel_says_how_to_stop_at_once(folder: Path) -> None:
    from addon.session import status
    from addon.ui import panels
    from cases.settings import Recorder

    class Texts(Recorder):
        def label(self, text: str = "", **_: object) -> None:
            self.drawn.append(text)

        def operator(self, name: str, text: str = "", **_: object) -> None:
            self.drawn.append(f"{name} {text}")

        def progress(self, text: str, **_: object) -> None:
            self.drawn.append(text)

    def drawn() -> str:
        texts: list = []
        context = SimpleNamespace(scene=scene, region=SimpleNamespace(width=300))
        panels.DOLLOP_PT_scene.draw(SimpleNamespace(layout=Texts(texts)), context)
        return " ".join(text for text in texts if isinstance(text, str))

    scene = tools.fresh(folder, "deaf")
    cube("body", "BODY")
    running = status.begin(scene, bpy.context.view_layer)
    expect_error(RuntimeError, "A bake is running: wait", bpy.ops.dollop.temperature_colours)
    assert "dollop.cancel" in drawn() and "Stop Now" not in drawn()
    bpy.ops.dollop.cancel()
    assert "Stopping..." in drawn() and "press Stop Now" in drawn(), drawn()
    assert "dollop.cancel Stop Now" in drawn()
    bpy.ops.dollop.cancel()
    running.run.wait()
    status.end()
    assert "dollop.bake" in drawn() and "dollop.cancel" not in drawn()


def case_a_bake_cancelled_before_its_first_frame_changes_nothing(folder: Path) -> None:
    from addon.session import status

    scene = tools.fresh(folder, "waiting")
    body = cube("body", "BODY")
    running = status.begin(scene, bpy.context.view_layer)
    while not running.run.progress.total:
        running.run.poll()
        time.sleep(0.02)
    running.run.cancel()
    running.run.wait()
    status.end()
    assert scene.dollop.folder == "" and scene.dollop.surface is None and not body.hide_render
    assert list((folder / "project/dollop_cache/Scene").iterdir()) == []


def case_free_deletes_the_files_and_shows_the_bodies(folder: Path) -> None:
    scene = tools.fresh(folder)
    body = cube("body", "BODY")
    body.display_type = "SOLID"
    bake()
    surface = scene.dollop.surface
    assert bpy.ops.dollop.free() == {"FINISHED"}
    assert not (folder / "project/dollop_cache/Scene/bake_0001").exists() and scene.dollop.folder == ""
    assert not body.hide_render and body.display_type == "SOLID" and surface.hide_render and surface.hide_viewport
    expect_error(RuntimeError, "shows no bake: press Bake", bpy.ops.dollop.free)
    bake()
    assert scene.dollop.surface == surface and not surface.hide_render and not surface.hide_viewport


def case_removing_dollop_from_a_body_shows_it_again(folder: Path) -> None:
    tools.fresh(folder)
    body = cube("body", "BODY")
    bake()
    with bpy.context.temp_override(object=body):
        bpy.ops.dollop.toggle()
    assert body.dollop.kind == "NONE" and not body.hide_render


def case_an_object_that_leaves_the_bodies_regains_its_look(folder: Path) -> None:
    tools.fresh(folder)
    bodies = [cube(name, "BODY") for name in ("plain", "bounds", "hidden")]
    bodies[1].display_type = "BOUNDS"
    bodies[2].hide_render = bodies[2].hide_viewport = True
    before = [(o.display_type, o.hide_render, o.hide_viewport) for o in bodies]
    for kind in ("NONE", "COLLIDER"):
        for body in bodies:
            body.dollop.kind = "BODY"
        bake()
        assert all(o.hide_render and o.display_type == "WIRE" for o in bodies)
        for body in bodies:
            body.dollop.kind = kind
        assert [(o.display_type, o.hide_render, o.hide_viewport) for o in bodies] == before


def case_an_unsaved_file_bakes_into_a_temporary_folder(folder: Path) -> None:
    scene = tools.fresh(folder, saved=False)
    cube("body", "BODY")
    ended = bake()
    assert any("not saved" in warning for warning in ended.warnings)
    assert Path(scene.dollop.folder).is_relative_to(bpy.app.tempdir) and abs(shown(4) - 1.0) < 1e-6


def case_an_empty_cache_folder_is_the_default(folder: Path) -> None:
    scene = tools.fresh(folder)
    cube("body", "BODY")
    for empty in ("", "  "):
        scene.dollop.root = empty
        bake()
        assert scene.dollop.folder.startswith("//dollop_cache/Scene/bake_"), scene.dollop.folder


def case_an_impossible_cache_folder_is_reported(folder: Path) -> None:
    from addon.session import BakeError

    scene = tools.fresh(folder)
    cube("body", "BODY")
    (folder / "file").write_text("mine", encoding="utf-8")
    for root, words in ((folder / "file", "Not a directory"), (Path("/proc/none"), "No such file")):
        scene.dollop.root = str(root)
        expect_error(BakeError, f"The Cache Folder cannot be used, as {root}", bake)
        expect_error(BakeError, words, bake)
        expect_error(BakeError, "choose another one", bake)
    assert (folder / "file").read_text(encoding="utf-8") == "mine"


def case_command_line(folder: Path) -> None:
    from addon.command_line import BAD_USAGE, FAILED, OK, run

    scene = tools.fresh(folder)
    cube("body", "BODY")
    scene.name = "Main"
    bpy.ops.wm.save_mainfile()
    file = bpy.data.filepath
    assert run(["bake", file, "--cache", str(folder / "caches"), "--save"]) == OK
    assert (folder / "caches/Main/bake_0001/cache/bake.json").is_file()
    bpy.ops.wm.open_mainfile(filepath=file)
    assert abs(shown(4) - 1.0) < 1e-6
    assert run(["export", file, "--scene", "Main", "--output", str(folder / "out")]) == OK
    assert (folder / "out/scene.json").is_file()
    assert run(["bake", file, "--scene", "Absent"]) == FAILED
    assert run(["bake", str(folder / "absent.blend")]) == FAILED
    assert run(["bake"]) == BAD_USAGE
    os.environ["FAKE_SOLVER"] = "refuse"
    assert run(["bake", file]) == FAILED


def case_the_command_line_bakes_the_same_view_layer_as_the_button(folder: Path) -> None:
    from addon.command_line import FAILED, OK, run

    scene = tools.fresh(folder)
    other = bpy.data.collections.new("other")
    scene.collection.children.link(other)
    cube("plain", "BODY")
    moved = cube("in the second layer only", "BODY")
    scene.collection.objects.unlink(moved)
    other.objects.link(moved)
    first, second = scene.view_layers[0].name, scene.view_layers.new("second").name
    scene.view_layers[0].layer_collection.children["other"].exclude = True
    bpy.context.window.view_layer = scene.view_layers[second]
    bpy.ops.wm.save_mainfile()
    file = bpy.data.filepath

    def exported(*options: str) -> int:
        assert run(["export", file, "--output", str(folder / "out"), *options]) == OK
        return len(json.loads((folder / "out/scene.json").read_text(encoding="utf-8"))["bodies"])

    assert exported() == 2 and exported("--view-layer", first) == 1 and exported("--view-layer", second) == 2
    assert run(["bake", file]) == OK
    baked = folder / "project/dollop_cache/Scene/bake_0001/scene/scene.json"
    assert len(json.loads(baked.read_text(encoding="utf-8"))["bodies"]) == 2
    told = io.StringIO()
    with contextlib.redirect_stderr(told):
        assert run(["bake", file, "--view-layer", "third"]) == FAILED
    assert f"no view layer 'third'; it has: {first}, second" in told.getvalue()


def case_another_scene_of_the_file_is_baked_by_name(folder: Path) -> None:
    from addon.command_line import OK, run

    tools.fresh(folder)
    other = bpy.data.scenes.new("Other")
    body = cube("body", "BODY")
    body.modifiers.new("subdivision", "SUBSURF").levels = 1
    bpy.context.scene.collection.objects.unlink(body)
    other.collection.objects.link(body)
    other.frame_start, other.frame_end = 5, 6
    bpy.ops.wm.save_mainfile()
    assert run(["bake", bpy.data.filepath, "--scene", "Other"]) == OK
    found = bpy.data.scenes["Other"]
    assert found.dollop.surface.name in found.objects
    shapes = folder / "project/dollop_cache/Other/bake_0001/scene/shapes/000.obj"
    assert shapes.read_text(encoding="ascii").count("v ") == 26
