# SPDX-FileCopyrightText: 2026 The Dollop founders
# SPDX-License-Identifier: GPL-3.0-or-later
"""The span of temperatures, in kelvin, for the colours of a material."""

from __future__ import annotations

import bpy
import numpy as np

from ..bake import ply
from ..bake.index import Index, Output
from ..data import BODY

# Frames that are read for the temperatures of a whole bake.
_SAMPLES = 8


def of_bodies(scene: bpy.types.Scene) -> tuple[float, float]:
    """The span of the bodies' initial temperatures; if they are all equal, a span around that one."""
    present = {source for layer in scene.view_layers for source in layer.objects}
    bodies = [source.dollop.body for source in present if source.dollop.kind == BODY]
    found = [body.temperature for body in bodies if getattr(body, "use_temperature", False)]
    return _widened(min(found, default=273.15), max(found, default=373.15))


def of_bake(index: Index, output: Output) -> tuple[float, float] | None:
    """The span of the temperatures in some frames of a bake, the first and the last among them; None if no file has
    temperatures."""
    frames = index.frames
    picked = {frames[round(i)] for i in np.linspace(0, len(frames) - 1, _SAMPLES)} if frames else set()
    paths = [output.path(index.cache, frame) for frame in sorted(picked)]
    try:
        found = ply.extent((path for path in paths if path.is_file()), "temperature")
    except (OSError, ply.PlyError):
        return None
    return _widened(*found) if found else None


def _widened(low: float, high: float) -> tuple[float, float]:
    return (low, high) if high > low else (low - 50.0, high + 50.0)
