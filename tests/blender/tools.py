# SPDX-FileCopyrightText: 2026 The Dollop founders
# SPDX-License-Identifier: GPL-3.0-or-later
"""Scenes for the tests, made inside Blender."""

from __future__ import annotations

import importlib
import json
import os
import shutil
import sys
from pathlib import Path

import bpy
import numpy as np
from files import fake_solver

import addon


def fresh(folder: Path, behaviour: str = "", saved: bool = True, fake: bool = True) -> bpy.types.Scene:
    """An empty scene of the frames 1 to 4 with the add-on registered; its solver is by default the fake one."""
    bpy.ops.wm.read_homefile(use_empty=True)
    addon.register()
    if fake:
        os.environ["DOLLOP_BINARY"] = str(fake_solver(folder))
        os.environ["FAKE_SOLVER"] = behaviour
    scene = bpy.context.scene
    scene.frame_start, scene.frame_end = 1, 4
    if saved:
        (folder / "project").mkdir()
        bpy.ops.wm.save_as_mainfile(filepath=str(folder / "project" / "scene.blend"))
    return bpy.context.scene


def register_with(schema: dict, folder: Path) -> None:
    """Registers a copy of the add-on, the package `altered`, that differs only in schema.json."""
    copied = folder / "altered"
    shutil.copytree(Path(addon.__file__).parent, copied, ignore=shutil.ignore_patterns("__pycache__"))
    (copied / "schema.json").write_text(json.dumps(schema), encoding="utf-8")
    sys.path.insert(0, str(folder))
    importlib.import_module("altered").register()


def cube(name: str, kind: str = "NONE", size: float = 2.0) -> bpy.types.Object:
    """A closed cube of the given edge length around its origin."""
    corners = [(x, y, z) for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)]
    faces = [(0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3)]
    return mesh(name, [tuple(c * size / 2 for c in corner) for corner in corners], faces, kind)


def square(name: str, kind: str = "NONE") -> bpy.types.Object:
    """An open square in the XY plane."""
    return mesh(name, [(-1, -1, 0), (1, -1, 0), (1, 1, 0), (-1, 1, 0)], [(0, 1, 2, 3)], kind)


def mesh(name: str, vertices: list, faces: list, kind: str) -> bpy.types.Object:
    data = bpy.data.meshes.new(name)
    data.from_pydata(vertices, [], faces)
    made = bpy.data.objects.new(name, data)
    bpy.context.scene.collection.objects.link(made)
    made.dollop.kind = kind
    return made


def empty(name: str) -> bpy.types.Object:
    made = bpy.data.objects.new(name, None)
    bpy.context.scene.collection.objects.link(made)
    return made


def export(folder: Path) -> dict:
    """Exports the scene and returns the scene file."""
    from addon.export import write

    out = folder / "export"
    context = bpy.context
    exported = write(context.scene, context.view_layer, out)
    return json.loads(exported.path.read_text(encoding="utf-8"))


def exported_vertices(folder: Path, entry: dict) -> np.ndarray:
    """The vertices of a body or collider in its file, untransformed."""
    lines = (folder / "export" / entry["shape"]["path"]).read_text(encoding="ascii").splitlines()
    return np.array([line.split()[1:] for line in lines if line.startswith("v ")], float)


def transformed(vertices: np.ndarray, transform: dict) -> np.ndarray:
    """Scaled, then rotated, then moved."""
    from mathutils import Quaternion

    turn = np.array(Quaternion(transform["rotation"]).to_matrix())
    return (vertices * transform["scale"]) @ turn.T + transform["translation"]


def world_vertices(source: bpy.types.Object) -> np.ndarray:
    """The positions of the evaluated object's vertices in Blender."""
    evaluated = source.evaluated_get(bpy.context.evaluated_depsgraph_get())
    found = evaluated.to_mesh()
    placed = np.array([evaluated.matrix_world @ vertex.co for vertex in found.vertices])
    evaluated.to_mesh_clear()
    return placed


def evaluated(shown: bpy.types.Object, frame: int) -> bpy.types.GeometrySet:
    """The geometry of an object at a frame; keep it while its parts are in use."""
    bpy.context.scene.frame_set(frame)
    return shown.evaluated_get(bpy.context.evaluated_depsgraph_get()).evaluated_geometry()


def bake() -> object:
    from addon import session

    return session.bake(bpy.context.scene, bpy.context.view_layer)


def shown(frame: int) -> float:
    """The position of the surface along X."""
    bpy.context.scene.frame_set(frame)
    surface = bpy.context.scene.dollop.surface.evaluated_get(bpy.context.evaluated_depsgraph_get())
    return sum(vertex.co.x for vertex in surface.data.vertices) / max(1, len(surface.data.vertices))


def expect_error(error: type, words: str, action: object, *arguments: object, **named: object) -> None:
    try:
        action(*arguments, **named)
    except error as caught:
        assert words in str(caught), f"{words!r} is not in {caught!s}"
        return
    raise AssertionError(f"no {error.__name__} with {words!r}")


def camera_and_light(world: bool = True) -> None:
    """A camera that looks along +Y at the XZ plane from y = -8, orthographic and 6 wide; a bright, uniform sky."""
    scene = bpy.context.scene
    data = bpy.data.cameras.new("camera")
    data.type, data.ortho_scale = "ORTHO", 6.0
    camera = bpy.data.objects.new("camera", data)
    camera.location, camera.rotation_euler = (0.0, -8.0, 0.0), (np.pi / 2, 0.0, 0.0)
    scene.collection.objects.link(camera)
    scene.camera = camera
    if world:
        scene.world = bpy.data.worlds.new("world")
        if scene.world.node_tree is None:
            scene.world.use_nodes = True
        scene.world.node_tree.nodes["Background"].inputs[0].default_value = (1.0, 1.0, 1.0, 1.0)
    scene.render.engine = "CYCLES"
    scene.cycles.samples = 8
    scene.cycles.use_denoising = False
    scene.cycles.seed = 1
    scene.render.resolution_x, scene.render.resolution_y, scene.render.resolution_percentage = 128, 96, 100
    scene.render.film_transparent = True
    scene.view_settings.view_transform = "Standard"


def render(path: Path, frame: int) -> np.ndarray:
    """Renders a frame to `path`; returns its pixels, (height, width, 4)."""
    scene = bpy.context.scene
    scene.frame_set(frame)
    scene.render.filepath = str(path)
    bpy.ops.render.render(write_still=True)
    return pixels(path)


def pixels(path: Path) -> np.ndarray:
    """A picture, (height, width, 4)."""
    image = bpy.data.images.load(str(path))
    found = np.array(image.pixels[:]).reshape(image.size[1], image.size[0], 4)
    bpy.data.images.remove(image)
    return found


def span(pixels: np.ndarray) -> tuple[float, float]:
    """Left and right end of the covered pixels, in Blender units for `camera_and_light`."""
    columns = np.flatnonzero(pixels[:, :, 3].max(axis=0) > 0.05)
    assert len(columns), "the picture is empty"
    width = pixels.shape[1]
    return columns[0] / width * 6.0 - 3.0, (columns[-1] + 1) / width * 6.0 - 3.0
