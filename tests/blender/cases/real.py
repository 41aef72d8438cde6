# SPDX-FileCopyrightText: 2026 The Dollop founders
# SPDX-License-Identifier: GPL-3.0-or-later
"""The whole way with the real solver."""

from __future__ import annotations

import os
from pathlib import Path

import bmesh
import bpy
import numpy as np

import tools

BOWL_RADIUS = 1.0
SPACING = 0.08


def suzanne_falls_into_a_bowl(folder: Path) -> None:
    from addon import session

    solver = os.environ["DOLLOP_BINARY"]
    scene = tools.fresh(folder)
    os.environ["DOLLOP_BINARY"] = solver
    scene.frame_end = 12
    suzanne = _suzanne()
    _bowl()
    scene.dollop.settings.particle_spacing = SPACING
    scene.dollop.settings.output.use_volume = scene.dollop.settings.output.use_particles = True
    tools.camera_and_light()
    filled = _volume(suzanne)
    ended = session.bake(scene, bpy.context.view_layer)
    assert ended.run.progress.finished == 12 and ended.run.progress.particles > 200, ended.run.progress
    first, last = _vertices(scene, 1), _vertices(scene, 12)
    assert last[:, 2].mean() < first[:, 2].mean() - 0.3, "Suzanne does not fall"
    matter = ended.run.progress.particles * SPACING**3
    assert abs(matter / filled - 1.0) < 0.05, "the particles fill another volume than the body"
    scene.frame_set(1)
    at_first = _volume(scene.dollop.surface)
    scene.frame_set(12)
    assert abs(_volume(scene.dollop.surface) / at_first - 1.0) < 0.15, "the volume is not kept"
    points = scene.dollop.particles.evaluated_get(bpy.context.evaluated_depsgraph_get()).evaluated_geometry()
    places = np.array([point.co[:] for point in points.pointcloud.points])
    assert len(places) == ended.run.progress.particles
    below_rim = places[places[:, 2] < 0.0]
    assert len(below_rim) and np.linalg.norm(below_rim, axis=1).max() < BOWL_RADIUS, "matter leaks through the bowl"
    grids = scene.dollop.volume.evaluated_get(bpy.context.evaluated_depsgraph_get()).data.grids
    assert grids.load() and {"density", "velocity"} <= set(grids.keys())


def solver_refuses_a_scene(folder: Path) -> None:
    from addon import session

    solver = os.environ["DOLLOP_BINARY"]
    scene = tools.fresh(folder)
    os.environ["DOLLOP_BINARY"] = solver
    tools.cube("body", "BODY")
    scene.dollop.settings.output.use_mesh = False
    tools.expect_error(session.BakeError, "nothing would be written", session.bake, scene, bpy.context.view_layer)


def _suzanne() -> bpy.types.Object:
    bpy.ops.mesh.primitive_monkey_add(size=1.0, location=(0.0, 0.0, 0.3), rotation=(0.3, 0.2, 0.1))
    made = bpy.context.object
    # Suzanne is open at the eyes.
    remesh = made.modifiers.new("remesh", "REMESH")
    remesh.mode, remesh.voxel_size = "VOXEL", 0.04
    made.dollop.kind = "BODY"
    made.dollop.body.use_temperature = True
    return made


def _bowl() -> bpy.types.Object:
    """The lower half of a sphere around the origin, 0.1 thick to the outside."""
    data = bpy.data.meshes.new("bowl")
    half = bmesh.new()
    bmesh.ops.create_uvsphere(half, u_segments=32, v_segments=16, radius=BOWL_RADIUS)
    bmesh.ops.delete(half, geom=[vertex for vertex in half.verts if vertex.co.z > 0.01], context="VERTS")
    half.to_mesh(data)
    half.free()
    made = bpy.data.objects.new("bowl", data)
    bpy.context.scene.collection.objects.link(made)
    solid = made.modifiers.new("solid", "SOLIDIFY")
    solid.thickness, solid.offset = 0.1, 1.0
    made.dollop.kind = "COLLIDER"
    return made


def _vertices(scene: bpy.types.Scene, frame: int) -> np.ndarray:
    scene.frame_set(frame)
    return tools.world_vertices(scene.dollop.surface)


def _volume(source: bpy.types.Object) -> float:
    mesh = bmesh.new()
    mesh.from_object(source, bpy.context.evaluated_depsgraph_get())
    volume = mesh.calc_volume()
    mesh.free()
    return volume
