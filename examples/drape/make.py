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

SPACING = 0.0125
FRAMES = 60
RADIUS = 0.3
EDGE = 1.1
CLOTH = (0.45, 0.06, 0.08)


def build(scene: bpy.types.Scene) -> None:
    scene.frame_start, scene.frame_end = 1, FRAMES
    bpy.ops.mesh.primitive_plane_add(size=EDGE, location=(0.03, 0.02, 2 * RADIUS + 0.08))
    cloth = bpy.context.object
    cloth.name = "Cloth"
    cloth.data.materials.append(glazed("Cloth", CLOTH, 0.7))
    material = {"type": "oriented", "rest_density": 400, "thickness": 5e-4, "stretch_stiffness": 60}
    studio.matter(cloth, material=material | {"bending_stiffness": 5e-5, "viscosity": 1.5})
    bpy.ops.mesh.primitive_uv_sphere_add(radius=RADIUS, segments=96, ring_count=48, location=(0, 0, RADIUS + 0.01))
    ball = bpy.context.object
    ball.name = "Ball"
    bpy.ops.object.shade_smooth()
    ball.dollop.kind = "COLLIDER"
    ball.dollop.collider.friction = 0.3
    floor = studio.block("Floor", (3.0, 3.0, 0.1), (0.0, 0.0, -0.05))
    floor.dollop.kind = "COLLIDER"
    floor.dollop.collider.friction = 0.4
    settings = scene.dollop.settings
    settings.particle_spacing = SPACING
    settings.output.use_particles = True


def prepare_render(scene: bpy.types.Scene) -> None:
    scene.dollop.particles.hide_render = True
    scene.objects["Floor"].data.materials.append(glazed("Floor", (0.55, 0.52, 0.5), 0.7))
    scene.objects["Ball"].data.materials.append(glazed("Ball", (0.75, 0.75, 0.78), 0.3))
    stage.colour(scene.dollop.surface, [CLOTH])
    stage.camera(scene, (1.35, -1.75, 1.15), (0.0, 0.0, 0.26), 45.0)
    stage.lamp(scene, (-1.2, -1.4, 2.2), (0.0, 0.0, 0.2), 110.0, 0.8)
    stage.world(scene, (0.85, 0.88, 0.95), 0.4)
    stage.cycles(scene, 360, 300)


if __name__ == "__main__":
    studio.main(__doc__.splitlines()[0], build, prepare_render)
