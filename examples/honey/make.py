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

SPACING = 0.001
FRAMES = 120
# The pot, m: radii of its inside and of its hole, the height of the hole, and how thick it is.
INSIDE, HOLE, ABOVE, WALL = 0.022, 0.006, 0.06, 0.004
FUNNEL, TALL = 0.02, 0.042
AROUND = 96


def build(scene: bpy.types.Scene) -> None:
    scene.frame_start, scene.frame_end = 1, FRAMES
    honey()
    pot()
    plate = studio.block("Plate", (0.16, 0.16, 0.01), (0.0, 0.0, -0.005))
    plate.data.materials.append(glazed("Plate", (0.75, 0.72, 0.68), 0.4))
    plate.dollop.kind = "COLLIDER"
    settings = scene.dollop.settings
    settings.particle_spacing = SPACING
    settings.output.use_particles = True
    settings.output.mesh.smoothing = 10.0


def honey() -> None:
    depth = TALL - 0.004
    place = (0.0, 0.0, ABOVE + FUNNEL + depth / 2)
    bpy.ops.mesh.primitive_cylinder_add(radius=INSIDE - 0.0004, depth=depth, vertices=AROUND, location=place)
    made = bpy.context.object
    made.name = "Honey"
    made.data.materials.append(glazed("Honey", (0.8, 0.33, 0.02), 0.05))
    studio.preset(made, "honey")


def pot() -> None:
    """A funnel, turned from its outline."""
    low, bend, top = ABOVE, ABOVE + FUNNEL, ABOVE + FUNNEL + TALL
    outline = [(HOLE, low), (HOLE + WALL, low), (INSIDE + WALL, bend), (INSIDE + WALL, top), (INSIDE, top)]
    outline += [(INSIDE, bend), (HOLE, low + WALL)]
    made = studio.turned("Pot", outline, AROUND)
    made.data.materials.append(glazed("Pot", (0.35, 0.36, 0.38), 0.25))
    made.dollop.kind = "COLLIDER"


def prepare_render(scene: bpy.types.Scene) -> None:
    scene.dollop.particles.hide_render = True
    scene.dollop.surface.material_slots[0].material = studio.clear("Amber", 0.05, 1.48, (1.0, 0.68, 0.1), 150.0)
    stage.camera(scene, (0.07, -0.2, 0.085), (0.0, 0.0, 0.032), 50.0)
    stage.lamp(scene, (-0.12, 0.22, 0.25), (0.0, 0.0, 0.03), 1.2, 0.15)
    stage.lamp(scene, (-0.15, -0.2, 0.3), (0.0, 0.0, 0.03), 0.8, 0.1)
    stage.world(scene, (0.75, 0.82, 0.9), 0.5)
    stage.cycles(scene, 480, 480, studio.samples(128))


if __name__ == "__main__":
    studio.main(__doc__.splitlines()[0], build, prepare_render)
