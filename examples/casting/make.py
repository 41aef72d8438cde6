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

SPACING = 0.0085
FRAMES = 76
# The mould: radius and height of its inside from the foot to the rim, the waves of its wall, and how thick that is.
PROFILE = [(0.035, 0.0), (0.06, 0.003), (0.075, 0.012), (0.083, 0.05), (0.092, 0.056), (0.112, 0.06), (0.122, 0.068)]
RIM = (0.145, 0.14)
WAVES, AMPLITUDE, WALL = 6, 0.17, 0.022
AROUND = 72
# Volume of the wax, m^3, and the radius of the cylinder that it starts as.
WAX, WIDTH = 0.0043, 0.085
PLATE = 0.02
# Temperature of the mould and of the bath that it stands in, by frame.
COOLING = {1: 350.0, 15: 350.0, 23: 280.0}
# When the plate comes, all is turned, and the mould is lifted.
COMES, TURNS, LIFTS = (30, 36), (37, 55), (57, 69)


def build(scene: bpy.types.Scene) -> None:
    scene.frame_start, scene.frame_end = 1, FRAMES
    wax()
    hand = bpy.data.objects.new("Hand", None)
    scene.collection.objects.link(hand)
    moved = mould(hand), plate(hand)
    turn(hand, *moved)
    bath()
    floor = studio.block("Floor", (4.0, 4.0, 0.1), (0.0, 0.0, -0.05))
    floor.dollop.kind = "COLLIDER"
    settings = scene.dollop.settings
    settings.particle_spacing = SPACING
    settings.use_heat = True
    settings.heat.rate = 3000.0
    settings.ambient.convection = 0.0
    settings.output.use_particles = True
    settings.output.mesh.smoothing = 8.0


def wax() -> None:
    height = WAX / (math.pi * WIDTH**2)
    bpy.ops.mesh.primitive_cylinder_add(
        radius=WIDTH, depth=height, vertices=64, location=(0.0, 0.0, WALL + 0.065 + height / 2)
    )
    made = bpy.context.object
    made.name = "Wax"
    made.data.materials.append(glazed("Wax", (0.75, 0.2, 0.12), 0.3))
    material = {"type": "thermal", "rest_density": 900, "dissociation_energy": 2.5, "viscosity": 20}
    material |= {"repulsion_exponent": 18, "attraction_exponent": 9}
    molten = {"dissociation_energy": 0.02, "stiffness": 150, "viscosity": 8}
    heat = {
        "specific_heat": 2500,
        "conductivity": 0.25,
        "solidus": 320,
        "liquidus": 337,
        "latent_heat": 200000,
        "emissivity": 0,
    }
    studio.matter(made, temperature=350, material=material | {"molten": molten}, heat=heat)


def mould(hand: bpy.types.Object) -> bpy.types.Object:
    """A cup with a wavy wall, its inside around the middle of the hand."""
    inside = [*PROFILE, *(between(PROFILE[-1], RIM, step / 5) for step in range(1, 6))]
    outside = [(RIM[0] + WALL, RIM[1]), (PROFILE[-1][0] + WALL, 0.06), (PROFILE[1][0] + 1.5 * WALL, -WALL)]
    rings = [*inside, *outside]
    places = [(0.0, 0.0, 0.0)]
    for radius, height in rings:
        for step in range(AROUND):
            turn = 2.0 * math.pi * step / AROUND
            wavy = radius * (1.0 + AMPLITUDE * math.cos(WAVES * turn))
            places.append((wavy * math.cos(turn), wavy * math.sin(turn), height))
    places.append((0.0, 0.0, -WALL))
    last = len(places) - 1
    faces = []
    for step in range(AROUND):
        after = (step + 1) % AROUND
        faces.append((0, 1 + step, 1 + after))
        for ring in range(len(rings) - 1):
            low = 1 + ring * AROUND
            faces.append((low + step, low + AROUND + step, low + AROUND + after, low + after))
        low = 1 + (len(rings) - 1) * AROUND
        faces.append((low + step, last, low + after))
    data = bpy.data.meshes.new("Mould")
    data.from_pydata([(x, y, z - RIM[1] / 2) for x, y, z in places], [], faces)
    data.materials.append(glazed("Mould", (0.25, 0.3, 0.36), 0.25))
    return collider(data, hand)


def between(one: tuple[float, float], other: tuple[float, float], share: float) -> tuple[float, float]:
    return tuple(a + (b - a) * share for a, b in zip(one, other, strict=True))


def plate(hand: bpy.types.Object) -> bpy.types.Object:
    bpy.ops.mesh.primitive_cylinder_add(radius=0.2, depth=PLATE, vertices=64)
    made = bpy.context.object
    data = made.data
    bpy.data.objects.remove(made)
    data.name = "Plate"
    data.materials.append(glazed("Plate", (0.85, 0.85, 0.82), 0.3))
    return collider(data, hand)


def collider(data: bpy.types.Mesh, hand: bpy.types.Object) -> bpy.types.Object:
    made = studio.in_scene(data.name, data)
    made.parent = hand
    made.dollop.kind = "COLLIDER"
    return made


def turn(hand: bpy.types.Object, mould: bpy.types.Object, plate: bpy.types.Object) -> None:
    """What moves when, and how the mould cools."""
    half = RIM[1] / 2
    standing, turned = half + WALL, half + PLATE
    middle = (TURNS[0] + TURNS[1]) / 2
    key(hand, "location", 2, {TURNS[0]: standing, middle: 0.26, TURNS[1]: turned})
    key(hand, "rotation_euler", 0, {TURNS[0]: 0.0, TURNS[1]: math.pi})
    key(plate, "location", 2, {COMES[0]: 0.5, COMES[1]: half + PLATE / 2})
    key(mould, "location", 2, {LIFTS[0]: 0.0, LIFTS[1]: -0.35})
    mould.dollop.collider.use_temperature = True
    studio.animate(mould.dollop.collider, "temperature", COOLING)
    plate.dollop.collider.friction = 0.6


def bath() -> None:
    """Cold water all around the standing mould, which gets at the wax by its wall."""
    made = studio.block("Bath", (0.6, 0.6, 0.4), (0.0, 0.0, 0.2))
    made.dollop.kind = "HEATER"
    effect = made.dollop.heater.effect.temperature_settings
    effect.response = 0.2
    studio.animate(effect, "temperature", COOLING)


def key(moved: bpy.types.Object, channel: str, axis: int, values: dict[float, float]) -> None:
    for frame, value in values.items():
        getattr(moved, channel)[axis] = value
        moved.keyframe_insert(channel, index=axis, frame=frame)


def prepare_render(scene: bpy.types.Scene) -> None:
    scene.dollop.particles.hide_render = True
    scene.objects["Mould"].data.shade_smooth()
    scene.objects["Floor"].data.materials.append(glazed("Floor", (0.4, 0.42, 0.45), 0.6))
    stage.colour(scene.dollop.surface, [(0.6, 0.1, 0.05)])
    stage.camera(scene, (0.45, -1.15, 0.85), (0.0, 0.0, 0.12), 72.0)
    stage.lamp(scene, (-0.7, -0.9, 1.3), (0.0, 0.0, 0.1), 40.0, 0.6)
    stage.world(scene, (0.85, 0.88, 0.95), 0.45)
    stage.cycles(scene, 240, 260)


if __name__ == "__main__":
    studio.main(__doc__.splitlines()[0], build, prepare_render)
