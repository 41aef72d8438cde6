# SPDX-FileCopyrightText: 2026 The Dollop founders
# SPDX-License-Identifier: GPL-3.0-or-later
"""The packaged extension, installed in the user's way."""

from __future__ import annotations

import os
from pathlib import Path

import addon_utils
import bpy

import tools

MODULE = "bl_ext.user_default.dollop"


def install(folder: Path) -> None:
    package = next((folder / "dist").glob("*.zip"))
    bpy.ops.extensions.package_install_files(filepath=str(package), repo="user_default", enable_on_install=True)
    assert hasattr(bpy.types.Scene, "dollop")


def bake_with_installed(folder: Path) -> None:
    """A new process; its solver is the one in the package, which loses the executable bit at installation."""
    os.environ.pop("DOLLOP_BINARY", None)
    addon_utils.enable(MODULE, default_set=True)
    scene = bpy.context.scene
    scene.frame_start, scene.frame_end = 1, 3
    bpy.ops.wm.save_as_mainfile(filepath=str(folder / "scene.blend"))
    tools.cube("body", "BODY")
    assert bpy.ops.dollop.bake() == {"FINISHED"}
    scene.frame_set(3)
    surface = scene.dollop.surface.evaluated_get(bpy.context.evaluated_depsgraph_get())
    assert len(surface.data.vertices) > 0
    assert bpy.context.preferences.addons[MODULE].preferences.binary == ""
    addon_utils.disable(MODULE)
    assert not hasattr(bpy.types.Scene, "dollop")
