# SPDX-FileCopyrightText: 2026 The Dollop founders
# SPDX-License-Identifier: GPL-3.0-or-later
"""Warnings about a scene that can be baked, but perhaps not with the expected result."""

from __future__ import annotations

import bpy

from ..data import NONE
from .participants import MESH_LIKE, Participants

# Blender's filler in the identifier of an instance: one number for each level of instancing, the innermost first.
_NO_LEVEL = 2**31 - 1


def hidden(view_layer: bpy.types.ViewLayer, taking_part: Participants) -> list[str]:
    """Hidden objects take part, as in Blender's own physics; colliders are commonly hidden from renders."""
    names = [
        o.name
        for o in taking_part.all
        if not o.visible_get(view_layer=view_layer) or (o in taking_part.bodies and _is_out_of_renders(o))
    ]
    if not names:
        return []
    return [f"Baked though hidden: {_listed(names)}; exclude the collection, or choose None, to leave an object out"]


def instances(depsgraph: bpy.types.Depsgraph, taking_part: Participants) -> list[str]:
    """Instances of and on participating objects are not baked."""
    of, on = set(), set()
    for one in depsgraph.object_instances:
        if not one.is_instance or one.object.type not in MESH_LIKE or _is_its_own_mesh(one):
            continue
        if one.parent and one.parent.original in taking_part.all:
            on.add(one.parent.original.name)
        elif one.object.original.dollop.kind != NONE:
            of.add(one.object.original.name)
    warnings = []
    if of:
        warnings.append(f"Not baked: the instances of {_listed(of)}; Object > Apply > Make Instances Real bakes them")
    if on:
        warnings.append(f"Not baked: the instances on {_listed(on)}; a Realize Instances node bakes them")
    return warnings


def _is_its_own_mesh(one: bpy.types.DepsgraphObjectInstance) -> bool:
    """Whether this is the look of a curve or a text itself, which Blender lists as an instance on the object."""
    return one.instance_object.original == one.parent.original and one.persistent_id[1] == _NO_LEVEL


def _is_out_of_renders(body: bpy.types.Object) -> bool:
    """Whether the user hid it, not Dollop."""
    before = body.dollop.hidden
    return before.hide_render if before.active else body.hide_render


def _listed(names: set[str] | list[str]) -> str:
    return ", ".join(repr(name) for name in sorted(names))
