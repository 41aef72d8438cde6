# SPDX-FileCopyrightText: 2026 The Dollop founders
# SPDX-License-Identifier: GPL-3.0-or-later
"""A scene that shows a bake, in the form that an artist gives to a farm."""

from __future__ import annotations

from pathlib import Path

import bpy

import addon


def save_shot(folder: Path) -> None:
    """Leaves `shot.blend`, which shows only the surface of the bake in `shown`, in few pixels."""
    from addon import loading

    bpy.ops.wm.read_homefile(use_empty=True)
    addon.register()
    scene = bpy.context.scene
    scene.frame_start, scene.frame_end = 1, 4
    scene.world = bpy.data.worlds.new("World")
    loading.load(scene, bpy.context.view_layer, folder / "shown")
    scene.dollop.particles.hide_render = True
    scene.dollop.volume.hide_render = True
    _camera(scene)
    scene.render.engine = "CYCLES"
    scene.cycles.samples = 8
    scene.render.resolution_x, scene.render.resolution_y = 96, 72
    scene.render.resolution_percentage = 100
    # A farm renders pictures of it nevertheless.
    if bpy.app.version >= (5, 0, 0):
        scene.render.image_settings.media_type = "VIDEO"
    scene.render.image_settings.file_format = "FFMPEG"
    bpy.ops.wm.save_as_mainfile(filepath=str(folder / "shot.blend"))


def _camera(scene: bpy.types.Scene) -> None:
    camera = bpy.data.objects.new("Camera", bpy.data.cameras.new("Camera"))
    camera.location, camera.rotation_euler = (0.0, -2.5, 0.35), (1.5708, 0.0, 0.0)
    lamp = bpy.data.objects.new("Lamp", bpy.data.lights.new("Lamp", "SUN"))
    lamp.data.energy, lamp.rotation_euler = 3.0, (0.7, 0.3, 0.0)
    for made in (camera, lamp):
        scene.collection.objects.link(made)
    scene.camera = camera
