# SPDX-FileCopyrightText: 2026 The Dollop founders
# SPDX-License-Identifier: GPL-3.0-or-later
"""A project is made with the add-on, moved, and rendered without it."""

from __future__ import annotations

from pathlib import Path

from conftest import call


def test_a_moved_project_renders_without_the_addon(blender: str, tmp_path: Path) -> None:
    call(blender, "cases.playing:make_project", tmp_path)
    (tmp_path / "project").rename(tmp_path / "moved")
    call(blender, "cases.playing:render_moved_project", tmp_path)
