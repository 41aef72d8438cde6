# SPDX-FileCopyrightText: 2026 The Dollop founders
# SPDX-License-Identifier: GPL-3.0-or-later
"""The shapes of objects that are given by numbers."""

from __future__ import annotations

import bpy

from .settings.fitting import fitted
from .settings.names import case_name
from .settings.schema import Case

# The shape that is the object's own.
MESH = "mesh"


def numbers(source: bpy.types.Object, shape: Case) -> bpy.types.PropertyGroup:
    """The numbers of a shape of an object, which it keeps for each shape."""
    return getattr(source.dollop.shapes, case_name(shape))


def fit(source: bpy.types.Object, shape: Case, again: bool = False) -> None:
    """Makes a shape as large as its object with its modifiers; numbers that were set before stay, if not `again`."""
    # Modules of the export know this one.
    from .export.evaluate import mesh_of

    size = mesh_of(source, bpy.context.evaluated_depsgraph_get()).size()
    held = numbers(source, shape)
    for key, value in fitted(shape.settings, size).items():
        if again or not held.is_property_set(key):
            setattr(held, key, value)
