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

PUDDING, DOUGH, CARAMEL = (0.85, 0.45, 0.5), (0.9, 0.8, 0.6), (0.35, 0.06, 0.01)


def set_up(scene: bpy.types.Scene, colliders: dict[str, bpy.types.Object]) -> None:
    """A table, seen from the side and above, the surface with motion blur."""
    colliders["table"].data.materials.append(glazed("Table", (0.2, 0.3, 0.32), 0.5))
    # The balls of particles reach through a surface that is smoothed.
    scene.dollop.particles.hide_render = True
    stage.colour(scene.dollop.surface, [PUDDING, DOUGH, CARAMEL])
    stage.camera(scene, (1.0, -3.2, 1.7), (0.0, 0.0, 0.45), 50.0)
    stage.lamp(scene, (-2.0, -1.5, 3.0), (0.0, 0.0, 0.3), 180.0, 1.5)
    stage.world(scene, (0.85, 0.85, 0.9), 0.5)
    stage.cycles(scene, 300, 300)
    scene.render.use_motion_blur = True


if __name__ == "__main__":
    stage.main(__doc__.splitlines()[0], Path(__file__).with_name("scene.json"), set_up)
