# SPDX-FileCopyrightText: 2026 The Dollop founders
# SPDX-License-Identifier: GPL-3.0-or-later
"""The names under which settings live in a property group."""

from __future__ import annotations

from .schema import Case, Setting


def switch_name(setting: Setting) -> str:
    """The checkbox beside an optional setting."""
    return f"use_{setting.key}"


def kind_name(setting: Setting) -> str:
    """The choice of the kind in a group made from variants."""
    return setting.tag


def shape_name(kind: str) -> str:
    """The choice of the shape of an object of a kind, which is the key of its group of settings."""
    return f"{kind}_shape"


def case_name(case: Case) -> str:
    """The group with the settings of one kind."""
    return f"{case.item.value.replace('-', '_')}_settings"
