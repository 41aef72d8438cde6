# SPDX-FileCopyrightText: 2026 The Dollop founders
# SPDX-License-Identifier: GPL-3.0-or-later
"""Copied scenes and copied results still show the same bake."""

from __future__ import annotations

import time
from pathlib import Path

import bpy

import tools
from tools import bake, cube

PARTS = ("surface", "volume", "particles")


def baked(folder: Path) -> bpy.types.Scene:
    """A saved scene with a bake of the frames 1 to 4."""
    scene = tools.fresh(folder)
    cube("body", "BODY")
    output = scene.dollop.settings.output
    output.use_particles = output.use_volume = True
    bake()
    bpy.ops.wm.save_mainfile()
    return scene


def copied(kind: str) -> bpy.types.Scene:
    """A copy of the scene, made current; it bakes the frames 11 to 14."""
    bpy.ops.scene.new(type=kind)
    copy = bpy.context.scene
    copy.frame_start, copy.frame_end = 11, 14
    return copy


def seen(shown: bpy.types.Object) -> float:
    """The position, in frames, of the matter that an object shows at frame 11."""
    bpy.context.scene.frame_set(11)
    depsgraph = bpy.context.evaluated_depsgraph_get()
    found = shown.evaluated_get(depsgraph).evaluated_geometry()
    points = found.pointcloud.points if found.pointcloud else found.mesh.vertices
    return sum(point.co.x for point in points) / max(1, len(points)) / 0.25


def expect(scene: bpy.types.Scene, folder: Path, frame: int) -> None:
    """Checks that `scene` shows the bake in `folder`, and the given frame at frame 11."""
    bpy.context.window.scene = scene
    for part in ("surface", "particles"):
        shown = getattr(scene.dollop, part)
        assert not shown.hide_render and shown.name in scene.objects, part
        assert abs(seen(shown) - frame) < 1e-4, (scene.name, part, seen(shown))
    volume = scene.dollop.volume
    assert not volume.hide_render and volume.name in scene.objects
    assert Path(bpy.path.abspath(volume.data.filepath)).is_relative_to(folder), volume.data.filepath
    assert (folder / "cache/bake.json").is_file()


def check_copied_scene(folder: Path, kind: str) -> None:
    scene = baked(folder)
    caches = folder / "project/dollop_cache"
    copy = copied(kind)
    bake()
    expect(copy, caches / "Scene_001/bake_0001", 11)
    expect(scene, caches / "Scene/bake_0001", 4)
    both = [getattr(one.dollop, part) for one in (scene, copy) for part in PARTS]
    assert len(set(both)) == 6
    assert [shown for shown in copy.objects if shown in both] and len([o for o in copy.objects if o in both]) == 3
    assert len([o for o in scene.objects if o in both]) == 3
    bodies = [one.objects["body" if one == scene or kind == "LINK_COPY" else "body.001"] for one in (scene, copy)]
    bpy.context.window.scene = copy
    bpy.ops.dollop.free()
    expect(scene, caches / "Scene/bake_0001", 4)
    assert bodies[0].hide_render and bodies[1].hide_render == (kind == "LINK_COPY")
    bpy.ops.dollop.free()
    assert not bodies[0].hide_render and not (caches / "Scene/bake_0001").exists()


def case_a_full_copy_of_a_scene_has_its_own_result(folder: Path) -> None:
    check_copied_scene(folder, "FULL_COPY")


def case_a_linked_copy_of_a_scene_has_its_own_result(folder: Path) -> None:
    check_copied_scene(folder, "LINK_COPY")


def case_free_in_a_copied_scene_leaves_the_bake_of_the_first(folder: Path) -> None:
    scene = baked(folder)
    first = folder / "project/dollop_cache/Scene/bake_0001"
    for kind in ("FULL_COPY", "LINK_COPY"):
        bpy.context.window.scene = scene
        copy = copied(kind)
        bpy.ops.dollop.free()
        assert copy.dollop.folder == ""
        expect(scene, first, 4)


def check_baking_again_under_a_copy(folder: Path, kind: str) -> None:
    scene = baked(folder)
    copy = copied(kind)
    scene.frame_start, scene.frame_end = 11, 14
    for number in (2, 3):
        bpy.context.window.scene = scene
        bake()
        time.sleep(0.05)
        bpy.ops.wm.save_mainfile()
        expect(copy, folder / "project/dollop_cache/Scene/bake_0001", 4)
        expect(scene, folder / f"project/dollop_cache/Scene/bake_{number:04}", 11)


def case_the_first_scene_bakes_again_under_a_full_copy(folder: Path) -> None:
    check_baking_again_under_a_copy(folder, "FULL_COPY")


def case_the_first_scene_bakes_again_under_a_linked_copy(folder: Path) -> None:
    check_baking_again_under_a_copy(folder, "LINK_COPY")


def case_a_copied_result_keeps_its_take(folder: Path) -> None:
    scene = baked(folder)
    first = folder / "project/dollop_cache/Scene/bake_0001"
    takes = []
    for linked in (False, True):
        for part in PARTS:
            bpy.ops.object.select_all(action="DESELECT")
            shown = getattr(scene.dollop, part)
            shown.select_set(True)
            bpy.context.view_layer.objects.active = shown
            bpy.ops.object.duplicate(linked=linked)
            takes.append(bpy.context.object)
    scene.frame_start, scene.frame_end = 11, 14
    for _ in range(2):
        bake()
        time.sleep(0.05)
        bpy.ops.wm.save_mainfile()

    def check() -> None:
        for take in takes:
            assert not take.hide_render, take
            if take.type == "VOLUME":
                assert Path(bpy.path.abspath(take.data.filepath)).is_relative_to(first), take
            else:
                assert abs(seen(take) - 4) < 1e-4, (take, seen(take))
        assert (first / "cache/bake.json").is_file()

    check()
    expect(scene, folder / "project/dollop_cache/Scene/bake_0003", 11)
    bpy.ops.dollop.free()
    check()


def case_free_keeps_files_that_a_copied_result_shows(folder: Path) -> None:
    scene = baked(folder)
    first = folder / "project/dollop_cache/Scene/bake_0001"
    take = scene.dollop.surface.copy()
    scene.collection.objects.link(take)
    bpy.ops.dollop.free()
    assert abs(seen(take) - 4) < 1e-4 and (first / "cache/bake.json").is_file()
    group = take.modifiers[0].node_group
    bpy.data.objects.remove(take)
    bpy.data.node_groups.remove(group)
    time.sleep(0.05)
    bpy.ops.wm.save_mainfile()
    bake()
    assert not first.exists(), "nobody needs it any more"
