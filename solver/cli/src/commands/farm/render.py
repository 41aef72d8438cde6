# SPDX-FileCopyrightText: 2026 The Dollop founders
# SPDX-License-Identifier: GPL-3.0-or-later
"""Renders frames of a Blender file that shows a bake of Dollop, from its cache or from another.

    blender --background --python-exit-code 1 --python render.py -- --blend FILE --cache DIR --frames 1-10

It needs no add-on. Pictures go into DIR/render, each under a temporary name until it is complete; existing ones stay. A
frame whose files the cache lacks is an error, not an empty picture. The bpy module runs it, too.
"""

from __future__ import annotations

import argparse
import re
import sys
import uuid
from pathlib import Path

import bpy

# Name of the node with the pattern of a cache's files.
PATTERN_NODE = "Dollop Files"
# The end of a pattern or a volume's path: the folder of its kind and the file.
_KIND = re.compile(r"(mesh|volume|particles)/[^/]+$")
_SPAN = re.compile(r"(-?\d+)(?:(?:-|\.\.)(-?\d+)(?::(\d+))?)?")


def main() -> None:
    arguments = _arguments()
    bpy.ops.wm.open_mainfile(filepath=str(arguments.blend))
    scene = bpy.context.scene
    sources = retarget(arguments.cache)
    if not sources:
        sys.exit(f"error: {arguments.blend}: nothing in it shows a bake; load one into it and save it")
    folder = arguments.cache / "render"
    folder.mkdir(parents=True, exist_ok=True)
    if scene.render.is_movie_format:
        # Each task has only a part of the frames.
        if hasattr(scene.render.image_settings, "media_type"):
            # Since Blender 5.
            scene.render.image_settings.media_type = "IMAGE"
        scene.render.image_settings.file_format = "PNG"
    _use_extension(scene)
    for number, frame in enumerate(arguments.frames, start=1):
        render(scene, frame, folder, sources, arguments.blend)
        print(f"openjd_progress: {100 * number / len(arguments.frames):.1f}", flush=True)


def render(scene: bpy.types.Scene, frame: int, folder: Path, sources: list[str], blend: Path) -> None:
    """Renders a frame, unless its picture exists and is no older than its input."""
    target = folder / f"render_{frame:04}{scene.render.file_extension}"
    files = [Path(pattern.format(frame=frame)) for pattern in sources]
    missing = [str(path) for path in files if not path.is_file()]
    if missing:
        sys.exit(f"error: {missing[0]}: there is no such file, so frame {frame} cannot be rendered")
    if target.exists() and all(path.stat().st_mtime <= target.stat().st_mtime for path in [*files, blend]):
        print(f"{target} is there", flush=True)
        return
    # A name for this process alone; `dollop collect` recognises it as unfinished.
    unfinished = folder / f".dollop-{uuid.uuid4().hex}.tmp"
    scene.frame_set(frame)
    scene.render.filepath = str(unfinished)
    bpy.ops.render.render(write_still=True)
    unfinished.replace(target)
    print(f"Saved: '{target}'", flush=True)


def retarget(cache: Path) -> list[str]:
    """Makes all objects that show a bake show the one in `cache`. Returns the patterns of the files that a render
    reads."""
    # Braces in folder names are escaped.
    root = cache.as_posix().replace("{", "{{").replace("}", "}}")
    sources = []
    for group in bpy.data.node_groups:
        for node in group.nodes:
            if node.bl_idname == "FunctionNodeFormatString" and node.name.startswith(PATTERN_NODE):
                socket = node.inputs["Format"]
                found = _KIND.search(socket.default_value)
                if found:
                    socket.default_value = f"{root}/{found[0]}"
                    sources += [socket.default_value] if _is_rendered(group) else []
    for volume in bpy.data.volumes:
        found = re.search(r"volume/volume_-?\d+\.vdb$", volume.filepath.replace("\\", "/"))
        if found and volume.is_sequence:
            volume.filepath = f"{cache.as_posix()}/{found[0]}"
            sources += [f"{root}/volume/volume_{{frame:04}}.vdb"] if _is_rendered(volume) else []
    return sources


def _is_rendered(data: bpy.types.ID) -> bool:
    """Whether an object that is not hidden from renders uses a node group or a volume."""
    users = [
        shown
        for shown in bpy.context.scene.objects
        if shown.data == data or any(getattr(modifier, "node_group", None) == data for modifier in shown.modifiers)
    ]
    return any(not shown.hide_render for shown in users)


def frames(text: str) -> list[int]:
    """The frames of `1-6`, `1..6`, `5,9`, `7-20:2`, `-5..-2`."""
    found: set[int] = set()
    for part in text.split(","):
        match = _SPAN.fullmatch(part.strip())
        if not match:
            raise argparse.ArgumentTypeError(f"{part!r} is no frame; write 5, 1-6, 1..6, 7-20:2 or -3..2")
        first, last = int(match[1]), int(match[2] or match[1])
        if last < first or match[3] == "0":
            raise argparse.ArgumentTypeError(f"{part!r} has no frames")
        found.update(range(first, last + 1, int(match[3] or 1)))
    return sorted(found)


def _use_extension(scene: bpy.types.Scene) -> None:
    # The full name is given, so that its existence can be checked.
    scene.render.use_file_extension = False
    scene.render.use_overwrite = True
    scene.render.use_placeholder = False


def _arguments() -> argparse.Namespace:
    words = sys.argv[sys.argv.index("--") + 1 :] if "--" in sys.argv else sys.argv[1:]
    parser = argparse.ArgumentParser(prog="render.py", description="Renders frames of a bake.")
    parser.add_argument("--blend", type=Path, required=True)
    parser.add_argument("--cache", type=lambda text: Path(text).resolve(), required=True)
    parser.add_argument("--frames", type=frames, required=True)
    return parser.parse_args(words)


if __name__ == "__main__":
    main()
