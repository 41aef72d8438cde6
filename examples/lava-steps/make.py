# SPDX-FileCopyrightText: 2026 The Dollop founders
# SPDX-License-Identifier: GPL-3.0-or-later
"""Shows a bake of this example in Blender, and renders frames of it.

With a Python that has the bpy module:

    python make.py OUT.blend CACHE                     the bake in CACHE, ready to render
    python make.py OUT.blend CACHE --render 1,40,80    and renders those frames beside OUT.blend
"""

from __future__ import annotations

import sys
from pathlib import Path

import bpy

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import stage
from studio import glazed

# The attribute that the add-on gives the surface.
TEMPERATURE = "matter_temperature"


def set_up(scene: bpy.types.Scene, colliders: dict[str, bpy.types.Object]) -> None:
    """Stone steps at dusk, lit by the lava."""
    scene.dollop.particles.hide_render = True
    stone = glazed("Stone", (0.2, 0.19, 0.18), 0.85)
    for name, collider in colliders.items():
        collider.data.materials.append(stone)
        # Walls that keep the lava on the steps, and hide it.
        collider.hide_render = name == "right"
    scene.dollop.surface.material_slots[0].material = lava()
    stage.camera(scene, (2.7, -3.1, 2.0), (-0.02, 0.0, 0.5), 50.0)
    stage.lamp(scene, (1.0, -2.5, 3.5), (0.0, 0.0, 0.4), 60.0, 2.0)
    stage.world(scene, (0.25, 0.35, 0.55), 0.12)
    stage.cycles(scene, 300, 225, 64)


def lava() -> bpy.types.Material:
    """Dark rock that glows as a black body does by its temperature."""
    material = glazed("Lava", (0.02, 0.017, 0.015), 0.75)
    tree = material.node_tree
    shader = tree.nodes["Principled BSDF"]
    temperature = tree.nodes.new("ShaderNodeAttribute")
    temperature.attribute_name = TEMPERATURE
    colour = tree.nodes.new("ShaderNodeBlackbody")
    # What is seen of the glow grows far faster than the temperature.
    over = _maths(tree, "MULTIPLY", temperature.outputs["Fac"], 1.0 / 1400.0)
    light = _maths(tree, "POWER", over.outputs[0], 14.0)
    tree.links.new(temperature.outputs["Fac"], colour.inputs["Temperature"])
    tree.links.new(colour.outputs[0], shader.inputs["Emission Color"])
    tree.links.new(light.outputs[0], shader.inputs["Emission Strength"])
    return material


def _maths(tree: bpy.types.NodeTree, operation: str, value: bpy.types.NodeSocket, by: float) -> bpy.types.ShaderNode:
    node = tree.nodes.new("ShaderNodeMath")
    node.operation = operation
    node.inputs[1].default_value = by
    tree.links.new(value, node.inputs[0])
    return node


if __name__ == "__main__":
    stage.main(__doc__.splitlines()[0], Path(__file__).with_name("scene.json"), set_up)
