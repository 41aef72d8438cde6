# SPDX-FileCopyrightText: 2026 The Dollop founders
# SPDX-License-Identifier: GPL-3.0-or-later
"""What the scripts of the examples share: their command line, and what things look like."""

from __future__ import annotations

import argparse
import math
import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import bpy

# Lives inside bpy.
import bmesh  # isort: skip

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import addon
from addon import export, loading, session
from addon.data import sections
from addon.playback.materials import TEMPERATURE
from addon.settings.values import from_json

Point = tuple[float, float, float]
Step = Callable[[bpy.types.Scene], None]


def main(description: str, build: Step, prepare: Step) -> None:
    """Builds a scene, and exports or bakes and renders it, as the command line asks; ends the process."""
    parser = parser_of(description)
    parser.add_argument("--export", type=Path, metavar="FOLDER")
    parser.add_argument("--cache", type=Path, help="a bake of the exported scene, to be rendered in place of a new one")
    options = parser.parse_args()
    scene = begin()
    build(scene)
    save(options.blend)
    if options.export:
        export.write(scene, bpy.context.view_layer, options.export)
    if options.render:
        _show(scene, options.cache)
        bpy.ops.wm.save_mainfile()
        prepare(scene)
        render(scene, options.render, options.blend)
    end()


def _show(scene: bpy.types.Scene, cache: Path | None) -> None:
    """Shows a bake that was made elsewhere, or one made now."""
    if cache is None:
        session.bake(scene, bpy.context.view_layer, lambda run: print("frame", run.progress.frame))
        return
    for warning in loading.load(scene, bpy.context.view_layer, cache.resolve()):
        print("warning:", warning)


def parser_of(description: str) -> argparse.ArgumentParser:
    """The command line that all examples have."""
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("blend", type=Path)
    parser.add_argument("--render", metavar="FRAMES")
    return parser


def begin() -> bpy.types.Scene:
    """An empty scene, with the add-on."""
    bpy.ops.wm.read_homefile(use_empty=True)
    addon.register()
    return bpy.context.scene


def save(blend: Path) -> None:
    """Saves the file."""
    bpy.ops.wm.save_as_mainfile(filepath=str(blend.resolve()))


def end() -> None:
    """Ends the process."""
    sys.stdout.flush()
    # Blender 4.5 as a module hangs at exit while handlers are registered.
    os._exit(0)


def render(scene: bpy.types.Scene, frames: str, blend: Path) -> None:
    """Renders frames, listed with commas, beside the .blend."""
    for frame in map(int, frames.split(",")):
        scene.frame_set(frame)
        scene.render.filepath = str(blend.resolve().with_name(f"{blend.stem}_{frame:04}.png"))
        bpy.ops.render.render(write_still=True)


def animate(animated: bpy.types.bpy_struct, channel: str, values: dict[int, Any]) -> None:
    """Keys a property at frames."""
    for frame, value in values.items():
        setattr(animated, channel, value)
        animated.keyframe_insert(channel, frame=frame)


def move_evenly(animated: bpy.types.Object) -> None:
    """Makes an animated object go straight and evenly from key to key."""
    data = animated.animation_data
    # Blender 5 has curves nowhere else.
    curves = data.action.layers[0].strips[0].channelbag(data.action_slot).fcurves
    for key in (key for curve in curves for key in curve.keyframe_points):
        key.interpolation = "LINEAR"


def samples(default: int) -> int:
    """Samples a pixel: SAMPLES of the environment, or those."""
    return int(os.environ.get("SAMPLES", default))


def glazed(name: str, colour: tuple[float, float, float], roughness: float = 0.2) -> bpy.types.Material:
    """A material of one colour."""
    material = bpy.data.materials.new(name)
    material.use_nodes = True
    shader = material.node_tree.nodes["Principled BSDF"]
    shader.inputs["Base Color"].default_value = (*colour, 1.0)
    shader.inputs["Roughness"].default_value = roughness
    return material


def metal(name: str, colour: tuple[float, float, float], roughness: float) -> bpy.types.Material:
    """A metal of one colour."""
    made = glazed(name, colour, roughness)
    made.node_tree.nodes["Principled BSDF"].inputs["Metallic"].default_value = 1.0
    return made


def wood() -> bpy.types.Material:
    """Grain along x of the object."""
    made = glazed("Wood", (0.4, 0.24, 0.12), 0.45)
    nodes, links = made.node_tree.nodes, made.node_tree.links
    place, stretch, grain = (nodes.new(f"ShaderNode{kind}") for kind in ("TexCoord", "Mapping", "TexNoise"))
    stretch.inputs["Scale"].default_value = (6.0, 90.0, 90.0)
    grain.inputs["Detail"].default_value = 6.0
    ramp = nodes.new("ShaderNodeValToRGB")
    ramp.color_ramp.elements[0].position, ramp.color_ramp.elements[1].position = 0.3, 0.7
    ramp.color_ramp.elements[0].color = (0.2, 0.1, 0.045, 1.0)
    ramp.color_ramp.elements[1].color = (0.42, 0.25, 0.12, 1.0)
    links.new(place.outputs["Object"], stretch.inputs["Vector"])
    links.new(stretch.outputs[0], grain.inputs["Vector"])
    links.new(grain.outputs[0], ramp.inputs[0])
    links.new(ramp.outputs[0], nodes["Principled BSDF"].inputs["Base Color"])
    return made


def clear(
    name: str, roughness: float, index: float, colour: tuple[float, float, float], density: float
) -> bpy.types.Material:
    """Matter that light goes through, bent by a refractive index, and of a colour where it is deep: it takes up the
    rest by a density, 1/m."""
    made = glazed(name, (1.0, 1.0, 1.0), roughness)
    nodes, links = made.node_tree.nodes, made.node_tree.links
    shader = nodes["Principled BSDF"]
    shader.inputs["Transmission Weight"].default_value = 1.0
    shader.inputs["IOR"].default_value = index
    depth = nodes.new("ShaderNodeVolumeAbsorption")
    depth.inputs["Color"].default_value = (*colour, 1.0)
    depth.inputs["Density"].default_value = density
    links.new(depth.outputs[0], nodes["Material Output"].inputs["Volume"])
    return made


def fill_ramp(ramp: bpy.types.ColorRamp, stops: list[tuple[float, tuple[float, float, float]]]) -> None:
    """Gives a new colour ramp places and their colours."""
    while len(ramp.elements) < len(stops):
        ramp.elements.new(1.0)
    for element, (at, colour) in zip(ramp.elements, stops, strict=True):
        element.position, element.color = at, (*colour, 1.0)


def temperature(tree: bpy.types.NodeTree) -> bpy.types.NodeSocket:
    """The temperature of the matter, K."""
    made = tree.nodes.new("ShaderNodeAttribute")
    made.attribute_name = TEMPERATURE
    return made.outputs["Fac"]


def roughness_by_temperature(made: bpy.types.Material, cold: tuple[float, float], warm: tuple[float, float]) -> None:
    """Makes a material as rough as its matter is warm: by temperatures, K, and what roughness it has at and beyond
    them."""
    nodes, links = made.node_tree.nodes, made.node_tree.links
    roughness = nodes.new("ShaderNodeMapRange")
    for name, (kelvin, value) in {"Min": cold, "Max": warm}.items():
        roughness.inputs[f"From {name}"].default_value = kelvin
        roughness.inputs[f"To {name}"].default_value = value
    links.new(temperature(made.node_tree), roughness.inputs["Value"])
    links.new(roughness.outputs[0], nodes["Principled BSDF"].inputs["Roughness"])


def glowing(name: str, colour: tuple[float, float, float], roughness: float, bright: float) -> bpy.types.Material:
    """A material that glows as a black body does by its temperature: with a strength of 1 at one, K."""
    made = glazed(name, colour, roughness)
    nodes, links = made.node_tree.nodes, made.node_tree.links
    shader, tint = nodes["Principled BSDF"], nodes.new("ShaderNodeBlackbody")
    over, light = nodes.new("ShaderNodeMath"), nodes.new("ShaderNodeMath")
    over.operation, light.operation = "DIVIDE", "POWER"
    # What is seen of the glow grows far faster than the temperature.
    over.inputs[1].default_value, light.inputs[1].default_value = bright, 14.0
    kelvin = temperature(made.node_tree)
    links.new(kelvin, tint.inputs["Temperature"])
    links.new(kelvin, over.inputs[0])
    links.new(over.outputs[0], light.inputs[0])
    links.new(tint.outputs[0], shader.inputs["Emission Color"])
    links.new(light.outputs[0], shader.inputs["Emission Strength"])
    return made


def rest_position(tree: bpy.types.NodeTree) -> bpy.types.NodeSocket:
    """Where the matter was when its body was filled: what is painted by it goes with the matter."""
    place = tree.nodes.new("ShaderNodeCombineXYZ")
    for axis in "xyz":
        part = tree.nodes.new("ShaderNodeAttribute")
        part.attribute_name = f"rest_{axis}"
        tree.links.new(part.outputs["Fac"], place.inputs[axis.upper()])
    return place.outputs[0]


def matter(made: bpy.types.Object, **settings: Any) -> None:
    """Makes an object a body of such settings, as in a scene file; others stay."""
    made.dollop.kind = "BODY"
    given = tuple(setting for setting in sections().body.settings if setting.key in settings)
    from_json(given, made.dollop.body, settings, 1.0)


def preset(made: bpy.types.Object, name: str) -> None:
    """Makes an object a body of a preset's matter, for the height that it has."""
    made.dollop.kind = "BODY"
    bpy.context.view_layer.update()
    with bpy.context.temp_override(object=made, selected_objects=[made]):
        bpy.ops.dollop.preset(preset=name)


def in_scene(name: str, data: bpy.types.Mesh) -> bpy.types.Object:
    """An object of a mesh, in the scene."""
    made = bpy.data.objects.new(name, data)
    bpy.context.scene.collection.objects.link(made)
    return made


def grid(name: str, size: tuple[float, float], faces: tuple[int, int], centre: Point) -> bpy.types.Object:
    """A rectangle that faces up, of so many faces."""
    (width, depth), (columns, rows) = size, faces
    place = [
        (width * (i / columns - 0.5), depth * (j / rows - 0.5), 0) for j in range(rows + 1) for i in range(columns + 1)
    ]
    first = [j * (columns + 1) + i for j in range(rows) for i in range(columns)]
    data = bpy.data.meshes.new(name)
    data.from_pydata(place, [], [(a, a + 1, a + columns + 2, a + columns + 1) for a in first])
    made = in_scene(name, data)
    made.location = centre
    return made


def pin(made: bpy.types.Object, name: str, held: Callable[[Any], bool], follow: bpy.types.Object | None = None) -> None:
    """Holds the vertices of an object at some places in it; they go with another object, or stay."""
    group = made.vertex_groups.new(name=name)
    group.add([vertex.index for vertex in made.data.vertices if held(vertex.co)], 1.0, "REPLACE")
    added = made.dollop.pins.add()
    added.vertex_group = name
    if follow is not None:
        added.follow, added.target = "OTHER", follow


def block(name: str, size: Point, centre: Point) -> bpy.types.Object:
    """A box."""
    x, z = size[0] / 2, size[2] / 2
    made = prism(name, [(-x, -z), (x, -z), (x, z), (-x, z)], size[1])
    made.location = centre
    return made


def sticky_plate(name: str, size: Point) -> bpy.types.Object:
    """A box that matter sticks to."""
    return sticky(block(name, size, (0.0, 0.0, 0.0)))


def sticky(made: bpy.types.Object) -> bpy.types.Object:
    """Makes an object a collider that matter sticks to."""
    made.dollop.kind = "COLLIDER"
    made.dollop.collider.adhesion = 1.0
    made.dollop.collider.friction = 1.0
    return made


def prism(name: str, outline: list[tuple[float, float]], depth: float) -> bpy.types.Object:
    """An outline, counter-clockwise in the front view, drawn out to both sides of y = 0."""
    count = len(outline)
    near, far = ([(x, side * depth / 2, z) for x, z in outline] for side in (-1, 1))
    sides = [(i, count + i, count + (i + 1) % count, (i + 1) % count) for i in range(count)]
    data = bpy.data.meshes.new(name)
    data.from_pydata(near + far, [], [range(count), range(2 * count - 1, count - 1, -1), *sides])
    return in_scene(name, data)


def turned(name: str, outline: list[tuple[float, float]], around: int = 96) -> bpy.types.Object:
    """What a lathe makes of a closed outline of radii and heights; or of one that begins and ends on the axis."""
    turns = [(math.cos(2 * math.pi * n / around), math.sin(2 * math.pi * n / around)) for n in range(around)]
    vertices = [(radius * x, radius * y, z) for x, y in turns for radius, z in outline]
    count = len(outline)
    faces = []
    for turn in range(around):
        own, following = turn * count, (turn + 1) % around * count
        for n in range(count):
            after = (n + 1) % count
            faces.append((own + n, following + n, following + after, own + after))
    return _closed(name, vertices, faces)


def _closed(name: str, vertices: list[Point], faces: list[tuple[int, ...]]) -> bpy.types.Object:
    """A mesh, smooth but at its edges, whose points on the axis are one."""
    data = bpy.data.meshes.new(name)
    data.from_pydata(vertices, [], faces)
    made = bmesh.new()
    made.from_mesh(data)
    bmesh.ops.remove_doubles(made, verts=made.verts, dist=1e-7)
    bmesh.ops.recalc_face_normals(made, faces=made.faces)
    made.to_mesh(data)
    made.free()
    data.shade_smooth()
    data.set_sharp_from_angle(angle=math.radians(40.0))
    return in_scene(name, data)
