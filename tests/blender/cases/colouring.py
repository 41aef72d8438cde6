# SPDX-FileCopyrightText: 2026 The Dollop founders
# SPDX-License-Identifier: GPL-3.0-or-later
"""The colours of temperatures, and volumes that glow."""

from __future__ import annotations

from pathlib import Path

import bpy
import numpy as np

import tools
from cases.playing import heat, load, middle_colour
from tools import camera_and_light, render


def show_bake(folder: Path, kinds: list[str], hot: bool = True) -> bpy.types.Scene:
    """A scene that shows a bake of its own with temperatures of 300 to 400 K."""
    scene = load(folder, [1, 2], kinds, hot=hot)
    scene.dollop.folder, scene.dollop.loaded = "//cache {1}", True
    return scene


def ends(material: bpy.types.Material) -> list[float]:
    node = material.node_tree.nodes["Temperatures"]
    return [node.inputs[end].default_value for end in ("From Min", "From Max")]


def seen(scene: bpy.types.Scene, part: str) -> bpy.types.Material:
    return getattr(scene.dollop, part).material_slots[0].material


def case_temperature_colours_are_white_to_red(folder: Path) -> None:
    tools.fresh(folder)
    heat({"body": 1000.0})
    scene = show_bake(folder, ["mesh", "particles"])
    camera_and_light()
    before = [seen(scene, part) for part in ("surface", "particles")]
    assert bpy.ops.dollop.temperature_colours() == {"FINISHED"}
    material = seen(scene, "surface")
    assert material == seen(scene, "particles") and material not in before
    assert np.allclose(ends(material), (300.0, 400.0)), "these are not the temperatures of the files"
    scene.dollop.particles.hide_render = True
    found = render(folder / "surface.png", 2)
    found = found[found[:, :, 3] > 0.9][:, :3]
    # The picture shows the side of the cube at Y = -1/2, whose corners are at 300, 314, 357 and 371 K.
    paleness = found[:, 1] / found[:, 0]
    assert found[:, 0].min() > 0.6 and paleness.max() > 0.9 and paleness.min() < 0.75, (paleness.min(), paleness.max())
    assert np.abs(found[:, 1] - found[:, 2]).max() < 0.02, "it is neither white nor red"
    scene.dollop.particles.hide_render, scene.dollop.surface.hide_render = False, True
    found = render(folder / "particles.png", 2)
    found = found[found[:, :, 3] > 0.9][:, :3]
    assert np.ptp(found[:, 1] / found[:, 0]) > 0.2, "the particles do not differ"
    bpy.ops.dollop.temperature_colours()
    assert [seen(scene, part) for part in ("surface", "particles")] == before


def case_temperature_colours_outlast_a_bake_and_saving(folder: Path) -> None:
    tools.fresh(folder)
    scene = show_bake(folder, ["mesh"])
    mine = bpy.data.materials.new("mine")
    scene.dollop.surface.material_slots[0].material = mine
    bpy.ops.dollop.temperature_colours()
    bpy.ops.wm.save_mainfile()
    bpy.ops.wm.open_mainfile(filepath=bpy.data.filepath)
    scene = bpy.context.scene
    material = seen(scene, "surface")
    show_bake(folder, ["mesh"])
    assert seen(scene, "surface") == material and np.allclose(ends(material), (300.0, 400.0))
    material.node_tree.nodes["Temperatures"].inputs["From Max"].default_value = 900.0
    show_bake(folder, ["mesh"])
    assert np.allclose(ends(material), (300.0, 900.0)), "what the user chose is lost"
    bpy.ops.dollop.temperature_colours()
    assert seen(scene, "surface") == bpy.data.materials["mine"]


def case_a_bake_without_temperatures_has_no_colours_of_them(folder: Path) -> None:
    tools.fresh(folder)
    tools.expect_error(RuntimeError, "shows no bake: press Bake or Load Bake", bpy.ops.dollop.temperature_colours)
    scene = show_bake(folder, ["mesh"], hot=False)
    before = seen(scene, "surface")
    tools.expect_error(RuntimeError, "no surface or particles with temperatures", bpy.ops.dollop.temperature_colours)
    assert seen(scene, "surface") == before


def in_the_dark() -> bpy.types.Scene:
    """The scene with a camera and a black sky; its pictures hold linear values, also above 1."""
    camera_and_light()
    scene = bpy.context.scene
    scene.world.node_tree.nodes["Background"].inputs[0].default_value = (0.0, 0.0, 0.0, 1.0)
    scene.cycles.samples = 64
    scene.render.image_settings.file_format = "OPEN_EXR"
    return scene


def case_a_hot_volume_glows(folder: Path) -> None:
    """About as bright as a surface would be, at any unit scale, and dark where it is cold."""
    tools.fresh(folder)
    heat({"cold": 300.0, "hot": 1500.0})
    scene = in_the_dark()
    seen = []
    for metres in (1.0, 0.5):
        scene.unit_settings.scale_length = metres
        load(folder, [1, 2], ["volume"], hot=True, halves=(300.0, 1500.0))
        scene.camera.data.ortho_scale, scene.camera.location.y = 6.0 / metres, -8.0 / metres
        cold = middle_colour(folder / f"cold_{metres}.exr", slice(66, 70))
        hot = middle_colour(folder / f"hot_{metres}.exr", slice(78, 83))
        # Some light of the hot side is scattered to the camera on the cold one.
        assert hot[0] > 5 * cold[0], (cold, hot)
        assert 1.0 < hot[0] < 6.0 and 2 < hot[0] / hot[1] < 16, f"1500 K is no bright orange: {hot}"
        seen.append(hot)
    assert np.allclose(*seen, rtol=0.1), seen


def case_cold_volumes_do_not_glow(folder: Path) -> None:
    tools.fresh(folder)
    heat({"cold": 300.0, "warm": 400.0})
    in_the_dark()
    load(folder, [1, 2], ["volume"], hot=True)
    assert render(folder / "dark.exr", 2)[:, :, :3].max() < 1e-3
