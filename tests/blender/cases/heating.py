# SPDX-FileCopyrightText: 2026 The Dollop founders
# SPDX-License-Identifier: GPL-3.0-or-later
"""Heaters and temperatures, from the panel to the scene file."""

from __future__ import annotations

from pathlib import Path

import bpy
import numpy as np

import tools
from tools import camera_and_light, cube, expect_error, export, exported_vertices, render, square


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


def case_wrong_heaters_are_refused(folder: Path) -> None:
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


def animate(owner: bpy.types.PropertyGroup, name: str, values: dict[int, float]) -> None:
    for frame, value in values.items():
        setattr(owner, name, value)
        assert owner.keyframe_insert(name, frame=frame)


def case_an_animated_temperature_has_a_value_at_each_frame(folder: Path) -> None:
    scene = tools.fresh(folder)
    cube("body", "BODY")
    plate = cube("plate", "COLLIDER")
    settings = plate.dollop.collider
    animate(settings, "temperature", {1: 300.0, 3: 700.0})
    for curve in curves(plate):
        for key in curve.keyframe_points:
            key.interpolation = "LINEAR"
    scene.frame_set(2)
    assert not {"temperature", "temperatures"} & set(export(folder)["colliders"][0]), "its switch is off"
    settings.use_temperature = True
    for shape in ("mesh", "plane"):
        plate.dollop.collider_shape = shape
        entry = export(folder)["colliders"][0]
        values = {1: 300.0, 2: 500.0, 3: 700.0, 4: 700.0}
        assert entry["temperatures"] == [{"frame": frame, "value": value} for frame, value in values.items()]
        assert "motion" not in entry and entry["shape"]["type"] == shape
    assert scene.frame_current == 2 and settings.temperature == 500.0


def curves(source: bpy.types.Object) -> list[bpy.types.FCurve]:
    """The curves of an object with one layer of one strip."""
    return source.animation_data.action.layers[0].strips[0].channelbags[0].fcurves


def case_an_animated_value_that_stays_is_one_number(folder: Path) -> None:
    tools.fresh(folder)
    cube("body", "BODY")
    plate = cube("plate", "COLLIDER")
    plate.dollop.collider.use_temperature = True
    animate(plate.dollop.collider, "temperature", {1: 450.0, 4: 450.0})
    plate.dollop.collider.temperature = 300.0
    entry = export(folder)["colliders"][0]
    assert entry["temperature"] == 450.0 and "temperatures" not in entry


def case_a_driven_heater_has_a_value_at_each_frame(folder: Path) -> None:
    tools.fresh(folder)
    cube("body", "BODY")
    effect = cube("torch", "HEATER").dollop.heater.effect
    effect.temperature_settings.driver_add("temperature").driver.expression = "300 + 50 * frame"
    entry = export(folder)["heaters"][0]
    assert [key["value"] for key in entry["values"]] == [350.0, 400.0, 450.0, 500.0]
    effect.type = "power"
    entry = export(folder)["heaters"][0]
    assert entry["effect"] == {"type": "power", "power": 1000.0} and "values" not in entry
    animate(effect.power_settings, "power", {2: 100.0, 3: -200.0})
    entry = export(folder)["heaters"][0]
    assert [key["value"] for key in entry["values"]] == [100.0, 100.0, -200.0, -200.0]


def case_only_settings_with_keys_in_the_scene_file_can_be_animated(folder: Path) -> None:
    tools.fresh(folder)
    settings = cube("torch", "HEATER").dollop
    effect = settings.heater.effect
    for owner, name, wanted in (
        (settings.collider, "temperature", True),
        (settings.collider, "friction", False),
        (effect.temperature_settings, "temperature", True),
        (effect.temperature_settings, "response", False),
        (effect.power_settings, "power", True),
        (settings.body, "temperature", False),
    ):
        assert owner.bl_rna.properties[name].is_animatable == wanted, name


def bands(temperatures: list[float]) -> bpy.types.Object:
    """Upright squares side by side along X, each with its own temperature."""
    places = [(x + i, 0.0, z) for i in range(len(temperatures)) for x, z in ((0, 0), (1, 0), (1, 1), (0, 1))]
    middle = len(temperatures) / 2
    faces = [tuple(range(4 * i, 4 * i + 4)) for i in range(len(temperatures))]
    made = tools.mesh("bands", [(x - middle, y, z - 0.5) for x, y, z in places], faces, "NONE")
    attribute = made.data.attributes.new("matter_temperature", "FLOAT", "POINT")
    attribute.data.foreach_set("value", np.repeat(temperatures, 4).astype(np.float32))
    return made


def case_hot_matter_glows_like_a_black_body(folder: Path) -> None:
    from addon.playback import materials

    scene = tools.fresh(folder)
    temperatures = [293.15, 690.0, 1000.0, 1500.0]
    shown = bands(temperatures)
    material = materials.surface()
    materials.show_temperatures(material, 293.15, 1500.0)
    shown.data.materials.append(material)
    camera_and_light()
    sky = scene.world.node_tree.nodes["Background"].inputs[0]
    sky.default_value = (0.0, 0.0, 0.0, 1.0)
    # In linear values, also above 1, which a PNG file cannot hold.
    scene.render.image_settings.file_format = "OPEN_EXR"
    picture = render(folder / "dark.exr", 1)
    columns = [round(128 * (0.5 + (i + 0.5 - len(temperatures) / 2) / 6)) for i in range(len(temperatures))]
    room, oven, dull, bright = (picture[48, column, :3] for column in columns)
    assert room.max() < 1e-6 and oven.max() < 1e-6, (room, oven)
    assert 0.03 < dull[0] < 0.3 and dull[0] > 6 * dull[1] > 0 and dull[2] < 0.01, f"1000 K is no dull red: {dull}"
    assert 1.0 < bright[0] < 4.0 and 2 < bright[0] / bright[1] < 8, f"1500 K is no bright orange: {bright}"


def case_only_hot_matter_is_looked_for_as_a_light(folder: Path) -> None:
    from addon.playback import materials

    tools.fresh(folder)
    material = materials.surface()
    for hottest, wanted in ((400.0, "NONE"), (1500.0, "AUTO"), (350.0, "NONE")):
        materials.show_temperatures(material, 300.0, hottest)
        assert material.cycles.emission_sampling == wanted
    material.cycles.emission_sampling = "FRONT"
    materials.show_temperatures(material, 300.0, 1500.0)
    assert material.cycles.emission_sampling == "FRONT", "what the user chose is lost"


def case_a_colour_and_an_emission_of_the_user_stay(folder: Path) -> None:
    from addon.playback import materials

    tools.fresh(folder)
    material = materials.surface()
    principled = material.node_tree.nodes["Dollop Surface"]
    principled.inputs["Emission Strength"].default_value = 2.0
    material.node_tree.links.remove(principled.inputs["Base Color"].links[0])
    materials.show_temperatures(material, 300.0, 1500.0)
    assert not any(principled.inputs[name].is_linked for name in ("Base Color", "Emission Color", "Emission Strength"))
    assert material.cycles.emission_sampling == "AUTO"


def solver_bakes_what_is_exported(folder: Path) -> None:
    """The solver of this repository reads heaters, plates and their animated values."""
    scene = tools.fresh(folder, fake=False)
    scene.frame_end = 2
    scene.dollop.settings.particle_spacing = 0.2
    scene.dollop.settings.use_heat = True
    body = cube("body", "BODY", 1.0)
    body.dollop.body.use_temperature = True
    body.data.materials.append(bpy.data.materials.new("green"))
    body.active_material.diffuse_color = (0.1, 0.5, 0.2, 1.0)
    torch, plate = cube("torch", "HEATER", 1.5), square("plate", "COLLIDER")
    torch.dollop.heater.effect.type = "power"
    animate(torch.dollop.heater.effect.power_settings, "power", {1: 1e9, 2: 2e9})
    plate.location.z, plate.dollop.collider_shape = -0.5, "plane"
    plate.dollop.collider.use_temperature = True
    animate(plate.dollop.collider, "temperature", {1: 300.0, 2: 400.0})
    ended = tools.bake()
    assert not any("does nothing" in warning for warning in ended.warnings), ended.warnings
    surface = tools.evaluated(scene.dollop.surface, 2)
    assert max(one.value for one in surface.mesh.attributes["matter_temperature"].data) > 294.0
    assert np.allclose([one.vector for one in surface.mesh.attributes["matter_color"].data], (0.1, 0.5, 0.2))
    scene.dollop.settings.use_heat = False
    warnings = tools.bake().warnings
    assert any("switch on Heat in the Scene tab" in warning for warning in warnings), warnings
