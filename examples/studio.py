# SPDX-FileCopyrightText: 2026 The Dollop founders
# SPDX-License-Identifier: GPL-3.0-or-later
"""What the scripts of the examples share: their command line, and what things look like."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Callable
from pathlib import Path

import bpy

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import addon
from addon import export, session

Step = Callable[[bpy.types.Scene], None]


def main(description: str, build: Step, prepare: Step) -> None:
    """Builds a scene, and exports or bakes and renders it, as the command line asks; ends the process."""
    parser = parser_of(description)
    parser.add_argument("--export", type=Path, metavar="FOLDER")
    options = parser.parse_args()
    scene = begin()
    build(scene)
    save(options.blend)
    if options.export:
        export.write(scene, bpy.context.view_layer, options.export)
    if options.render:
        session.bake(scene, bpy.context.view_layer, lambda run: print("frame", run.progress.frame))
        bpy.ops.wm.save_mainfile()
        prepare(scene)
        render(scene, options.render, options.blend)
    end()


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
