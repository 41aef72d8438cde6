# SPDX-FileCopyrightText: 2026 The Dollop founders
# SPDX-License-Identifier: GPL-3.0-or-later
"""Keeps the results in one scene independent of copied scenes and copied objects."""

from __future__ import annotations

import bpy

PARTS = ("surface", "volume", "particles")


def is_sole(data: bpy.types.ID) -> bool:
    """Whether `data` has a single user and may be changed."""
    return data.library is None and data.users - data.use_fake_user <= 1


def is_shared(scene: bpy.types.Scene, shown: bpy.types.Object) -> bool:
    """Whether `shown` is also the result of another scene, as after Linked Copy, or of another file."""
    others = (other.dollop for other in bpy.data.scenes if other != scene)
    return shown.library is not None or any(getattr(other, part) == shown for other in others for part in PARTS)


def separate(scene: bpy.types.Scene, part: str) -> list[str]:
    """Replaces a shared object in `scene` by its own copy, with the same look. Returns warnings for the user."""
    shown = getattr(scene.dollop, part)
    if shown is None or not is_shared(scene, shown):
        return []
    if scene.objects.get(shown.name) != shown:
        return release(scene, part)
    own = shown.copy()
    scene.collection.objects.link(own)
    warnings = release(scene, part)
    setattr(scene.dollop, part, own)
    return warnings


def release(scene: bpy.types.Scene, part: str) -> list[str]:
    """Removes a shared object from `scene`. Returns warnings for the user."""
    shown = getattr(scene.dollop, part)
    setattr(scene.dollop, part, None)
    if scene.collection.objects.get(shown.name) == shown:
        scene.collection.objects.unlink(shown)
    if scene.objects.get(shown.name) != shown:
        return []
    return [
        f"{shown.name!r} stays visible here: it is in a collection that another scene has too, and shows that scene"
    ]


def with_own_data(shown: bpy.types.Object) -> bpy.types.ID:
    """The object's data, not shared with other objects."""
    if not is_sole(shown.data):
        shown.data = shown.data.copy()
    return shown.data
