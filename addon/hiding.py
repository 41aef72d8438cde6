# SPDX-FileCopyrightText: 2026 The Dollop founders
# SPDX-License-Identifier: GPL-3.0-or-later
"""Hides objects, and restores their look."""

from __future__ import annotations

import bpy


def from_render(scene: bpy.types.Scene, bodies: list[bpy.types.Object]) -> list[str]:
    """Hides objects whose matter a bake shows: not rendered, and wireframes in the viewport. Returns warnings for the
    user."""
    for source in bodies:
        if _remember(source):
            source.hide_render = True
            source.display_type = "WIRE"
    return _forgotten(scene, bodies)


def _forgotten(scene: bpy.types.Scene, bodies: list[bpy.types.Object]) -> list[str]:
    """Warnings about bodies that a file cannot keep hidden: changes of linked objects are not saved."""
    names = [o.name for o in bodies if o.library and not o.dollop.hidden.hide_render and _is_rendered(scene, o)]
    if not names:
        return []
    listed = ", ".join(repr(name) for name in names)
    return [
        "Linked from another file, and hidden only until this one is opened again: "
        f"{listed}; then they render over their matter. Make a Library Override (in the Object menu) and bake again, "
        "or put them into a collection of this file that is disabled in renders"
    ]


def for_good(region: bpy.types.Object) -> None:
    """Hides an object that stands for a region, as `from_render` does, with and without a bake."""
    _remember(region)
    region.hide_render = True
    region.display_type = "WIRE"
    region.dollop.hidden.for_good = True


def altogether(shown: bpy.types.Object) -> None:
    """Hides an object without content."""
    if _remember(shown):
        shown.hide_render = True
        shown.hide_viewport = True


def restore(hidden: bpy.types.Object) -> None:
    """Restores the look of an object; one that Dollop did not hide stays as it is."""
    before = hidden.dollop.hidden
    if before.active:
        hidden.hide_render = before.hide_render
        hidden.hide_viewport = before.hide_viewport
        hidden.display_type = before.display_type
        before.active = before.for_good = False


def _is_rendered(scene: bpy.types.Scene, source: bpy.types.Object) -> bool:
    """Whether some view layer renders the collections that an object is in."""

    def is_in(shown: bpy.types.LayerCollection) -> bool:
        if shown.collection.hide_render:
            return False
        here = not shown.exclude and any(one == source for one in shown.collection.objects)
        return here or any(map(is_in, shown.children))

    return any(layer.use and is_in(layer.layer_collection) for layer in scene.view_layers)


def _remember(shown: bpy.types.Object) -> bool:
    before = shown.dollop.hidden
    if before.active:
        return False
    before.active = True
    before.hide_render = shown.hide_render
    before.hide_viewport = shown.hide_viewport
    before.display_type = shown.display_type
    return True
