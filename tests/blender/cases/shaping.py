# SPDX-FileCopyrightText: 2026 The Dollop founders
# SPDX-License-Identifier: GPL-3.0-or-later
"""The shapes of objects, from the panel to the scene file."""

from __future__ import annotations

import importlib
import json
import os
import subprocess
from pathlib import Path
from types import SimpleNamespace

import bpy
import numpy as np

import addon
import tools
from cases.settings import Recorder
from tools import cube, empty, expect_error, export


def brick(name: str, kind: str) -> bpy.types.Object:
    """A box of 2 x 4 x 6 whose lowest corner is its origin."""
    made = cube(name, kind)
    for vertex in made.data.vertices:
        vertex.co = (vertex.co.x + 1, 2 * vertex.co.y + 2, 3 * vertex.co.z + 3)
    return made


def case_existing_files_keep_their_shapes(_folder: Path) -> None:
    """They store the numbers 0 and 1 of a mesh and a plane."""
    addon.register()
    items = cube("wall").dollop.bl_rna.properties["collider_shape"].enum_items
    assert [(item.identifier, item.value) for item in items][:2] == [("mesh", 0), ("plane", 1)]


def case_every_kind_can_have_a_shape_with_numbers(folder: Path) -> None:
    scene = tools.fresh(folder)
    scene.unit_settings.scale_length = 0.5
    for kind in ("body", "collider", "heater", "tool", "outflow"):
        source = brick(kind, kind.upper())
        source.location, source.scale = (1, 0, 0), (1, 2, 1)
        setattr(source.dollop, f"{kind}_shape", "box")
        source.dollop.shapes.box_settings.size.z = 3.0
    document = export(folder)
    for key in ("bodies", "colliders", "heaters", "tools", "outflows"):
        (entry,) = document[key]
        assert entry["shape"] == {"type": "box", "size": [1.0, 2.0, 1.5]}, entry
        # The middle of the mesh.
        placed = {"translation": [1.0, 2.0, 1.5], "rotation": [1, 0, 0, 0], "scale": [1, 2, 1]}
        assert all(np.allclose(entry["transform"][name], value) for name, value in placed.items()), entry
    assert document["colliders"][0]["friction"] == 0.3 and document["bodies"][0]["material"]["type"] == "continuum"
    assert not list((folder / "export/shapes").iterdir())


def case_a_shape_is_as_large_as_its_object_until_it_is_changed(folder: Path) -> None:
    tools.fresh(folder)
    post = brick("post", "COLLIDER")
    settings, held = post.dollop, post.dollop.shapes
    settings.collider_shape = "cylinder"
    assert (held.cylinder_settings.radius, held.cylinder_settings.height) == (2.0, 6.0)
    held.cylinder_settings.radius = 0.25
    settings.collider_shape = "sphere"
    assert held.sphere_settings.radius == 3.0
    settings.collider_shape = "cylinder"
    assert (held.cylinder_settings.radius, held.cylinder_settings.height) == (0.25, 6.0)
    bpy.context.view_layer.objects.active = post
    assert bpy.ops.dollop.fit_shape() == {"FINISHED"} and held.cylinder_settings.radius == 2.0
    for kind, shape in (("NONE", "cylinder"), ("COLLIDER", "mesh"), ("COLLIDER", "plane")):
        settings.kind, settings.collider_shape = kind, shape
        assert not bpy.ops.dollop.fit_shape.poll()


def case_a_shape_is_as_large_as_the_faces_that_are_seen(folder: Path) -> None:
    """Not as the cage of a modifier, nor as a vertex without faces; what has no faces is refused with any shape."""
    tools.fresh(folder)
    cube("body", "BODY")
    round_one = cube("round", "COLLIDER")
    round_one.modifiers.new("smooth", "SUBSURF").levels = 3
    corners = [tuple(vertex.co) for vertex in round_one.data.vertices]
    faces = [tuple(face.vertices) for face in round_one.data.polygons]
    loose = tools.mesh("loose", [*corners, (9, 0, 0)], faces, "COLLIDER")
    bpy.context.view_layer.update()
    for source in (round_one, loose):
        source.dollop.collider_shape = "sphere"
    reached = np.abs(tools.world_vertices(round_one)).max()
    assert reached < 0.9 and np.isclose(round_one.dollop.shapes.sphere_settings.radius, reached, rtol=1e-6)
    assert loose.dollop.shapes.sphere_settings.radius == 1.0
    wire = tools.mesh("wire", [(5, 0, 0), (6, 0, 0)], [], "OUTFLOW")
    wire.dollop.outflow_shape = "box"
    expect_error(Exception, "'wire' has no faces", export, folder)


def case_shapes_move_and_may_change_their_mesh(folder: Path) -> None:
    scene = tools.fresh(folder)
    cube("body", "BODY")
    ram = cube("ram", "COLLIDER")
    ram.dollop.collider_shape = "sphere"
    key = [ram.shape_key_add(name=name) for name in ("Basis", "out")][1]
    key.data[0].co *= 1.5
    for frame, value in ((1, 0.0), (4, 1.0)):
        key.value, ram.location.z = value, 3 * value
        key.keyframe_insert("value", frame=frame)
        ram.keyframe_insert("location", frame=frame)
    scene.frame_set(4)
    entry = export(folder)["colliders"][0]
    assert entry["shape"] == {"type": "sphere", "radius": 1.0}
    places = [one["transform"]["translation"] for one in entry["motion"]]
    assert len(places) == 4 and np.allclose((places[0], places[-1]), ((0, 0, 0), (0, 0, 3)))


def case_a_skewed_shape_is_refused(folder: Path) -> None:
    from addon.export.problems import ExportError

    tools.fresh(folder)
    cube("body", "BODY")
    parent, tilted = empty("parent"), cube("tilted", "OUTFLOW")
    parent.scale, tilted.parent, tilted.rotation_euler = (1, 1, 3), parent, (0.7, 0.2, 0)
    tilted.dollop.outflow_shape = "box"
    expect_error(ExportError, "'tilted' is skewed by its parents", export, folder)
    tilted.dollop.outflow_shape = "mesh"
    assert export(folder)["outflows"][0]["shape"]["type"] == "mesh"


def case_only_a_sheet_of_a_mesh_has_pins(folder: Path) -> None:
    from addon.data import can_be_pinned

    tools.fresh(folder)
    sheet = cube("sheet", "BODY")
    sheet.dollop.body.material.type = "oriented"
    sheet.dollop.pins.add().vertex_group = "none"
    assert can_be_pinned(sheet)
    sheet.dollop.body_shape = "box"
    assert not can_be_pinned(sheet) and "pins" not in export(folder)["bodies"][0]


def case_a_new_shape_needs_no_other_change(folder: Path) -> None:
    """A torus and a shape without numbers in the schema alone."""
    schema = json.loads((Path(addon.__file__).parent / "schema.json").read_text(encoding="utf-8"))
    length = {"type": "number", "minimum": 1e-6, "maximum": 1e6, "x-unit": "m"}
    torus = {"hole": {**length, "x-half-extent": "xy"}, "tube": length, "turns": {"type": "integer", "minimum": 2}}
    for name, own in (("torus", torus), ("half-plane", {})):
        properties = {"type": {"type": "string", "const": name}, **own}
        node = {"type": "object", "description": "New.", "properties": properties, "required": list(properties)}
        schema["$defs"]["Shape"]["oneOf"].append(node)
    tools.register_with(schema, folder)
    cube("body", "BODY")
    ring, edge = brick("ring", "COLLIDER"), brick("edge", "COLLIDER")
    ring.dollop.collider_shape, edge.dollop.collider_shape = "torus", "half-plane"
    ring.dollop.shapes.torus_settings.tube = 0.5
    edge.scale = (1, 2, 3)
    drawn: list[tuple[str, str]] = []
    layout = SimpleNamespace(layout=Recorder(drawn))
    importlib.import_module("altered.ui.panels").DOLLOP_PT_physics.draw(layout, SimpleNamespace(object=ring))
    assert [name for _, name in drawn][:5] == ["kind", "collider_shape", "hole", "tube", "turns"]
    write = importlib.import_module("altered.export").write
    path = write(bpy.context.scene, bpy.context.view_layer, folder / "out").path
    edge_entry, ring_entry = json.loads(path.read_text(encoding="utf-8"))["colliders"]
    assert ring_entry["shape"] == {"type": "torus", "hole": 2.0, "tube": 0.5, "turns": 2}
    assert edge_entry["shape"] == {"type": "half-plane"} and np.allclose(edge_entry["transform"]["scale"], 1)


def solver_reads_every_shape(folder: Path) -> None:
    """As large as their objects, in each kind of object, turned and scaled."""
    from addon.data import sections

    scene = tools.fresh(folder, fake=False)
    scene.dollop.settings.particle_spacing = 0.2
    scene.dollop.settings.use_heat = True
    pairs = [(kind, case.item.value) for kind, offered in sections().shapes.items() for case in offered.cases]
    for number, (kind, shape) in enumerate(pairs):
        source = cube(f"{kind} {shape}", kind.upper(), 1.0)
        source.location, source.rotation_euler, source.scale = (4 * number, 0, 4), (0.3, 0, 0.5), (1, 1, 1.5)
        setattr(source.dollop, f"{kind}_shape", shape)
    floor = bpy.data.objects["collider plane"]
    floor.location.z, floor.rotation_euler = -3, (0, 0, 0)
    document = export(folder)
    written = [one["shape"]["type"] for key in sections().lists for one in document[key]]
    assert sorted(written) == sorted(shape for _, shape in pairs)
    command = [os.environ["DOLLOP_BINARY"], "check", str(folder / "export/scene.json")]
    ended = subprocess.run(command, capture_output=True, text=True, check=False)
    assert ended.returncode == 0, ended
