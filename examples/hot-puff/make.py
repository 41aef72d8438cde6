# SPDX-FileCopyrightText: 2026 The Dollop founders
# SPDX-License-Identifier: GPL-3.0-or-later
"""Shows a bake of this example in Blender, and renders frames of it.

With a Python that has the bpy module:

    python make.py OUT.blend CACHE                    the bake in CACHE, ready to render
    python make.py OUT.blend CACHE --render 1,7,20    and renders those frames beside OUT.blend
"""

from __future__ import annotations

import sys
from pathlib import Path

import bpy

# Lives inside bpy.
import bmesh  # isort: skip

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import stage
from studio import glazed


def set_up(scene: bpy.types.Scene, colliders: dict[str, bpy.types.Object]) -> None:
    """The room without its front wall, lit by the puff and little else."""
    scene.dollop.particles.hide_render = True
    room = colliders["room"]
    room.data.materials.append(glazed("Walls", (0.55, 0.55, 0.6), 0.7))
    open_front(room.data)
    scene.dollop.volume.material_slots[0].material = glowing()
    stage.camera(scene, (0.0, -5.6, 1.0), (0.0, 0.0, 1.0), 52.0)
    stage.world(scene, (0.3, 0.4, 0.6), 0.1)
    stage.cycles(scene, 300, 225, 64)
    scene.view_settings.exposure = 0.5


def open_front(room: bpy.types.Mesh) -> None:
    """Removes the wall that faces the front."""
    mesh = bmesh.new()
    mesh.from_mesh(room)
    bmesh.ops.delete(mesh, geom=[face for face in mesh.faces if face.normal.y < -0.5], context="FACES_ONLY")
    mesh.to_mesh(room)
    mesh.free()


def glowing() -> bpy.types.Material:
    """Smoke that glows by its temperature, as a black body does, from red to white."""
    material = bpy.data.materials.new("Glowing")
    material.use_nodes = True
    tree = material.node_tree
    tree.nodes.clear()
    output = tree.nodes.new("ShaderNodeOutputMaterial")
    smoke = tree.nodes.new("ShaderNodeVolumePrincipled")
    smoke.inputs["Color"].default_value = (0.5, 0.45, 0.4, 1.0)
    smoke.inputs["Density"].default_value = 6.0
    smoke.inputs["Temperature"].default_value = 1.0
    smoke.inputs["Blackbody Intensity"].default_value = 1.0
    tree.links.new(smoke.outputs[0], output.inputs["Volume"])
    return material


if __name__ == "__main__":
    stage.main(__doc__.splitlines()[0], Path(__file__).with_name("scene.json"), set_up)
