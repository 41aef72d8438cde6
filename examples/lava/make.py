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

SPACING = 0.0085
FRAMES = 108
# The frame in which the gate begins to rise.
GATE = 24
# The bed, m: its half width, where it gets steep, and where it is level again.
HALF, EDGE, FOOT = 0.3, 0.3, 0.95


def height(x: float, y: float) -> float:
    """Of the ground, m: a bed that slopes gently, a steep part, and level ground, all of it rough."""
    gentle = 0.35
    if x < EDGE:
        level = 0.45 - gentle * (x - EDGE)
    else:
        part = min((x - EDGE) / (FOOT - EDGE), 1.0)
        level = 0.45 * (1.0 - part * part * (3.0 - 2.0 * part))
    banks = min(0.12, 0.25 * max(0.0, abs(y) / HALF - 0.6) ** 2)
    rough = 0.03 * noise.noise(Vector((x, y, 0.0)) * 5.0) + 0.012 * noise.noise(Vector((x, y, 3.0)) * 14.0)
    return level + banks + rough


def build(scene: bpy.types.Scene) -> None:
    scene.frame_start, scene.frame_end = 1, FRAMES
    settings = scene.dollop.settings
    settings.use_heat = True
    lump()
    ground()
    basin()
    below()
    settings.particle_spacing = SPACING
    settings.heat.rate = 200.0
    settings.ambient.convection = 30.0
    settings.output.use_particles = True
    # Single crumbs look like balls.
    settings.output.mesh.smallest_drop = 8


def lump() -> None:
    """Lava behind the bed's edge."""
    made = studio.block("Lava", (0.6, 0.3, 0.2), (-0.05, 0.0, 0.0))
    made.location.z = max(height(-0.35 + 0.03 * n, 0.05 * m) for n in range(21) for m in range(-3, 4)) + 0.1
    made.data.materials.append(glazed("Lava", (0.05, 0.04, 0.04), 0.7))
    studio.preset(made, "lava")
    # A crust as thin as this one breaks by the weight of what it carries.
    settings = made.dollop.body.material.continuum_settings
    settings.strength, settings.fracture_energy = 8000.0, 10.0
    settings.molten.viscosity = 100.0


def ground() -> None:
    made = studio.grid("Ground", (2.6, 1.4), (104, 56), (0.6, 0.0, 0.0))
    for vertex in made.data.vertices:
        vertex.co.z = height(vertex.co.x + 0.6, vertex.co.y)
    thick = made.modifiers.new("Thick", "SOLIDIFY")
    thick.thickness, thick.offset = 0.1, -1.0
    made.data.materials.append(stone())
    made.data.shade_smooth()
    made.dollop.kind = "COLLIDER"
    made.dollop.collider.friction = 0.8


def basin() -> None:
    """Slabs around the lava; the one in front is drawn up."""
    sides = [((0.68, 0.04, 0.55), (-0.04, side * 0.172, 0.62)) for side in (-1.0, 1.0)]
    for size, centre in [*sides, ((0.04, 0.384, 0.55), (-0.372, 0.0, 0.7))]:
        slab(size, centre)
    gate = slab((0.04, 0.3, 0.5), (0.275, 0.0, 0.66))
    studio.animate(gate, "location", {1: (0.275, 0.0, 0.66), GATE: (0.275, 0.0, 0.66), GATE + 10: (0.275, 0.0, 1.1)})
    studio.move_evenly(gate)


def below() -> None:
    """Ends what falls off the ground."""
    made = studio.block("Below", (4.0, 3.0, 0.4), (0.6, 0.0, -0.5))
    made.dollop.kind = "OUTFLOW"
    made.hide_render = True


def slab(size: tuple[float, float, float], centre: tuple[float, float, float]) -> bpy.types.Object:
    made = studio.block("Slab", size, centre)
    made.data.materials.append(stone())
    made.dollop.kind = "COLLIDER"
    made.dollop.collider.friction = 0.8
    return made


def stone() -> bpy.types.Material:
    made = glazed("Stone", (0.11, 0.1, 0.095), 0.85)
    nodes, links = made.node_tree.nodes, made.node_tree.links
    grain, bump = nodes.new("ShaderNodeTexNoise"), nodes.new("ShaderNodeBump")
    place = nodes.new("ShaderNodeTexCoord")
    grain.inputs["Scale"].default_value, grain.inputs["Detail"].default_value = 30.0, 10.0
    bump.inputs["Strength"].default_value, bump.inputs["Distance"].default_value = 0.8, 0.01
    links.new(place.outputs["Object"], grain.inputs["Vector"])
    links.new(grain.outputs[0], bump.inputs["Height"])
    links.new(bump.outputs[0], made.node_tree.nodes["Principled BSDF"].inputs["Normal"])
    return made


def prepare_render(scene: bpy.types.Scene) -> None:
    scene.dollop.particles.hide_render = True
    scene.dollop.surface.material_slots[0].material = studio.glowing("Crust", (0.025, 0.022, 0.02), 0.7, 1500.0)
    stage.camera(scene, (1.6, -0.75, 1.15), (0.42, 0.0, 0.47), 50.0)
    stage.lamp(scene, (0.8, -1.8, 2.2), (0.5, 0.0, 0.2), 45.0, 1.0)
    stage.world(scene, (0.25, 0.35, 0.55), 0.16)
    stage.cycles(scene, 1280, 720, 64)


if __name__ == "__main__":
    studio.main(__doc__.splitlines()[0], build, prepare_render)
