# SPDX-FileCopyrightText: 2026 The Dollop founders
# SPDX-License-Identifier: GPL-3.0-or-later
"""The add-on's preferences."""

from __future__ import annotations

import os
from pathlib import Path

import bpy

from .bake import binary


class DOLLOP_AP_preferences(bpy.types.AddonPreferences):
    bl_idname = __package__

    binary: bpy.props.StringProperty(
        name="Solver",
        description="Another solver than the one in this package; empty for that one",
        subtype="FILE_PATH",
    )

    def draw(self, _context: bpy.types.Context) -> None:
        self.layout.prop(self, "binary")


def solver() -> Path:
    """The solver to run; raises `BinaryError`."""
    addon = bpy.context.preferences.addons.get(__package__)
    chosen = addon.preferences.binary if addon and addon.preferences else ""
    return binary.find(Path(__file__).parent, bpy.path.abspath(chosen), os.environ)


def register() -> None:
    bpy.utils.register_class(DOLLOP_AP_preferences)


def unregister() -> None:
    bpy.utils.unregister_class(DOLLOP_AP_preferences)
