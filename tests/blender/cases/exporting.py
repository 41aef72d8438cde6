# SPDX-FileCopyrightText: 2026 The Dollop founders
# SPDX-License-Identifier: GPL-3.0-or-later
"""The scene file and its meshes, compared with Blender's geometry."""

from __future__ import annotations

from math import cos, pi, sin
from pathlib import Path

import bpy
import numpy as np

import tools
from tools import cube, empty, expect_error, export, exported_vertices, square, transformed, world_vertices


def same_points(a: np.ndarray, b: np.ndarray, tolerance: float = 1e-5) -> bool:
    """Whether two sets of points are equal, in any order."""
    nearest = np.linalg.norm(a[:, None] - b[None], axis=2)
    return len(a) == len(b) and nearest.min(axis=0).max() < tolerance and nearest.min(axis=1).max() < tolerance


def case_modifiers_are_applied(folder: Path) -> None:
    tools.fresh(folder)
    body = cube("body", "BODY")
    body.modifiers.new("subdivision", "SUBSURF").levels = 2
    body.location, body.rotation_euler, body.scale = (1, 2, 3), (0.3, 0.2, 0.1), (1, 2, 0.5)
    entry = export(folder)["bodies"][0]
    assert entry["name"] == "body" and entry["material"]["type"] == "continuum"
    placed = transformed(exported_vertices(folder, entry), entry["transform"])
    assert len(placed) == 98 and same_points(placed, world_vertices(body))


def case_faces_are_triangles_that_look_outward(folder: Path) -> None:
    tools.fresh(folder)
    cube("body", "BODY")
    entry = export(folder)["bodies"][0]
    vertices = exported_vertices(folder, entry)
    lines = (folder / "export" / entry["shape"]["path"]).read_text(encoding="ascii").splitlines()
    faces = np.array([line.split()[1:] for line in lines if line.startswith("f ")], int) - 1
    a, b, c = (vertices[faces[:, i]] for i in range(3))
    assert faces.shape == (12, 3) and np.isclose((np.cross(a, b) * c).sum() / 6.0, 8.0)


def case_a_body_has_the_viewport_colour_of_its_active_material(folder: Path) -> None:
    tools.fresh(folder)
    body = cube("body", "BODY")
    assert "color" not in export(folder)["bodies"][0]
    for name, colour in (("first", (0.1, 0.2, 0.3, 1.0)), ("second", (1.0, 0.5, 0.0, 0.25))):
        material = bpy.data.materials.new(name)
        material.diffuse_color = colour
        body.data.materials.append(material)
    body.active_material_index = 1
    assert export(folder)["bodies"][0]["color"] == [1.0, 0.5, 0.0]
    body.active_material_index = 0
    assert export(folder)["bodies"][0]["color"] == [0.1, 0.2, 0.3]


def case_a_body_with_the_default_viewport_colour_has_the_colour_of_its_shader(folder: Path) -> None:
    tools.fresh(folder)
    body = cube("body", "BODY")
    material = bpy.data.materials.new("yellow")
    body.data.materials.append(material)
    assert np.allclose(export(folder)["bodies"][0]["color"], 0.8)
    if material.node_tree is None:
        material.use_nodes = True
    tree = material.node_tree
    base = tree.nodes["Principled BSDF"].inputs["Base Color"]
    base.default_value = (0.9, 0.8, 0.25, 1.0)
    assert export(folder)["bodies"][0]["color"] == [0.9, 0.8, 0.25]
    tree.links.new(tree.nodes.new("ShaderNodeTexNoise").outputs["Color"], base)
    assert np.allclose(export(folder)["bodies"][0]["color"], 0.8), "a texture has no one colour"
    material.diffuse_color = (0.1, 0.2, 0.3, 1.0)
    assert export(folder)["bodies"][0]["color"] == [0.1, 0.2, 0.3]


def case_hidden_bodies_are_evaluated_and_stay_hidden(folder: Path) -> None:
    scene = tools.fresh(folder)
    body = cube("body", "BODY")
    body.modifiers.new("subdivision", "SUBSURF").levels = 1
    collection = bpy.data.collections.new("hidden")
    scene.collection.children.link(collection)
    scene.collection.objects.unlink(body)
    collection.objects.link(body)
    body.hide_viewport = body.hide_render = collection.hide_viewport = True
    body.hide_set(True)
    scene.frame_set(3)
    entry = export(folder)["bodies"][0]
    assert len(exported_vertices(folder, entry)) == 26
    assert body.hide_viewport and body.hide_render and body.hide_get() and scene.frame_current == 3
    assert [c.name for c in body.users_collection] == ["hidden"] and "Dollop Export" not in bpy.data.collections


def case_objects_that_take_no_part_are_left_out(folder: Path) -> None:
    scene = tools.fresh(folder)
    cube("body", "BODY")
    cube("bystander")
    away = bpy.data.collections.new("away")
    scene.collection.children.link(away)
    absent = cube("absent", "BODY")
    scene.collection.objects.unlink(absent)
    away.objects.link(absent)
    bpy.context.view_layer.layer_collection.children["away"].exclude = True
    document = export(folder)
    assert [body["name"] for body in document["bodies"]] == ["body"] and document["colliders"] == []


def case_the_unit_scale_turns_lengths_into_metres(folder: Path) -> None:
    scene = tools.fresh(folder)
    scene.unit_settings.scale_length = 0.01
    body = cube("body", "BODY")
    body.location = (100, 0, 0)
    body.dollop.body.velocity = (50, 0, 0)
    body.dollop.body.material.type = "smoothed"
    body.dollop.body.material.smoothed_settings.viscosity = 3.5
    scene.dollop.settings.particle_spacing = 5.0
    document = export(folder)
    entry = document["bodies"][0]
    placed = transformed(exported_vertices(folder, entry), entry["transform"])
    assert same_points(placed, world_vertices(body) * 0.01, 1e-7)
    assert document["particle_spacing"] == 0.05
    assert np.allclose(entry["velocity"], (0.5, 0, 0)) and document["gravity"] == [0, 0, -9.81]
    assert entry["material"]["viscosity"] == 3.5
    scene.unit_settings.system = "NONE"
    assert export(folder)["particle_spacing"] == 5.0


def case_frames_rate_and_gravity(folder: Path) -> None:
    scene = tools.fresh(folder)
    cube("body", "BODY")
    scene.render.fps, scene.render.fps_base = 24, 1.001
    scene.frame_start, scene.frame_end = 1001, 1010
    scene.gravity = (1, 2, -3)
    document = export(folder)
    assert document["frames"] == {"start": 1001, "end": 1010, "rate": 24 / 1.001}
    assert document["gravity"] == [1, 2, -3]
    scene.use_gravity = False
    assert export(folder)["gravity"] == [0, 0, 0]


def case_a_body_is_taken_at_the_first_frame(folder: Path) -> None:
    scene = tools.fresh(folder)
    body = cube("body", "BODY")
    move(body, {1: (5, 0, 0), 4: (9, 0, 0)})
    scene.frame_set(4)
    assert np.allclose(export(folder)["bodies"][0]["transform"]["translation"], (5, 0, 0))


def case_a_sheared_object_takes_its_skew_in_the_vertices(folder: Path) -> None:
    tools.fresh(folder)
    parent = empty("parent")
    parent.scale = (1, 1, 3)
    body = cube("body", "BODY")
    body.parent = parent
    body.rotation_euler, body.location = (0.7, 0.2, 0), (1, 0, 0)
    entry = export(folder)["bodies"][0]
    placed = transformed(exported_vertices(folder, entry), entry["transform"])
    assert np.allclose(entry["transform"]["scale"], 1.0) and same_points(placed, world_vertices(body))


def case_negative_scales(folder: Path) -> None:
    tools.fresh(folder)
    body = cube("body", "BODY")
    body.modifiers.new("subdivision", "SUBSURF").levels = 1
    body.data.vertices[0].co *= 2.0
    for scale in ((-1, 1, 1), (1, -2, -1), (-1, -1, -3)):
        body.scale, body.rotation_euler = scale, (0.5, 1.0, 2.0)
        entry = export(folder)["bodies"][0]
        assert same_points(transformed(exported_vertices(folder, entry), entry["transform"]), world_vertices(body))


def move(target: bpy.types.Object, places: dict[int, tuple[float, float, float]]) -> None:
    for frame, place in places.items():
        target.location = place
        target.keyframe_insert("location", frame=frame)


def check_motion(folder: Path, collider: bpy.types.Object, entry: dict) -> None:
    scene = bpy.context.scene
    assert "transform" not in entry
    assert [key["frame"] for key in entry["motion"]] == list(range(scene.frame_start, scene.frame_end + 1))
    for key in entry["motion"]:
        scene.frame_set(key["frame"])
        placed = transformed(exported_vertices(folder, entry), key["transform"])
        assert same_points(placed, world_vertices(collider)), key["frame"]


def case_a_collider_moved_by_its_parent(folder: Path) -> None:
    scene = tools.fresh(folder)
    cube("body", "BODY")
    collider = cube("paddle", "COLLIDER")
    collider.parent = empty("arm")
    collider.location = (2, 0, 0)
    for frame, angle in ((1, 0.0), (4, 3.0)):
        collider.parent.rotation_euler = (0, 0, angle)
        collider.parent.keyframe_insert("rotation_euler", frame=frame)
    scene.frame_set(2)
    entry = export(folder)["colliders"][0]
    assert scene.frame_current == 2
    check_motion(folder, collider, entry)


def case_a_collider_moved_by_a_constraint(folder: Path) -> None:
    tools.fresh(folder)
    cube("body", "BODY")
    collider, target = cube("follower", "COLLIDER"), empty("target")
    move(target, {1: (0, 0, 0), 4: (0, 3, 1)})
    collider.constraints.new("COPY_LOCATION").target = target
    check_motion(folder, collider, export(folder)["colliders"][0])


def case_a_sheared_collider_may_move_as_a_whole(folder: Path) -> None:
    tools.fresh(folder)
    cube("body", "BODY")
    root, skew, collider = empty("root"), empty("skew"), cube("skewed", "COLLIDER")
    skew.parent, skew.scale = root, (1, 1, 3)
    collider.parent, collider.rotation_euler = skew, (0.7, 0.2, 0)
    move(root, {1: (0, 0, 0), 4: (2, 0, 0)})
    root.rotation_euler = (0, 0, 0)
    root.keyframe_insert("rotation_euler", frame=1)
    root.rotation_euler = (0, 0, pi / 2)
    root.keyframe_insert("rotation_euler", frame=4)
    check_motion(folder, collider, export(folder)["colliders"][0])


def case_a_still_collider_has_a_transform(folder: Path) -> None:
    tools.fresh(folder)
    cube("body", "BODY")
    cube("floor", "COLLIDER").location = (0, 0, -3)
    entry = export(folder)["colliders"][0]
    assert "motion" not in entry and entry["transform"]["translation"] == [0, 0, -3] and entry["friction"] == 0.3


def case_wrong_colliders_are_refused(folder: Path) -> None:
    from addon.export.problems import ExportError

    tools.fresh(folder)
    cube("body", "BODY")
    bending = cube("bending", "COLLIDER")
    modifier = bending.modifiers.new("bend", "SIMPLE_DEFORM")
    modifier.factor = 0.0
    modifier.keyframe_insert("factor", frame=2)
    modifier.factor = 1.0
    modifier.keyframe_insert("factor", frame=4)
    expect_error(ExportError, "'bending' changes its shape at frame 3", export, folder)
    bending.dollop.kind = "NONE"
    stretching = cube("stretching", "COLLIDER")
    stretching.keyframe_insert("scale", frame=3)
    stretching.scale = (1, 1, 4)
    stretching.keyframe_insert("scale", frame=4)
    expect_error(ExportError, "'stretching' changes its scale", export, folder)
    expect_error(ExportError, "scale it evenly (frame 4)", export, folder)


def case_a_shape_that_changes_in_one_frame_only_is_reported(folder: Path) -> None:
    from addon.export.problems import ExportError

    scene = tools.fresh(folder)
    scene.frame_end = 40
    cube("body", "BODY")
    for name, frame in (("twitching", 23), ("losing a face", 31)):
        collider = cube(name, "COLLIDER")
        if frame == 23:
            collider.shape_key_add(name="Basis")
            key = collider.shape_key_add(name="out")
            key.data[0].co *= 1.5
            target, value = key, "value"
        else:
            target, value = collider.modifiers.new("mask", "MASK"), "show_viewport"
            collider.vertex_groups.new(name="some").add([0, 1, 2, 3], 1.0, "REPLACE")
            target.vertex_group = "some"
        for at in (frame - 1, frame, frame + 1):
            setattr(target, value, at == frame)
            target.keyframe_insert(value, frame=at)
        expect_error(ExportError, f"{name!r} changes its shape at frame {frame}", export, folder)
        collider.dollop.collider_shape = "plane"
        assert len(export(folder)["colliders"]) == 1
        collider.dollop.kind = "NONE"


def warnings_of(folder: Path) -> str:
    from addon.export import write

    return "\n".join(write(bpy.context.scene, bpy.context.view_layer, folder / "told").warnings)


def case_hidden_participants_give_a_warning(folder: Path) -> None:
    tools.fresh(folder)
    body, wall = cube("body", "BODY"), cube("wall", "COLLIDER")
    wall.hide_render = True
    assert warnings_of(folder) == ""
    for hidden in (body, wall):
        hidden.hide_set(True)
        assert f"Baked though hidden: {hidden.name!r};" in warnings_of(folder)
        hidden.hide_set(False)
        hidden.hide_viewport = True
        assert f"Baked though hidden: {hidden.name!r};" in warnings_of(folder)
        hidden.hide_viewport = False
    body.hide_render = True
    assert "Baked though hidden: 'body';" in warnings_of(folder)
    body.hide_render = False
    tools.bake()
    assert body.hide_render and warnings_of(folder) == "", "what Dollop itself hides is not told"


def case_instances_give_a_warning(folder: Path) -> None:
    scene = tools.fresh(folder)
    cube("body", "BODY")
    asset = bpy.data.collections.new("asset")
    walls = cube("wall", "COLLIDER")
    scene.collection.objects.unlink(walls)
    asset.objects.link(walls)
    assert warnings_of(folder) == ""
    instance = empty("instance")
    instance.instance_type, instance.instance_collection = "COLLECTION", asset
    assert "Not baked: the instances of 'wall'" in warnings_of(folder)
    assert export(folder)["colliders"] == []
    bpy.data.objects.remove(instance)
    with_points = cube("studded", "COLLIDER")
    add_studs(with_points)
    assert "Not baked: the instances on 'studded'" in warnings_of(folder)


def add_studs(target: bpy.types.Object) -> None:
    """Instances of a cube on the points of an object."""
    tree = bpy.data.node_groups.new("studs", "GeometryNodeTree")
    tree.interface.new_socket("Geometry", in_out="INPUT", socket_type="NodeSocketGeometry")
    tree.interface.new_socket("Geometry", in_out="OUTPUT", socket_type="NodeSocketGeometry")
    nodes = [
        tree.nodes.new(f"{kind}") for kind in ("NodeGroupInput", "GeometryNodeInstanceOnPoints", "GeometryNodeMeshCube")
    ]
    join, out = tree.nodes.new("GeometryNodeJoinGeometry"), tree.nodes.new("NodeGroupOutput")
    tree.links.new(nodes[0].outputs[0], nodes[1].inputs["Points"])
    tree.links.new(nodes[2].outputs[0], nodes[1].inputs["Instance"])
    tree.links.new(nodes[0].outputs[0], join.inputs[0])
    tree.links.new(nodes[1].outputs[0], join.inputs[0])
    tree.links.new(join.outputs[0], out.inputs[0])
    target.modifiers.new("studs", "NODES").node_group = tree


def case_curves_and_text_do_not_count_as_instances(folder: Path) -> None:
    """Blender lists their meshes as instances on themselves."""
    tools.fresh(folder)
    cube("body", "BODY")
    bent = bpy.data.curves.new("bent", "CURVE")
    bent.dimensions, bent.bevel_depth = "3D", 0.2
    bent.splines.new("NURBS").points.add(3)
    written = bpy.data.curves.new("written", "FONT")
    written.body, written.extrude = "o", 0.1
    for data in (bent, written):
        target = bpy.data.objects.new(data.name, data)
        bpy.context.scene.collection.objects.link(target)
        target.dollop.kind, target.dollop.collider_shape = "COLLIDER", "plane"
    bpy.context.view_layer.update()
    assert any(one.is_instance for one in bpy.context.view_layer.depsgraph.object_instances)
    assert warnings_of(folder) == ""
    add_studs(target)
    assert "Not baked: the instances on 'written'" in warnings_of(folder)


def case_a_body_in_a_collection_instance_only_gives_a_warning(folder: Path) -> None:
    from addon.export.problems import ExportError

    scene = tools.fresh(folder)
    asset = bpy.data.collections.new("asset")
    body = cube("body", "BODY")
    scene.collection.objects.unlink(body)
    asset.objects.link(body)
    expect_error(ExportError, "There is no body", export, folder)
    instance = empty("instance")
    instance.instance_type, instance.instance_collection = "COLLECTION", asset
    expect_error(ExportError, "There is no body", export, folder)
    expect_error(ExportError, "Not baked: the instances of 'body'; Object > Apply > Make Instances", export, folder)


def case_time_stretching_is_refused(folder: Path) -> None:
    from addon.export.problems import ExportError

    scene = tools.fresh(folder)
    cube("body", "BODY")
    scene.render.frame_map_new = 200
    expect_error(ExportError, "Time Stretching is on (Old 100, New 200)", export, folder)
    scene.render.frame_map_old = 200
    assert len(export(folder)["bodies"]) == 1


def case_objects_without_a_finite_place_are_named(folder: Path) -> None:
    from addon.export.problems import ExportError

    tools.fresh(folder)
    body, wall = cube("body", "BODY"), cube("wall", "COLLIDER")
    # Blender keeps its own numbers finite, but not their products with the matrices of parents.
    beyond = empty("beyond")
    beyond.scale = (1e38, 1e38, 1e38)
    for source, shapes in ((body, ["mesh"]), (wall, ["mesh", "plane"])):
        for shape in shapes:
            source.dollop.collider_shape = shape
            source.location.x = float("nan")
            expect_error(ExportError, f"{source.name!r} has a transform that is no number", export, folder)
            source.location.x, source.parent = 1e38, beyond
            expect_error(ExportError, f"{source.name!r} has a transform that is no number", export, folder)
            source.location.x, source.parent = 0, None
        source.dollop.collider_shape = "mesh"
        source.data.vertices[0].co.y = float("nan")
        source.data.update()
        expect_error(ExportError, f"{source.name!r} has a vertex whose place is no number", export, folder)
        source.data.vertices[0].co.y = -1
        source.data.update()
    assert len(export(folder)["colliders"]) == 1
    parent = empty("flat")
    parent.scale = (1, 1, 0)
    wall.parent, wall.rotation_euler = parent, (0.7, 0, 0)
    expect_error(ExportError, "'wall' is flattened", export, folder)


def case_open_meshes_are_reported_with_a_remedy(folder: Path) -> None:
    from addon.export.problems import ExportError

    tools.fresh(folder)
    expect_error(ExportError, "There is no body", export, folder)
    body = square("sheet", "BODY")
    expect_error(
        ExportError,
        "'sheet' is not a closed surface (4 edges without a face on each side): add a Remesh",
        export,
        folder,
    )
    body.dollop.kind = "NONE"
    cube("body", "BODY")
    wall = square("wall", "COLLIDER")
    expect_error(ExportError, "'wall' is not a closed surface", export, folder)
    wall.dollop.collider.use_thickness = True
    assert export(folder)["colliders"][0]["thickness"] == 0.02
    bare = tools.mesh("bare", [(0, 0, 0)], [], "COLLIDER")
    expect_error(ExportError, "'bare' has no faces", export, folder)
    bare.dollop.kind = "NONE"
    flat = cube("flat", "COLLIDER")
    flat.scale = (1, 0, 1)
    expect_error(ExportError, "'flat' is flattened", export, folder)


def case_all_problems_are_reported_at_once(folder: Path) -> None:
    from addon.export.problems import ExportError

    tools.fresh(folder)
    square("one", "BODY")
    square("two", "BODY")
    expect_error(ExportError, "'two'", export, folder)
    expect_error(ExportError, "'one'", export, folder)


def case_only_exports_of_dollop_are_overwritten(folder: Path) -> None:
    from addon.export.problems import ExportError

    tools.fresh(folder)
    body = cube("body", "BODY")
    out = folder / "export"
    scene, shape = out / "scene.json", out / "shapes/000.obj"
    (out / "shapes").mkdir(parents=True)
    for foreign in (scene, shape):
        foreign.write_text("mine", encoding="utf-8")
        expect_error(ExportError, "not overwritten: choose another folder", export, folder)
        assert foreign.read_text(encoding="utf-8") == "mine"
        foreign.unlink()
    assert len(export(folder)["bodies"]) == 1
    square("sheet", "BODY")
    expect_error(ExportError, "Remesh", export, folder)
    bpy.data.objects.remove(bpy.data.objects["sheet"])
    body.name = "renamed"
    assert export(folder)["bodies"][0]["name"] == "renamed"
    scene.write_text(scene.read_text(encoding="utf-8").replace("renamed", "by hand"), encoding="utf-8")
    expect_error(ExportError, f"{scene} is not as an export of Dollop left it", export, folder)
    assert "by hand" in scene.read_text(encoding="utf-8")


def case_an_export_that_failed_can_be_repeated(folder: Path) -> None:
    from addon.export.problems import ExportError

    tools.fresh(folder)
    cube("body", "BODY")
    sheet = square("sheet", "BODY")
    expect_error(ExportError, "Remesh", export, folder)
    assert list((folder / "export/shapes").glob("*.obj")), "it failed before it wrote anything"
    sheet.dollop.kind = "NONE"
    assert len(export(folder)["bodies"]) == 1
    (folder / "file").write_text("mine", encoding="utf-8")
    expect_error(ExportError, "Not a directory; choose another folder", export, folder / "file")


def case_empties_of_some_kind_are_refused(folder: Path) -> None:
    from addon.export.problems import ExportError

    tools.fresh(folder)
    drain = empty("drain")
    for kind in ("Body", "Collider", "Heater", "Tool", "Outflow"):
        drain.dollop.kind = kind.upper()
        words = f"'drain' cannot be of the Dollop type {kind}, as an object of Blender's type Empty has no faces"
        expect_error(ExportError, words, export, folder)
    expect_error(ExportError, "There is no body", export, folder)
    cube("body", "BODY")
    square("sheet", "BODY")
    expect_error(ExportError, words, export, folder)
    expect_error(ExportError, "'sheet' is not a closed surface", export, folder)


def case_a_plane_keeps_its_side(folder: Path) -> None:
    tools.fresh(folder)
    cube("body", "BODY")
    floor = square("floor", "COLLIDER")
    floor.dollop.collider_shape = "plane"
    floor.scale, floor.rotation_euler, floor.location = (5, -3, 2), (0.4, 0, 0), (0, 0, 1)
    entry = export(folder)["colliders"][0]
    assert entry["shape"] == {"type": "plane"} and np.allclose(entry["transform"]["scale"], 1)
    tip = transformed(np.array([[0.0, 0.0, 1.0]]), entry["transform"])[0]
    assert np.allclose(tip, (0, -sin(0.4), 1 + cos(0.4)), atol=1e-6)


def case_text_and_curves_can_be_bodies(folder: Path) -> None:
    scene = tools.fresh(folder)
    data = bpy.data.curves.new("text", "FONT")
    data.body, data.extrude = "o", 0.1
    letter = bpy.data.objects.new("letter", data)
    scene.collection.objects.link(letter)
    letter.dollop.kind = "BODY"
    remesh = letter.modifiers.new("remesh", "REMESH")
    remesh.mode, remesh.voxel_size = "VOXEL", 0.05
    assert len(exported_vertices(folder, export(folder)["bodies"][0])) > 100
