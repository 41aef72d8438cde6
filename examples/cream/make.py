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

# Lives inside bpy.
from mathutils import Vector, noise  # isort: skip

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import stage
import studio
from studio import glazed

SPACING = 0.0013
FRAMES = 40
# The dollops: their radii, m, and where they start above the cake, m.
DOLLOPS = [(0.026, (0.003, 0.002, 0.12)), (0.024, (-0.003, -0.004, 0.32)), (0.021, (0.001, 0.002, 0.52))]
# How fast they are flung at it, m/s.
SPEED = 2.5
# The cake, m: its radius and height.
CAKE, HIGH = 0.065, 0.035
# Where the middle of the ball is by frame, along x and m above the cake.
BALL = {1: (-0.1, 0.2), 6: (-0.1, 0.2), 12: (0.0, 0.05), 17: (0.0, 0.021), 18: (0.0, 0.021)}
BALL |= {22: (0.004, 0.078), 24: (0.018, 0.1), 26: (0.042, 0.115), 30: (0.15, 0.15)}


def build(scene: bpy.types.Scene) -> None:
    scene.frame_start, scene.frame_end = 1, FRAMES
    for radius, place in DOLLOPS:
        dollop(radius, place)
    cake()
    ball()
    table = studio.block("Table", (6.0, 6.0, 0.02), (0.0, 0.0, -0.016 - HIGH))
    table.data.materials.append(glazed("Table", (0.2, 0.24, 0.27), 0.5))
    table.dollop.kind = "COLLIDER"
    table.dollop.collider.friction = 1.0
    settings = scene.dollop.settings
    settings.particle_spacing = SPACING
    settings.output.use_particles = True


def dollop(radius: float, place: tuple[float, float, float]) -> None:
    """A lump as it leaves a spoon: uneven, and longer above."""
    bpy.ops.mesh.primitive_ico_sphere_add(radius=radius, subdivisions=5)
    made = bpy.context.object
    made.name = "Cream"
    for vertex in made.data.vertices:
        at = vertex.co / radius
        uneven = 1.0 + 0.14 * noise.noise(at * 1.3 + Vector(place) * 100.0) + 0.05 * noise.noise(at * 4.0)
        vertex.co *= uneven
        vertex.co.z *= 1.25 if at.z > 0.0 else 0.9
    made.location = place
    bpy.ops.object.shade_smooth()
    made.data.materials.append(glazed("Cream", (0.88, 0.84, 0.76), 0.4))
    studio.preset(made, "whipped_cream")
    # Thick cream: it is drawn out smoothly, where the preset parts early.
    made.dollop.body.material.continuum_settings.viscosity = 5.0
    made.dollop.body.velocity = (0.0, 0.0, -SPEED)


def cake() -> None:
    """A round cake with a glaze, on a plate."""
    edge = [(CAKE - 0.006 * (1.0 - math.cos(turn)), -0.006 * (1.0 - math.sin(turn))) for turn in turns(8)]
    made = studio.turned("Cake", [(0.0, -HIGH), (CAKE, -HIGH), *edge, (0.0, 0.0)])
    made.data.materials.append(glazed("Glaze", (0.045, 0.017, 0.01), 0.18))
    plate = [(0.0, -0.006), (0.055, -0.006), (0.1, 0.003), (0.1, 0.006), (0.098, 0.0065), (0.06, 0.0), (0.0, 0.0)]
    under = studio.turned("Plate", [(r, z - HIGH) for r, z in plate])
    under.data.materials.append(glazed("Plate", (0.75, 0.78, 0.8), 0.15))
    for part in (made, under):
        part.dollop.kind = "COLLIDER"
        part.dollop.collider.friction = 1.0


def turns(steps: int) -> list[float]:
    """From 0 to a quarter of a turn."""
    return [math.pi / 2 * n / steps for n in range(steps + 1)]


def ball() -> None:
    """A ball of steel, which cream sticks to. It is dipped into the heap and drawn out."""
    bpy.ops.mesh.primitive_uv_sphere_add(radius=0.016, segments=32, ring_count=16)
    made = bpy.context.object
    made.name = "Ball"
    bpy.ops.object.shade_smooth()
    made.data.materials.append(studio.metal("Steel", (0.75, 0.76, 0.78), 0.15))
    studio.sticky(made)
    studio.animate(made, "location", {frame: (x, 0.0, z) for frame, (x, z) in BALL.items()})
    studio.move_evenly(made)


def handle(of: bpy.types.Object) -> None:
    """The rod that the ball is on."""
    made = studio.turned("Handle", [(0.0, 0.0), (0.003, 0.0), (0.003, 0.3), (0.0, 0.3)], 32)
    made.data.materials.append(of.data.materials[0])
    made.parent = of


def cream() -> bpy.types.Material:
    """White, and light goes a little into it."""
    made = glazed("Cream", (0.9, 0.86, 0.77), 0.38)
    shader = made.node_tree.nodes["Principled BSDF"]
    shader.inputs["Subsurface Weight"].default_value = 0.7
    shader.inputs["Subsurface Radius"].default_value = (0.004, 0.003, 0.002)
    shader.inputs["Subsurface Scale"].default_value = 1.0
    return made


def prepare_render(scene: bpy.types.Scene) -> None:
    scene.dollop.particles.hide_render = True
    scene.dollop.surface.material_slots[0].material = cream()
    handle(scene.objects["Ball"])
    stage.camera(scene, (0.0, -0.45, 0.185), (0.0, 0.0, 0.026), 50.0)
    stage.lamp(scene, (-0.35, -0.1, 0.35), (0.0, 0.0, 0.02), 4.5, 0.15)
    stage.lamp(scene, (0.3, 0.25, 0.3), (0.0, 0.0, 0.02), 3.0, 0.2)
    stage.world(scene, (0.85, 0.9, 1.0), 0.25)
    stage.cycles(scene, 1280, 720, 64)


if __name__ == "__main__":
    studio.main(__doc__.splitlines()[0], build, prepare_render)
