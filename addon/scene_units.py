# SPDX-FileCopyrightText: 2026 The Dollop founders
# SPDX-License-Identifier: GPL-3.0-or-later
"""How long a Blender unit is, and what that makes of gravity."""

from __future__ import annotations

import bpy

from .settings.values import shortest


def unit_scale(scene: bpy.types.Scene) -> float:
    """Metres per Blender unit."""
    return shortest(scene.unit_settings.scale_length)


def gravity(scene: bpy.types.Scene) -> list[float]:
    """The scene's gravity in m/s^2, which the unit scale changes as it does in Blender's own panel."""
    if not scene.use_gravity:
        return [0.0, 0.0, 0.0]
    return [shortest(part) * unit_scale(scene) for part in scene.gravity]
