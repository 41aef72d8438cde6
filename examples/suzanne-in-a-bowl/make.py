# SPDX-FileCopyrightText: 2026 The Dollop founders
# SPDX-License-Identifier: GPL-3.0-or-later
"""Makes this example in Blender: the .blend, its scene file and meshes; or bakes it and renders frames.

With a Python that has the bpy module:

    python make.py OUT.blend                    the scene, ready for Bake in the Scene tab
    python make.py OUT.blend --export .         writes scene.json and shapes/ as the add-on does
    python make.py OUT.blend --render 1,20,48   bakes with DOLLOP_BINARY and renders those frames beside OUT.blend
"""

from __future__ import annotations

import sys
from pathlib import Path

import bpy

# These live inside bpy.
import bmesh  # isort: skip
from mathutils import Vector  # isort: skip

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import studio
from studio import glazed

SPACING = 0.025
FRAMES = 48
BOWL_RADIUS = 1.0
BOWL_THICKNESS = 0.08


def build(scene: bpy.types.Scene, spacing: float = SPACING, frames: int = FRAMES) -> None:
    scene.frame_start, scene.frame_end = 1, frames
    suzanne()
    bowl()
    settings = scene.dollop.settings
    settings.particle_spacing = spacing
    settings.output.use_volume = True
    settings.output.use_particles = True
    surroundings(scene)


def suzanne() -> None:
    bpy.ops.mesh.primitive_monkey_add(size=1.0, location=(0.0, 0.0, 0.15), rotation=(-0.1, 0.2, 0.6))
    body = bpy.context.object
    body.name = "Suzanne"
    smooth = body.modifiers.new("Smooth", "SUBSURF")
    smooth.levels = smooth.render_levels = 1
    # Suzanne is open at the eyes.
    remesh = body.modifiers.new("Close", "REMESH")
    remesh.mode, remesh.voxel_size = "VOXEL", 0.03
    body.data.materials.append(glazed("Caramel", (0.55, 0.17, 0.035)))
    body.dollop.kind = "BODY"
    # Thick as warm caramel, so that nothing splashes over the rim.
    caramel = body.dollop.body.material.continuum_settings
    caramel.rest_density, caramel.viscosity = 1400.0, 300.0
    body.dollop.body.use_temperature = True
    body.dollop.body.temperature = 330.0


def bowl() -> None:
    """The lower part of a sphere around the origin, thickened outwards."""
    data = bpy.data.meshes.new("Bowl")
    half = bmesh.new()
    bmesh.ops.create_uvsphere(half, u_segments=64, v_segments=32, radius=BOWL_RADIUS)
    above = [vertex for vertex in half.verts if vertex.co.z > 0.05]
    bmesh.ops.delete(half, geom=above, context="VERTS")
    half.to_mesh(data)
    half.free()
    body = studio.in_scene("Bowl", data)
    for polygon in data.polygons:
        polygon.use_smooth = True
    solid = body.modifiers.new("Thickness", "SOLIDIFY")
    solid.thickness, solid.offset = BOWL_THICKNESS, 1.0
    data.materials.append(glazed("Bowl", (0.05, 0.22, 0.3)))
    body.dollop.kind = "COLLIDER"


def surroundings(scene: bpy.types.Scene) -> None:
    """Camera, light, world and floor."""
    bpy.ops.mesh.primitive_plane_add(size=40.0, location=(0.0, 0.0, -BOWL_RADIUS - BOWL_THICKNESS))
    bpy.context.object.data.materials.append(glazed("Floor", (0.75, 0.72, 0.68), 0.6))
    camera = bpy.data.objects.new("Camera", bpy.data.cameras.new("Camera"))
    camera.location = (2.4, -3.2, 4.0)
    camera.rotation_euler = (Vector((0.0, 0.0, -0.4)) - camera.location).to_track_quat("-Z", "Y").to_euler()
    camera.data.lens = 55.0
    lamp = bpy.data.objects.new("Key", bpy.data.lights.new("Key", "AREA"))
    lamp.location, lamp.data.energy, lamp.data.size = (2.5, -1.5, 4.0), 350.0, 2.5
    lamp.rotation_euler = (-lamp.location).to_track_quat("-Z", "Y").to_euler()
    for thing in (camera, lamp):
        scene.collection.objects.link(thing)
    scene.camera = camera
    scene.world = bpy.data.worlds.new("World")
    scene.world.use_nodes = True
    scene.world.node_tree.nodes["Background"].inputs["Color"].default_value = (0.75, 0.82, 0.9, 1.0)
    scene.world.node_tree.nodes["Background"].inputs["Strength"].default_value = 0.55


def prepare_render(scene: bpy.types.Scene, size: tuple[int, int], samples: int) -> None:
    """The surface with motion blur; volume and particles stay out of the picture."""
    for other in (scene.dollop.volume, scene.dollop.particles):
        other.hide_render = True
    scene.render.engine = "CYCLES"
    scene.cycles.samples = samples
    scene.cycles.use_denoising = False
    scene.render.use_motion_blur = True
    scene.render.resolution_x, scene.render.resolution_y = size


if __name__ == "__main__":
    studio.main(__doc__.splitlines()[0], build, lambda scene: prepare_render(scene, (480, 400), studio.samples(32)))
