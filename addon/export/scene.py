# SPDX-FileCopyrightText: 2026 The Dollop founders
# SPDX-License-Identifier: GPL-3.0-or-later
"""The scene file."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import bpy
import numpy as np

from ..data import sections
from ..geometry import obj, placement
from ..geometry.mesh import TriangleMesh, faults
from ..scene_units import gravity, unit_scale
from ..settings.values import shortest, to_json
from . import colour, motion, notices, target
from .evaluate import matrix_of, mesh_of, settings_of
from .participants import Participants, evaluated, find
from .problems import ExportError


@dataclass(frozen=True)
class Exported:
    """The scene file, and what the user should know about it."""

    path: Path
    warnings: list[str]
    shapes: dict[Path, str]
    """The name of the object that each mesh file was made from."""
    names: dict[str, list[str]]
    """The names of the objects in each list of the scene file."""


def write(scene: bpy.types.Scene, view_layer: bpy.types.ViewLayer, folder: Path) -> Exported:
    """Writes the scene into `folder`, over nothing but an earlier export. Raises `ExportError`."""
    try:
        return _write(scene, view_layer, folder)
    except OSError as error:
        raise ExportError(
            f"{error.filename or folder} cannot be written: {error.strerror}; choose another folder"
        ) from error


def _write(scene: bpy.types.Scene, view_layer: bpy.types.ViewLayer, folder: Path) -> Exported:
    taking_part = find(view_layer)
    _check(scene, view_layer, taking_part)
    target.prepare(folder)
    writer = _Writer(scene, folder)
    warnings = notices.hidden(view_layer, taking_part)
    with evaluated(scene, view_layer, taking_part):
        scene.frame_set(scene.frame_start)
        warnings += notices.instances(view_layer.depsgraph, taking_part)
        bodies = [writer.body(source, view_layer.depsgraph) for source in taking_part.bodies]
        tracks = motion.record(scene, view_layer, taking_part.colliders + taking_part.heaters)
        walls = len(taking_part.colliders)
        colliders = [writer.collider(track, view_layer.depsgraph) for track in tracks[:walls]]
        heaters = [writer.heater(track, view_layer.depsgraph) for track in tracks[walls:]]
    if writer.problems:
        raise ExportError("\n".join(writer.problems))
    lists = {"bodies": bodies, "colliders": colliders, "heaters": heaters}
    path = target.finish(folder, json.dumps(_document(scene, lists), indent=1))
    names = {key: [one["name"] for one in found] for key, found in lists.items()}
    return Exported(path, warnings, writer.shapes, names)


def _check(scene: bpy.types.Scene, view_layer: bpy.types.ViewLayer, taking_part: Participants) -> None:
    if not taking_part.bodies:
        told = ["There is no body: choose Body for an object in its Physics tab"]
        raise ExportError("\n".join(told + notices.instances(view_layer.depsgraph, taking_part)))
    old, new = scene.render.frame_map_old, scene.render.frame_map_new
    if old != new:
        # Blender moves colliders by stretched frames and files are read by plain ones.
        raise ExportError(
            f"Time Stretching is on (Old {old}, New {new}), and the matter would not keep step with the colliders: "
            "set both to 100 in the Output tab under Frame Range, and stretch the rendered frames afterwards"
        )


def _document(scene: bpy.types.Scene, lists: dict[str, list[Any]]) -> dict[str, Any]:
    render = scene.render
    return {
        "version": sections().version,
        "frames": {
            "start": scene.frame_start,
            "end": scene.frame_end,
            "rate": render.fps / shortest(render.fps_base),
        },
        "gravity": gravity(scene),
        **to_json(sections().scene.settings, scene.dollop.settings, unit_scale(scene)),
        **{key: found for key, found in lists.items() if found or key != "heaters"},
    }


class _Writer:
    """Writes meshes and collects what is wrong with them."""

    def __init__(self, scene: bpy.types.Scene, folder: Path) -> None:
        self.problems: list[str] = []
        self.shapes: dict[Path, str] = {}
        self._start = scene.frame_start
        self._scale = unit_scale(scene)
        self._folder = folder

    def body(self, source: bpy.types.Object, depsgraph: bpy.types.Depsgraph) -> dict[str, Any]:
        track = motion.Track(source, mesh_of(source, depsgraph), [matrix_of(source, depsgraph)])
        if self._is_nowhere(track):
            return {}
        values = to_json(sections().body.settings, source.dollop.body, self._scale)
        # A sheet lies on the faces, and may be open.
        if values["material"]["type"] != "oriented":
            self._expect_closed("body", track)
        return {"name": source.name, **self._placed(track), **colour.of(source), **values}

    def collider(self, track: motion.Track, depsgraph: bpy.types.Depsgraph) -> dict[str, Any]:
        source = track.source
        settings = settings_of(source, depsgraph).collider
        values = to_json(sections().collider.settings, settings, self._scale) | motion.changes(track, self._start)
        if source.dollop.collider_shape != "mesh":
            track.matrices = [_upright(matrix) for matrix in track.matrices]
            shape = {"type": source.dollop.collider_shape}
            return {"name": source.name, "shape": shape, **self._moved(track)[1], **values}
        if self._is_nowhere(track):
            return {}
        self._expect_rigid("collider", track)
        wrong = faults(track.mesh)
        if wrong and "thickness" not in values:
            self.problems.append(
                f"The collider {source.name!r} is not a closed surface ({wrong}): "
                "switch on Thickness, or add a Solidify modifier"
            )
        return {"name": source.name, **self._placed(track), **values}

    def heater(self, track: motion.Track, depsgraph: bpy.types.Depsgraph) -> dict[str, Any]:
        source = track.source
        if self._is_nowhere(track):
            return {}
        self._expect_rigid("heater", track)
        self._expect_closed("heater", track)
        settings = settings_of(source, depsgraph).heater
        values = to_json(sections().heater.settings, settings, self._scale) | motion.changes(track, self._start)
        return {"name": source.name, **self._placed(track), **values}

    def _expect_closed(self, kind: str, track: motion.Track) -> None:
        wrong = faults(track.mesh)
        if wrong:
            self.problems.append(
                f"The {kind} {track.source.name!r} is not a closed surface ({wrong}): "
                "add a Remesh modifier, or close it in Edit Mode"
            )

    def _expect_rigid(self, kind: str, track: motion.Track) -> None:
        if track.deforms_at is not None:
            self.problems.append(
                f"The {kind} {track.source.name!r} changes its shape at frame {track.deforms_at}, "
                "which is not supported: switch off the modifiers or shape keys that bend it"
            )

    def _is_nowhere(self, track: motion.Track) -> bool:
        if np.isfinite(track.mesh.vertices).all():
            return False
        self.problems.append(
            f"{track.source.name!r} has a vertex whose place is no number (NaN or infinite): "
            "look at its modifiers and shape keys, or make its mesh anew"
        )
        return True

    def _placed(self, track: motion.Track) -> dict[str, Any]:
        if not len(track.mesh.triangles):
            self.problems.append(
                f"{track.source.name!r} has no faces: give it some, or add Realize Instances to its geometry nodes"
            )
            return {}
        mesh, placed = self._moved(track)
        return {"shape": {"type": "mesh", "path": self._file(mesh, track.source.name)}, **placed}

    def _moved(self, track: motion.Track) -> tuple[TriangleMesh, dict[str, Any]]:
        try:
            mesh, placements = motion.split(track)
        except placement.PlacementError as error:
            at = f" (frame {self._start + error.number})" if len(track.matrices) > 1 else ""
            self.problems.append(f"{track.source.name!r} {error}{at}")
            return track.mesh, {}
        placed = [one.to_json(self._scale) for one in placements]
        if len(placed) == 1:
            return mesh, {"transform": placed[0]}
        keys = [{"frame": self._start + i, "transform": one} for i, one in enumerate(placed)]
        return mesh, {"motion": keys}

    def _file(self, mesh: TriangleMesh, name: str) -> str:
        path = f"{target.SHAPES}/{len(self.shapes):03}.obj"
        obj.write(self._folder / path, mesh.scaled(self._scale))
        self.shapes[self._folder / path] = name
        return path


def _upright(matrix: np.ndarray) -> np.ndarray:
    """The placement of a plane: where it is and which way its +Z side looks, without scale."""
    x, y, z = matrix[:3, :3].T
    normal = np.cross(x, y)
    normal *= np.sign(normal @ z or 1.0)
    columns = [x, np.cross(normal, x), normal]
    upright = np.eye(4)
    upright[:3, :3] = np.array([column / (np.linalg.norm(column) or 1.0) for column in columns]).T
    upright[:3, 3] = matrix[:3, 3]
    return upright
