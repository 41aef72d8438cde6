# SPDX-FileCopyrightText: 2026 The Dollop founders
# SPDX-License-Identifier: MIT OR Apache-2.0
"""Writes the tables of values in docs/presets.md, each between two marks, from the presets and the schema.

python3 tools/preset_tables.py
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from decimal import Decimal
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
PAGE = ROOT / "docs/presets.md"
_TABLE = re.compile(r"(<!-- presets: ([\w-]+) -->\n\n).*?(\n<!-- end -->)", re.DOTALL)
# In the table of heat, as it is a setting of every material.
_DENSITY = "rest_density"

Node = dict[str, Any]


def written(page: str) -> str:
    """The page with its tables made anew. Raises `ValueError` if the table of a material is missing."""
    tables = _tables(_read("presets.json"), _read("schema.json")["$defs"])
    places = {name for _, name, _ in _TABLE.findall(page)}
    for name in tables.keys() - places:
        raise ValueError(
            f"docs/presets.md has no place for the table of `{name}`: "
            f"write the lines <!-- presets: {name} --> and <!-- end -->, with two empty ones between them"
        )
    for name in places - tables.keys():
        raise ValueError(f"docs/presets.md has a place for a table of `{name}`, but no preset has it: remove its lines")
    return _TABLE.sub(lambda found: found[1] + tables[found[2]] + found[3], page)


def _read(name: str) -> Any:
    return json.loads((ROOT / "addon" / name).read_text(encoding="utf-8"))


def _tables(presets: list[Node], definitions: Node) -> dict[str, str]:
    """The table of heat, and one for each material that presets have."""
    heat = [(("material", _DENSITY), "density, kg/m³")]
    heat += [(("heat", *path), label) for path, label in _columns(definitions["Heat"], definitions)]
    tables = {"heat": _table([*heat, (("temperature",), "starts at, K")], presets)}
    for material in definitions["Material"]["oneOf"]:
        name = material["properties"]["type"]["const"]
        own = [one for one in presets if one["material"]["type"] == name]
        columns = [(("material", *path), label) for path, label in _columns(material, definitions)]
        if own:
            tables[name] = _table([column for column in columns if column[0] != ("material", _DENSITY)], own)
    return tables


def _columns(node: Node, definitions: Node) -> Iterator[tuple[tuple[str, ...], str]]:
    """The path to each setting, and its label, which for settings within another one begins with that."""
    for key, child in node["properties"].items():
        label = key.replace("_", " ")
        target = _target(child, definitions)
        if "const" in child:
            continue
        if "properties" in target:
            for path, inner in _columns(target, definitions):
                yield (key, *path), f"{label}: {inner}"
        else:
            unit = child.get("x-unit", "").replace("^2", "²").replace("^3", "³")
            yield (key,), f"{label}, {unit}" if unit else label


def _target(node: Node, definitions: Node) -> Node:
    """What a reference leads to, also an optional one."""
    for one in node.get("anyOf", [node]):
        if "$ref" in one:
            return definitions[one["$ref"].removeprefix("#/$defs/")]
    return node


def _table(columns: list[tuple[tuple[str, ...], str]], presets: list[Node]) -> str:
    rows = [["preset", *(label for _, label in columns)]]
    rows += [[one["name"], *(_text(_value(one, path)) for path, _ in columns)] for one in presets]
    lines = [f"| {' | '.join(row)} |\n" for row in rows]
    return "".join([lines[0], "|" + "---|" * len(rows[0]) + "\n", *lines[1:]])


def _value(found: Any, path: tuple[str, ...]) -> Any:
    for key in path:
        found = found.get(key, {})
    return "" if found == {} else found


def _text(value: Any) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, int | float):
        return f"{Decimal(repr(value)):,f}".replace(",", " ")
    return str(value)


if __name__ == "__main__":
    PAGE.write_text(written(PAGE.read_text(encoding="utf-8")), encoding="utf-8")
