# SPDX-FileCopyrightText: 2026 The Dollop founders
# SPDX-License-Identifier: GPL-3.0-or-later
"""Writes a Blender scene as a scene file and meshes for the solver."""

from .again import is_changed, read
from .scene import Exported, write

__all__ = ["Exported", "is_changed", "read", "write"]
