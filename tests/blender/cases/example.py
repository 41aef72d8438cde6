# SPDX-FileCopyrightText: 2026 The Dollop founders
# SPDX-License-Identifier: GPL-3.0-or-later
"""Compares a committed example with the present export of its script."""

from __future__ import annotations

import json
import os
from pathlib import Path

import numpy as np
from mathutils.kdtree import KDTree

COMMITTED = Path(os.environ["EXAMPLE"])


def compare_with_committed(folder: Path) -> None:
    fresh = folder / "export"
    read = [json.loads((place / "scene.json").read_text(encoding="utf-8")) for place in (COMMITTED, fresh)]
    expect_alike(*read, "scene")
    for path in sorted((fresh / "shapes").iterdir()):
        expect_same_vertices(COMMITTED / "shapes" / path.name, path)


def check_that_it_can_be_exported_again(_folder: Path) -> None:
    """An export overwrites only an export, and the committed files count as one."""
    from addon.export import target

    target.prepare(COMMITTED)


def expect_alike(one: object, other: object, place: str) -> None:
    """Compares, allowing for the rounding of numbers."""
    if isinstance(one, dict) and isinstance(other, dict):
        assert one.keys() == other.keys(), f"{place}: {sorted(one)} or {sorted(other)}"
        for key in one:
            expect_alike(one[key], other[key], f"{place}.{key}")
    elif isinstance(one, list) and isinstance(other, list):
        expect_alike(dict(enumerate(one)), dict(enumerate(other)), place)
    elif isinstance(one, float) and isinstance(other, float):
        assert abs(one - other) < 1e-6, f"{place}: {one} or {other}"
    else:
        assert one == other, f"{place}: {one} or {other}"


def expect_same_vertices(one: Path, other: Path) -> None:
    """In any order, as Blender versions differ in the order."""
    committed, exported = vertices(one), vertices(other)
    assert len(committed) == len(exported), one
    tree = KDTree(len(committed))
    for number, place in enumerate(committed):
        tree.insert(place, number)
    tree.balance()
    found = [tree.find(place) for place in exported]
    assert max(distance for _, _, distance in found) < 1e-5, one
    assert len({number for _, number, _ in found}) == len(committed), one


def vertices(path: Path) -> np.ndarray:
    lines = path.read_text(encoding="ascii").splitlines()
    return np.array([line.split()[1:4] for line in lines if line.startswith("v ")], float)
