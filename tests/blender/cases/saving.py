# SPDX-FileCopyrightText: 2026 The Dollop founders
# SPDX-License-Identifier: GPL-3.0-or-later
"""Saving under another name and in another folder after a bake."""

from __future__ import annotations

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
    """A saved project that shows a cache of its own, and its pictures."""
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
