# SPDX-FileCopyrightText: 2026 The Dollop founders
# SPDX-License-Identifier: GPL-3.0-or-later
"""Pins of sheets, from the panel to the scene file."""

from __future__ import annotations

from itertools import pairwise
from math import pi
from pathlib import Path
from types import SimpleNamespace

import bpy
import numpy as np
from mathutils import Matrix, Quaternion

import addon
import tools
from cases.linking import overridden, reopened
from cases.settings import Recorder
from tools import cube, empty, expect_error, export, exported_vertices, square, transformed, world_vertices


def sheet(name: str = "flag", group: str = "top", held: tuple[int, ...] = (2, 3)) -> bpy.types.Object:
    """A square sheet of four vertices, some of them in a vertex group."""
    made = square(name, "BODY")
    made.dollop.body.material.type = "oriented"
    made.vertex_groups.new(name="other").add([0, 1, 2, 3], 1.0, "REPLACE")
    made.vertex_groups.new(name=group).add(list(held), 1.0, "REPLACE")
    return made


def pin(source: bpy.types.Object, group: str = "top", target: bpy.types.Object | None = None) -> object:
    made = source.dollop.pins.add()
    made.vertex_group = group
    if target:
        made.follow, made.target = "OTHER", target
    return made


def exported(folder: Path) -> dict:
    (found,) = export(folder)["bodies"][0]["pins"]
    return found


def case_a_pin_holds_vertices_of_the_mesh_file(folder: Path) -> None:
    """Also if modifiers make vertices, the file contains a shear, and a unit is a centimetre."""
    scene = tools.fresh(folder)
    body = sheet()
    pin(body)
    body.modifiers.new("subdivision", "SUBSURF").levels = 3
    for step in (unsheared, sheared, lambda _: setattr(scene.unit_settings, "scale_length", 0.01)):
        step(body)
        entry = export(folder)["bodies"][0]
        (found,) = entry["pins"]
        assert set(found) == {"name", "vertices"} and found["name"] == "top"
        written = exported_vertices(folder, entry)
        places = {tuple(place) for place in written.tolist()}
        assert len(found["vertices"]) == 36 and {tuple(place) for place in found["vertices"]} <= places
        # The mask of the shown mesh: all vertices beyond the middle, where the weight is a half.
        local = transformed(np.array(found["vertices"]), entry["transform"]) / scene.unit_settings.scale_length
        local = local @ np.linalg.inv(np.array(body.matrix_world)[:3, :3]).T
        local -= np.linalg.inv(np.array(body.matrix_world))[:3, :3] @ np.array(body.matrix_world)[:3, 3]
        assert local[:, 1].min() > 0.05 and len(world_vertices(body)) == len(written) == 81


def unsheared(body: bpy.types.Object) -> None:
    body.location, body.rotation_euler, body.scale = (1, 2, 3), (0.3, 0.2, 0.1), (1, 2, 0.5)


def sheared(body: bpy.types.Object) -> None:
    body.parent = empty("skew")
    body.parent.scale = (1, 1, 3)
    bpy.context.view_layer.update()
    matrix = np.array(body.matrix_world)[:3, :3]
    assert abs(matrix[:, 1] @ matrix[:, 2]) > 0.1, "it is not sheared"


def case_groups_survive_geometry_nodes_and_mirrors(folder: Path) -> None:
    tools.fresh(folder)
    body = sheet()
    pin(body)
    tree = bpy.data.node_groups.new("finer", "GeometryNodeTree")
    for way in ("INPUT", "OUTPUT"):
        tree.interface.new_socket("Geometry", in_out=way, socket_type="NodeSocketGeometry")
    kinds = ("NodeGroupInput", "GeometryNodeSubdivideMesh", "NodeGroupOutput")
    nodes = [tree.nodes.new(kind) for kind in kinds]
    for one, other in pairwise(nodes):
        tree.links.new(one.outputs[0], other.inputs[0])
    body.modifiers.new("finer", "NODES").node_group = tree
    assert sorted(exported(folder)["vertices"]) == [[-1, 1, 0], [0, 1, 0], [1, 1, 0]]
    mirror = body.modifiers.new("mirror", "MIRROR")
    mirror.use_axis, mirror.use_mirror_merge = (False, True, False), False
    assert sorted({tuple(place) for place in exported(folder)["vertices"]}) == [
        (x, y, 0) for x in (-1, 0, 1) for y in (-1, 1)
    ]


def case_vertices_without_a_face_are_no_matter(folder: Path) -> None:
    """They are not in the file, and shift the numbers of the others."""
    tools.fresh(folder)
    places = [(9, 9, 9), (-1, -1, 0), (8, 8, 8), (1, -1, 0), (1, 1, 0), (-1, 1, 0)]
    body = tools.mesh("flag", places, [(1, 3, 4, 5)], "BODY")
    body.dollop.body.material.type = "oriented"
    body.vertex_groups.new(name="top").add([0, 2, 3, 4], 1.0, "REPLACE")
    pin(body)
    assert exported(folder)["vertices"] == [[1, -1, 0], [1, 1, 0]]


def case_a_pin_holds_vertices_that_weigh_more_than_a_half(folder: Path) -> None:
    tools.fresh(folder)
    body = sheet(held=())
    for number, weight in enumerate((0.0, 0.5, 0.51, 1.0)):
        body.vertex_groups["top"].add([number], weight, "REPLACE")
    pin(body)
    assert exported(folder)["vertices"] == [[1, 1, 0], [-1, 1, 0]]


def case_weights_of_edit_mode_count(folder: Path) -> None:
    tools.fresh(folder)
    body = sheet()
    pin(body)
    bpy.context.view_layer.objects.active = body
    bpy.ops.object.mode_set(mode="EDIT")
    bpy.ops.mesh.select_all(action="SELECT")
    body.vertex_groups.active_index = 1
    bpy.ops.object.vertex_group_assign()
    assert len(exported(folder)["vertices"]) == 4 and body.mode == "EDIT"


def check_motion(folder: Path, source: bpy.types.Object) -> None:
    """The keys move a point as the object moves from its first frame to each, but without its scale."""
    scene = bpy.context.scene
    keys = exported(folder)["motion"]
    assert [key["frame"] for key in keys] == list(range(scene.frame_start, scene.frame_end + 1))
    assert all(key["transform"]["scale"] == [1, 1, 1] for key in keys)
    matrices = [matrix_of(key["transform"]) for key in keys]
    shown = []
    for key in keys:
        scene.frame_set(key["frame"])
        placed = source.evaluated_get(bpy.context.evaluated_depsgraph_get()).matrix_world
        shown.append(Matrix.LocRotScale(placed.to_translation(), placed.to_quaternion(), None))
    for matrix, wanted in zip(matrices, shown, strict=True):
        assert np.allclose(matrix @ matrices[0].inverted(), wanted @ shown[0].inverted(), atol=1e-5)


def matrix_of(transform: dict) -> Matrix:
    return Matrix.LocRotScale(transform["translation"], Quaternion(transform["rotation"]), None)


def animated(target: bpy.types.Object) -> None:
    for frame, place, turn in ((1, (0, 0, 1), 0.2), (4, (1, 2, 3), 2.5)):
        target.location, target.rotation_euler = place, (0.1, turn, 0.3)
        target.keyframe_insert("location", frame=frame)
        target.keyframe_insert("rotation_euler", frame=frame)


def case_a_pin_goes_with_an_animated_empty(folder: Path) -> None:
    scene = tools.fresh(folder)
    hand = empty("hand")
    pin(sheet(), target=hand)
    hand.location, hand.scale = (1, 2, 3), (3, 3, 3)
    assert "motion" not in exported(folder), "it stands still"
    animated(hand)
    scene.frame_set(3)
    check_motion(folder, hand)
    # A scaled object does not move, and a mirrored one keeps its rotation.
    for scale in ((1, 2, 0.5), (-1, 1, 1), (-2, -2, -2)):
        hand.scale = scale
        check_mirrored(folder, hand)
    hand.animation_data_clear()
    for frame in (1, 4):
        hand.scale = (frame, 1, 1)
        hand.keyframe_insert("scale", frame=frame)
    assert "motion" not in exported(folder)


def check_mirrored(folder: Path, hand: bpy.types.Object) -> None:
    """Compares with the same motion without a scale."""
    scale, ways = tuple(hand.scale), []
    for hand.scale in (scale, (1, 1, 1)):
        matrices = [matrix_of(key["transform"]) for key in exported(folder)["motion"]]
        ways.append([matrix @ matrices[0].inverted() for matrix in matrices])
    assert np.allclose(np.array(ways[0]), np.array(ways[1]), atol=1e-5), scale


def case_a_hidden_object_is_followed(folder: Path) -> None:
    scene = tools.fresh(folder)
    away = bpy.data.collections.new("away")
    scene.collection.children.link(away)
    hand, bone = empty("hand"), empty("bone")
    hand.parent = bone
    pin(sheet(), target=hand)
    animated(bone)
    check_motion(folder, hand)
    shown = exported(folder)
    for one in (hand, bone):
        one.hide_viewport = True
    hand.hide_set(True)
    assert exported(folder) == shown
    scene.collection.objects.unlink(hand)
    away.objects.link(hand)
    bpy.context.view_layer.layer_collection.children["away"].exclude = True
    assert exported(folder) == shown
    assert hand.hide_viewport and [c.name for c in hand.users_collection] == ["away"]


def case_a_pin_goes_with_its_own_object_by_default(folder: Path) -> None:
    scene = tools.fresh(folder)
    body = sheet()
    pin(body)
    assert "motion" not in exported(folder)
    animated(body)
    check_motion(folder, body)
    scene.unit_settings.scale_length = 0.1
    entry = export(folder)["bodies"][0]
    (found,) = entry["pins"]
    assert np.allclose(found["motion"][0]["transform"]["translation"], (0, 0, 0.1))
    assert np.allclose(entry["transform"]["translation"], (0, 0, 0.1)), "a body is where it is at the first frame"


def case_a_pin_goes_with_a_skewed_object(folder: Path) -> None:
    """The object turns as a whole, whatever its shear."""
    tools.fresh(folder)
    root, skew, hand = empty("root"), empty("skew"), empty("hand")
    skew.parent, skew.scale = root, (1, 1, 3)
    hand.parent, hand.rotation_euler = skew, (0.7, 0.2, 0)
    for frame, turn in ((1, 0.0), (4, pi / 2)):
        root.rotation_euler = (0, 0, turn)
        root.keyframe_insert("rotation_euler", frame=frame)
    pin(sheet(), target=hand)
    keys = exported(folder)["motion"]
    whole = matrix_of(keys[-1]["transform"]) @ matrix_of(keys[0]["transform"]).inverted()
    assert np.allclose(whole, Matrix.Rotation(pi / 2, 4, "Z"), atol=1e-5)


def case_several_pins_and_the_scene_file_of_other_matter(folder: Path) -> None:
    tools.fresh(folder)
    body = sheet()
    for group in ("top", "other"):
        pin(body, group)
    assert [one["name"] for one in export(folder)["bodies"][0]["pins"]] == ["top", "other"]
    body.dollop.pins.clear()
    assert "pins" not in export(folder)["bodies"][0]
    block = cube("flag 2", "BODY")
    pin(block, "nowhere")
    body.dollop.kind = "NONE"
    pin(body, "nowhere")
    (entry,) = export(folder)["bodies"]
    assert entry["name"] == "flag 2" and "pins" not in entry, "what is no sheet has no pins"
    block.dollop.kind = "NONE"
    pin(letter(), "nowhere")
    (entry,) = export(folder)["bodies"]
    assert entry["name"] == "letter" and "pins" not in entry, "what has no vertex groups has no pins"


def letter() -> bpy.types.Object:
    data = bpy.data.curves.new("letter", "FONT")
    data.body = "o"
    made = bpy.data.objects.new("letter", data)
    bpy.context.scene.collection.objects.link(made)
    made.dollop.kind, made.dollop.body.material.type = "BODY", "oriented"
    return made


def case_wrong_pins_are_refused(folder: Path) -> None:
    from addon.export.problems import ExportError

    scene = tools.fresh(folder)
    body, hand = sheet(), empty("hand")
    one = pin(body, "")
    expect_error(ExportError, "A pin of 'flag' has no vertex group: choose one", export, folder)
    one.vertex_group = "seam"
    expect_error(ExportError, "The pin 'seam' of 'flag' holds nothing: there is no such vertex group", export, folder)
    empty_group = body.vertex_groups.new(name="seam")
    told = "The pin 'seam' of 'flag' holds nothing: after the modifiers no vertex of a face has a weight above 0.5"
    expect_error(ExportError, told, export, folder)
    empty_group.add([0], 1.0, "REPLACE")
    assert exported(folder)["vertices"] == [[-1, -1, 0]]
    one.follow = "OTHER"
    expect_error(ExportError, "The pin 'seam' of 'flag' follows no object, or one that was removed", export, folder)
    one.target = hand
    assert "motion" not in exported(folder)
    scene.collection.objects.unlink(hand)
    expect_error(ExportError, "follows 'hand', which is not in this scene", export, folder)
    bpy.data.objects.remove(hand)
    assert one.target is None
    expect_error(ExportError, "follows no object, or one that was removed", export, folder)
    one.follow = "SELF"
    assert len(exported(folder)["vertices"]) == 1
    one.follow, one.target = "OTHER", empty("flat")
    one.target.scale.y = 0
    expect_error(ExportError, "'flat' is flattened to nothing by a scale of 0", export, folder)


def case_a_group_that_the_modifiers_remove_is_reported(folder: Path) -> None:
    from addon.export.problems import ExportError

    tools.fresh(folder)
    pin(sheet())
    body = bpy.data.objects["flag"]
    body.modifiers.new("subdivision", "SUBSURF").levels = 2
    mask = body.modifiers.new("without", "MASK")
    mask.vertex_group, mask.invert_vertex_group, mask.threshold = "top", True, 0.5
    told = "holds nothing: after the modifiers no vertex of a face has a weight above 0.5"
    expect_error(ExportError, told, export, folder)


def case_errors_of_the_solver_name_pins(folder: Path) -> None:
    from addon.export import write

    scene = tools.fresh(folder)
    block = cube("a block", "BODY")
    body = sheet()
    pin(body, "other")
    pin(body)
    names = write(scene, bpy.context.view_layer, folder / "named").names
    assert names["bodies"] == [block.name, body.name]
    assert names["bodies[1].pins"] == ["other", "top"] and names["bodies[0].pins"] == []


def case_pins_are_added_and_removed_with_undo(folder: Path) -> None:
    tools.fresh(folder)
    body = sheet()
    bpy.context.view_layer.objects.active = body
    bpy.ops.ed.undo_push(message="before")
    assert bpy.ops.dollop.add_pin() == {"FINISHED"}
    bpy.ops.ed.undo_push(message="added")

    def groups() -> list[str]:
        return [one.vertex_group for one in bpy.data.objects["flag"].dollop.pins]

    assert groups() == ["top"], "the active group is the first choice"
    body.vertex_groups.active_index = 0
    bpy.ops.dollop.add_pin()
    bpy.ops.ed.undo_push(message="added")
    assert groups() == ["top", "other"]
    assert bpy.ops.dollop.remove_pin(number=0) == {"FINISHED"} and groups() == ["other"]
    bpy.ops.ed.undo_push(message="removed")
    assert bpy.ops.dollop.remove_pin(number=1) == {"CANCELLED"} and groups() == ["other"]
    bpy.ops.ed.undo()
    assert groups() == ["top", "other"]
    bpy.ops.ed.undo()
    bpy.ops.ed.undo()
    assert groups() == []


def case_only_sheets_show_pins(folder: Path) -> None:
    from addon.ui import panels

    tools.fresh(folder)
    body, block = sheet(), cube("block", "BODY")
    pin(body)
    pin(body, "other", empty("hand"))
    pin(block)
    for source, wanted in (
        (body, ["vertex_group", "follow", "vertex_group", "follow", "target"]),
        (block, []),
        (letter(), []),
    ):
        drawn: list[tuple[str, str]] = []
        panels.DOLLOP_PT_physics.draw(SimpleNamespace(layout=Recorder(drawn)), SimpleNamespace(object=source))
        assert [name for owner, name in drawn if owner == "DOLLOP_PG_pin"] == wanted, source
        bpy.context.view_layer.objects.active = source
        assert bpy.ops.dollop.add_pin.poll() == bpy.ops.dollop.remove_pin.poll() == bool(wanted)


def linked_flag(folder: Path, link: bool) -> bpy.types.Collection:
    """The collection `asset` of another file, with a flag on a pole that moves."""
    scene = tools.fresh(folder)
    made = bpy.data.collections.new("asset")
    scene.collection.children.link(made)
    pole = empty("pole")
    body = sheet("blob")
    pin(body, "top", pole)
    animated(pole)
    for one in (body, pole):
        scene.collection.objects.unlink(one)
        made.objects.link(one)
    bpy.ops.wm.save_mainfile()
    addon.unregister()
    (folder / "user").mkdir()
    tools.fresh(folder / "user")
    with bpy.data.libraries.load(str(folder / "project/scene.blend"), link=link) as (_, wanted):
        wanted.collections = ["asset"]
    (found,) = wanted.collections
    bpy.context.scene.collection.children.link(found)
    return found


def check_flag(folder: Path, groups: list[str]) -> None:
    body = bpy.context.scene.objects["blob"]
    assert [one.vertex_group for one in body.dollop.pins] == groups
    assert [one["name"] for one in export(folder)["bodies"][0]["pins"]] == groups
    assert body.dollop.pins[0].target == bpy.context.scene.objects["pole"]
    assert len(export(folder)["bodies"][0]["pins"][0]["motion"]) == 4


def case_a_linked_sheet_keeps_its_pins(folder: Path) -> None:
    body = linked_flag(folder, link=True).objects["blob"]
    check_flag(folder, ["top"])
    bpy.context.view_layer.objects.active = body
    assert not bpy.ops.dollop.add_pin.poll() and not bpy.ops.dollop.remove_pin.poll()


def case_an_appended_sheet_brings_the_objects_that_its_pins_follow(folder: Path) -> None:
    linked_flag(folder, link=False)
    check_flag(folder, ["top"])
    reopened()
    check_flag(folder, ["top"])


def case_an_overridden_sheet_can_have_more_pins(folder: Path) -> None:
    body = overridden(linked_flag(folder, link=True))
    check_flag(folder, ["top"])
    bpy.context.view_layer.objects.active = body
    bpy.ops.dollop.add_pin()
    body.dollop.pins[1].vertex_group = "other"
    body = reopened()
    assert body.override_library
    check_flag(folder, ["top", "other"])
    body.dollop.pins[0].vertex_group = "other"
    body.dollop.pins[0].follow = "SELF"
    bpy.context.view_layer.objects.active = body
    expect_error(RuntimeError, "This pin is kept in the linked file", bpy.ops.dollop.remove_pin, number=0)
    assert bpy.ops.dollop.remove_pin(number=1) == {"FINISHED"}
    (kept,) = reopened().dollop.pins
    assert (kept.vertex_group, kept.follow) == ("other", "SELF")
