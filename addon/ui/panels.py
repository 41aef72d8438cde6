# SPDX-FileCopyrightText: 2026 The Dollop founders
# SPDX-License-Identifier: GPL-3.0-or-later
"""The panels in the Physics and Scene tabs."""

from __future__ import annotations

import bpy

from .. import keeping
from ..bake.presence import complaint
from ..data import BODY, NONE, section, sections
from ..export.participants import MESH_LIKE, why_unfit
from ..playback.colours import are_shown
from ..scene_units import gravity, unit_scale
from ..session import STOPPING, cache_of, status
from ..settings.draw import draw
from . import pins, shapes
from .baking import progress_text
from .operators import DOLLOP_OT_toggle
from .presets import DOLLOP_MT_presets
from .wrapping import wrapped


class DOLLOP_PT_physics(bpy.types.Panel):
    bl_label = "Dollop"
    bl_space_type = "PROPERTIES"
    bl_region_type = "WINDOW"
    bl_context = "physics"

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        source = context.object
        return source is not None and source.dollop.kind != NONE

    def draw(self, context: bpy.types.Context) -> None:
        layout = self.layout
        layout.use_property_split = True
        layout.use_property_decorate = False
        settings = context.object.dollop
        layout.prop(settings, "kind")
        if context.object.type not in MESH_LIKE:
            wrapped(layout, why_unfit(context.object), "ERROR", context.region.width)
            return
        if settings.kind == BODY:
            layout.menu(DOLLOP_MT_presets.__name__)
        shapes.draw(layout, context.object)
        found = section(settings.kind)
        draw(layout, found.settings, getattr(settings, found.key), f"dollop.{found.key}")
        pins.draw(layout, context.object)


class DOLLOP_PT_scene(bpy.types.Panel):
    bl_label = "Dollop"
    bl_space_type = "PROPERTIES"
    bl_region_type = "WINDOW"
    bl_context = "scene"

    def draw(self, context: bpy.types.Context) -> None:
        layout = self.layout
        layout.use_property_split = True
        layout.use_property_decorate = False
        scene = context.scene
        draw(layout, sections().scene.settings, scene.dollop.settings, "dollop.scene")
        layout.prop(scene.dollop, "root")
        _draw_notes(layout, scene, context.region.width)
        _draw_bake(layout, scene, context.region.width)
        _draw_end(layout, scene, context.region.width)


def _draw_notes(layout: bpy.types.UILayout, scene: bpy.types.Scene, width: int) -> None:
    if unit_scale(scene) != 1.0 and scene.use_gravity:
        strength = sum(part * part for part in gravity(scene)) ** 0.5
        wrapped(layout, f"Bakes with a gravity of {strength:.3g} m/s², whatever the unit scale", "INFO", width)
    if scene.dollop.settings.output.use_volume and hasattr(scene, "cycles") and hasattr(scene.cycles, "volume_biased"):
        # Blender 5 renders volumes without bias by default, a hundred times slower.
        layout.prop(scene.cycles, "volume_biased", text="Fast Volumes (Biased)")


def _draw_bake(layout: bpy.types.UILayout, scene: bpy.types.Scene, width: int) -> None:
    running = status.session
    if running is None:
        layout.label(text=f"Frames {scene.frame_start} to {scene.frame_end}", icon="TIME")
        row = layout.row(align=True)
        row.operator("dollop.bake", text="Bake Again" if scene.dollop.folder else "Bake", icon="PHYSICS")
        if keeping.resumable(scene):
            row.operator("dollop.resume", icon="PLAY")
        row.operator("dollop.free", icon="TRASH")
        _draw_missing(layout, scene, width)
        if scene.dollop.folder:
            layout.operator("dollop.temperature_colours", icon="COLOR", depress=are_shown(scene))
        layout.operator("dollop.load", icon="IMPORT")
        layout.operator("dollop.export", icon="EXPORT")
        return
    row = layout.row(align=True)
    row.progress(factor=running.run.progress.fraction, text=progress_text(running.run))
    row.operator("dollop.cancel", text="Stop Now" if running.run.cancelling else "", icon="CANCEL")
    if running.run.cancelling:
        wrapped(layout, f"{STOPPING}, press Stop Now", "INFO", width)


def _draw_missing(layout: bpy.types.UILayout, scene: bpy.types.Scene, width: int) -> None:
    cache = cache_of(scene)
    missing = complaint(cache) if cache else ""
    if missing:
        wrapped(layout, f"{missing}. Bake again, load the bake from where it is now, or press Free", "ERROR", width)


def _draw_end(layout: bpy.types.UILayout, scene: bpy.types.Scene, width: int) -> None:
    error, warnings = status.last(scene)
    for text in error.splitlines():
        wrapped(layout, text, "ERROR", width)
    for text in warnings:
        wrapped(layout, text, "INFO", width)


def _draw_toggle(self: bpy.types.Panel, context: bpy.types.Context) -> None:
    source = context.object
    if not DOLLOP_OT_toggle.poll(context):
        return
    on = source.dollop.kind != NONE
    self.layout.operator(
        DOLLOP_OT_toggle.bl_idname, text="Remove Dollop" if on else "Dollop", icon="X" if on else "META_DATA"
    )


_CLASSES = (DOLLOP_PT_physics, DOLLOP_PT_scene)


def register() -> None:
    for made in _CLASSES:
        bpy.utils.register_class(made)
    bpy.types.PHYSICS_PT_add.append(_draw_toggle)


def unregister() -> None:
    bpy.types.PHYSICS_PT_add.remove(_draw_toggle)
    for made in reversed(_CLASSES):
        bpy.utils.unregister_class(made)
