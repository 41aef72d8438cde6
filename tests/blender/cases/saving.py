# SPDX-FileCopyrightText: 2026 The Dollop founders
# SPDX-License-Identifier: GPL-3.0-or-later
"""Saving under another name and in another folder after a bake."""

from __future__ import annotations

import shutil
import time
from pathlib import Path

import bpy
import numpy as np

import tools
from cases.playing import load
from tools import bake, camera_and_light, cube, render, shown

KINDS = ("surface", "volume", "particles")


def save_as(path: Path, **options: bool) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    bpy.ops.wm.save_as_mainfile(filepath=str(path), **options)


def pictures(folder: Path, name: str) -> list[np.ndarray]:
    """Surface, volume and particles at frame 2, each alone."""
    state = bpy.context.scene.dollop
    taken = []
    for kind in KINDS:
        for other in KINDS:
            getattr(state, other).hide_render = other != kind
        taken.append(render(folder / f"{name}_{kind}.png", 2))
        tools.span(taken[-1])
    return taken


def alike(one: list[np.ndarray], other: list[np.ndarray]) -> bool:
    return all(np.abs(a - b).max() < 0.01 for a, b in zip(one, other, strict=True))


def open_file(path: Path) -> None:
    bpy.ops.wm.open_mainfile(filepath=str(path))


def loaded(folder: Path) -> list[np.ndarray]:
    """A saved project that shows its own cache, and its pictures."""
    tools.fresh(folder)
    camera_and_light()
    load(folder, [1, 2, 3], ["mesh", "volume", "particles"])
    bpy.ops.wm.save_mainfile()
    return pictures(folder, "before")


def case_save_as_in_another_folder_keeps_the_pictures(folder: Path) -> None:
    before = loaded(folder)
    save_as(folder / "other/deeper/scene.blend")
    assert alike(before, pictures(folder, "at_once"))
    open_file(folder / "other/deeper/scene.blend")
    assert alike(before, pictures(folder, "opened_again"))
    formats = [node.inputs["Format"].default_value for group in bpy.data.node_groups for node in group.nodes
               if node.bl_idname == "FunctionNodeFormatString"]  # fmt: skip
    assert len(formats) == 2 and all(text.startswith("//../../project/cache {{1}}/") for text in formats), formats
    open_file(folder / "project/scene.blend")
    assert alike(before, pictures(folder, "first_file"))


def case_a_saved_copy_and_the_open_file_show_the_same(folder: Path) -> None:
    before = loaded(folder)
    save_as(folder / "other/copy.blend", copy=True)
    assert bpy.data.filepath.endswith("scene.blend") and alike(before, pictures(folder, "open"))
    bpy.ops.wm.save_mainfile()
    for path in ("other/copy.blend", "project/scene.blend"):
        open_file(folder / path)
        assert alike(before, pictures(folder, "read")), path


def case_a_save_that_fails_changes_nothing(folder: Path) -> None:
    before = loaded(folder)
    try:
        bpy.ops.wm.save_as_mainfile(filepath="/proc/nowhere/scene.blend")
    except RuntimeError:
        assert alike(before, pictures(folder, "after"))
    else:
        raise AssertionError("it was saved")


def case_after_save_as_bakes_go_where_the_panel_says(folder: Path) -> None:
    scene = tools.fresh(folder)
    cube("body", "BODY")
    bake()
    bpy.ops.wm.save_mainfile()
    save_as(folder / "other/scene.blend")
    assert scene.dollop.root == "//dollop_cache" and abs(shown(3) - 0.75) < 1e-6
    assert scene.dollop.folder == "//../project/dollop_cache/Scene/bake_0001"
    for number in (1, 2, 3):
        bake()
        assert scene.dollop.folder == f"//dollop_cache/Scene/bake_{number:04}"
        assert (folder / f"other/dollop_cache/Scene/bake_{number:04}/cache/bake.json").is_file()
        time.sleep(0.05)
        bpy.ops.wm.save_mainfile()
    assert not (folder / "other/dollop_cache/Scene/bake_0001").exists()
    open_file(folder / "project/scene.blend")
    assert abs(shown(3) - 0.75) < 1e-6, "the bake of the first file was removed"
    bake()
    assert bpy.context.scene.dollop.folder == "//dollop_cache/Scene/bake_0002"


def case_free_in_another_file_leaves_the_bake_of_the_first(folder: Path) -> None:
    tools.fresh(folder)
    cube("body", "BODY")
    bake()
    bpy.ops.wm.save_mainfile()
    save_as(folder / "other/scene.blend")
    bpy.ops.dollop.free()
    open_file(folder / "project/scene.blend")
    assert abs(shown(3) - 0.75) < 1e-6


def rebake_and_save(times: int) -> list[str]:
    """The reported warnings."""
    told = []
    for _ in range(times):
        told += bake().warnings
        time.sleep(0.05)
        bpy.ops.wm.save_mainfile()
    return [text for text in told if "few particles" not in text]


def bakes(cache: Path) -> list[str]:
    return sorted(f"{path.parent.name}/{path.name}" for path in cache.glob("*/bake_*"))


def case_old_bakes_go_though_the_scene_was_renamed(folder: Path) -> None:
    scene = tools.fresh(folder)
    cube("body", "BODY")
    rebake_and_save(1)
    scene.name = "Renamed"
    assert rebake_and_save(3) == []
    assert bakes(folder / "project/dollop_cache") == ["Renamed/bake_0002", "Renamed/bake_0003"]
    scene.name = "Again"
    assert bpy.ops.dollop.free() == {"FINISHED"}
    assert bakes(folder / "project/dollop_cache") == []


def case_a_copied_scene_takes_no_bake_from_the_other(folder: Path) -> None:
    first = tools.fresh(folder)
    cube("body", "BODY")
    rebake_and_save(1)
    bpy.ops.scene.new(type="FULL_COPY")
    second = bpy.context.scene
    assert second != first and second.dollop.folder == first.dollop.folder
    bpy.ops.wm.save_mainfile()
    bpy.context.window.scene = first
    bake()
    # Between the two saves only the second scene shows the first bake, and after the second save the file still does.
    time.sleep(0.05)
    bpy.ops.wm.save_mainfile()
    bpy.context.window.scene = second
    time.sleep(0.05)
    bake()
    bpy.context.window.scene = first
    bake()
    cache = folder / "project/dollop_cache"
    assert "Scene/bake_0001" in bakes(cache), "the file on disk shows it"
    second.dollop.folder = first.dollop.folder
    shown_by_both = Path(first.dollop.folder).name
    bpy.ops.dollop.free()
    assert f"Scene/{shown_by_both}" in bakes(cache), "the other scene shows it"


def case_a_moved_project_removes_its_bakes(folder: Path) -> None:
    tools.fresh(folder)
    cube("body", "BODY")
    rebake_and_save(1)
    (folder / "project").rename(folder / "moved")
    open_file(folder / "moved/scene.blend")
    assert rebake_and_save(3) == []
    assert bakes(folder / "moved/dollop_cache") == ["Scene/bake_0003", "Scene/bake_0004"]


def case_a_file_renamed_outside_of_blender_lists_the_bakes_it_leaves(folder: Path) -> None:
    from addon.session import status

    tools.fresh(folder)
    cube("body", "BODY")
    rebake_and_save(1)
    (folder / "project/scene.blend").rename(folder / "project/other.blend")
    open_file(folder / "project/other.blend")
    first = folder / "project/dollop_cache/Scene/bake_0001"
    told = rebake_and_save(3)
    assert len(told) == 1 and f"{first} is not deleted" in told[0] and "by hand" in told[0], told
    open_file(folder / "project/other.blend")
    (folder / "project/other.blend").rename(folder / "project/third.blend")
    open_file(folder / "project/third.blend")
    shown_now = bpy.path.abspath(bpy.context.scene.dollop.folder)
    bpy.ops.dollop.free()
    left = status.last(bpy.context.scene)[1]
    assert len(left) == 2 and left[0].startswith(f"{shown_now} is not deleted") and "by hand" in left[0], left
    assert left[1].startswith(f"The older bake {first.with_name('bake_0003')} is not deleted"), left
    assert Path(shown_now).exists()


def case_a_copied_file_takes_no_bake_from_its_original(folder: Path) -> None:
    """Also of the same name, if both bake into one cache."""
    scene = tools.fresh(folder)
    cube("body", "BODY")
    scene.dollop.root = str(folder / "cache")
    rebake_and_save(1)
    for copy in ("project/copy.blend", "elsewhere/scene.blend"):
        open_file(folder / "project/scene.blend")
        (folder / copy).parent.mkdir(exist_ok=True)
        shutil.copy(folder / "project/scene.blend", folder / copy)
        open_file(folder / copy)
        told = rebake_and_save(3)
        assert len(told) == 1 and "bake_0001 is not deleted" in told[0], told
        open_file(folder / "project/scene.blend")
        assert (folder / "cache/Scene/bake_0001/cache/bake.json").exists(), copy


def case_a_first_save_warns_of_a_bake_that_stays_temporary(folder: Path) -> None:
    from addon.session import status

    scene = tools.fresh(folder, saved=False)
    cube("body", "BODY")
    bake()
    save_as(folder / "project/copy.blend", copy=True)
    assert "Saved" not in str(status.last(scene))
    save_as(folder / "project/scene.blend")
    assert "lost when Blender quits: bake again" in str(status.last(scene))
    assert rebake_and_save(2) == []
    assert scene.dollop.folder == "//dollop_cache/Scene/bake_0002"
    assert "Saved" not in str(status.last(scene))


def case_a_first_save_makes_paths_relative(folder: Path) -> None:
    scene = tools.fresh(folder, saved=False)
    cube("body", "BODY")
    scene.dollop.root = str(folder / "project/caches")
    bake()
    save_as(folder / "project/scene.blend")
    assert scene.dollop.folder == "//caches/Scene/bake_0001"
    (folder / "project").rename(folder / "moved")
    open_file(folder / "moved/scene.blend")
    assert abs(shown(3) - 0.75) < 1e-6
