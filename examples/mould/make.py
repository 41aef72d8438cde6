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
from itertools import pairwise
from pathlib import Path

import bpy

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import stage
import studio
from studio import glazed

FRAMES = 96
EDGE = 0.7
TOP = 0.3
BOWL, DEEP, HALF = 0.26, 0.2, 0.34
AROUND, DOWN = 64, 16
PLASTIC = (0.85, 0.8, 0.72)


def build(scene: bpy.types.Scene) -> None:
    scene.frame_start, scene.frame_end = 1, FRAMES
    made = studio.grid("Sheet", (EDGE, EDGE), (14, 14), (0.0, 0.0, TOP + 0.02))
    made.data.materials.append(glazed("Plastic", PLASTIC, 0.25))
    material = {"type": "oriented", "rest_density": 1000, "thickness": 2e-3, "stretch_stiffness": 2000}
    material |= {"bending_stiffness": 5e-3, "viscosity": 10, "growth": 4, "tear_stretch": 1.4}
    material |= {"molten": {"stiffness": 0.05, "relaxation": 0.5}}
    heat = {"specific_heat": 1500, "conductivity": 0.2, "solidus": 380, "liquidus": 430}
    studio.matter(made, material=material, heat=heat, temperature=300)
    studio.pin(made, "Frame", lambda place: max(abs(place.x), abs(place.y)) > 0.49 * EDGE)
    mould = _mould()
    mould.dollop.kind = "COLLIDER"
    mould.dollop.collider.use_temperature = True
    mould.dollop.collider.temperature = 300
    oven = studio.block("Oven", (1.0, 1.0, 0.3), (0.0, 0.0, TOP + 0.05))
    oven.dollop.kind = "HEATER"
    effect = oven.dollop.heater.effect.temperature_settings
    effect.response = 0.25
    studio.animate(effect, "temperature", {1: 300.0, 12: 450.0})
    settings = scene.dollop.settings
    settings.particle_spacing = 0.015
    settings.use_heat = True
    settings.heat.rate = 20
    settings.output.use_particles = True


def _mould() -> bpy.types.Object:
    """A block with a hollow, open to the top."""
    turns = [2 * math.pi * i / AROUND for i in range(AROUND)]
    downs = [math.pi / 2 * m / DOWN for m in range(1, DOWN + 1)]
    bowl = [[_on(turn, BOWL * math.sin(down), -DEEP * math.cos(down)) for turn in turns] for down in downs]
    square = [HALF / max(abs(math.cos(turn)), abs(math.sin(turn))) for turn in turns]
    rings = bowl + [[_on(turn, r, z) for turn, r in zip(turns, square, strict=True)] for z in (0.0, -DEEP - 0.06)]
    places = [(0.0, 0.0, -DEEP), *(place for ring in rings for place in ring), (0.0, 0.0, -DEEP - 0.06)]
    ring = [range(1 + AROUND * n, 1 + AROUND * (n + 1)) for n in range(len(rings))]
    faces = [(0, ring[0][i - 1], ring[0][i]) for i in range(AROUND)]
    for inner, outer in pairwise(ring):
        faces += [(inner[i - 1], outer[i - 1], outer[i], inner[i]) for i in range(AROUND)]
    faces += [(len(places) - 1, ring[-1][i], ring[-1][i - 1]) for i in range(AROUND)]
    data = bpy.data.meshes.new("Mould")
    data.from_pydata(places, [], faces)
    made = studio.in_scene("Mould", data)
    made.location = (0.0, 0.0, TOP)
    return made


def _on(turn: float, radius: float, height: float) -> tuple[float, float, float]:
    return (radius * math.cos(turn), radius * math.sin(turn), height)


def prepare_render(scene: bpy.types.Scene) -> None:
    scene.dollop.particles.hide_render = True
    scene.objects["Mould"].data.materials.append(glazed("Steel", (0.25, 0.27, 0.3), 0.35))
    floor = studio.block("Floor", (4.0, 4.0, 0.1), (0.0, 0.0, -0.05))
    floor.data.materials.append(glazed("Floor", (0.55, 0.52, 0.5), 0.7))
    stage.colour(scene.dollop.surface, [PLASTIC])
    stage.camera(scene, (0.75, -1.05, 1.15), (0.0, 0.0, 0.22), 42.0)
    stage.lamp(scene, (-1.2, 0.9, 1.3), (0.0, 0.0, 0.25), 90.0, 0.5)
    stage.world(scene, (0.85, 0.88, 0.95), 0.3)
    stage.cycles(scene, 360, 300)


if __name__ == "__main__":
    studio.main(__doc__.splitlines()[0], build, prepare_render)
