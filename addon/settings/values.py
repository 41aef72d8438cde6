# SPDX-FileCopyrightText: 2026 The Dollop founders
# SPDX-License-Identifier: GPL-3.0-or-later
"""Reads property groups back into the values of a scene file. Knows nothing of Blender: any object with the attributes
will do."""

from __future__ import annotations

from typing import Any

import numpy as np

from .names import case_name, switch_name
from .schema import Case, Flags, Group, Integer, Number, Setting, Variants, Vector
from .units import is_scaled


def to_json(settings: tuple[Setting, ...], data: Any, unit_scale: float) -> dict[str, Any]:
    """The values of `settings` held by `data`; lengths become metres, `unit_scale` being metres per Blender unit."""
    return {
        setting.key: _value(setting, data, unit_scale)
        for setting in settings
        if not setting.optional or getattr(data, switch_name(setting))
    }


def keyed(settings: tuple[Setting, ...], data: Any) -> dict[str, float]:
    """What of the values can be animated, by the name of the list of keys that it is written to."""
    found: dict[str, float] = {}
    for setting in settings:
        if setting.optional and not getattr(data, switch_name(setting)):
            continue
        value = getattr(data, setting.key)
        match setting:
            case Number() if setting.keys:
                found[setting.keys] = shortest(value)
            case Group():
                found |= keyed(setting.settings, value)
            case Variants():
                case = _case(setting, value)
                found |= keyed(case.settings, getattr(value, case_name(case)))
    return found


def _value(setting: Setting, data: Any, unit_scale: float) -> Any:
    value = getattr(data, setting.key)
    factor = unit_scale if is_scaled(setting) else 1.0
    match setting:
        case Number():
            return shortest(value) * factor
        case Vector():
            return [shortest(part) * factor for part in value]
        case Integer():
            return int(value)
        case Flags():
            return [item.value for item in setting.items if item.value in value]
        case Group():
            return to_json(setting.settings, value, unit_scale)
        case Variants():
            case = _case(setting, value)
            return {setting.tag: case.item.value, **to_json(case.settings, getattr(value, case_name(case)), unit_scale)}
    return value


def _case(setting: Variants, data: Any) -> Case:
    kind = getattr(data, setting.tag)
    return next(case for case in setting.cases if case.item.value == kind)


def shortest(value: float) -> float:
    """What the user typed: Blender keeps 32 bits, and 0.1 must not become 0.10000000149."""
    return float(str(np.float32(value)))
