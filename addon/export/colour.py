# SPDX-FileCopyrightText: 2026 The Dollop founders
# SPDX-License-Identifier: GPL-3.0-or-later
"""The colour of a body."""

from __future__ import annotations

from typing import Any

import bpy
import numpy as np

from ..settings.values import shortest

# The viewport colour of a new material.
_UNTOUCHED = (0.8, 0.8, 0.8)


def of(source: bpy.types.Object) -> dict[str, Any]:
    """The viewport colour of the active material or, if that is Blender's default, the colour of its shader: linear
    red, green and blue. Bodies without a material get the solver's colour."""
    material = source.active_material
    if material is None:
        return {}
    colour = material.diffuse_color[:3]
    if np.allclose(colour, _UNTOUCHED):
        colour = _of_shader(material) or colour
    return {"color": [min(max(shortest(part), 0.0), 1.0) for part in colour]}


def _of_shader(material: bpy.types.Material) -> tuple[float, ...] | None:
    """The colour of a surface shader that has one without a linked node."""
    output = material.node_tree and material.node_tree.get_output_node("ALL")
    links = output.inputs["Surface"].links if output else ()
    for link in links:
        inputs = link.from_node.inputs
        colour = inputs.get("Base Color") or inputs.get("Color")
        if colour and colour.type == "RGBA" and not colour.is_linked:
            return tuple(colour.default_value[:3])
    return None
