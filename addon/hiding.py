# SPDX-FileCopyrightText: 2026 The Dollop founders
# SPDX-License-Identifier: GPL-3.0-or-later
"""Hides objects, and shows them again as they were."""

from __future__ import annotations

import bpy


def from_render(source: bpy.types.Object) -> None:
    """Hides an object whose matter is shown by a bake: not rendered, and a wireframe in the viewport."""
    if _remember(source):
        source.hide_render = True
        source.display_type = "WIRE"


def altogether(shown: bpy.types.Object) -> None:
    """Hides an object that has nothing to show."""
    if _remember(shown):
        shown.hide_render = True
        shown.hide_viewport = True


def restore(hidden: bpy.types.Object) -> None:
    """Shows an object as it was; one that Dollop did not hide stays as it is."""
    before = hidden.dollop.hidden
    if before.active:
        hidden.hide_render = before.hide_render
        hidden.hide_viewport = before.hide_viewport
        hidden.display_type = before.display_type
        before.active = False


def _remember(shown: bpy.types.Object) -> bool:
    before = shown.dollop.hidden
    if before.active:
        return False
    before.active = True
    before.hide_render = shown.hide_render
    before.hide_viewport = shown.hide_viewport
    before.display_type = shown.display_type
    return True
