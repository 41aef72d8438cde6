# SPDX-FileCopyrightText: 2026 The Dollop founders
# SPDX-License-Identifier: GPL-3.0-or-later
"""The vertices that pins of a sheet hold, and the motion that they follow."""

from __future__ import annotations

from collections.abc import Mapping

import bpy
import numpy as np

from ..geometry import obj, placement
from ..geometry.mesh import TriangleMesh
from .motion import Ways

# The threshold in the tooltip of the vertex group.
_HELD = 0.5


class PinError(ValueError):
    """A pin that holds no vertex, or follows no object."""


def vertices(pin: bpy.types.PropertyGroup, mesh: TriangleMesh, weights: Mapping[str, np.ndarray]) -> np.ndarray:
    """The positions in the file of `mesh` that a pin holds, (n, 3), given the weights of its vertices in each group,
    (n,). Raises `PinError`."""
    source, group = pin.id_data, pin.vertex_group
    if not group:
        raise PinError(
            f"A pin of {source.name!r} has no vertex group: choose one in its Physics tab, or remove the pin"
        )
    held = weights[group] > _HELD
    if held.any():
        return obj.places(mesh)[held]
    if source.vertex_groups.find(group) < 0:
        raise PinError(f"{told(pin)} holds nothing: there is no such vertex group; choose another one")
    raise PinError(
        f"{told(pin)} holds nothing: after the modifiers no vertex of a face has a weight above {_HELD} in its vertex "
        "group; assign vertices, or look at the modifiers"
    )


def placements(pin: bpy.types.PropertyGroup, ways: Ways) -> list[placement.Placement]:
    """The placements at each frame of the object that a pin follows; None if it stays in place. Raises `PinError` or,
    if the object is nowhere, `PlacementError`."""
    if pin.followed is None:
        raise PinError(f"{told(pin)} follows no object, or one that was removed: choose another one, or This Object")
    if pin.followed not in ways:
        raise PinError(
            f"{told(pin)} follows {pin.followed.name!r}, which is not in this scene (any more): "
            "choose another object, or This Object"
        )
    return placement.carry(ways[pin.followed])


def told(pin: bpy.types.PropertyGroup) -> str:
    return f"The pin {pin.vertex_group!r} of {pin.id_data.name!r}"
