# SPDX-FileCopyrightText: 2026 The Dollop founders
# SPDX-License-Identifier: GPL-3.0-or-later
"""Writing jobs for render farms, and showing a farm's bakes."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path
from types import SimpleNamespace

import bpy
from files import write_cache

import tools
from cases.settings import Recorder
from tools import bake, camera_and_light, cube, expect_error, shown


def bakes(folder: Path) -> list[str]:
    return sorted(path.name for path in (folder / "project/dollop_cache/Scene").iterdir())


def panel_text() -> str:
    """All labels of the panel."""
    from addon.ui import farm

    class Labels(Recorder):
        def label(self, text: str = "", **_: object) -> None:
            self.drawn.append(text)

        def operator(self, name: str, text: str = "", **_: object) -> Recorder:
            self.drawn.append(f"{name} {text}")
            return self

    drawn: list = []
    context = SimpleNamespace(scene=bpy.context.scene, region=SimpleNamespace(width=9000))
    farm.DOLLOP_PT_farm.draw(SimpleNamespace(layout=Labels(drawn)), context)
    return "\n".join(str(text) for text in drawn)


def simulated(cache: Path, frames: list[int], kinds: list[str]) -> None:
    """The files that a farm leaves."""
    write_cache(cache, frames, kinds)
    (cache / "done").mkdir()
    (cache / "done/simulate.json").write_text("{}", encoding="utf-8")


def case_a_job_is_written_and_its_folder_stays(folder: Path) -> None:
    scene = tools.fresh(folder)
    cube("body", "BODY")
    farm = scene.dollop.farm
    assert (farm.engine, farm.segment, farm.chunk, farm.render) == ("openjd", 50, 10, False)
    farm.engine, farm.segment, farm.chunk = "slurm", 20, 5
    for operator in (bpy.ops.dollop.copy_submit, bpy.ops.dollop.load_farm_bake):
        expect_error(RuntimeError, "There is no farm job", operator)
    assert bpy.ops.dollop.write_farm_job() == {"FINISHED"}
    place = folder / "project/dollop_cache/Scene/bake_0001"
    words = (place / "cache/farm/slurm/submit.sh").read_text(encoding="utf-8").splitlines()
    assert words == ["slurm", str(place / "scene/scene.json"), "--cache", str(place / "cache"), "--json",
                     "--segment", "20", "--chunk", "5"]  # fmt: skip
    assert sorted(path.name for path in place.iterdir()) == ["cache", "farm_job.json", "scene"]
    assert scene.dollop.folder == "" and scene.dollop.farm.folder == "//dollop_cache/Scene/bake_0001"
    assert f"bash '{place}/cache/farm/slurm/submit.sh'" in panel_text() and "dollop.copy_submit" in panel_text()
    for _ in range(3):
        bake()
        time.sleep(0.05)
        bpy.ops.wm.save_mainfile()
    assert bakes(folder) == ["bake_0001", "bake_0003", "bake_0004"]
    bpy.ops.dollop.free()
    assert "bake_0001" in bakes(folder)


def case_the_settings_are_saved_and_the_job_is_found_from_another_place(folder: Path) -> None:
    scene = tools.fresh(folder)
    cube("body", "BODY")
    bpy.ops.dollop.add_wedge()
    bpy.ops.dollop.add_wedge()
    bpy.ops.dollop.remove_wedge(number=1)
    scene.dollop.farm.wedges[0].setting, scene.dollop.farm.wedges[0].values = "bodies[0].x", "1, 2"
    assert bpy.ops.dollop.write_farm_job() == {"FINISHED"}
    (folder / "deeper/still").mkdir(parents=True)
    bpy.ops.wm.save_as_mainfile(filepath=str(folder / "deeper/still/scene.blend"))
    bpy.ops.wm.open_mainfile(filepath=bpy.data.filepath)
    farm = bpy.context.scene.dollop.farm
    assert farm.folder == "//../../project/dollop_cache/Scene/bake_0001" and farm.wedges[0].values == "1, 2"
    assert "--wedge=bodies[0].x=1,2" in (
        folder / "project/dollop_cache/Scene/bake_0001/cache/farm/openjd/submit.sh"
    ).read_text(encoding="utf-8")
    assert "dollop.load_farm_bake Load Farm Bake bodies[0].x=1,2" in panel_text()
    bpy.data.scenes[0].dollop.farm.wedges[0].values = "1,,2"
    expect_error(RuntimeError, "A wedge needs a setting and its values", bpy.ops.dollop.write_farm_job)


def case_a_failed_job_is_reported_and_leaves_no_files(folder: Path) -> None:
    from addon.bake.runner import State
    from addon.farm.writing import Writing
    from addon.session import status

    scene = tools.fresh(folder)
    body = cube("body", "BODY")
    body.dollop.kind = "NONE"
    expect_error(RuntimeError, "There is no body", bpy.ops.dollop.write_farm_job)
    body.dollop.kind = "BODY"
    scene.dollop.farm.render = True
    for behaviour, words in (
        ("refuse", "'body': Heat > Liquidus: must not be wild"),
        ("refuse job", "bodies[0].x: with x=1: there is no such field\nits fields are"),
    ):
        os.environ["FAKE_SOLVER"] = behaviour
        expect_error(RuntimeError, words, bpy.ops.dollop.write_farm_job)
        assert bakes(folder) == [] and scene.dollop.farm.folder == "" and status.session is None
    os.environ["FAKE_SOLVER"] = "waiting"
    for end in ("cancel", "abandon"):
        running = status.begin(scene, bpy.context.view_layer, Writing)
        assert running.run.poll() is State.RUNNING and running.run.told == "Looking at the first frame"
        expect_error(RuntimeError, "Another bake is running", bpy.ops.dollop.bake)
        if end == "cancel":
            bpy.ops.dollop.cancel()
            assert running.run.wait() is State.CANCELLED
            status.end()
            assert bakes(folder) == []
    status.abandon()
    os.environ["FAKE_SOLVER"] = ""
    bake()
    assert len(bakes(folder)) == 1, "what was abandoned goes with the next bake"


def case_a_file_that_is_not_saved_has_no_place_for_a_job(folder: Path) -> None:
    tools.fresh(folder, saved=False)
    cube("body", "BODY")
    expect_error(RuntimeError, "Save the file first", bpy.ops.dollop.write_farm_job)


def case_the_copy_shows_the_future_bake_and_the_open_file_its_own(folder: Path) -> None:
    scene = tools.fresh(folder)
    body = cube("body", "BODY")
    bake()
    bpy.ops.wm.save_mainfile()
    scene.frame_end = 6
    scene.dollop.farm.render, scene.dollop.farm.engine = True, "flamenco"
    before = scene.dollop.folder, scene.dollop.surface.session_uid, len(bpy.data.objects), bpy.data.filepath
    assert bpy.ops.dollop.write_farm_job() == {"FINISHED"}
    assert before == (scene.dollop.folder, scene.dollop.surface.session_uid, len(bpy.data.objects), bpy.data.filepath)
    assert abs(shown(4) - 1.0) < 1e-6 and scene.dollop.token
    place = folder / "project/dollop_cache/Scene/bake_0002"
    assert sorted(path.name for path in place.iterdir()) == ["cache", "farm_job.json", "scene"]
    names = sorted(path.name for path in (place / "scene").iterdir())
    assert names == [".dollop-export.json", "render.blend", "scene.json", "shapes"], names
    assert f"--render={place}/scene/render.blend" in (place / "cache/farm/flamenco/submit.sh").read_text()
    simulated(place / "cache", list(range(1, 7)), ["mesh", "particles"])
    bpy.ops.wm.open_mainfile(filepath=str(place / "scene/render.blend"))
    state = bpy.context.scene.dollop
    assert abs(shown(6) - 1.5) < 1e-6 and state.particles is None and bpy.data.objects["body"].hide_render
    assert state.folder == "//../cache" and state.loaded and not state.superseded and state.farm.folder == ""
    bpy.ops.dollop.free()
    assert len(list((place / "cache").rglob("*.ply"))) == 12
    assert body is not None


def case_the_copy_finds_linked_files_and_pictures(folder: Path) -> None:
    scene = tools.fresh(folder)
    prop = cube("prop")
    (folder / "assets").mkdir()
    bpy.data.libraries.write(str(folder / "assets/prop.blend"), {prop})
    bpy.data.objects.remove(prop)
    with bpy.data.libraries.load(str(folder / "assets/prop.blend"), link=True, relative=True) as (_, wanted):
        wanted.objects = ["prop"]
    scene.collection.objects.link(wanted.objects[0])
    made = bpy.data.images.new("wood", 4, 4)
    made.filepath_raw, made.file_format, made.use_fake_user = str(folder / "assets/wood.png"), "PNG", True
    made.save()
    made.filepath = "//../assets/wood.png"
    cube("body", "BODY")
    scene.dollop.farm.render = True
    bpy.ops.wm.save_mainfile()
    assert bpy.ops.dollop.write_farm_job() == {"FINISHED"}
    assert bpy.data.images["wood"].filepath == "//../assets/wood.png"
    bpy.ops.wm.open_mainfile(filepath=str(folder / "project/dollop_cache/Scene/bake_0001/scene/render.blend"))
    found = bpy.data.images["wood"]
    assert Path(bpy.path.abspath(found.filepath)).resolve() == folder / "assets/wood.png", found.filepath
    assert found.filepath.startswith("//") and bpy.data.libraries[0].filepath.startswith("//")
    assert not bpy.data.objects["prop"].is_missing and bpy.data.objects["prop"].data.vertices


def case_the_bake_of_the_farm_is_shown(folder: Path) -> None:
    from addon.session import status

    scene = tools.fresh(folder)
    body = cube("body", "BODY")
    wedge = scene.dollop.farm.wedges
    for value in ("1", "2"):
        one = wedge.add()
        one.setting, one.values = "x", value
    assert bpy.ops.dollop.write_farm_job() == {"FINISHED"}
    cache = folder / "project/dollop_cache/Scene/bake_0001/cache"
    expect_error(RuntimeError, "not simulated all frames", bpy.ops.dollop.load_farm_bake, wedge="x=1")
    simulated(cache / "x=2", [1, 2, 3, 4], ["mesh", "particles"])
    (cache / "x=2/mesh/mesh_0003.ply").unlink()
    expect_error(RuntimeError, "not simulated all frames", bpy.ops.dollop.load_farm_bake, wedge="x=1")
    assert bpy.ops.dollop.load_farm_bake(wedge="x=2") == {"FINISHED"}
    assert status.last(scene)[1] == ["1 files of the surface are missing, the first at frame 3"]
    assert abs(shown(4) - 1.0) < 1e-6 and scene.dollop.particles is None and body.hide_render
    bpy.ops.dollop.free()
    assert (cache / "x=2/bake.json").exists()


def write_and_play_the_farm(folder: Path) -> None:
    """The real solver: a job of two wedges is written, its commands run here, and the results are shown and
    rendered."""
    import json

    from addon.settings import schema

    scene = tools.fresh(folder, fake=False)
    camera_and_light()
    block = cube("block", "BODY", 1.0)
    scene.dollop.settings.particle_spacing = 0.125
    scene.render.resolution_x, scene.render.resolution_y = 64, 48
    one = scene.dollop.farm.wedges.add()
    one.setting, one.values = "bodies[block].material.viscossity", "50, 100"
    scene.dollop.farm.render = True
    expect_error(RuntimeError, "bodies[0].material.viscossity: with viscossity=50", bpy.ops.dollop.write_farm_job)
    one.setting = "bodies[block].material.viscosity"
    engines = schema.load().engines
    for engine in engines:
        scene.dollop.farm.engine = engine.value
        assert bpy.ops.dollop.write_farm_job() == {"FINISHED"}
    place = Path(bpy.path.abspath(scene.dollop.farm.folder))
    assert place.name == f"bake_{len(engines):04}" and scene.dollop.folder == "" and not block.hide_render
    solver = os.environ["DOLLOP_BINARY"]
    found = json.loads((place / "farm_job.json").read_text(encoding="utf-8"))
    for one in found["caches"]:
        subprocess.run([solver, "simulate", one["scene"], "--cache", one["cache"], "--progress=none"], check=True)
        subprocess.run([solver, "mesh", one["cache"], "--resume", "--progress=none"], check=True)
    name = found["caches"][1]["name"]
    assert bpy.ops.dollop.load_farm_bake(wedge=name) == {"FINISHED"}
    assert scene.dollop.particles is None and len(scene.dollop.surface.data.vertices) == 0
    scene.frame_set(4)
    tools.world_vertices(scene.dollop.surface)
    script = place / "cache/farm/render.py"
    options = ["--blend", str(place / "scene/render.blend"), "--cache", found["caches"][1]["cache"], "--frames", "4"]
    environment = {key: value for key, value in os.environ.items() if not key.startswith("DOLLOP")}
    ending = (
        f"import runpy, os, sys; sys.argv = {['render.py', *options]!r}; "
        f"runpy.run_path({str(script)!r}, run_name='__main__'); sys.stdout.flush(); os._exit(0)"
    )
    subprocess.run([sys.executable, "-c", ending], check=True, env=environment, cwd=folder)
    seen = tools.pixels(Path(found["caches"][1]["cache"]) / "render/render_0004.png")
    here = tools.render(folder / "here.png", 4)
    tools.span(here)
    assert abs(seen - here).mean() < 0.01, abs(seen - here).mean()
