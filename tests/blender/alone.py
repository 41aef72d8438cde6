# SPDX-FileCopyrightText: 2026 The Dollop founders
# SPDX-License-Identifier: GPL-3.0-or-later
"""Renders a .blend on a machine without the add-on: `python alone.py FILE.blend PICTURES`.

PICTURES is a folder with arrays named `Surface_8.npy`: which part, at which frame, and how it looked before. To be
copied out of the repository, so that nothing of it can be imported.
"""

from __future__ import annotations

import importlib.util
import os
import sys
import traceback
from pathlib import Path

import bpy
import numpy as np


def main(blend: Path, pictures: Path) -> None:
    bpy.ops.wm.read_factory_settings()
    assert importlib.util.find_spec("addon") is None, sys.path
    assert not [name for name in bpy.context.preferences.addons.keys() if "dollop" in name]  # noqa: SIM118
    resources = Path(os.environ["BLENDER_USER_RESOURCES"])
    assert bpy.utils.user_resource("EXTENSIONS").startswith(str(resources)) and not any(resources.rglob("*dollop*"))
    assert not hasattr(bpy.types.Scene, "dollop")
    bpy.ops.wm.open_mainfile(filepath=str(blend), load_ui=False)
    before = sorted(pictures.glob("*_*.npy"))
    assert before, "no pictures to compare with"
    for path in before:
        part, frame = path.stem.split("_")
        unlike = float(np.abs(picture(part, int(frame), pictures / "alone.png") - np.load(path))[:, :, :3].mean())
        print(f"{path.stem}: {unlike:.2g}")
        assert unlike < 1e-3, f"{path.stem} differs by {unlike}"


def picture(part: str, frame: int, path: Path) -> np.ndarray:
    """One part alone, as (height, width, 4)."""
    scene = bpy.context.scene
    for shown in bpy.data.objects:
        if shown.name.startswith("Dollop "):
            shown.hide_render = shown.name != f"Dollop {part}"
    scene.frame_set(frame)
    scene.render.filepath = str(path)
    bpy.ops.render.render(write_still=True)
    image = bpy.data.images.load(str(path))
    pixels = np.array(image.pixels[:]).reshape(image.size[1], image.size[0], 4)
    bpy.data.images.remove(image)
    return pixels


code = 0
try:
    main(Path(sys.argv[1]), Path(sys.argv[2]))
except BaseException:
    traceback.print_exc()
    code = 1
sys.stdout.flush()
sys.stderr.flush()
os._exit(code)
