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
from studio import glazed, metal


def set_up(scene: bpy.types.Scene, colliders: dict[str, bpy.types.Object]) -> None:
    """The body before a tool of dark metal."""
    colliders["floor"].data.materials.append(glazed("Floor", (0.75, 0.72, 0.68), 0.6))
    dark = metal("Tool", (0.25, 0.26, 0.28), 0.25)
    for part in ("edge", "blade"):
        colliders[part].data.materials.append(dark)
    scene.dollop.particles.hide_render = True
    stage.colour(scene.dollop.surface, [(0.8, 0.35, 0.12)])
    stage.camera(scene, (0.06, -0.22, 0.13), (0.0, 0.0, 0.018), 50.0)
    stage.lamp(scene, (-0.15, -0.15, 0.25), (0.0, 0.0, 0.01), 1.2, 0.12)
    stage.world(scene, (0.85, 0.88, 0.95), 0.5)
    stage.cycles(scene, 300, 240)


if __name__ == "__main__":
    stage.main(__doc__.splitlines()[0], Path(__file__).with_name("scene.json"), set_up)
