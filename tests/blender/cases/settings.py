# SPDX-FileCopyrightText: 2026 The Dollop founders
# SPDX-License-Identifier: GPL-3.0-or-later
"""Properties and panels from the schema."""

from __future__ import annotations

import importlib
import json
from pathlib import Path
from types import SimpleNamespace

import bpy

import addon
import tools


class Recorder:
    """Stands in for a layout and records which properties were drawn; every sub-panel is open."""

    def __init__(self, drawn: list[tuple[str, str]]) -> None:
        object.__setattr__(self, "drawn", drawn)

    def prop(self, data: object, name: str, **_: object) -> None:
        assert name in data.bl_rna.properties, f"{data} has no {name}"
        self.drawn.append((data.bl_rna.identifier, name))

    def panel(self, _name: str, **_: object) -> tuple[Recorder, Recorder]:
        return self, self

    def row(self, **_: object) -> Recorder:
        return self

    column = box = row

    def operator(self, *_: object, **__: object) -> Recorder:
        return self

    def prop_search(self, data: object, name: str, owner: object, search: str, **_: object) -> None:
        assert search in owner.bl_rna.properties
        self.prop(data, name)

    def __setattr__(self, name: str, value: object) -> None:
        pass

    def __getattr__(self, name: str) -> object:
        return lambda *_, **__: None


def case_registers_twice(_folder: Path) -> None:
    for _ in range(2):
        addon.register()
        assert bpy.context.scene.dollop.settings.particle_spacing > 0
        addon.unregister()
        assert not hasattr(bpy.types.Scene, "dollop") and not hasattr(bpy.types.Object, "dollop")


def case_properties_follow_the_schema(_folder: Path) -> None:
    addon.register()
    schema = json.loads((Path(addon.__file__).parent / "schema.json").read_text(encoding="utf-8"))
    kinds = [kind["properties"] for kind in schema["$defs"]["Material"]["oneOf"]]
    smoothed = next(kind for kind in kinds if kind["type"]["const"] == "smoothed")
    material = tools.cube("cube").dollop.body.material.smoothed_settings
    for key in ("rest_density", "stiffness", "viscosity", "cohesion"):
        made, node = material.bl_rna.properties[key], smoothed[key]
        assert abs(made.default - node["default"]) <= 1e-6 * node["default"]
        assert abs(made.hard_max - node["maximum"]) <= 1e-6 * node["maximum"]
        assert made.description == " ".join(node["description"].split()).removesuffix(".")
    spacing = bpy.context.scene.dollop.settings.bl_rna.properties["particle_spacing"]
    assert (spacing.unit, spacing.subtype) == ("LENGTH", "DISTANCE")
    output = bpy.context.scene.dollop.settings.output
    assert output.use_mesh and not output.use_volume and not output.use_particles
    assert not output.bl_rna.properties["use_mesh"].is_animatable


def case_panels_draw_every_setting(_folder: Path) -> None:
    addon.register()
    from addon.data import sections
    from addon.settings.draw import draw

    scene = bpy.context.scene
    drawn: list[tuple[str, str]] = []
    draw(Recorder(drawn), sections().scene.settings, scene.dollop.settings, "scene")
    names = [name for _, name in drawn]
    for name in ("particle_spacing", "kernel", "smoothing_length", "use_mesh", "use_volume", "grids", "precision"):
        assert name in names, name
    assert names.index("particle_spacing") < names.index("density") < names.index("kernel")
    drawn.clear()
    cube = tools.cube("cube")
    draw(Recorder(drawn), sections().body.settings, cube.dollop.body, "body")
    names = [name for _, name in drawn]
    for name in ("velocity", "use_temperature", "temperature", "type", "rest_density", "shear_modulus", "viscosity"):
        assert name in names, name


def case_whole_panels_draw(_folder: Path) -> None:
    addon.register()
    from addon.data import sections
    from addon.ui import panels

    cube = tools.cube("cube", "BODY")
    for group in sections().lists.values():
        cube.dollop.kind = group.key.upper()
        context = SimpleNamespace(object=cube, scene=bpy.context.scene, region=SimpleNamespace(width=300))
        for panel in (panels.DOLLOP_PT_physics, panels.DOLLOP_PT_scene):
            drawn: list[tuple[str, str]] = []
            panel.draw(SimpleNamespace(layout=Recorder(drawn)), context)
            assert drawn


def case_an_empty_can_lose_its_kind(_folder: Path) -> None:
    addon.register()
    from addon.ui import panels

    drain = tools.empty("drain")
    bpy.context.view_layer.objects.active = drain
    context = SimpleNamespace(object=drain, region=SimpleNamespace(width=300))
    assert not panels.DOLLOP_PT_physics.poll(context) and not bpy.ops.dollop.toggle.poll()
    drain.dollop.kind = "OUTFLOW"
    assert panels.DOLLOP_PT_physics.poll(context)
    drawn: list[tuple[str, str]] = []
    panels.DOLLOP_PT_physics.draw(SimpleNamespace(layout=Recorder(drawn)), context)
    assert [name for _, name in drawn] == ["kind"]
    assert bpy.ops.dollop.toggle() == {"FINISHED"} and drain.dollop.kind == "NONE"


def case_a_changed_schema_needs_no_other_change(folder: Path) -> None:
    schema = json.loads((Path(addon.__file__).parent / "schema.json").read_text(encoding="utf-8"))
    schema["$defs"]["Body"]["properties"]["stickiness"] = {
        "type": "number",
        "default": 0.25,
        "minimum": 0.0,
        "maximum": 2.0,
        "x-unit": "m",
        "description": "New.",
    }
    schema["$defs"]["Body"]["properties"]["crust"] = {
        "anyOf": [{"type": "object", "properties": {"depth": {"type": "integer", "default": 3}}}, {"type": "null"}],
        "x-on": True,
    }
    del schema["$defs"]["Collider"]["properties"]["friction"]
    tools.register_with(schema, folder)
    cube = tools.cube("cube", "BODY")
    stickiness = cube.dollop.body.bl_rna.properties["stickiness"]
    assert (stickiness.default, stickiness.hard_max, stickiness.unit) == (0.25, 2.0, "LENGTH")
    assert "friction" not in cube.dollop.collider.bl_rna.properties
    write = importlib.import_module("altered.export").write
    scene = write(bpy.context.scene, bpy.context.view_layer, folder / "out").path.read_text(encoding="utf-8")
    body = json.loads(scene)["bodies"][0]
    assert body["stickiness"] == 0.25 and body["crust"] == {"depth": 3}
    cube.dollop.body.use_crust = False
    scene = write(bpy.context.scene, bpy.context.view_layer, folder / "out").path.read_text(encoding="utf-8")
    assert "crust" not in json.loads(scene)["bodies"][0]


def case_settings_survive_saving(folder: Path) -> None:
    scene = tools.fresh(folder)
    cube = tools.cube("cube", "BODY")
    cube.dollop.body.material.smoothed_settings.viscosity = 7.5
    scene.dollop.settings.output.volume.grids = {"density"}
    bpy.ops.wm.save_mainfile()
    bpy.ops.wm.open_mainfile(filepath=bpy.data.filepath)
    assert bpy.data.objects["cube"].dollop.body.material.smoothed_settings.viscosity == 7.5
    assert bpy.context.scene.dollop.settings.output.volume.grids == {"density"}


def case_temperatures_are_kelvin_shown_in_the_unit_of_the_scene(folder: Path) -> None:
    """Blender shows properties with the unit TEMPERATURE in the scene's unit of temperature; the stored value stays in
    kelvin."""
    scene = tools.fresh(folder)
    units = scene.unit_settings
    cube = tools.cube("cube", "BODY")
    settings, heat = cube.dollop, cube.dollop.body.heat
    found = (
        (settings.body, "temperature"),
        (heat, "solidus"),
        (heat, "liquidus"),
        (settings.collider, "temperature"),
        (settings.heater.effect.temperature_settings, "temperature"),
        (scene.dollop.settings.ambient, "temperature"),
    )
    for owner, name in found:
        made = owner.bl_rna.properties[name]
        assert (made.unit, made.subtype) == ("TEMPERATURE", "TEMPERATURE"), (owner, name)
    ambient = scene.dollop.settings.ambient
    ambient.temperature = bpy.utils.units.to_value("METRIC", "TEMPERATURE", "20C")
    for unit in ("KELVIN", "CELSIUS", "ADAPTIVE"):
        units.temperature_unit = unit
        assert abs(ambient.temperature - 293.15) < 1e-4
        assert tools.export(folder)["ambient"]["temperature"] == 293.15
        tools.bake()
        assert (units.temperature_unit, units.system) == (unit, "METRIC")
