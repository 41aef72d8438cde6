# SPDX-FileCopyrightText: 2026 The Dollop founders
# SPDX-License-Identifier: GPL-3.0-or-later
"""The panel of farm jobs and its buttons."""

from __future__ import annotations

import json
from pathlib import Path

import bpy

from .. import keeping, loading
from ..bake import farm, folders, index
from ..bake.index import CacheError
from ..bake.runner import State
from ..export.target import SCENE_FILE
from ..farm.writing import Writing
from ..session import status
from .baking import Running
from .wrapping import wrapped


class DOLLOP_OT_write_farm_job(Running, bpy.types.Operator):
    """Write a job for a render farm, which bakes this scene in segments, in a new folder beside the bakes"""

    bl_idname = "dollop.write_farm_job"
    bl_label = "Write Farm Job"
    bl_options = {"REGISTER", "UNDO"}

    start = Writing

    def _tell(self, ended: Writing) -> None:
        if ended.run.state is State.CANCELLED:
            self.report({"WARNING"}, "No farm job was written: cancelled")
        else:
            self.report({"INFO"}, f"Wrote {ended.job.file}; submit it by: {ended.job.submit}")


class DOLLOP_OT_copy_submit(bpy.types.Operator):
    """Copy the command that submits the farm job"""

    bl_idname = "dollop.copy_submit"
    bl_label = "Copy Submit Command"

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        return _has_job(cls, context)

    def execute(self, context: bpy.types.Context) -> set[str]:
        context.window_manager.clipboard = _job(context.scene).submit
        self.report({"INFO"}, "Copied; paste it into a shell")
        return {"FINISHED"}


class DOLLOP_OT_load_farm_bake(bpy.types.Operator):
    """Show what the farm has baked; possible when all frames are simulated"""

    bl_idname = "dollop.load_farm_bake"
    bl_label = "Load Farm Bake"
    bl_options = {"REGISTER", "UNDO"}

    wedge: bpy.props.StringProperty(name="Wedge", description="Which of several bakes: by its name")

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        if status.session:
            cls.poll_message_set("A bake is running")
            return False
        return _has_job(cls, context)

    def execute(self, context: bpy.types.Context) -> set[str]:
        scene = context.scene
        bake = next((one for one in _job(scene).bakes if one.name == self.wedge), None)
        if bake is None or not bake.is_simulated:
            self.report({"ERROR"}, f"The farm has not simulated all frames of {bake.cache if bake else self.wedge!r}")
            return {"CANCELLED"}
        try:
            kinds = _kinds(keeping.given_away(scene))
            warnings = loading.load(scene, context.view_layer, bake.cache, kinds)
        except CacheError as error:
            self.report({"ERROR"}, str(error))
            return {"CANCELLED"}
        for warning in warnings:
            self.report({"WARNING"}, warning)
        status.note(scene, warnings)
        return {"FINISHED"}


class DOLLOP_OT_add_wedge(bpy.types.Operator):
    """Bake the scene several times, with each of some values of a setting; several wedges bake all combinations"""

    bl_idname = "dollop.add_wedge"
    bl_label = "Add Wedge"
    bl_options = {"REGISTER", "UNDO"}

    def execute(self, context: bpy.types.Context) -> set[str]:
        context.scene.dollop.farm.wedges.add()
        return {"FINISHED"}


class DOLLOP_OT_remove_wedge(bpy.types.Operator):
    """Leave this setting as it is"""

    bl_idname = "dollop.remove_wedge"
    bl_label = "Remove Wedge"
    bl_options = {"REGISTER", "UNDO"}

    number: bpy.props.IntProperty(min=0, options={"HIDDEN"})

    def execute(self, context: bpy.types.Context) -> set[str]:
        context.scene.dollop.farm.wedges.remove(self.number)
        return {"FINISHED"}


class DOLLOP_PT_farm(bpy.types.Panel):
    bl_label = "Farm"
    bl_space_type = "PROPERTIES"
    bl_region_type = "WINDOW"
    bl_context = "scene"
    bl_parent_id = "DOLLOP_PT_scene"
    bl_options = {"DEFAULT_CLOSED"}

    def draw(self, context: bpy.types.Context) -> None:
        layout = self.layout
        layout.use_property_split = True
        layout.use_property_decorate = False
        scene = context.scene
        for name in ("engine", "segment", "chunk", "render", "dollop", "blender"):
            layout.prop(scene.dollop.farm, name)
        for number, wedge in enumerate(scene.dollop.farm.wedges):
            _draw_wedge(layout.box(), number, wedge)
        layout.operator(DOLLOP_OT_add_wedge.bl_idname, icon="ADD")
        layout.operator(DOLLOP_OT_write_farm_job.bl_idname, icon="FILE_TICK")
        _draw_job(layout, scene, context.region.width)


def _draw_wedge(box: bpy.types.UILayout, number: int, wedge: bpy.types.PropertyGroup) -> None:
    row = box.row(align=True)
    row.prop(wedge, "setting")
    row.operator(DOLLOP_OT_remove_wedge.bl_idname, text="", icon="X").number = number
    box.prop(wedge, "values")


def _draw_job(layout: bpy.types.UILayout, scene: bpy.types.Scene, width: int) -> None:
    job = _job(scene)
    if job is None:
        if scene.dollop.farm.folder:
            wrapped(layout, f"The last job is gone; it was in {keeping.given_away(scene)}", "ERROR", width)
        return
    wrapped(layout, f"Job: {job.file}", "FILE", width)
    wrapped(layout, f"Submit by: {job.submit}", "CONSOLE", width)
    layout.operator(DOLLOP_OT_copy_submit.bl_idname, icon="COPYDOWN")
    for bake in job.bakes:
        row = layout.row()
        row.enabled = bake.is_simulated
        text = f"Load Farm Bake {bake.name}".strip()
        row.operator(DOLLOP_OT_load_farm_bake.bl_idname, text=text, icon="IMPORT").wedge = bake.name


def _job(scene: bpy.types.Scene) -> farm.Job | None:
    folder = keeping.given_away(scene)
    return folder and farm.read(folder)


def _has_job(operator: type[bpy.types.Operator], context: bpy.types.Context) -> bool:
    if context.scene is None or _job(context.scene) is None:
        operator.poll_message_set("There is no farm job: press Write Farm Job first")
        return False
    return True


def _kinds(folder: Path) -> tuple[str, ...]:
    """The files that the scene requests; a farm always writes particles, too."""
    try:
        document = json.loads((folder / folders.SCENE / SCENE_FILE).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return index.kinds()
    return tuple(document["output"])


_CLASSES = (
    DOLLOP_OT_write_farm_job,
    DOLLOP_OT_copy_submit,
    DOLLOP_OT_load_farm_bake,
    DOLLOP_OT_add_wedge,
    DOLLOP_OT_remove_wedge,
    DOLLOP_PT_farm,
)
register, unregister = bpy.utils.register_classes_factory(_CLASSES)
