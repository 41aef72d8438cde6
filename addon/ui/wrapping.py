# SPDX-FileCopyrightText: 2026 The Dollop founders
# SPDX-License-Identifier: GPL-3.0-or-later
"""Long texts in panels."""

from __future__ import annotations

import textwrap

import bpy


def wrapped(layout: bpy.types.UILayout, text: str, icon: str, width: int) -> None:
    """Draws a text on several lines, in a panel so many pixels wide."""
    column = layout.column(align=True)
    # About seven pixels a letter at the default size; without a window the scale is 0.
    scale = bpy.context.preferences.system.ui_scale or 1.0
    lines = textwrap.wrap(text, max(20, int(width / (7.0 * scale)) - 6))
    for i, line in enumerate(lines):
        column.label(text=line, icon=icon if i == 0 else "BLANK1")
