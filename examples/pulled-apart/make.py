# SPDX-FileCopyrightText: 2026 The Dollop founders
# SPDX-License-Identifier: GPL-3.0-or-later
"""Makes this example in Blender: the .blend, its scene file and meshes; or bakes it and renders frames.

With a Python that has the bpy module:

    python make.py OUT.blend                              the scene, ready for Bake in the Scene tab
    python make.py OUT.blend --export .                   writes scene.json and shapes/ as the add-on does
    python make.py OUT.blend --render 1,20 --cache CACHE  renders frames of a bake beside OUT.blend; without a cache,
                                                          bakes with DOLLOP_BINARY before
"""

from __future__ import annotations

import sys
from pathlib import Path

import bpy

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import stage
import studio
from studio import glazed

FRAMES = 60
EDGE = 0.5
WAY = 0.36
RUBBER, DOUGH = (0.16, 0.3, 0.5), (0.8, 0.62, 0.38)


def build(scene: bpy.types.Scene) -> None:
    scene.frame_start, scene.frame_end = 1, FRAMES
    bars = [_bar(side) for side in (-1, 1)]
    common = {"type": "oriented", "rest_density": 1000, "thickness": 1e-3, "stretch_stiffness": 400}
    common |= {"bending_stiffness": 2e-4, "tear_stretch": 1.3, "viscosity": 8}
    for name, y, colour, growth in (("Dough", -0.32, DOUGH, 8), ("Rubber", 0.32, RUBBER, 1)):
        made = studio.grid(name, (EDGE, EDGE), (1, 1), (0.0, y, 0.5))
        made.data.materials.append(glazed(name, colour, 0.5))
        studio.matter(made, material=common | {"growth": growth})
        for bar, side in zip(bars, (-1, 1), strict=True):
            studio.pin(made, bar.name, lambda place, side=side: place.x * side > 0, bar)
    settings = scene.dollop.settings
    settings.particle_spacing = 0.0125
    settings.output.use_particles = True
    stage.keep_sources(settings)


def _bar(side: int) -> bpy.types.Object:
    """What two edges are held by: it is only for the picture, and no collider."""
    bar = studio.block("Left" if side < 0 else "Right", (0.03, 1.2, 0.03), (0.0, 0.0, 0.0))
    at = {1: 0.0, FRAMES: WAY}
    studio.animate(bar, "location", {frame: (side * (EDGE / 2 + way), 0.0, 0.5) for frame, way in at.items()})
    studio.move_evenly(bar)
    return bar


def prepare_render(scene: bpy.types.Scene) -> None:
    scene.dollop.particles.hide_render = True
    for name in ("Left", "Right"):
        scene.objects[name].data.materials.append(glazed(name, (0.3, 0.3, 0.32), 0.4))
    floor = studio.block("Floor", (4.0, 4.0, 0.1), (0.0, 0.0, -0.05))
    floor.data.materials.append(glazed("Floor", (0.55, 0.52, 0.5), 0.7))
    stage.colour(scene.dollop.surface, [DOUGH, RUBBER])
    stage.camera(scene, (0.55, -1.85, 1.75), (0.0, 0.0, 0.46), 38.0)
    stage.lamp(scene, (-1.2, -1.4, 2.2), (0.0, 0.0, 0.4), 110.0, 0.8)
    stage.world(scene, (0.85, 0.88, 0.95), 0.4)
    stage.cycles(scene, 360, 300)


if __name__ == "__main__":
    studio.main(__doc__.splitlines()[0], build, prepare_render)
