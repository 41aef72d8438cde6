# SPDX-FileCopyrightText: 2026 The Dollop founders
# SPDX-License-Identifier: GPL-3.0-or-later
"""How long a Blender unit is, and how strong gravity."""

from __future__ import annotations

import bpy

from .settings.values import shortest


def unit_scale(scene: bpy.types.Scene) -> float:
    """Metres per Blender unit; 1 in a scene that shows no units, where Blender takes no notice of the scale either."""
    units = scene.unit_settings
    return 1.0 if units.system == "NONE" else shortest(units.scale_length)


def gravity(scene: bpy.types.Scene) -> list[float]:
    """The scene's gravity in m/s^2: its number at any unit scale, so that a scene in centimetres falls as fast as
    centimetres do. Blender's panel multiplies the number by the unit scale."""
    return [shortest(part) if scene.use_gravity else 0.0 for part in scene.gravity]
