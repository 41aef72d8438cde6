# SPDX-FileCopyrightText: 2026 The Dollop founders
# SPDX-License-Identifier: GPL-3.0-or-later
"""Builds Blender property groups from settings."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import bpy

from .names import case_name, switch_name
from .schema import Boolean, Case, Choice, Flags, Group, Integer, Item, Number, Setting, Text, Variants, Vector
from .units import blender_unit, label_with_unit

# Blender stores 32 bits.
_LARGEST_FLOAT = 3.402823e38
_LARGEST_INT = 2**31 - 1
_VECTOR_SUBTYPES = {"LENGTH": "XYZ_LENGTH", "VELOCITY": "VELOCITY", "ACCELERATION": "ACCELERATION"}
# Settings of linked assets can be changed by library overrides.
OVERRIDABLE = {"LIBRARY_OVERRIDABLE"}
_NUMBER_SUBTYPES = {
    "LENGTH": "DISTANCE",
    "TEMPERATURE": "TEMPERATURE",
    "ROTATION": "ANGLE",
    "TIME_ABSOLUTE": "TIME_ABSOLUTE",
}


class Builder:
    """Makes and registers the classes; `unregister` unregisters them in reverse."""

    def __init__(self) -> None:
        self._classes: list[type] = []

    def group(self, name: str, settings: tuple[Setting, ...]) -> type:
        """A registered property group with one property for each setting."""
        annotations: dict[str, Any] = {}
        for setting in settings:
            if setting.optional:
                annotations[switch_name(setting)] = _switch(setting)
            annotations[setting.key] = self._property(name, setting)
        return self._register(name, annotations)

    def cases(self, name: str, cases: Iterable[Case]) -> type:
        """A registered property group with a group for each case."""
        return self._register(name, self._case_groups(name, cases))

    def unregister(self) -> None:
        while self._classes:
            bpy.utils.unregister_class(self._classes.pop())

    def _register(self, name: str, annotations: dict[str, Any]) -> type:
        made = type(name, (bpy.types.PropertyGroup,), {"__annotations__": annotations})
        bpy.utils.register_class(made)
        self._classes.append(made)
        return made

    def _property(self, owner: str, setting: Setting) -> Any:
        name = f"{owner}_{setting.key}"
        match setting:
            case Group():
                return _pointer(setting, self.group(name, setting.settings))
            case Variants():
                return _pointer(setting, self._variants(name, setting))
        return _plain(setting)

    def _variants(self, name: str, setting: Variants) -> type:
        annotations: dict[str, Any] = {
            setting.tag: bpy.props.EnumProperty(
                name=setting.label,
                description=setting.description,
                items=enum_items(case.item for case in setting.cases),
                default=setting.default,
                options=set(),
                override=OVERRIDABLE,
            )
        }
        return self._register(name, annotations | self._case_groups(name, setting.cases))

    def _case_groups(self, name: str, cases: Iterable[Case]) -> dict[str, Any]:
        annotations = {}
        for case in cases:
            made = self.group(f"{name}_{case_name(case)}", case.settings)
            annotations[case_name(case)] = bpy.props.PointerProperty(
                type=made, name=case.item.label, override=OVERRIDABLE
            )
        return annotations


def _pointer(setting: Setting, made: type) -> Any:
    return bpy.props.PointerProperty(
        type=made, name=setting.label, description=setting.description, override=OVERRIDABLE
    )


def _switch(setting: Setting) -> Any:
    return bpy.props.BoolProperty(
        name=setting.label,
        description=setting.description,
        default=setting.enabled,
        options=set(),
        override=OVERRIDABLE,
    )


def _plain(setting: Setting) -> Any:
    # Settings apply to the whole bake, except those with keys.
    options = {"ANIMATABLE"} if setting.keys else set()
    common = {"name": setting.label, "description": setting.description, "options": options, "override": OVERRIDABLE}
    match setting:
        case Boolean():
            return bpy.props.BoolProperty(**common, default=setting.default)
        case Text():
            return bpy.props.StringProperty(**common, default=setting.default)
        case Integer():
            return bpy.props.IntProperty(
                **{**common, "name": label_with_unit(setting)},
                default=setting.default,
                min=int(_or(setting.minimum, -_LARGEST_INT)),
                max=int(min(_or(setting.maximum, _LARGEST_INT), _LARGEST_INT)),
            )
        case Number():
            unit = blender_unit(setting)
            return bpy.props.FloatProperty(
                **_float(common, setting, min(2.0, abs(setting.default) or 2.0)),
                subtype=_NUMBER_SUBTYPES.get(unit, "NONE"),
                unit=unit,
            )
        case Vector():
            unit = blender_unit(setting)
            subtype = _VECTOR_SUBTYPES.get(unit, "XYZ") if len(setting.default) == 3 else "NONE"
            return bpy.props.FloatVectorProperty(
                **_float(common, setting, 2.0), size=len(setting.default), subtype=subtype, unit=unit
            )
        case Choice():
            return bpy.props.EnumProperty(**common, items=enum_items(setting.items), default=setting.default)
        case Flags():
            return bpy.props.EnumProperty(
                name=setting.label,
                description=setting.description,
                items=enum_items(setting.items),
                default=set(setting.default),
                options={"ENUM_FLAG"},
                override=OVERRIDABLE,
            )
    raise TypeError(type(setting))


def _float(common: dict[str, Any], setting: Number | Vector, scale: float) -> dict[str, Any]:
    return {
        **common,
        "name": label_with_unit(setting),
        "default": setting.default,
        "min": _or(setting.minimum, -_LARGEST_FLOAT),
        "max": _or(setting.maximum, _LARGEST_FLOAT),
        # Enough digits for the smallest expected values, and an arrow step of one percent of the value.
        "precision": 4 if scale < 1.0 else 3,
        "step": max(1, round(scale * 5)),
    }


def _or(value: float | None, otherwise: float) -> float:
    return otherwise if value is None else value


def enum_items(items: Iterable[Item]) -> list[tuple[str, str, str]]:
    """Items as Blender wants them. A .blend file stores the number of the chosen one, so new ones go to the end."""
    return [(item.value, item.label, item.description) for item in items]
