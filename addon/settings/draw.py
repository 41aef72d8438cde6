# SPDX-FileCopyrightText: 2026 The Dollop founders
# SPDX-License-Identifier: GPL-3.0-or-later
"""Draws the settings of any schema."""

from __future__ import annotations

from typing import Any

from .names import case_name, switch_name
from .schema import Choice, Flags, Group, Setting, Variants, Vector


def draw(layout: Any, settings: tuple[Setting, ...], data: Any, path: str) -> None:
    """Draws `settings` held by `data`; `path` makes the names of sub-panels unique. Groups come last."""
    for setting in settings:
        if not isinstance(setting, Group):
            _draw_row(layout, setting, data, path)
    for setting in settings:
        if isinstance(setting, Group):
            _draw_group(layout, setting, data, path)


def _draw_row(layout: Any, setting: Setting, data: Any, path: str) -> None:
    if isinstance(setting, Choice) and len(setting.items) == 1:
        return
    if isinstance(setting, Variants):
        if setting.optional:
            layout.prop(data, switch_name(setting))
            if not getattr(data, switch_name(setting)):
                return
        _draw_variants(layout, setting, getattr(data, setting.key), f"{path}.{setting.key}")
        return
    target, text = layout, None
    if setting.optional:
        row = target = layout.row(align=True, heading=setting.label)
        target.prop(data, switch_name(setting), text="")
        target = target.row(align=True)
        target.active = getattr(data, switch_name(setting))
        text = ""
    elif setting.keys:
        target = layout.row()
        target.use_property_decorate = True
    if isinstance(setting, Flags | Vector):
        target = target.column(align=True)
    if text is None:
        target.prop(data, setting.key)
    else:
        target.prop(data, setting.key, text=text)
    if setting.keys and setting.optional:
        row.prop_decorator(data, setting.key)


def _draw_variants(layout: Any, setting: Variants, data: Any, path: str) -> None:
    layout.prop(data, setting.tag)
    kind = getattr(data, setting.tag)
    case = next(case for case in setting.cases if case.item.value == kind)
    draw(layout, case.settings, getattr(data, case_name(case)), f"{path}.{kind}")


def _starts_open(setting: Group) -> bool:
    """Whether its panel is open at first: if it is switched on, or contains switches."""
    if setting.optional:
        return setting.enabled
    return any(isinstance(inner, Group) and inner.optional for inner in setting.settings)


def _draw_group(layout: Any, setting: Group, data: Any, path: str) -> None:
    name = f"{path}.{setting.key}"
    header, body = layout.panel(name, default_closed=not _starts_open(setting))
    on = not setting.optional or getattr(data, switch_name(setting))
    if setting.optional:
        header.use_property_split = False
        header.prop(data, switch_name(setting), text=setting.label)
    else:
        header.label(text=setting.label)
    if body:
        body.active = on
        draw(body, setting.settings, getattr(data, setting.key), name)
