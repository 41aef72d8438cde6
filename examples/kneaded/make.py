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
from math import cos, radians, sin
from pathlib import Path

import bpy

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import stage
import studio
from studio import glazed

SPACING = 0.01
FRAMES = 96
DOUGH = (0.78, 0.56, 0.3)
BALL = 0.072
# Of a finger, and from finger to finger.
FINGER, LONG, ROW = 0.013, 0.11, 0.03
# A pose of the hand: which way it looks, in degrees; how far its fingertips are behind the middle of the ball, and how
# high; and how far the fingers lean back, in degrees.
Pose = tuple[float, float, float, float]
FINGERS: dict[int, Pose] = {
    1: (0, 0.02, 0.165, 25),
    16: (0, 0.01, 0.075, 25),
    22: (0, -0.015, 0.06, 25),
    29: (0, -0.005, 0.17, 25),
    35: (70, 0.025, 0.17, 25),
    47: (70, 0.015, 0.065, 25),
    53: (70, -0.01, 0.05, 25),
    60: (70, 0.0, 0.17, 25),
    67: (20, 0.13, 0.075, 50),
    78: (20, 0.042, 0.05, 50),
    81: (20, 0.042, 0.05, 50),
    88: (20, 0.13, 0.1, 50),
    96: (20, 0.3, 0.3, 50),
}
THUMB: dict[int, Pose] = {
    1: (270, 0.5, 0.2, 50),
    53: (270, 0.5, 0.2, 50),
    67: (200, 0.13, 0.075, 50),
    78: (200, 0.042, 0.05, 50),
    81: (200, 0.042, 0.05, 50),
    88: (200, 0.13, 0.1, 50),
    96: (270, 0.5, 0.2, 50),
}


def finger(name: str, aside: float, poses: dict[int, Pose]) -> None:
    """A capsule that goes from pose to pose, beside the middle of the hand; its place is that of its tip's centre."""
    bpy.ops.mesh.primitive_uv_sphere_add(segments=32, ring_count=16, radius=FINGER)
    made = bpy.context.object
    made.name = name
    for vertex in made.data.vertices:
        if vertex.co.z > FINGER / 100:
            vertex.co.z += LONG
    bpy.ops.object.shade_smooth()
    made.dollop.kind = "COLLIDER"
    for frame, (turn, before, height, lean) in poses.items():
        a = radians(turn)
        made.location = (cos(a) * aside - sin(a) * before, sin(a) * aside + cos(a) * before, height)
        made.rotation_euler = (radians(-lean), 0.0, a)
        made.keyframe_insert("location", frame=frame)
        made.keyframe_insert("rotation_euler", frame=frame)
    studio.move_evenly(made)


def build(scene: bpy.types.Scene) -> None:
    scene.frame_start, scene.frame_end = 1, FRAMES
    bpy.ops.mesh.primitive_ico_sphere_add(subdivisions=4, radius=BALL, location=(0.0, 0.0, BALL + SPACING / 4))
    dough = bpy.context.object
    dough.name = "Dough"
    dough.data.materials.append(glazed("Dough", DOUGH, 0.5))
    material = {"type": "soft", "rest_density": 1100, "stiffness": 100, "friction": 5, "viscosity": 10}
    studio.matter(dough, material=material)
    for number, name in enumerate(("First", "Second", "Third")):
        finger(f"{name} finger", (number - 1) * ROW, FINGERS)
    finger("Thumb", 0.0, THUMB)
    table = studio.block("Table", (1.0, 1.0, 0.04), (0.0, 0.0, -0.02))
    table.dollop.kind = "COLLIDER"
    table.dollop.collider.friction = 1.0
    settings = scene.dollop.settings
    settings.particle_spacing = SPACING
    settings.output.use_particles = True
    settings.output.mesh.resolution = 0.35


def prepare_render(scene: bpy.types.Scene) -> None:
    scene.dollop.particles.hide_render = True
    for made in scene.objects:
        if "finger" in made.name or made.name == "Thumb":
            made.data.materials.append(glazed(made.name, (0.3, 0.33, 0.38), 0.35))
    scene.objects["Table"].data.materials.append(glazed("Table", (0.3, 0.24, 0.2), 0.6))
    stage.colour(scene.dollop.surface, [DOUGH])
    aim = (0.0, 0.0, 0.06)
    stage.camera(scene, (0.25, -0.6, 0.5), aim, 88.0)
    stage.lamp(scene, (-0.5, -0.3, 0.6), aim, 9.0, 0.25)
    stage.world(scene, (0.85, 0.88, 0.95), 0.3)
    stage.cycles(scene, 240, 240)


if __name__ == "__main__":
    studio.main(__doc__.splitlines()[0], build, prepare_render)
