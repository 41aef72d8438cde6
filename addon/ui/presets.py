# SPDX-FileCopyrightText: 2026 The Dollop founders
# SPDX-License-Identifier: GPL-3.0-or-later
"""The menu of presets in the panel of a body."""

from __future__ import annotations

import bpy
from mathutils import Vector

from .. import presets
from ..data import BODY, sections
from ..scene_units import unit_scale

_PRESETS = {preset.name: preset for preset in presets.load()}
_NO_FLOW = "No heat flows in this scene: switch on Heat in the Scene tab, or the matter stays as it is when cold"


class DOLLOP_OT_preset(bpy.types.Operator):
    """Make the selected bodies of a matter: its material, its heat and the temperature it starts with. The firmness of
    some goes with the height that each body has now: choose it again after scaling"""

    bl_idname = "dollop.preset"
    bl_label = "Preset"
    bl_options = {"REGISTER", "UNDO"}

    preset: bpy.props.EnumProperty(
        name="Preset", items=[(one.name, one.label, one.description) for one in _PRESETS.values()]
    )

    @classmethod
    def description(cls, _context: bpy.types.Context, properties: bpy.types.OperatorProperties) -> str:
        return _PRESETS[properties.preset].description

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        if not _bodies(context):
            cls.poll_message_set("No body is selected that can be changed")
            return False
        return True

    def execute(self, context: bpy.types.Context) -> set[str]:
        preset, bodies = _PRESETS[self.preset], _bodies(context)
        metres = unit_scale(context.scene)
        for body in bodies:
            preset.apply(sections().body.settings, body.dollop.body, metres, _height(body) * metres)
        self.report({"INFO"}, f"{preset.label}: {', '.join(body.name for body in bodies)}")
        if preset.softens and not context.scene.dollop.settings.use_heat:
            self.report({"WARNING"}, _NO_FLOW)
        return {"FINISHED"}


class DOLLOP_MT_presets(bpy.types.Menu):
    bl_label = "Preset"

    def draw(self, _context: bpy.types.Context) -> None:
        _list(self.layout, "continuum")
        self.layout.separator()
        self.layout.menu(DOLLOP_MT_sheet_presets.__name__)
        self.layout.menu(DOLLOP_MT_particle_presets.__name__)


class DOLLOP_MT_sheet_presets(bpy.types.Menu):
    bl_label = "Sheets"

    def draw(self, _context: bpy.types.Context) -> None:
        _list(self.layout, "oriented")


class DOLLOP_MT_particle_presets(bpy.types.Menu):
    bl_label = "Particle Models"

    def draw(self, _context: bpy.types.Context) -> None:
        _list(self.layout, "thermal", "smoothed", "soft")


def _list(layout: bpy.types.UILayout, *models: str) -> None:
    """Lists the presets of some models of matter."""
    for preset in _PRESETS.values():
        if preset.model in models:
            layout.operator(DOLLOP_OT_preset.bl_idname, text=preset.label).preset = preset.name


def _bodies(context: bpy.types.Context) -> list[bpy.types.Object]:
    """The object in the panel and the selected ones, as far as they are bodies that can be changed."""
    found = dict.fromkeys([context.object, *context.selected_objects])
    return [source for source in found if source and source.dollop.kind == BODY and source.is_editable]


def _height(source: bpy.types.Object) -> float:
    """The height of its bounds in the world, Blender units."""
    heights = [(source.matrix_world @ Vector(corner)).z for corner in source.bound_box]
    return max(heights) - min(heights)


_CLASSES = (DOLLOP_OT_preset, DOLLOP_MT_presets, DOLLOP_MT_sheet_presets, DOLLOP_MT_particle_presets)
register, unregister = bpy.utils.register_classes_factory(_CLASSES)
