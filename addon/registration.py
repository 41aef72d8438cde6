# SPDX-FileCopyrightText: 2026 The Dollop founders
# SPDX-License-Identifier: GPL-3.0-or-later
"""Registers everything with Blender, in order."""

from __future__ import annotations

from . import command_line, data, preferences, saving
from .ui import baking, farm, operators, panels, pins, presets, shapes

_PARTS = (data, preferences, baking, operators, pins, presets, shapes, panels, farm, command_line, saving)


def register() -> None:
    for part in _PARTS:
        part.register()


def unregister() -> None:
    for part in reversed(_PARTS):
        part.unregister()
