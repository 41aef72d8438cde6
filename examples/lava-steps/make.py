# SPDX-FileCopyrightText: 2026 The Dollop founders
# SPDX-License-Identifier: GPL-3.0-or-later
"""Shows a bake of this example in Blender, and renders frames of it.

With a Python that has the bpy module:

    python make.py OUT.blend CACHE                     the bake in CACHE, ready to render
    python make.py OUT.blend CACHE --render 1,40,80    and renders those frames beside OUT.blend
"""

from __future__ import annotations

import sys
from pathlib import Path

import bpy

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import stage
import studio
from studio import glazed


def set_up(scene: bpy.types.Scene, colliders: dict[str, bpy.types.Object]) -> None:
    """Stone steps at dusk, lit by the lava."""
    scene.dollop.particles.hide_render = True
    stone = glazed("Stone", (0.2, 0.19, 0.18), 0.85)
    for name, collider in colliders.items():
        collider.data.materials.append(stone)
        # Walls that keep the lava on the steps, and hide it.
        collider.hide_render = name == "right"
    scene.dollop.surface.material_slots[0].material = studio.glowing("Lava", (0.02, 0.017, 0.015), 0.75, 1400.0)
    stage.camera(scene, (2.7, -3.1, 2.0), (-0.02, 0.0, 0.5), 50.0)
    stage.lamp(scene, (1.0, -2.5, 3.5), (0.0, 0.0, 0.4), 60.0, 2.0)
    stage.world(scene, (0.25, 0.35, 0.55), 0.12)
    stage.cycles(scene, 300, 225, 64)


if __name__ == "__main__":
    stage.main(__doc__.splitlines()[0], Path(__file__).with_name("scene.json"), set_up)
