# SPDX-FileCopyrightText: 2026 The Dollop founders
# SPDX-License-Identifier: GPL-3.0-or-later
"""Shows a bake in the scene with Blender's own means: it plays and renders where Dollop is not installed."""

from .load import load, retire

__all__ = ["load", "retire"]
