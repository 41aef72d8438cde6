# SPDX-FileCopyrightText: 2026 The Dollop founders
# SPDX-License-Identifier: GPL-3.0-or-later
"""Bodies that are linked from another file, with and without library overrides."""

from __future__ import annotations

from pathlib import Path

import bpy

import addon
import tools
from tools import bake, cube

WARNING = "hidden only until this one is opened again: 'blob'"


def asset(folder: Path, kind: str) -> bpy.types.Collection:
    """A collection with the object `blob`, linked into a new file that is saved."""
    scene = tools.fresh(folder)
    made = bpy.data.collections.new("asset")
    scene.collection.children.link(made)
    blob = cube("blob")
    if kind != "NONE":
        blob.dollop.kind = kind
    scene.collection.objects.unlink(blob)
    made.objects.link(blob)
    bpy.ops.wm.save_mainfile()
    addon.unregister()
    (folder / "user").mkdir()
    tools.fresh(folder / "user")
    with bpy.data.libraries.load(str(folder / "project/scene.blend"), link=True) as (_, wanted):
        wanted.collections = ["asset"]
    (linked,) = wanted.collections
    bpy.context.scene.collection.children.link(linked)
    return linked


def overridden(linked: bpy.types.Collection, editable: bool = True) -> bpy.types.Object:
    scene = bpy.context.scene
    bpy.context.view_layer.update()
    linked.override_hierarchy_create(scene, bpy.context.view_layer, do_fully_editable=editable)
    for child in list(scene.collection.children):
        if child.library:
            scene.collection.children.unlink(child)
    return scene.objects["blob"]


def reopened() -> bpy.types.Object:
    bpy.ops.wm.save_mainfile()
    bpy.ops.wm.open_mainfile(filepath=bpy.data.filepath)
    return bpy.context.scene.objects["blob"]


def check_saved_one_by_one(body: bpy.types.Object) -> None:
    """Blender cannot read an override of a whole group."""
    bpy.ops.wm.save_mainfile()
    saved = {declared.rna_path for declared in body.override_library.properties}
    assert "dollop.hidden.active" in saved, saved
    assert not saved & {"dollop", "dollop.hidden", "dollop.body", "dollop.collider"}, saved


def told() -> str:
    return "\n".join(bake().warnings)


def case_a_linked_body_that_would_render_over_its_matter_gives_a_warning(folder: Path) -> None:
    asset(folder, "BODY")
    assert WARNING in told() and "Make a Library Override" in told()
    assert not reopened().hide_render, "Blender keeps what it did not: the warning is out of date"
    scene = bpy.context.scene
    away = bpy.data.collections.new("away")
    away.hide_render = True
    scene.collection.children.link(away)
    (linked,) = (child for child in scene.collection.children if child.library)
    scene.collection.children.unlink(linked)
    away.children.link(linked)
    assert WARNING not in told()


def case_a_body_with_the_name_of_a_linked_one_is_hidden_too(folder: Path) -> None:
    linked = asset(folder, "BODY").objects[0]
    own = cube("blob", "BODY")
    assert own.name == linked.name and own != linked
    bake()
    assert own.hide_render and linked.hide_render
    bpy.ops.dollop.free()
    assert not own.hide_render and not linked.hide_render


def case_an_overridden_body_stays_hidden_until_it_is_freed(folder: Path) -> None:
    check_hidden_until_freed(overridden(asset(folder, "BODY")))


def case_a_body_that_blender_overrides_by_itself_stays_hidden_until_it_is_freed(folder: Path) -> None:
    check_hidden_until_freed(overridden(asset(folder, "BODY"), editable=False))


def check_hidden_until_freed(body: bpy.types.Object) -> None:
    before = body.display_type
    assert WARNING not in told()
    check_saved_one_by_one(body)
    body = reopened()
    assert body.override_library and body.hide_render and body.display_type == "WIRE" and body.dollop.hidden.active
    bpy.ops.dollop.free()
    assert not body.hide_render and body.display_type == before and not body.dollop.hidden.active
    body = reopened()
    assert not body.hide_render and body.display_type == before and not body.dollop.hidden.active


def case_an_overridden_object_can_be_set_up(folder: Path) -> None:
    """Its own file knows no Dollop."""
    settings = overridden(asset(folder, "NONE")).dollop
    settings.kind, settings.collider_shape = "COLLIDER", "plane"
    settings.body.velocity, settings.body.use_temperature, settings.body.temperature = (1, 2, 3), True, 345.0
    settings.body.material.smoothed_settings.viscosity = 7.5
    settings.collider.friction, settings.collider.inverted = 0.125, True
    settings.pins.add().vertex_group = "top"
    settings = reopened().dollop
    assert settings.kind == "COLLIDER" and settings.collider_shape == "plane"
    assert tuple(settings.body.velocity) == (1, 2, 3)
    assert settings.body.use_temperature and settings.body.temperature == 345.0
    assert settings.body.material.smoothed_settings.viscosity == 7.5
    assert settings.collider.friction == 0.125 and settings.collider.inverted
    assert [one.vertex_group for one in settings.pins] == ["top"]
