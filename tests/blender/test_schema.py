# SPDX-FileCopyrightText: 2026 The Dollop founders
# SPDX-License-Identifier: GPL-3.0-or-later
"""The schema as settings, without Blender."""

from __future__ import annotations

import copy
import json
from pathlib import Path
from types import SimpleNamespace

import pytest
from files import NO_FORMAT

from addon.settings import schema
from addon.settings.fitting import fitted
from addon.settings.units import is_scaled, label_with_unit
from addon.settings.values import from_json, keyed, to_json

DOCUMENT = json.loads((Path(schema.__file__).parents[1] / "schema.json").read_text(encoding="utf-8"))


def changed() -> dict:
    return copy.deepcopy(DOCUMENT)


def by_key(settings: tuple[schema.Setting, ...]) -> dict[str, schema.Setting]:
    return {setting.key: setting for setting in settings}


def smoothed(settings: tuple[schema.Setting, ...]) -> schema.Case:
    """The settings of smoothed matter among those of a body."""
    return next(case for case in by_key(settings)["material"].cases if case.item.value == "smoothed")


def test_derived_fields_are_not_shown() -> None:
    found = schema.read(DOCUMENT)
    derived = {"version", "frames", "gravity", "bodies", "colliders", "heaters", "tools", "outflows"}
    assert not derived & set(by_key(found.scene.settings))
    own = {setting.key for group in found.lists.values() for setting in group.settings}
    assert not {"name", "shape", "transform", "motion", "color", "temperatures", "values", "pins"} & own


def test_the_version_comes_from_the_schema() -> None:
    document = changed()
    document["properties"]["version"].update(minimum=7, maximum=7)
    assert schema.read(document).version == 7


def test_formats_and_farms_come_from_the_schema() -> None:
    before, document = schema.read(DOCUMENT), changed()
    document["$defs"]["VolumeFormat"]["oneOf"].append({"type": "string", "const": NO_FORMAT, "description": "New."})
    document["$defs"]["Output"]["properties"]["threads"] = document["$defs"]["Output"]["properties"]["mesh"]
    document["x-engines"].append({"name": "mill", "title": "The Mill", "description": "wind and stones"})
    found = schema.read(document)
    added = {"volume": (*before.formats["volume"], NO_FORMAT), "threads": before.formats["mesh"]}
    assert all(before.formats.values()) and found.formats == {**before.formats, **added}
    assert found.engines == (*before.engines, schema.Item("mill", "The Mill", "Wind and stones"))
    assert all(engine.description[0].isupper() for engine in found.engines)


def test_every_field_that_is_not_derived_is_shown() -> None:
    found = schema.read(DOCUMENT)
    for group in (found.scene, *found.lists.values()):
        properties = DOCUMENT["properties"] if group is found.scene else DOCUMENT["$defs"][group.label]["properties"]
        wanted = {key for key, value in properties.items() if not value.get("x-derived")}
        assert set(by_key(group.settings)) == wanted


def test_kinds_of_settings() -> None:
    found = schema.read(DOCUMENT)
    scene, body = by_key(found.scene.settings), by_key(found.body.settings)
    spacing = scene["particle_spacing"]
    assert isinstance(spacing, schema.Number) and spacing.default == 0.05 and spacing.unit == "m" and is_scaled(spacing)
    assert not spacing.description.endswith(".") and "\n" not in spacing.description
    output = by_key(scene["output"].settings)
    assert output["mesh"].optional and output["mesh"].enabled
    assert output["volume"].optional and not output["volume"].enabled
    grids = by_key(output["volume"].settings)["grids"]
    assert isinstance(grids, schema.Flags) and set(grids.default) <= {item.value for item in grids.items}
    assert isinstance(body["velocity"], schema.Vector) and body["velocity"].default == (0.0, 0.0, 0.0)
    assert body["temperature"].optional and not body["temperature"].enabled and body["temperature"].default == 293.15
    assert isinstance(body["material"], schema.Variants) and body["material"].tag == "type"


def test_the_ambient_air_is_a_panel_of_the_scene() -> None:
    ambient = by_key(schema.read(DOCUMENT).scene.settings)["ambient"]
    assert isinstance(ambient, schema.Group) and not ambient.optional
    air = by_key(ambient.settings)
    assert [label_with_unit(air[key]) for key in ("density", "pressure")] == ["Density (kg/m³)", "Pressure (Pa)"]
    for key, default in {"density": 0.0, "pressure": 0.0, "temperature": 293.15, "convection": 10.0}.items():
        assert (air[key].minimum, air[key].default) == (0.0, default)


def test_the_state_equation_is_a_choice() -> None:
    case = smoothed(schema.read(DOCUMENT).body.settings)
    choice = by_key(case.settings)["state_equation"]
    assert isinstance(choice, schema.Choice) and choice.default == "linear"
    told = [node["const"] for node in DOCUMENT["$defs"]["StateEquation"]["oneOf"]]
    assert [item.value for item in choice.items] == told and all(item.description for item in choice.items)
    assert "Ideal Gas" in [item.label for item in choice.items]


def test_material_constants_stay_in_si() -> None:
    case = smoothed(schema.read(DOCUMENT).body.settings)
    constants = by_key(case.settings)
    assert not is_scaled(constants["viscosity"])
    assert label_with_unit(constants["rest_density"]) == "Rest Density (kg/m³)"


def test_materials_keep_their_numbers() -> None:
    """A .blend file stores the number of the chosen one."""
    material = by_key(schema.read(DOCUMENT).body.settings)["material"]
    assert [case.item.value for case in material.cases] == ["smoothed", "thermal", "oriented", "soft", "continuum"]
    assert material.default == "continuum"


def test_defaults_of_the_parent_win() -> None:
    document = changed()
    document["$defs"]["Body"]["properties"]["material"]["default"]["viscosity"] = 7.0
    case = by_key(schema.read(document).body.settings)["material"].cases[-1]
    assert case.item.value == "continuum" and by_key(case.settings)["viscosity"].default == 7.0


def test_new_kinds_and_settings_appear() -> None:
    document = changed()
    document["$defs"]["Material"]["oneOf"].append(
        {
            "type": "object",
            "description": "Another law.",
            "properties": {
                "type": {"type": "string", "const": "soft-clay"},
                "mode": {"enum": ["fast", "slow"], "type": "string", "default": "slow"},
                "layers": {"type": "integer", "minimum": 2, "maximum": 9},
                "note": {"type": "string"},
            },
            "required": ["type", "layers", "note"],
        }
    )
    material = by_key(schema.read(document).body.settings)["material"]
    case = material.cases[-1]
    settings = by_key(case.settings)
    assert case.item.label == "Soft Clay"
    assert settings["mode"].default == "slow" and settings["layers"].default == 2
    data = SimpleNamespace(
        material=SimpleNamespace(
            type="soft-clay", soft_clay_settings=SimpleNamespace(mode="fast", use_mode=True, layers=3, note="n")
        )
    )
    assert to_json((material,), data, 1.0) == {
        "material": {"type": "soft-clay", "mode": "fast", "layers": 3, "note": "n"}
    }


def test_unsupported_parts_of_the_schema_are_named() -> None:
    document = changed()
    document["$defs"]["Body"]["properties"]["odd"] = {"type": ["number", "string"]}
    with pytest.raises(schema.SchemaError, match=r"bodies\[\]\.odd"):
        schema.read(document)


def with_shapes(*added: dict) -> dict:
    document = changed()
    document["$defs"]["Shape"]["oneOf"] += added
    return document


def length(**more: object) -> dict:
    return {"type": "number", "minimum": 1e-6, "maximum": 1e6, "x-unit": "m", **more}


EGG = {
    "type": "object",
    "description": "An egg.",
    "properties": {
        "type": {"type": "string", "const": "hens-egg"},
        "radii": {"type": "array", "items": {"type": "number", "minimum": 1e-6}, "minItems": 3, "maxItems": 3},
        "shell": length(default=0.1),
        "yolk": length(),
        "white": {**length(), "x-extent": "yz"},
        "boiled": {"type": "boolean", "default": True},
    },
    "required": ["type", "radii", "yolk", "white"],
}
EGG["properties"]["radii"]["x-unit"] = "m"


def test_every_kind_of_object_has_the_shapes_of_the_schema() -> None:
    document = with_shapes(EGG)
    found = schema.read(document)
    cases = {case["properties"]["type"]["const"]: case for case in document["$defs"]["Shape"]["oneOf"]}
    assert set(found.shapes) == {group.key for group in found.lists.values()}
    assert cases["plane"]["x-only"] == ["colliders"]
    for key, group in found.lists.items():
        offered = found.shapes[group.key]
        wanted = [name for name, case in cases.items() if key in case.get("x-only", found.lists)]
        assert [case.item.value for case in offered.cases] == wanted
        assert offered.default == "mesh" and (offered.key, offered.tag) == ("shape", "type")
        egg = offered.cases[-1]
        assert egg.item == schema.Item("hens-egg", "Hens Egg", "An egg")
        assert list(by_key(egg.settings)) == ["radii", "shell", "yolk", "white", "boiled"]


def test_shapes_start_with_the_size_of_their_object() -> None:
    cases = {case.item.value: case.settings for case in schema.read(with_shapes(EGG)).shapes["collider"].cases}
    size = (1.0, 4.0, 6.0)
    assert fitted(cases["mesh"], size) == fitted(cases["plane"], size) == {}
    assert fitted(cases["box"], size) == {"size": size}
    assert fitted(cases["sphere"], size) == {"radius": 3.0}
    assert fitted(cases["cylinder"], size) == {"radius": 2.0, "height": 6.0}
    # Lengths without a default are half of the object where the schema tells nothing else.
    assert fitted(cases["hens-egg"], size) == {"radii": (0.5, 2.0, 3.0), "yolk": 3.0, "white": 6.0}


def test_settings_with_keys_in_the_scene_file_can_be_animated() -> None:
    found = schema.read(DOCUMENT)
    assert by_key(found.collider.settings)["temperature"].keys == "temperatures"
    effect = by_key(found.heater.settings)["effect"]
    keys = {(case.item.value, s.key): s.keys for case in effect.cases for s in case.settings}
    for place, wanted in {"temperature": "values", "response": ""}.items():
        assert keys["temperature", place] == wanted
    assert keys["power", "power"] == "values"
    for node, name in (("Collider", "temperatures"), ("Heater", "values")):
        assert DOCUMENT["$defs"][node]["properties"][name]["items"] == {"$ref": "#/$defs/ValueKey"}


def test_each_list_has_its_kind_of_objects() -> None:
    lists = schema.read(DOCUMENT).lists
    for key, group in lists.items():
        assert DOCUMENT["properties"][key]["items"] == {"$ref": f"#/$defs/{group.label}"}
    items = {key for key, node in DOCUMENT["properties"].items() if node.get("type") == "array" and "items" in node}
    assert set(lists) == {key for key in items if "$ref" in DOCUMENT["properties"][key]["items"]}


def test_a_tool_has_an_action() -> None:
    action = by_key(schema.read(DOCUMENT).tool.settings)["action"]
    assert isinstance(action, schema.Choice) and action.default == "join"
    told = [node["const"] for node in DOCUMENT["$defs"]["ToolAction"]["oneOf"]]
    assert [item.value for item in action.items] == told and all(item.description for item in action.items)


def test_animatable_values_are_read_if_switched_on() -> None:
    found = schema.read(DOCUMENT)
    collider = SimpleNamespace(use_temperature=True, temperature=300.0)
    settings = tuple(s for s in found.collider.settings if s.key == "temperature")
    assert keyed(settings, collider) == {"temperatures": 300.0}
    collider.use_temperature = False
    assert keyed(settings, collider) == {}
    kinds = {"temperature_settings": SimpleNamespace(temperature=1.0, response=2.0)}
    kinds["power_settings"] = SimpleNamespace(power=3.0)
    for kind, value in (("temperature", 1.0), ("power", 3.0)):
        heater = SimpleNamespace(effect=SimpleNamespace(type=kind, **kinds))
        assert keyed(found.heater.settings, heater) == {"values": value}


def defaults_of(settings: dict[str, schema.Setting]) -> dict:
    """The values of those that are not optional."""
    return {key: setting.default for key, setting in settings.items() if not setting.optional}


def test_values_go_back_to_where_they_were_read() -> None:
    settings = tuple(s for s in schema.read(DOCUMENT).body.settings if s.key in ("velocity", "temperature", "material"))
    kinds = {"smoothed_settings": SimpleNamespace(molten=SimpleNamespace()), "thermal_settings": SimpleNamespace()}
    data = SimpleNamespace(material=SimpleNamespace(**kinds))
    plain = by_key(smoothed(settings).settings)
    own = defaults_of(plain) | {"rest_density": 800.0, "state_equation": "tait", "stiffness": 20.0, "viscosity": 2.0}
    molten = defaults_of(by_key(plain["molten"].settings)) | {"stiffness": 10.0, "cohesion": 0.5}
    values = {"velocity": [1.0, 2.0, 3.0], "material": {"type": "smoothed", **own, "molten": molten}}
    from_json(settings, data, values, 0.5)
    assert data.velocity == [2.0, 4.0, 6.0] and not data.use_temperature
    assert to_json(settings, data, 0.5) == values
    from_json(settings, data, {"temperature": 300.0, "material": {"type": "smoothed", "viscosity": 3.0}}, 0.5)
    assert to_json(settings, data, 1.0) == {
        "velocity": [0.0, 0.0, 0.0],
        "temperature": 300.0,
        "material": {"type": "smoothed", **defaults_of(plain), "viscosity": 3.0},
    }


def test_values_scale_lengths_only() -> None:
    found = schema.read(DOCUMENT)
    settings = tuple(s for s in found.body.settings if s.key in ("velocity", "temperature"))
    data = SimpleNamespace(velocity=(1.0, 0.1, 0.0), use_temperature=True, temperature=300.0)
    values = to_json(settings, data, 0.01)
    assert values["temperature"] == 300.0
    assert values["velocity"] == pytest.approx([0.01, 0.001, 0.0], rel=1e-15)
    data.use_temperature = False
    assert "temperature" not in to_json(settings, data, 1.0)
