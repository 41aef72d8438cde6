# SPDX-FileCopyrightText: 2026 The Dollop founders
# SPDX-License-Identifier: GPL-3.0-or-later
"""Makes this example in Blender: the .blend, its scene file and meshes; or bakes it and renders frames.

With a Python that has the bpy module:

    python make.py OUT.blend                    the scene, ready for Bake in the Scene tab
    python make.py OUT.blend --export .         writes scene.json and shapes/ as the add-on does
    python make.py OUT.blend --render 1,37,49   bakes with DOLLOP_BINARY and renders those frames beside OUT.blend
"""

from __future__ import annotations

import sys
from pathlib import Path

import bpy

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import studio
from studio import glazed

SPACING = 0.005
# Twenty columns of every other row of eight: 80 particles.
BODY = (0.0555, 0.0365)
# How far everything reaches across the plane.
DEPTH = 0.06
TOOL_WIDTH, TOOL_POINT, TOOL_HEIGHT = 0.012, 0.012, 0.09
# Height of the tool's point by frame.
WAY = {1: 0.06, 49: -0.013, 61: -0.013, 73: 0.06}
FRAMES = 96


def build(scene: bpy.types.Scene) -> None:
    scene.frame_start, scene.frame_end = 1, FRAMES
    scene.gravity = (0.0, 0.0, -0.1)
    body()
    floor()
    tool()
    settings = scene.dollop.settings
    settings.particle_spacing = SPACING
    settings.discretization.dimensions = "2d"
    settings.discretization.smoothing_length = 0.95
    settings.output.use_particles = True
    surroundings(scene)


def body() -> None:
    width, height = BODY
    made = studio.block("Body", (width, DEPTH, height), (0.0, 0.0, height / 2))
    made.dollop.kind = "BODY"
    made.dollop.body.material.type = "smoothed"
    material = made.dollop.body.material.smoothed_settings
    material.stiffness, material.viscosity, material.cohesion = 10.0, 2.0, 1.0


def floor() -> None:
    made = studio.block("Floor", (0.4, DEPTH, 0.05), (0.0, 0.0, -0.025))
    made.data.materials.append(glazed("Floor", (0.45, 0.4, 0.35), 0.8))
    made.dollop.kind = "COLLIDER"
    made.dollop.collider.friction = made.dollop.collider.adhesion = 1.0


def tool() -> None:
    half = TOOL_WIDTH / 2
    profile = [(0.0, 0.0), (half, TOOL_POINT), (half, TOOL_HEIGHT), (-half, TOOL_HEIGHT), (-half, TOOL_POINT)]
    made = studio.prism("Tool", profile, DEPTH)
    made.data.materials.append(glazed("Tool", (0.1, 0.1, 0.12)))
    made.dollop.kind = "COLLIDER"
    made.dollop.collider.friction = 0.0
    studio.animate(made, "location", {frame: (0.0, 0.0, height) for frame, height in WAY.items()})
    studio.move_evenly(made)


def surroundings(scene: bpy.types.Scene) -> None:
    """The front view under an even light."""
    camera = bpy.data.objects.new("Camera", bpy.data.cameras.new("Camera"))
    camera.location, camera.rotation_euler = (0.0, -1.0, 0.028), (1.5707963, 0.0, 0.0)
    camera.data.type, camera.data.ortho_scale = "ORTHO", 0.18
    scene.collection.objects.link(camera)
    scene.camera = camera
    scene.world = bpy.data.worlds.new("World")
    scene.world.use_nodes = True
    scene.world.node_tree.nodes["Background"].inputs["Color"].default_value = (1.0, 1.0, 1.0, 1.0)


def prepare_render(scene: bpy.types.Scene) -> None:
    """The particles before the floor, and that before the tool, so that none hides what lies in the plane."""
    scene.dollop.surface.hide_render = True
    for number, name in enumerate(("Floor", "Tool"), 1):
        scene.objects[name].delta_location.y = number * DEPTH
    scene.render.engine = "CYCLES"
    scene.cycles.samples = studio.samples(32)
    scene.cycles.use_denoising = False
    scene.view_settings.view_transform = "Standard"
    scene.render.resolution_x, scene.render.resolution_y = 360, 150


if __name__ == "__main__":
    studio.main(__doc__.splitlines()[0], build, prepare_render)
