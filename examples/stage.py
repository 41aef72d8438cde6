# SPDX-FileCopyrightText: 2026 The Dollop founders
# SPDX-License-Identifier: GPL-3.0-or-later
"""Pictures of scenes that are written by hand: the colliders of a scene file in Blender, and a bake of it loaded."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import bpy

# Lives inside bpy.
from mathutils import Matrix, Vector  # isort: skip

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import studio

from addon import loading

SetUp = Callable[[bpy.types.Scene, dict[str, bpy.types.Object]], None]
Point = tuple[float, float, float]


def main(description: str, scene_file: Path, set_up: SetUp) -> None:
    """Builds the colliders of the scene file, loads a bake of it, lets `set_up` make the rest of the picture from the
    scene and the colliders by their names, and renders the frames that the command line asks for; ends the process."""
    parser = studio.parser_of(description)
    parser.add_argument("cache", type=Path, help="a bake of the example's scene.json")
    options = parser.parse_args()
    scene = studio.begin()
    document = json.loads(scene_file.read_text())
    _time(scene, document["frames"])
    colliders = {collider["name"]: _collider(scene, collider) for collider in document["colliders"]}
    for warning in loading.load(scene, bpy.context.view_layer, options.cache.resolve()):
        print("warning:", warning)
    set_up(scene, colliders)
    studio.save(options.blend)
    if options.render:
        studio.render(scene, options.render, options.blend)
    studio.end()


def camera(scene: bpy.types.Scene, place: Point, aim: Point, lens: float) -> None:
    """A camera that looks from a place at another."""
    made = bpy.data.objects.new("Camera", bpy.data.cameras.new("Camera"))
    made.data.lens = lens
    _look(scene, made, place, aim)
    scene.camera = made


def lamp(scene: bpy.types.Scene, place: Point, aim: Point, watts: float, size: float) -> None:
    """A square lamp that shines from a place at another."""
    made = bpy.data.objects.new("Lamp", bpy.data.lights.new("Lamp", "AREA"))
    made.data.energy, made.data.size = watts, size
    _look(scene, made, place, aim)


def world(scene: bpy.types.Scene, colour: tuple[float, float, float], strength: float) -> None:
    """An even light from everywhere."""
    scene.world = bpy.data.worlds.new("World")
    scene.world.use_nodes = True
    background = scene.world.node_tree.nodes["Background"]
    background.inputs["Color"].default_value = (*colour, 1.0)
    background.inputs["Strength"].default_value = strength


def colour(surface: bpy.types.Object, colours: list[tuple[float, float, float]]) -> None:
    """Gives the matter of each body a colour, in the order of the scene file."""
    material = studio.glazed("Matter", colours[0], 0.3)
    surface.material_slots[0].material = material
    if len(colours) > 1:
        _colour_by_source(material.node_tree, colours)


def keep_sources(settings: Any) -> None:
    """Lets meshes tell of which body they are, which [colour] needs."""
    settings.output.mesh.attributes |= {"source"}


def cycles(scene: bpy.types.Scene, width: int, height: int, samples: int = 48) -> None:
    """Renders by Cycles, denoised."""
    scene.render.engine = "CYCLES"
    scene.cycles.samples = studio.samples(samples)
    scene.cycles.use_denoising = True
    scene.render.resolution_x, scene.render.resolution_y = width, height


def _colour_by_source(tree: bpy.types.NodeTree, colours: list[tuple[float, float, float]]) -> None:
    source = tree.nodes.new("ShaderNodeAttribute")
    source.attribute_name = "source"
    share = tree.nodes.new("ShaderNodeMath")
    share.operation = "MULTIPLY_ADD"
    share.inputs[1].default_value = 1.0 / len(colours)
    share.inputs[2].default_value = 0.5 / len(colours)
    ramp = tree.nodes.new("ShaderNodeValToRGB")
    ramp.color_ramp.interpolation = "CONSTANT"
    studio.fill_ramp(ramp.color_ramp, [(number / len(colours), colour) for number, colour in enumerate(colours)])
    tree.links.new(source.outputs["Fac"], share.inputs[0])
    tree.links.new(share.outputs[0], ramp.inputs[0])
    tree.links.new(ramp.outputs[0], tree.nodes["Principled BSDF"].inputs["Base Color"])


def _look(scene: bpy.types.Scene, made: bpy.types.Object, place: Point, aim: Point) -> None:
    made.location = place
    made.rotation_euler = (Vector(aim) - made.location).to_track_quat("-Z", "Y").to_euler()
    scene.collection.objects.link(made)


def _time(scene: bpy.types.Scene, frames: dict[str, Any]) -> None:
    scene.frame_start, scene.frame_end = frames["start"], frames["end"]
    scene.render.fps = frames["rate"]


def _collider(scene: bpy.types.Scene, collider: dict[str, Any]) -> bpy.types.Object:
    made = _shape(collider["shape"])
    made.name = collider["name"]
    made.rotation_mode = "QUATERNION"
    if "motion" not in collider:
        _place(made, collider.get("transform", {}))
        return made
    for key in collider["motion"]:
        _place(made, key["transform"])
        for channel in ("location", "rotation_quaternion", "scale"):
            made.keyframe_insert(channel, frame=key["frame"])
    studio.move_evenly(made)
    return made


def _shape(shape: dict[str, Any]) -> bpy.types.Object:
    match shape["type"]:
        case "plane":
            bpy.ops.mesh.primitive_plane_add(size=40.0)
        case "box":
            bpy.ops.mesh.primitive_cube_add(size=1.0)
            bpy.context.object.data.transform(Matrix.Diagonal((*shape["size"], 1.0)))
        case "sphere":
            bpy.ops.mesh.primitive_uv_sphere_add(radius=shape["radius"], segments=96, ring_count=48)
            bpy.ops.object.shade_smooth()
        case "cylinder":
            bpy.ops.mesh.primitive_cylinder_add(radius=shape["radius"], depth=shape["height"], vertices=128)
        case other:
            raise ValueError(f"a collider of type {other!r} has no picture here")
    return bpy.context.object


def _place(made: bpy.types.Object, transform: dict[str, Any]) -> None:
    made.location = transform.get("translation", (0.0, 0.0, 0.0))
    made.rotation_quaternion = transform.get("rotation", (1.0, 0.0, 0.0, 0.0))
    made.scale = transform.get("scale", (1.0, 1.0, 1.0))
