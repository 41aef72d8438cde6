# SPDX-FileCopyrightText: 2026 The Dollop founders
# SPDX-License-Identifier: GPL-3.0-or-later
"""Converts property groups to the values of a scene file and back. Independent of Blender: any object with the
attributes works."""

from __future__ import annotations

from collections.abc import Mapping
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


def from_json(settings: tuple[Setting, ...], data: Any, values: Mapping[str, Any], unit_scale: float) -> None:
    """The reverse of `to_json`: sets `settings` held by `data` to `values`. Missing settings get their default, or are
    switched off."""
    for setting in settings:
        given = setting.key in values
        if setting.optional:
            setattr(data, switch_name(setting), given)
        if given or not setting.optional:
            _set(setting, data, values.get(setting.key), unit_scale)


def keyed(settings: tuple[Setting, ...], data: Any) -> dict[str, float]:
    """The values that can be animated, by the name of their list of keys in the scene file."""
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


def _set(setting: Setting, data: Any, value: Any, unit_scale: float) -> None:
    """Sets one setting to a value of a scene file; to its default for None."""
    factor = unit_scale if is_scaled(setting) and value is not None else 1.0
    match setting:
        case Group():
            from_json(setting.settings, getattr(data, setting.key), value or {}, unit_scale)
            return
        case Variants():
            kinds, value = getattr(data, setting.key), value or {}
            setattr(kinds, setting.tag, value.get(setting.tag, setting.default))
            case = _case(setting, kinds)
            from_json(case.settings, getattr(kinds, case_name(case)), value, unit_scale)
            return
    value = setting.default if value is None else value
    match setting:
        case Number():
            value = value / factor
        case Vector():
            value = [part / factor for part in value]
        case Flags():
            value = set(value)
    setattr(data, setting.key, value)


def _case(setting: Variants, data: Any) -> Case:
    kind = getattr(data, setting.tag)
    return next(case for case in setting.cases if case.item.value == kind)


def shortest(value: float) -> float:
    """The number that the user typed: Blender stores 32 bits, and 0.1 must not become 0.10000000149."""
    return float(str(np.float32(value)))
