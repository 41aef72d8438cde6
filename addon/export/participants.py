# SPDX-FileCopyrightText: 2026 The Dollop founders
# SPDX-License-Identifier: GPL-3.0-or-later
"""Which objects take part, and how to see them as they are."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from dataclasses import dataclass

import bpy

from ..data import BODY, COLLIDER, HEATER, NONE

# What Blender can turn into a mesh.
MESH_LIKE = {"MESH", "CURVE", "SURFACE", "FONT"}


@dataclass(frozen=True)
class Participants:
    bodies: list[bpy.types.Object]
    colliders: list[bpy.types.Object]
    heaters: list[bpy.types.Object]

    @property
    def all(self) -> list[bpy.types.Object]:
        return self.bodies + self.colliders + self.heaters


def find(view_layer: bpy.types.ViewLayer) -> Participants:
    """The bodies, colliders and heaters of a view layer by name; excluded collections stay out."""
    # Objects linked just now are not in the list before.
    view_layer.update()
    objects = sorted((o for o in view_layer.objects if o.type in MESH_LIKE), key=lambda o: o.name)
    return Participants(
        bodies=[o for o in objects if o.dollop.kind == BODY],
        colliders=[o for o in objects if o.dollop.kind == COLLIDER],
        heaters=[o for o in objects if o.dollop.kind == HEATER],
    )


@contextlib.contextmanager
def evaluated(scene: bpy.types.Scene, view_layer: bpy.types.ViewLayer, taking_part: Participants) -> Iterator[None]:
    """Shows hidden participants, as Blender does not evaluate what is hidden, and hides what an earlier bake shows, so
    that stepping through the frames does not read it. Everything, the frame too, is as before afterwards."""
    frame, subframe = scene.frame_current, scene.frame_subframe
    played = [o for o in (scene.dollop.surface, scene.dollop.volume, scene.dollop.particles) if o]
    wanted = [(o, False) for o in taking_part.all] + [(o, True) for o in played if o.dollop.kind == NONE]
    before = [(o, o.hide_viewport) for o, _ in wanted]
    stage = bpy.data.collections.new("Dollop Export")
    scene.collection.children.link(stage)
    eyes = []
    try:
        for o in taking_part.all:
            stage.objects.link(o)
            if o.mode == "EDIT":
                o.update_from_editmode()
        for o, hide in wanted:
            o.hide_viewport = hide
        for o in taking_part.all:
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
