# SPDX-FileCopyrightText: 2026 The Dollop founders
# SPDX-License-Identifier: GPL-3.0-or-later
"""The numbers of a shape that is as large as an object. Independent of Blender."""

from __future__ import annotations

from collections.abc import Sequence

from .schema import Extent, Number, Setting, Vector


def fitted(settings: tuple[Setting, ...], size: Sequence[float]) -> dict[str, float | tuple[float, ...]]:
    """Values for the lengths among the settings of a shape, by their keys; `size` are the edges of an object's bounding
    box along X, Y and Z. Settings that are no part of that size are left out."""
    return {
        setting.key: _length(setting, setting.extent, size)
        for setting in settings
        if isinstance(setting, Number | Vector) and setting.extent
    }


def _length(setting: Number | Vector, extent: Extent, size: Sequence[float]) -> float | tuple[float, ...]:
    lengths = tuple(size["xyz".index(axis)] * extent.share for axis in extent.axes)
    if isinstance(setting, Number):
        return max(lengths)
    count = len(setting.default)
    return lengths if len(lengths) == count else (max(lengths),) * count
