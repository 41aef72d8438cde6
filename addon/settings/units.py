# SPDX-FileCopyrightText: 2026 The Dollop founders
# SPDX-License-Identifier: GPL-3.0-or-later
"""The settings that Blender shows as lengths and speeds of the scene, and so stores in Blender units.

Lengths, and vectors of speed, belong to what is seen in the viewport. A scalar speed is a constant of a material and
stays in SI.
"""

from __future__ import annotations

from .schema import Number, Setting, Vector

_SCALED = {Number: {"m": "LENGTH"}, Vector: {"m": "LENGTH", "m/s": "VELOCITY", "m/s^2": "ACCELERATION"}}
_UNSCALED = {"K": "TEMPERATURE", "rad": "ROTATION", "s": "TIME_ABSOLUTE"}


def is_scaled(setting: Setting) -> bool:
    """Whether the value is stored in Blender units, to be multiplied by the scene's unit scale."""
    return getattr(setting, "unit", "") in _SCALED.get(type(setting), {})


def blender_unit(setting: Setting) -> str:
    """The `unit` of the Blender property, NONE if Blender has none."""
    return _SCALED.get(type(setting), {}).get(setting.unit) or _UNSCALED.get(setting.unit, "NONE")


def label_with_unit(setting: Setting) -> str:
    """The label, with the unit if Blender does not show it."""
    unit = getattr(setting, "unit", "")
    if not unit or blender_unit(setting) != "NONE":
        return setting.label
    return f"{setting.label} ({unit.replace('^2', '²').replace('^3', '³')})"
