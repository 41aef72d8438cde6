# SPDX-FileCopyrightText: 2026 The Dollop founders
# SPDX-License-Identifier: MIT OR Apache-2.0
"""Runs in Blender: bakes a block of liquid with Mantaflow, data and mesh, and prints a line with its cost."""

from __future__ import annotations

import json
import resource
import sys
import time
from typing import Any

import bpy


def box(sizes: list[float], corner: list[float]) -> bpy.types.Object:
    """A box by its edges and its least corner, m."""
    centre = [least + size / 2 for least, size in zip(corner, sizes, strict=True)]
    bpy.ops.mesh.primitive_cube_add(size=1, location=centre)
    bpy.context.object.scale = sizes
    bpy.ops.object.transform_apply(location=False, rotation=False)
    return bpy.context.object


def build(asked: dict[str, Any]) -> bpy.types.Object:
    """The scene; returns the domain."""
    bpy.ops.wm.read_factory_settings(use_empty=True)
    scene = bpy.context.scene
    # The first frame shows the liquid as it was.
    scene.render.fps, scene.frame_start, scene.frame_end = 24, 1, 1 + asked["frames"]
    width, depth, _ = asked["tank"]
    block = box(asked["block"], [-width / 2, -depth / 2, 0])
    flow = block.modifiers.new("Fluid", "FLUID")
    flow.fluid_type = "FLOW"
    flow.flow_settings.flow_type = "LIQUID"
    flow.flow_settings.flow_behavior = "GEOMETRY"
    margin = (asked["domain"][0] - width) / 2
    tank = box(asked["domain"], [-width / 2 - margin, -depth / 2 - margin, -margin])
    fluid = tank.modifiers.new("Fluid", "FLUID")
    fluid.fluid_type = "DOMAIN"
    settings = fluid.domain_settings
    settings.domain_type = "LIQUID"
    settings.resolution_max = asked["cells"]
    settings.use_viscosity, settings.viscosity_value = True, asked["viscosity"]
    settings.use_mesh = True
    settings.cache_type, settings.cache_directory = "ALL", asked["cache"]
    settings.cache_frame_end = scene.frame_end
    bpy.context.view_layer.objects.active = tank
    return tank


def memory() -> float:
    """The largest memory so far, MB."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def looked_at(tank: bpy.types.Object, asked: dict[str, Any]) -> dict[str, float]:
    """The liquid in the last frame: its front, m from the wall, its triangles and its particles."""
    bpy.context.scene.frame_set(1 + asked["frames"])
    shown = tank.evaluated_get(bpy.context.evaluated_depsgraph_get())
    mesh = shown.to_mesh()
    mesh.calc_loop_triangles()
    front = max((tank.matrix_world @ vertex.co).x for vertex in mesh.vertices)
    particles = sum(len(system.particles) for system in shown.particle_systems)
    triangles = len(mesh.loop_triangles)
    return {"front": front + asked["tank"][0] / 2, "triangles": triangles, "particles": particles}


def main() -> None:
    """Bakes."""
    asked = json.loads(sys.argv[-1])
    tank = build(asked)
    before = memory()
    seconds, cpu = time.perf_counter(), time.process_time()
    if bpy.ops.fluid.bake_all() != {"FINISHED"}:
        sys.exit("Mantaflow's bake did not finish")
    cost = {"seconds": time.perf_counter() - seconds, "cpu": time.process_time() - cpu, "before": before}
    print("PEER", json.dumps({**cost, **looked_at(tank, asked)}), flush=True)


main()
