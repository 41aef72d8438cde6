# SPDX-FileCopyrightText: 2026 The Dollop founders
# SPDX-License-Identifier: GPL-3.0-or-later
"""The participating objects, and how to evaluate them without changing the scene."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from dataclasses import dataclass

import bpy

from ..data import BODY, COLLIDER, HEATER, NONE, OUTFLOW, TOOL, can_be_pinned, section

# Types of objects that Blender can turn into a mesh.
MESH_LIKE = {"MESH", "CURVE", "SURFACE", "FONT"}


@dataclass(frozen=True)
class Participants:
    bodies: list[bpy.types.Object]
    colliders: list[bpy.types.Object]
    heaters: list[bpy.types.Object]
    tools: list[bpy.types.Object]
    outflows: list[bpy.types.Object]
    followed: list[bpy.types.Object]
    """Objects in the scene that pins follow."""
    unfit: list[bpy.types.Object]
    """Objects of some kind that Blender cannot turn into a mesh, such as empties."""

    @property
    def moving(self) -> list[bpy.types.Object]:
        return self.colliders + self.heaters + self.tools + self.outflows

    @property
    def all(self) -> list[bpy.types.Object]:
        return self.bodies + self.moving

    @property
    def looked_at(self) -> list[bpy.types.Object]:
        """All participants and followed objects, each once."""
        return list(dict.fromkeys(self.all + self.followed))


def find(view_layer: bpy.types.ViewLayer) -> Participants:
    """The objects of each kind in a view layer by name; excluded collections stay out."""
    # The list does not yet contain objects linked just now.
    view_layer.update()
    named = sorted(view_layer.objects, key=lambda o: o.name)
    objects = [o for o in named if o.type in MESH_LIKE]
    unfit = [o for o in named if o.type not in MESH_LIKE and o.dollop.kind != NONE]
    kinds = (BODY, COLLIDER, HEATER, TOOL, OUTFLOW)
    bodies, *others = ([o for o in objects if o.dollop.kind == kind] for kind in kinds)
    followed = [pin.followed for body in bodies if can_be_pinned(body) for pin in body.dollop.pins]
    here = [o for o in dict.fromkeys(followed) if o and view_layer.id_data in o.users_scene]
    return Participants(bodies, *others, here, unfit)


def why_unfit(source: bpy.types.Object) -> str:
    """What is wrong with an unfit object, and what to do about it."""
    type_name = source.bl_rna.properties["type"].enum_items[source.type].name
    return (
        f"{source.name!r} cannot be of the Dollop type {section(source.dollop.kind).label}, as an object of Blender's "
        f"type {type_name} has no faces: choose None in its Physics tab, and use a mesh, such as a cube, in its place"
    )


@contextlib.contextmanager
def evaluated(scene: bpy.types.Scene, view_layer: bpy.types.ViewLayer, taking_part: Participants) -> Iterator[None]:
    """Shows the examined objects, as Blender does not evaluate hidden ones, and hides the results of earlier bakes, so
    that stepping through the frames does not read them. Restores everything afterwards, the frame too."""
    frame, subframe = scene.frame_current, scene.frame_subframe
    played = [o for o in (scene.dollop.surface, scene.dollop.volume, scene.dollop.particles) if o]
    looked_at = taking_part.looked_at
    wanted = [(o, False) for o in looked_at] + [(o, True) for o in played if o.dollop.kind == NONE]
    before = [(o, o.hide_viewport) for o, _ in wanted]
    stage = bpy.data.collections.new("Dollop Export")
    scene.collection.children.link(stage)
    eyes = []
    try:
        for o in looked_at:
            stage.objects.link(o)
            if o.mode == "EDIT":
                o.update_from_editmode()
        for o, hide in wanted:
            o.hide_viewport = hide
        for o in looked_at:
            if o.hide_get(view_layer=view_layer):
                eyes.append(o)
                o.hide_set(False, view_layer=view_layer)
        view_layer.update()
        yield
    finally:
        for o in eyes:
            o.hide_set(True, view_layer=view_layer)
        for o, hide in before:
            o.hide_viewport = hide
        bpy.data.collections.remove(stage)
        scene.frame_set(frame, subframe=subframe)
