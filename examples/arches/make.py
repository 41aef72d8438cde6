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

import math
import sys
from pathlib import Path

import bpy

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import stage
import studio
from studio import glazed

SPACING = 0.0145
FRAMES = 44
# Exponents of repulsion and attraction of the arches from left to right, the widest well first, and colours.
ARCHES = [
    ((8, 4), (0.85, 0.6, 0.25)),
    ((12, 6), (0.35, 0.55, 0.35)),
    ((20, 10), (0.25, 0.4, 0.6)),
]
BETWEEN = 0.64
OUTER, INNER, DEPTH, LEG = 0.25, 0.15, 0.1151, 0.06
BALL = 0.08
# Height of the ball over the crown, by frame.
WAY = {1: 0.02, 23: -0.13, 26: -0.13, 36: 0.12}


def build(scene: bpy.types.Scene) -> None:
    scene.frame_start, scene.frame_end = 1, FRAMES
    for number, (exponents, colour) in enumerate(ARCHES):
        across = (number - (len(ARCHES) - 1) / 2) * BETWEEN
        arch(f"Arch {number + 1}", across, exponents, colour)
        ball(f"Ball {number + 1}", across)
    for number in range(len(ARCHES) + 1):
        across = (number - len(ARCHES) / 2) * BETWEEN
        abutment = studio.block(f"Abutment {number + 1}", (BETWEEN - 2 * OUTER, 0.2, 0.05), (across, 0.0, 0.025))
        abutment.dollop.kind = "COLLIDER"
        abutment.dollop.collider.friction = 2.0
    floor = studio.block("Floor", (3.0, 1.0, 0.1), (0.0, 0.0, -0.05))
    floor.dollop.kind = "COLLIDER"
    floor.dollop.collider.friction = 2.0
    settings = scene.dollop.settings
    settings.particle_spacing = SPACING
    settings.settle = False
    settings.output.use_particles = True
    stage.keep_sources(settings)
    settings.output.mesh.surfaces = "bodies"
    settings.output.mesh.smoothing = 8.0


def arch(name: str, across: float, exponents: tuple[int, int], colour: tuple[float, float, float]) -> None:
    """Half a ring on two legs."""
    turns = [math.pi * step / 32 for step in range(33)]
    rim = [[(r * math.cos(turn), r * math.sin(turn)) for turn in turns] for r in (OUTER, INNER)]
    outline = [(OUTER, -LEG), *rim[0], (-OUTER, -LEG), (-INNER, -LEG), *reversed(rim[1]), (INNER, -LEG)]
    made = studio.prism(name, outline, DEPTH)
    made.location = (across, 0.0, LEG)
    made.data.materials.append(glazed(name, colour, 0.4))
    n, m = exponents
    material = {"type": "thermal", "rest_density": 1000, "dissociation_energy": 12, "viscosity": 15}
    studio.matter(made, material=material | {"repulsion_exponent": n, "attraction_exponent": m})


def ball(name: str, across: float) -> None:
    bpy.ops.mesh.primitive_uv_sphere_add(radius=BALL, segments=48, ring_count=24)
    made = bpy.context.object
    made.name = name
    made.data.materials.append(glazed("Ball", (0.08, 0.08, 0.09), 0.25))
    bpy.ops.object.shade_smooth()
    made.dollop.kind = "COLLIDER"
    top = LEG + OUTER + BALL
    studio.animate(made, "location", {frame: (across, 0.0, top + height) for frame, height in WAY.items()})
    studio.move_evenly(made)


def prepare_render(scene: bpy.types.Scene) -> None:
    scene.dollop.particles.hide_render = True
    scene.objects["Floor"].data.materials.append(glazed("Floor", (0.55, 0.52, 0.5), 0.7))
    for number in range(len(ARCHES) + 1):
        scene.objects[f"Abutment {number + 1}"].data.materials.append(glazed("Stone", (0.3, 0.3, 0.32), 0.7))
    stage.colour(scene.dollop.surface, [colour for _, colour in ARCHES])
    stage.camera(scene, (0.0, -3.0, 0.95), (0.0, 0.0, 0.17), 52.0)
    stage.lamp(scene, (-1.2, -1.8, 2.2), (0.0, 0.0, 0.1), 120.0, 1.2)
    stage.world(scene, (0.85, 0.88, 0.95), 0.45)
    stage.cycles(scene, 600, 190)


if __name__ == "__main__":
    studio.main(__doc__.splitlines()[0], build, prepare_render)
