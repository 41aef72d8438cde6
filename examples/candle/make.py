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

# Lives inside bpy.
from mathutils import Vector, noise  # isort: skip

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import stage
import studio
from studio import glazed

SPACING = 0.0014
FRAMES = 120
# The candle, m: its radius, the height of its shoulder, and how far its top rises above that.
RADIUS, SHOULDER, TOP = 0.018, 0.046, 0.013
# How much lower the shoulder is at angles around the candle, degrees and m.
LOW = {-50.0: 0.0042, -105.0: 0.0034, -170.0: 0.004}
# Where the wick is, m, and how far the top of the candle is moved with it.
WICK = (0.0, -0.001)
# How high the foot of the flame is by frame, m: the wick burns down.
FLAME = {1: 0.0605, 20: 0.0595, 75: 0.0515, 120: 0.0495}
# The same of the middle of what it heats.
HEAT = {1: 0.063, 75: 0.047, 120: 0.045}


def build(scene: bpy.types.Scene) -> None:
    scene.frame_start, scene.frame_end = 1, FRAMES
    settings = scene.dollop.settings
    settings.use_heat = True
    candle()
    flame_heat()
    dish()
    settings.particle_spacing = SPACING
    settings.heat.rate = 400.0
    settings.ambient.convection = 10.0
    settings.output.use_particles = True
    settings.output.mesh.smoothing = 8.0


def candle() -> None:
    """A candle with a conical top, uneven at its shoulder."""
    outline = [(0.0, 0.0), (RADIUS, 0.0), *((RADIUS, SHOULDER * n / 12) for n in range(1, 12))]
    outline += [(RADIUS, SHOULDER), (RADIUS - 0.0015, SHOULDER + 0.003), (0.011, SHOULDER + 0.0085)]
    outline += [(0.006, SHOULDER + 0.0117), (0.0025, SHOULDER + TOP - 0.0002), (0.0, SHOULDER + TOP)]
    made = studio.turned("Candle", outline)
    for vertex in made.data.vertices:
        part = max(0.0, (vertex.co.z - 0.6 * SHOULDER) / (0.4 * SHOULDER))
        top = max(0.0, (vertex.co.z - SHOULDER) / TOP)
        vertex.co.x, vertex.co.y = vertex.co.x + WICK[0] * top, vertex.co.y + WICK[1] * top
        uneven = 0.0012 * noise.noise(Vector((vertex.co.x, vertex.co.y, 0.0)) * 70.0)
        angle = math.degrees(math.atan2(vertex.co.y, vertex.co.x))
        low = sum(depth * math.exp(-(((angle - at) / 9.0) ** 2)) for at, depth in LOW.items())
        vertex.co.z += min(1.0, part) * (uneven - low * min(1.0, math.hypot(vertex.co.x, vertex.co.y) / RADIUS))
    made.data.materials.append(glazed("Candle", (0.85, 0.72, 0.5), 0.35))
    studio.preset(made, "wax")
    # Heat flows 400 times as fast as in nature, so what flows may be slower.
    made.dollop.body.material.continuum_settings.molten.viscosity = 0.06


def flame_heat() -> None:
    """What the flame heats: the wax around the wick."""
    bpy.ops.mesh.primitive_uv_sphere_add(radius=1.0, segments=48, ring_count=24)
    made = bpy.context.object
    made.name, made.scale = "Heat", (0.0155, 0.0155, 0.008)
    made.dollop.kind = "HEATER"
    effect = made.dollop.heater.effect.temperature_settings
    effect.temperature, effect.response = 420.0, 0.2
    studio.animate(made, "location", {frame: (*WICK, z) for frame, z in HEAT.items()})
    studio.move_evenly(made)


def dish() -> None:
    outline = [(0.0, -0.004), (0.034, -0.004), (0.04, 0.0005), (0.041, 0.0025), (0.0395, 0.003), (0.035, 0.0)]
    outline += [(0.0, 0.0)]
    made = studio.turned("Dish", outline)
    made.data.materials.append(studio.metal("Brass", (0.75, 0.5, 0.2), 0.3))
    made.dollop.kind = "COLLIDER"
    made.dollop.collider.friction = 1.0


def wax() -> bpy.types.Material:
    """Light goes deep into it; where it is molten it is wet."""
    made = glazed("Wax", (0.87, 0.74, 0.5), 0.4)
    shader = made.node_tree.nodes["Principled BSDF"]
    shader.inputs["Subsurface Weight"].default_value = 1.0
    shader.inputs["Subsurface Scale"].default_value = 0.005
    shader.inputs["Subsurface Radius"].default_value = (0.8, 0.62, 0.42)
    studio.roughness_by_temperature(made, (318.0, 0.4), (336.0, 0.06))
    return made


def fire() -> bpy.types.Material:
    """Bright above, blue and clear at its foot, soft at its edge."""
    made = bpy.data.materials.new("Fire")
    made.use_nodes = True
    nodes, links = made.node_tree.nodes, made.node_tree.links
    nodes.remove(nodes["Principled BSDF"])
    place, axes, ramp = (nodes.new(f"ShaderNode{kind}") for kind in ("TexCoord", "SeparateXYZ", "ValToRGB"))
    light, clear, mix = (nodes.new(f"ShaderNode{kind}") for kind in ("Emission", "BsdfTransparent", "MixShader"))
    facing, edge = nodes.new("ShaderNodeLayerWeight"), nodes.new("ShaderNodeMath")
    links.new(place.outputs["Generated"], axes.inputs[0])
    links.new(axes.outputs["Z"], ramp.inputs[0])
    stops = [(0.0, (0.02, 0.05, 0.5)), (0.16, (0.25, 0.12, 0.12)), (0.34, (1.0, 0.42, 0.07)), (0.7, (1.0, 0.7, 0.28))]
    studio.fill_ramp(ramp.color_ramp, stops)
    links.new(ramp.outputs[0], light.inputs["Color"])
    light.inputs["Strength"].default_value = 5.0
    facing.inputs["Blend"].default_value = 0.35
    edge.operation = "POWER"
    edge.inputs[1].default_value = 1.2
    links.new(facing.outputs["Facing"], edge.inputs[0])
    links.new(edge.outputs[0], mix.inputs[0])
    links.new(light.outputs[0], mix.inputs[1])
    links.new(clear.outputs[0], mix.inputs[2])
    links.new(mix.outputs[0], nodes["Material Output"].inputs["Surface"])
    return made


def flame() -> None:
    """The flame, its light, and the wick, which goes deep into the wax."""
    high = [(0.0, 0.0), (0.0022, 0.001), (0.0037, 0.004), (0.0041, 0.0075), (0.0036, 0.0125), (0.0026, 0.018)]
    high += [(0.0014, 0.023), (0.0005, 0.0262), (0.0, 0.0275)]
    shape = studio.turned("Flame", high, 64)
    shape.data.materials.append(fire())
    shape.visible_shadow = False
    lamp = studio.in_scene("Light", bpy.data.lights.new("Light", "POINT"))
    lamp.data.energy, lamp.data.color, lamp.data.shadow_soft_size = 0.27, (1.0, 0.6, 0.25), 0.004
    lamp.parent, lamp.location = shape, (0.0, 0.0, 0.012)
    wick = studio.turned("Wick", [(0.0, -0.02), (0.0007, -0.02), (0.0007, 0.004), (0.0004, 0.0052), (0.0, 0.0054)], 24)
    wick.data.materials.append(glazed("Wick", (0.012, 0.01, 0.009), 0.9))
    wick.parent = shape
    studio.animate(shape, "location", {frame: (*WICK, foot) for frame, foot in FLAME.items()})
    studio.move_evenly(shape)


def prepare_render(scene: bpy.types.Scene) -> None:
    scene.dollop.particles.hide_render = True
    scene.dollop.surface.material_slots[0].material = wax()
    flame()
    table = studio.block("Table", (4.0, 4.0, 0.02), (0.0, 0.0, -0.014))
    table.data.materials.append(glazed("Table", (0.03, 0.024, 0.022), 0.3))
    stage.camera(scene, (0.0, -0.28, 0.15), (0.0, 0.0, 0.0345), 59.0)
    stage.lamp(scene, (-0.25, 0.2, 0.2), (0.0, 0.0, 0.03), 0.9, 0.15)
    stage.lamp(scene, (0.2, -0.25, 0.25), (0.0, 0.0, 0.03), 0.35, 0.2)
    stage.world(scene, (0.4, 0.5, 0.8), 0.02)
    stage.cycles(scene, 1280, 720, 96)


if __name__ == "__main__":
    studio.main(__doc__.splitlines()[0], build, prepare_render)
