# SPDX-FileCopyrightText: 2026 The Dollop founders
# SPDX-License-Identifier: GPL-3.0-or-later
"""Reads the solver's JSON Schema into a tree of settings. Independent of Blender.

Extensions of the schema: `x-unit` is the SI unit, `x-derived` marks what the exporter fills in, `x-suggested` is the
value to show where there is no default, `x-on` says whether an optional part starts switched on, `x-keys` names the
list beside it in the scene file that replaces what changes over the frames. Of a shape, `x-only` lists the kinds of
objects that can have it, and `x-extent` and `x-half-extent` name the axes along which a length is the size of an
object, or half of it. Beside the settings, `x-engines` are the farms.
"""

from __future__ import annotations

import functools
import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

Node = Mapping[str, Any]
# Printed by the solver; a test of the solver keeps it up to date.
FILE = Path(__file__).parents[1] / "schema.json"


class SchemaError(ValueError):
    """A part of the schema that no setting can represent; the message names the place."""


@dataclass(frozen=True, kw_only=True)
class Setting:
    """One setting. An optional one is left out of the scene file while it is switched off. One with `keys`, the name of
    a list of values at frames, can be animated."""

    key: str
    label: str
    description: str
    optional: bool = False
    enabled: bool = True
    keys: str = ""


@dataclass(frozen=True, kw_only=True)
class Boolean(Setting):
    default: bool


@dataclass(frozen=True, kw_only=True)
class Text(Setting):
    default: str


@dataclass(frozen=True, kw_only=True)
class Integer(Setting):
    default: int
    minimum: float | None
    maximum: float | None
    unit: str


@dataclass(frozen=True)
class Extent:
    """A length as a share of the size of an object along some axes, such as "xy"."""

    axes: str
    share: float


@dataclass(frozen=True, kw_only=True)
class Number(Setting):
    default: float
    minimum: float | None
    maximum: float | None
    unit: str
    extent: Extent | None = None


@dataclass(frozen=True, kw_only=True)
class Vector(Setting):
    default: tuple[float, ...]
    minimum: float | None
    maximum: float | None
    unit: str
    extent: Extent | None = None


@dataclass(frozen=True)
class Item:
    """One value of an enumeration."""

    value: str
    label: str
    description: str


@dataclass(frozen=True, kw_only=True)
class Choice(Setting):
    default: str
    items: tuple[Item, ...]


@dataclass(frozen=True, kw_only=True)
class Flags(Setting):
    """Any of the items, written as a list in their order."""

    default: tuple[str, ...]
    items: tuple[Item, ...]


@dataclass(frozen=True, kw_only=True)
class Group(Setting):
    settings: tuple[Setting, ...]


@dataclass(frozen=True)
class Case:
    """One kind of a `Variants`, with settings of its own."""

    item: Item
    settings: tuple[Setting, ...]


@dataclass(frozen=True, kw_only=True)
class Variants(Setting):
    """A choice between kinds with settings of their own; `tag` is the key that names the kind."""

    default: str
    tag: str
    cases: tuple[Case, ...]


@dataclass(frozen=True)
class Sections:
    """The groups of settings in the interface, the shapes of each kind of objects by the key of its group, the version
    of the scene file, the file formats of each kind of output, which are also the extensions of its files, and the
    supported farms."""

    scene: Group
    body: Group
    collider: Group
    heater: Group
    tool: Group
    outflow: Group
    shapes: Mapping[str, Variants]
    version: int
    formats: Mapping[str, tuple[str, ...]]
    engines: tuple[Item, ...]

    @property
    def lists(self) -> dict[str, Group]:
        """The kinds of objects, by their list in the scene file."""
        return {name: getattr(self, key) for name, key in _LISTS.items()}


# The lists of objects in a scene file, and the key of one of them.
_LISTS = {"bodies": "body", "colliders": "collider", "heaters": "heater", "tools": "tool", "outflows": "outflow"}


@functools.cache
def load() -> Sections:
    """Reads the schema of this release; raises `OSError`, `json.JSONDecodeError` or `SchemaError`."""
    return read(json.loads(FILE.read_text(encoding="utf-8")))


def read(root: Node) -> Sections:
    """Turns the schema of a scene into settings."""
    reader = _Reader(root.get("$defs", {}))
    properties = root["properties"]
    scene = reader.group("scene", root, "scene")
    groups = {key: reader.group(key, properties[name]["items"], f"{name}[]") for name, key in _LISTS.items()}
    return Sections(
        scene=scene,
        **groups,
        shapes={key: reader.shapes(name, properties[name]["items"]) for name, key in _LISTS.items()},
        version=properties["version"]["minimum"],
        formats=_formats(scene),
        engines=tuple(_engine(node) for node in root.get("x-engines", ())),
    )


def _engine(node: Node) -> Item:
    return Item(node["name"], node["title"], node["description"][:1].upper() + node["description"][1:])


def _formats(scene: Group) -> dict[str, tuple[str, ...]]:
    output = next(setting for setting in scene.settings if setting.key == "output")
    return {
        kind.key: tuple(item.value for setting in kind.settings if setting.key == "format" for item in setting.items)
        for kind in output.settings
        if isinstance(kind, Group)
    }


class _Reader:
    def __init__(self, definitions: Node) -> None:
        self._definitions = definitions

    def group(self, key: str, node: Node, path: str) -> Group:
        resolved = self._resolve(node)
        description = sentence(resolved.get("description", ""))
        return self._group({"key": key, "label": label_of(key), "description": description}, resolved, path, {})

    def shapes(self, name: str, node: Node) -> Variants:
        """The shapes that objects in the list `name` of a scene file can have."""
        shape = self._resolve(self._resolve(node)["properties"]["shape"])
        cases = [case for case in shape["oneOf"] if name in self._resolve(case).get("x-only", (name,))]
        return self._setting("shape", {**shape, "oneOf": cases}, f"{name}[].shape", {}, True)

    def _resolve(self, node: Node) -> dict[str, Any]:
        """Follows references; keys beside a reference override the keys of its target."""
        resolved = dict(node)
        while "$ref" in resolved:
            name = resolved.pop("$ref").removeprefix("#/$defs/")
            resolved = {**self._definitions[name], **resolved}
        return resolved

    def _settings(self, node: Node, path: str, given: Node, skip: str = "") -> tuple[Setting, ...]:
        required = set(node.get("required", ()))
        found = []
        for key, child in node.get("properties", {}).items():
            if key == skip or child.get("x-derived"):
                continue
            found.append(self._setting(key, child, f"{path}.{key}", given, key in required))
        return tuple(found)

    def _setting(self, key: str, raw: Node, path: str, given: Node, required: bool) -> Setting:
        node, nullable = self._without_null(self._resolve(raw), path)
        default = given.get(key, node.get("default"))
        optional = nullable or (not required and default is None)
        common = {
            "key": key,
            "label": node.get("title") if "title" in raw else label_of(key),
            "description": sentence(node.get("description", "")),
            "optional": optional,
            "enabled": not optional or bool(node.get("x-on", default is not None)),
            "keys": node.get("x-keys", ""),
        }
        if default is None:
            default = node.get("x-suggested")
        return self._typed(common, node, path, default)

    def _without_null(self, node: dict[str, Any], path: str) -> tuple[dict[str, Any], bool]:
        if isinstance(node.get("type"), list):
            kinds = [kind for kind in node["type"] if kind != "null"]
            if len(kinds) != 1:
                raise SchemaError(f"{path}: more than one type: {', '.join(kinds)}")
            return {**node, "type": kinds[0]}, len(kinds) < len(node["type"])
        if "anyOf" in node:
            kinds = [kind for kind in node["anyOf"] if kind.get("type") != "null"]
            if len(kinds) != 1:
                raise SchemaError(f"{path}: anyOf of more than one type")
            beside = {key: value for key, value in node.items() if key != "anyOf"}
            return {**self._resolve(kinds[0]), **beside}, len(kinds) < len(node["anyOf"])
        return node, False

    def _typed(self, common: dict[str, Any], node: Node, path: str, default: Any) -> Setting:
        items = self._items(node)
        if items:
            return Choice(**common, items=items, default=items[0].value if default is None else default)
        if "oneOf" in node:
            return self._variants(common, node, path, default or {})
        match node.get("type"):
            case "boolean":
                return Boolean(**common, default=bool(default))
            case "string":
                return Text(**common, default=default or "")
            case "integer":
                limits = _limits(node)
                return Integer(**common, **limits, default=int(_clamped(default or 0, limits)))
            case "number":
                limits = _limits(node)
                extent = _extent(node, default)
                return Number(**common, **limits, default=_clamped(default or 0.0, limits), extent=extent)
            case "array":
                return self._array(common, node, path, default)
            case "object":
                return self._group(common, node, path, default or {})
        raise SchemaError(f"{path}: no setting can show the type {node.get('type')!r}")

    def _group(self, common: dict[str, Any], node: Node, path: str, given: Node) -> Group:
        return Group(**common, settings=self._settings(node, path, given))

    def _variants(self, common: dict[str, Any], node: Node, path: str, given: Node) -> Variants:
        nodes = [self._resolve(case) for case in node["oneOf"]]
        tag = _tag_of(nodes, path)
        cases = []
        for case in nodes:
            value = case["properties"][tag]["const"]
            values = given if given.get(tag) == value else {}
            cases.append(Case(_item(value, case), self._settings(case, f"{path}.{value}", values, tag)))
        return Variants(**common, tag=tag, cases=tuple(cases), default=given.get(tag, cases[0].item.value))

    def _array(self, common: dict[str, Any], node: Node, path: str, default: Any) -> Setting:
        element = self._resolve(node["items"])
        items = self._items(element)
        if items:
            return Flags(**common, items=items, default=tuple(default or ()))
        size = node.get("minItems")
        if element.get("type") in ("number", "integer") and size and size == node.get("maxItems"):
            limits = {**_limits(element), "unit": node.get("x-unit", element.get("x-unit", ""))}
            start = tuple(default or [_clamped(0.0, limits)] * size)
            return Vector(**common, **limits, default=start, extent=_extent(node, default))
        raise SchemaError(f"{path}: no setting can show this list")

    def _items(self, node: Node) -> tuple[Item, ...]:
        """The values of an enumeration of strings; empty for anything else."""
        if "enum" in node and node.get("type", "string") == "string":
            return tuple(_item(value, {}) for value in node["enum"])
        if "const" in node and node.get("type") == "string":
            return (_item(node["const"], node),)
        alternatives = [self._items(self._resolve(one)) for one in node.get("oneOf", ())]
        return tuple(item for items in alternatives for item in items) if all(alternatives) else ()


def _tag_of(cases: list[dict[str, Any]], path: str) -> str:
    for key in cases[0].get("properties", {}):
        if all("const" in case.get("properties", {}).get(key, {}) for case in cases):
            return key
    raise SchemaError(f"{path}: the kinds share no key that names them")


def _item(value: str, node: Node) -> Item:
    return Item(value, label_of(value), sentence(node.get("description", "")))


def _limits(node: Node) -> dict[str, Any]:
    return {"minimum": node.get("minimum"), "maximum": node.get("maximum"), "unit": node.get("x-unit", "")}


def _extent(node: Node, default: Any) -> Extent | None:
    """The share of an object's size that a length starts with: half if the schema tells neither that nor a default."""
    if "x-extent" in node:
        return Extent(node["x-extent"], 1.0)
    told = "x-half-extent" in node or (default is None and node.get("x-unit") == "m")
    return Extent(node.get("x-half-extent", "xyz"), 0.5) if told else None


def _clamped(value: float, limits: Mapping[str, Any]) -> float:
    low, high = limits["minimum"], limits["maximum"]
    value = value if low is None else max(value, low)
    return value if high is None else min(value, high)


def label_of(key: str) -> str:
    """`particle_spacing` and `cubic-spline` in the style of Blender's labels."""
    return key.replace("_", " ").replace("-", " ").title()


def sentence(text: str) -> str:
    """One line without the final period, as in Blender's tooltips."""
    return " ".join(text.split()).removesuffix(".")
