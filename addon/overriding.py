# SPDX-FileCopyrightText: 2026 The Dollop founders
# SPDX-License-Identifier: GPL-3.0-or-later
"""Helps Blender to save library overrides of Dollop's settings."""

from __future__ import annotations

import bpy


def before_saving() -> None:
    """If the linked object or its override lacks a group of settings, Blender 5 saves an override of the whole group,
    which it cannot read; if both have the group, it saves the settings one by one."""
    for source in bpy.data.objects:
        override = source.override_library
        if not source.library and override and override.reference:
            _make_groups(override.reference.dollop)
            _make_groups(source.dollop)


def _make_groups(group: bpy.types.PropertyGroup) -> None:
    """Reading a group makes Blender create it."""
    for declared in group.bl_rna.properties:
        if declared.type == "POINTER" and declared.identifier != "rna_type":
            _make_groups(getattr(group, declared.identifier))
