# SPDX-FileCopyrightText: 2026 The Dollop founders
# SPDX-License-Identifier: GPL-3.0-or-later
"""Switches the results of a bake between their materials and the colours of their temperatures."""

from __future__ import annotations

import bpy

from ..bake.index import Index, Output
from . import materials, temperatures

# On an object: the material that the colours replace.
_BEFORE = "dollop_material_before"
# The output of each object, and the material of one that has none.
_PARTS = {"surface": ("mesh", materials.surface), "particles": ("particles", materials.particles)}


def are_shown(scene: bpy.types.Scene) -> bool:
    """Whether the surface or the particles show the colours of their temperatures."""
    parts = [getattr(scene.dollop, name) for name in _PARTS]
    slots = [slot for part in parts if part for slot in part.material_slots]
    return any(slot.material and materials.is_by_temperature(slot.material) for slot in slots)


def show(scene: bpy.types.Scene, index: Index) -> bool:
    """Colours surface and particles by their temperatures, white at the coldest and red at the hottest of the bake.
    Returns whether there are temperatures."""
    made = None
    for shown, output in _with_temperatures(scene, index):
        slot = next(slot for slot in shown.material_slots if slot.material)
        if made is None:
            made = materials.by_temperature()
            span = temperatures.of_bake(index, output) or temperatures.of_bodies(scene)
            materials.show_temperatures(made, *span)
        shown[_BEFORE] = slot.material
        slot.material = made
    return made is not None


def hide(scene: bpy.types.Scene) -> None:
    """Restores the materials of surface and particles."""
    for name, (_, make) in _PARTS.items():
        shown = getattr(scene.dollop, name)
        for slot in shown.material_slots if shown else ():
            if slot.material and materials.is_by_temperature(slot.material):
                slot.material = shown.get(_BEFORE) or make()
        if shown and _BEFORE in shown:
            del shown[_BEFORE]


def _with_temperatures(scene: bpy.types.Scene, index: Index) -> list[tuple[bpy.types.Object, Output]]:
    """Objects with a material that show temperatures, and the material."""
    found = []
    for name, (kind, make) in _PARTS.items():
        shown, output = getattr(scene.dollop, name), index.output(kind)
        if shown and shown.is_editable and output and "temperature" in output.attributes:
            materials.assign(shown, make)
            found.append((shown, output))
    return found
