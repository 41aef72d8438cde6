# SPDX-FileCopyrightText: 2026 The Dollop founders
# SPDX-License-Identifier: GPL-3.0-or-later
"""Shows a bake of this example in Blender, and renders frames of it.

With a Python that has the bpy module:

    python make.py OUT.blend CACHE                    the bake in CACHE, ready to render
    python make.py OUT.blend CACHE --render 1,7,20    and renders those frames beside OUT.blend
"""

from __future__ import annotations

import sys
from pathlib import Path

import bpy

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import stage
from studio import glazed


def set_up(scene: bpy.types.Scene, colliders: dict[str, bpy.types.Object]) -> None:
    """Blue on a light floor, the surface with motion blur."""
    colliders["floor"].data.materials.append(glazed("Floor", (0.75, 0.72, 0.68), 0.6))
    scene.dollop.particles.hide_render = True
    stage.colour(scene.dollop.surface, [(0.03, 0.18, 0.5)])
    stage.camera(scene, (0.0, -2.6, 1.0), (0.0, 0.0, 0.33), 50.0)
    stage.lamp(scene, (1.5, -1.5, 2.5), (0.0, 0.0, 0.2), 120.0, 1.5)
    stage.world(scene, (0.75, 0.82, 0.9), 0.5)
    stage.cycles(scene, 300, 300)
    scene.render.use_motion_blur = True


if __name__ == "__main__":
    stage.main(__doc__.splitlines()[0], Path(__file__).with_name("scene.json"), set_up)
