# SPDX-FileCopyrightText: 2026 The Dollop founders
# SPDX-License-Identifier: GPL-3.0-or-later
"""The length of a Blender unit, and the strength of gravity."""

from __future__ import annotations

import bpy

from .settings.values import shortest


def unit_scale(scene: bpy.types.Scene) -> float:
    """Metres per Blender unit; 1 in a scene without units, where Blender ignores the scale, too."""
    units = scene.unit_settings
    return 1.0 if units.system == "NONE" else shortest(units.scale_length)


def gravity(scene: bpy.types.Scene) -> list[float]:
    """The scene's gravity in m/s^2: its number at any unit scale, so that a scene in centimetres falls as fast as real
    centimetres. Blender's panel multiplies the number by the unit scale."""
    return [shortest(part) if scene.use_gravity else 0.0 for part in scene.gravity]
