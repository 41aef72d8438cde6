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

SPACING = 0.011
FRAMES = 144
SIZE = 0.15
# How hot the plate is by frame, K.
PLATE = {1: 430.0, 100: 430.0, 108: 285.0}
WAX = (0.62, 0.16, 0.09)


def build(scene: bpy.types.Scene) -> None:
    scene.frame_start, scene.frame_end = 1, FRAMES
    suzanne()
    plate()
    settings = scene.dollop.settings
    settings.particle_spacing = SPACING
    settings.use_heat = True
    settings.heat.rate = 20000.0
    settings.ambient.temperature = 290.0
    settings.ambient.convection = 1.0
    settings.output.use_particles = True


def suzanne() -> None:
    """Suzanne of wax, on her chin and the back of her head."""
    bpy.ops.mesh.primitive_monkey_add(size=2.0 * SIZE, rotation=(-0.62, 0.0, 0.15))
    made = bpy.context.object
    made.name = "Suzanne"
    smooth = made.modifiers.new("Smooth", "SUBSURF")
    smooth.levels = smooth.render_levels = 2
    # Suzanne is open at the eyes.
    remesh = made.modifiers.new("Close", "REMESH")
    remesh.mode, remesh.voxel_size = "VOXEL", 0.0085
    made.location.z = 0.001 - lowest(made)
    material = {"type": "thermal", "rest_density": 900, "dissociation_energy": 10, "viscosity": 12}
    molten = {"dissociation_energy": 0.03, "stiffness": 200, "viscosity": 8}
    heat = {"specific_heat": 2300, "conductivity": 0.25, "solidus": 323, "liquidus": 331}
    heat |= {"latent_heat": 180000, "emissivity": 0.1}
    studio.matter(made, temperature=295.0, material=material | {"molten": molten}, heat=heat)


def lowest(made: bpy.types.Object) -> float:
    """How low a mesh reaches with its modifiers."""
    made = made.evaluated_get(bpy.context.evaluated_depsgraph_get())
    return min((made.matrix_world @ vertex.co).z for vertex in made.data.vertices)


def plate() -> None:
    """A hob that is hot, and later cold. What was molten sticks to it: it sets where it lies."""
    bpy.ops.mesh.primitive_cylinder_add(radius=0.36, depth=0.04, vertices=96, location=(0.0, 0.0, -0.02))
    made = bpy.context.object
    made.name = "Plate"
    made.data.materials.append(glazed("Plate", (0.05, 0.052, 0.055), 0.35))
    made.dollop.kind = "COLLIDER"
    collider = made.dollop.collider
    collider.friction, collider.adhesion, collider.use_temperature = 0.5, 1.0, True
    studio.animate(collider, "temperature", PLATE)
    studio.move_evenly(made)


def prepare_render(scene: bpy.types.Scene) -> None:
    scene.dollop.particles.hide_render = True
    table = studio.block("Table", (6.0, 6.0, 0.1), (0.0, 0.0, -0.09))
    table.data.materials.append(glazed("Table", (0.62, 0.6, 0.57), 0.7))
    wax = glazed("Matter", WAX, 0.3)
    shader = wax.node_tree.nodes["Principled BSDF"]
    shader.inputs["Subsurface Weight"].default_value = 0.4
    shader.inputs["Subsurface Scale"].default_value = 0.02
    shader.inputs["Subsurface Radius"].default_value = (1.0, 0.35, 0.2)
    scene.dollop.surface.material_slots[0].material = wax
    stage.camera(scene, (0.45, -1.3, 0.62), (0.0, 0.0, 0.04), 66.0)
    stage.lamp(scene, (-0.9, -0.9, 1.2), (0.0, 0.0, 0.1), 30.0, 0.5)
    stage.world(scene, (0.85, 0.88, 0.95), 0.4)
    stage.cycles(scene, 320, 240)


if __name__ == "__main__":
    studio.main(__doc__.splitlines()[0], build, prepare_render)
