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

# Lives inside bpy.
from mathutils import Vector, noise  # isort: skip

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import stage
import studio
from studio import glazed

from addon.playback.materials import COLOUR

SPACING = 0.0063
FRAMES = 60
# The block of wax, m: its radius and height.
RADIUS, HIGH = 0.06, 0.13
# The sheet, m: its length and width, and how high it hangs.
LENGTH, WIDTH, HUNG = 0.5, 0.28, 0.25
# Where the ground is level, along x, m.
LEVEL = -0.14


def build(scene: bpy.types.Scene) -> None:
    scene.frame_start, scene.frame_end = 1, FRAMES
    settings = scene.dollop.settings
    settings.use_heat = True
    wax()
    sheet()
    dough()
    lava()
    ground()
    settings.particle_spacing = SPACING
    settings.heat.rate = 120.0
    settings.ambient.convection = 10.0
    settings.output.use_particles = True


def wax() -> None:
    """A block that stands below the sheet."""
    outline = [(0.0, 0.0), (RADIUS, 0.0), (RADIUS, HIGH - 0.015), (RADIUS - 0.015, HIGH), (0.0, HIGH)]
    made = studio.turned("Wax", outline)
    made.location.z = 0.001
    made.data.materials.append(glazed("Wax", (0.55, 0.05, 0.03)))
    studio.preset(made, "wax")
    settings = made.dollop.body.material.continuum_settings
    # The preset bears its own weight; this wax, as real wax, bears what falls on it.
    settings.shear_modulus, settings.yield_stress = 200000.0, 40000.0
    # Heat flows 120 times as fast as in nature, so what flows may be slower.
    settings.molten.viscosity = 1.0


def sheet() -> None:
    """A mat of rubber, 4 mm thick, that is held at both ends."""
    made = studio.grid("Sheet", (LENGTH, WIDTH), (50, 28), (0.0, 0.0, HUNG))
    made.data.materials.append(glazed("Sheet", (0.05, 0.15, 0.4)))
    studio.preset(made, "rubber_sheet")
    settings = made.dollop.body.material.oriented_settings
    settings.thickness, settings.stretch_damping = 0.004, 0.03
    studio.pin(made, "Ends", lambda place: abs(place.x) > 0.49 * LENGTH)


def dough() -> None:
    """A lump that falls on it."""
    bpy.ops.mesh.primitive_ico_sphere_add(radius=0.08, subdivisions=4, location=(0.0, 0.0, HUNG + 0.095))
    made = bpy.context.object
    made.name = "Dough"
    bpy.ops.object.shade_smooth()
    made.data.materials.append(glazed("Dough", (0.75, 0.6, 0.4)))
    studio.preset(made, "dough")
    # Softer than the preset: it sags into the mat.
    settings = made.dollop.body.material.continuum_settings
    settings.yield_stress, settings.consistency = 150.0, 150.0


def lava() -> None:
    made = studio.block("Lava", (0.2, 0.22, 0.2), (-0.41, 0.0, 0.0))
    made.location.z = max(height(-0.51 + 0.03 * n, 0.05 * m) for n in range(8) for m in range(-2, 3)) + 0.105
    made.data.materials.append(glazed("Lava", (0.03, 0.026, 0.024)))
    studio.preset(made, "lava")
    # Thinner than the preset, as little of it is to run far, and with a crust that breaks by its weight.
    settings = made.dollop.body.material.continuum_settings
    settings.strength, settings.fracture_energy = 8000.0, 10.0
    settings.molten.viscosity, settings.molten.yield_stress = 10.0, 20.0
    made.dollop.body.temperature = 1600.0


def height(x: float, y: float) -> float:
    """Of the ground, m: a gully that slopes to where it is level, rough but there, closed behind the lava."""
    slope = 0.6 * max(0.0, LEVEL - x) + max(0.0, -0.52 - x)
    banks = min(0.2 if y > 0.0 else 0.05, 2.5 * max(0.0, abs(y) - 0.12) ** 1.5)
    rough = 0.03 * noise.noise(Vector((x, y, 0.0)) * 6.0) + 0.01 * noise.noise(Vector((x, y, 3.0)) * 16.0)
    return slope + banks + rough * min(1.0, max(0.0, (Vector((x, y)).length - 0.14) / 0.1))


def ground() -> None:
    made = studio.grid("Ground", (1.6, 1.1), (64, 44), (0.0, 0.0, 0.0))
    for vertex in made.data.vertices:
        vertex.co.z = height(vertex.co.x, vertex.co.y)
    thick = made.modifiers.new("Thick", "SOLIDIFY")
    thick.thickness, thick.offset = 0.1, -1.0
    made.data.shade_smooth()
    made.data.materials.append(glazed("Stone", (0.2, 0.19, 0.18), 0.85))
    made.dollop.kind = "COLLIDER"
    made.dollop.collider.friction = 0.8


def matter() -> bpy.types.Material:
    """Of the colour of its body, and glowing where it is hot."""
    made = studio.glowing("Matter", (1.0, 1.0, 1.0), 0.4, 1560.0)
    colour = made.node_tree.nodes.new("ShaderNodeAttribute")
    colour.attribute_name = COLOUR
    made.node_tree.links.new(colour.outputs["Color"], made.node_tree.nodes["Principled BSDF"].inputs["Base Color"])
    return made


def rails() -> None:
    """What holds the ends of the sheet."""
    for side in (-1.0, 1.0):
        at = side * LENGTH / 2
        parts = [((0.02, WIDTH + 0.06, 0.02), (at, 0.0, HUNG))]
        parts += [((0.02, 0.02, 0.4), (at, end * (WIDTH / 2 + 0.02), HUNG - 0.21)) for end in (-1.0, 1.0)]
        for size, centre in parts:
            studio.block("Rail", size, centre).data.materials.append(studio.wood())


def prepare_render(scene: bpy.types.Scene) -> None:
    scene.dollop.particles.hide_render = True
    scene.dollop.surface.material_slots[0].material = matter()
    rails()
    stage.camera(scene, (0.22, -1.1, 0.52), (-0.1, 0.0, 0.14), 42.0)
    stage.lamp(scene, (0.7, -1.2, 1.3), (0.0, 0.0, 0.15), 22.0, 0.4)
    stage.world(scene, (0.4, 0.5, 0.8), 0.12)
    stage.cycles(scene, 1280, 720, 64)


if __name__ == "__main__":
    studio.main(__doc__.splitlines()[0], build, prepare_render)
