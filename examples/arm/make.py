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
from mathutils import Vector  # isort: skip

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import stage
import studio
from studio import glazed

SPACING = 0.0115
FRAMES = 48
# Ends and radii of the limbs.
LIMBS = [
    ((0.0, 0.0, 0.2), (0.0, 0.0, 0.265), 0.064),
    ((0.0, 0.0, 0.395), (0.0, 0.0, 0.4), 0.06),
    ((0.0, 0.0, 0.3), (0.0, 0.0, 0.35), 0.04),
    ((0.0, 0.0, 0.28), (0.235, 0.0, 0.28), 0.042),
    ((0.0, 0.0, 0.28), (-0.235, 0.0, 0.28), 0.042),
    ((0.0, 0.0, 0.07), (0.0, 0.0, 0.14), 0.085),
]
# Radius and height of the base.
BASE = (0.12, 0.045)
# Where and how far the torch heats, the colours of what it does not and does, and how hot it is by frame.
TORCH, REACH = (0.12, 0.0, 0.27), 0.062
COLD, WARM = (0.55, 0.3, 0.1), (0.8, 0.04, 0.02)
HEAT = {1: 293.15, 11: 338.0, 28: 338.0, 32: 300.0}


def build(scene: bpy.types.Scene) -> None:
    scene.frame_start, scene.frame_end = 1, FRAMES
    figure()
    torch()
    floor = studio.block("Floor", (2.0, 2.0, 0.1), (0.0, 0.0, -0.05))
    floor.dollop.kind = "COLLIDER"
    floor.dollop.collider.friction = 1.0
    settings = scene.dollop.settings
    settings.particle_spacing = SPACING
    settings.settle = False
    settings.use_heat = True
    settings.heat.rate = 300.0
    settings.output.use_particles = True
    settings.output.mesh.smoothing = 8.0


def figure() -> None:
    """A figure of wax in a long gown with both arms stretched out, cut off flat below its base."""
    parts = [capsule(Vector(start), Vector(end), radius) for start, end, radius in LIMBS]
    bpy.ops.mesh.primitive_cylinder_add(radius=BASE[0], depth=BASE[1], vertices=64, location=(0.0, 0.0, BASE[1] / 2))
    parts.append(bpy.context.object)
    for part in parts:
        part.select_set(True)
    bpy.context.view_layer.objects.active = parts[0]
    bpy.ops.object.join()
    made = bpy.context.object
    made.name = "Figure"
    remesh = made.modifiers.new("Join", "REMESH")
    remesh.mode, remesh.voxel_size = "VOXEL", 0.01
    smooth = made.modifiers.new("Smooth", "SMOOTH")
    smooth.iterations = 3
    cut = made.modifiers.new("Below", "BOOLEAN")
    cut.operation, cut.object = "DIFFERENCE", ground()
    made.data.materials.append(glazed("Wax", (0.8, 0.35, 0.25), 0.35))
    material = {"type": "thermal", "rest_density": 900, "dissociation_energy": 40, "viscosity": 30}
    molten = {"dissociation_energy": 0.06, "stiffness": 400, "viscosity": 10}
    heat = {"specific_heat": 2500, "conductivity": 0.25, "solidus": 320, "liquidus": 360}
    studio.matter(made, temperature=293.15, material=material | {"molten": molten}, heat=heat)


def ground() -> bpy.types.Object:
    """What the figure is cut off by."""
    made = studio.block("Ground", (1.0, 1.0, 0.2), (0.0, 0.0, -0.1))
    made.hide_render = True
    made.hide_set(True)
    return made


def capsule(start: Vector, end: Vector, radius: float) -> bpy.types.Object:
    """Two balls and what is between them."""
    along = end - start
    bpy.ops.mesh.primitive_uv_sphere_add(radius=radius, segments=24, ring_count=12)
    made = bpy.context.object
    for vertex in made.data.vertices:
        vertex.co.z += along.length * (1.0 if vertex.co.z > 0.0 else 0.0)
    made.data.transform(along.to_track_quat("Z", "Y").to_matrix().to_4x4())
    made.location = start
    return made


def torch() -> None:
    """The region of the upper arm that is heated."""
    bpy.ops.mesh.primitive_uv_sphere_add(radius=REACH, segments=24, ring_count=12, location=TORCH)
    made = bpy.context.object
    made.name = "Torch"
    made.dollop.kind = "HEATER"
    effect = made.dollop.heater.effect.temperature_settings
    effect.response = 0.15
    studio.animate(effect, "temperature", HEAT)
    studio.move_evenly(made)


def prepare_render(scene: bpy.types.Scene) -> None:
    scene.dollop.particles.hide_render = True
    scene.objects["Floor"].data.materials.append(glazed("Floor", (0.5, 0.52, 0.55), 0.6))
    warm(scene.dollop.surface.material_slots)
    stage.camera(scene, (0.3, -1.5, 0.55), (0.0, 0.0, 0.215), 78.0)
    stage.lamp(scene, (-0.7, -1.0, 1.2), (0.0, 0.0, 0.2), 30.0, 0.6)
    stage.world(scene, (0.85, 0.88, 0.95), 0.45)
    stage.cycles(scene, 300, 260)


def warm(slots: bpy.types.bpy_prop_collection) -> None:
    """Wax that is red where it is warm."""
    material = glazed("Matter", COLD, 0.35)
    tree = material.node_tree
    share = tree.nodes.new("ShaderNodeMapRange")
    share.inputs["From Min"].default_value, share.inputs["From Max"].default_value = 295.0, max(HEAT.values())
    mix = tree.nodes.new("ShaderNodeValToRGB")
    mix.color_ramp.elements[0].color, mix.color_ramp.elements[1].color = (*COLD, 1.0), (*WARM, 1.0)
    tree.links.new(studio.temperature(tree), share.inputs["Value"])
    tree.links.new(share.outputs["Result"], mix.inputs["Fac"])
    tree.links.new(mix.outputs["Color"], tree.nodes["Principled BSDF"].inputs["Base Color"])
    slots[0].material = material


if __name__ == "__main__":
    studio.main(__doc__.splitlines()[0], build, prepare_render)
