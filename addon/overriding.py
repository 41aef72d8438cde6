# SPDX-FileCopyrightText: 2026 The Dollop founders
# SPDX-License-Identifier: GPL-3.0-or-later
"""Helps Blender to save library overrides of Dollop's settings."""

from __future__ import annotations

import bpy


def before_saving() -> None:
    """Blender 5 saves an override of a whole group of settings, which it cannot read, where the linked object or its
    override has no such group yet; where both have, it saves the settings one by one."""
    for source in bpy.data.objects:
        override = source.override_library
        if not source.library and override and override.reference:
            _make_groups(override.reference.dollop)
            _make_groups(source.dollop)


def _make_groups(group: bpy.types.PropertyGroup) -> None:
    """Blender makes a group when it is read."""
    for declared in group.bl_rna.properties:
        if declared.type == "POINTER" and declared.identifier != "rna_type":
            _make_groups(getattr(group, declared.identifier))
