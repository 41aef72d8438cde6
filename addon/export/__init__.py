# SPDX-FileCopyrightText: 2026 The Dollop founders
# SPDX-License-Identifier: GPL-3.0-or-later
"""Writes a Blender scene as a scene file and meshes for the solver."""

from .scene import write

__all__ = ["write"]
