# SPDX-FileCopyrightText: 2026 The Dollop founders
# SPDX-License-Identifier: GPL-3.0-or-later
"""`blender --command dollop ...`: bake, load and export without a window."""

from __future__ import annotations

import argparse
import signal
import sys
from pathlib import Path

import bpy

from . import export, keeping, loading, session
from .bake.runner import Run, State
from .export.problems import ExportError
from .session import STOPPING, BakeError

OK, FAILED, BAD_USAGE, CANCELLED = 0, 1, 2, 130

_registered: list[object] = []


def run(arguments: list[str]) -> int:
    """Runs the command in the arguments after `dollop`. Returns the exit code: 0, 1 failed, 2 wrong usage, 130
    cancelled."""
    try:
        options = _parser().parse_args(arguments)
    except SystemExit as end:
        return int(end.code or 0)
    try:
        scene = _open(options.file, options.scene)
        return options.action(scene, _view_layer(scene, options), options)
    except (BakeError, ExportError, OSError, RuntimeError) as error:
        print(f"dollop: {error}", file=sys.stderr)
        return FAILED


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="blender --command dollop", description="Bake, load and export Dollop scenes."
    )
    actions = parser.add_subparsers(required=True, metavar="ACTION")
    bake = actions.add_parser("bake", help="bake a .blend")
    bake.add_argument("--cache", metavar="DIR", help="folder that takes the bake, instead of the scene's own")
    bake.add_argument(
        "--resume", action="store_true", help="go on with the last bake of the scene, where that was cut short"
    )
    bake.add_argument("--save", action="store_true", help="save the .blend with the result loaded")
    bake.set_defaults(action=_bake)
    written = actions.add_parser("export", help="write the scene file and meshes for the solver")
    written.add_argument("--output", metavar="DIR", required=True, help="folder to write into")
    written.set_defaults(action=_export)
    shown = actions.add_parser("load", help="show a bake that was made elsewhere in a .blend, and save that")
    shown.set_defaults(action=_load)
    for action in (bake, written, shown):
        action.add_argument("file", metavar="FILE.blend")
        action.add_argument("--scene", metavar="NAME", help="scene in the file; the active one by default")
        action.add_argument("--view-layer", metavar="NAME", help="view layer of the scene; the active one by default")
    shown.add_argument("cache", metavar="CACHE_DIR", help="folder with a bake.json; it is never removed")
    return parser


def _open(file: str, name: str | None) -> bpy.types.Scene:
    if not Path(file).is_file():
        raise BakeError(f"{file} is not there")
    bpy.ops.wm.open_mainfile(filepath=str(Path(file).absolute()), load_ui=True)
    if name is None:
        return bpy.context.scene
    scene = bpy.data.scenes.get(name)
    if scene is None:
        raise BakeError(f"{file} has no scene {name!r}; it has: {', '.join(bpy.data.scenes.keys())}")
    return scene


def _view_layer(scene: bpy.types.Scene, options: argparse.Namespace) -> bpy.types.ViewLayer:
    if options.view_layer is None:
        # The active view layer is saved with the windows, so a scene without a window has none.
        shown = [window.view_layer for window in bpy.context.window_manager.windows if window.scene == scene]
        return shown[0] if shown else scene.view_layers[0]
    found = scene.view_layers.get(options.view_layer)
    if found is None:
        names = ", ".join(scene.view_layers.keys())
        raise BakeError(f"The scene {scene.name!r} has no view layer {options.view_layer!r}; it has: {names}")
    return found


def _bake(scene: bpy.types.Scene, view_layer: bpy.types.ViewLayer, options: argparse.Namespace) -> int:
    if options.cache:
        scene.dollop.root = str(Path(options.cache).absolute())
    # Without a window, Blender handles Ctrl-C itself: the first has no effect here, and the second ends Blender.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    start = session.resumed if options.resume and keeping.resumable(scene) else session.Session
    ended = session.bake(scene, view_layer, _tell, start)
    _warn(ended.warnings)
    if ended.run.state is State.CANCELLED:
        print(f"dollop: cancelled after {ended.run.progress.finished} frames", file=sys.stderr)
        return CANCELLED
    print(session.cache_of(scene))
    if options.save:
        bpy.ops.wm.save_mainfile()
    return OK


def _warn(warnings: list[str]) -> None:
    for warning in warnings:
        print(f"dollop: warning: {warning}", file=sys.stderr)


def _tell(run: Run) -> None:
    progress = run.progress
    if run.cancelling:
        print(f"{STOPPING}, press Ctrl-C again", flush=True)
    elif progress.finished:
        print(f"Frame {progress.frame} ({progress.finished} of {progress.total})", flush=True)


def _export(scene: bpy.types.Scene, view_layer: bpy.types.ViewLayer, options: argparse.Namespace) -> int:
    exported = export.write(scene, view_layer, Path(options.output).absolute())
    _warn(exported.warnings)
    print(exported.path)
    return OK


def _load(scene: bpy.types.Scene, view_layer: bpy.types.ViewLayer, options: argparse.Namespace) -> int:
    _warn(loading.load(scene, view_layer, Path(options.cache).absolute()))
    bpy.ops.wm.save_mainfile()
    return OK


def register() -> None:
    _registered.append(bpy.utils.register_cli_command("dollop", run))


def unregister() -> None:
    while _registered:
        bpy.utils.unregister_cli_command(_registered.pop())
