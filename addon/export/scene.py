# SPDX-FileCopyrightText: 2026 The Dollop founders
# SPDX-License-Identifier: GPL-3.0-or-later
"""The scene file."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import bpy
import numpy as np

from .. import shapes
from ..data import COLLIDER, can_be_pinned, is_own_mesh, is_sheet, section, sections, shape_of
from ..geometry import obj, placement
from ..geometry.mesh import TriangleMesh, faults
from ..scene_units import gravity, unit_scale
from ..settings.values import shortest, to_json
from . import colour, motion, notices, pins, target
from .evaluate import matrix_of, mesh_of, settings_of, weights_of
from .participants import Participants, evaluated, find, why_unfit
from .problems import ExportError


@dataclass(frozen=True)
class Exported:
    """The scene file, and warnings for the user."""

    path: Path
    warnings: list[str]
    shapes: dict[Path, str]
    """The name of the source object of each mesh file."""
    names: dict[str, list[str]]
    """The names of the objects in each list of the scene file."""


def write(scene: bpy.types.Scene, view_layer: bpy.types.ViewLayer, folder: Path) -> Exported:
    """Writes the scene into `folder`, replacing only an earlier export. Raises `ExportError`."""
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
    writer.problems += map(why_unfit, taking_part.unfit)
    warnings = notices.hidden(view_layer, taking_part)
    with evaluated(scene, view_layer, taking_part):
        scene.frame_set(scene.frame_start)
        warnings += notices.instances(view_layer.depsgraph, taking_part)
        lists = _lists(scene, view_layer, taking_part, writer)
    if writer.problems:
        raise ExportError("\n".join(writer.problems))
    path = target.finish(folder, json.dumps(_document(scene, lists), indent=1))
    pinned = {f"bodies[{i}].pins": body.get("pins", []) for i, body in enumerate(lists["bodies"])}
    names = {key: [one["name"] for one in found] for key, found in (lists | pinned).items()}
    return Exported(path, warnings, writer.shapes, names)


def _lists(
    scene: bpy.types.Scene, view_layer: bpy.types.ViewLayer, taking_part: Participants, writer: _Writer
) -> dict[str, list[dict[str, Any]]]:
    """The objects in the form of the scene file. `scene` must stand at its first frame."""
    depsgraph = view_layer.depsgraph
    lists: dict[str, list[dict[str, Any]]] = {key: [] for key in sections().lists}
    lists["bodies"] += [writer.body(source, depsgraph) for source in taking_part.bodies]
    tracks, ways = motion.record(scene, view_layer, taking_part.moving, taking_part.followed)
    for source, body in zip(taking_part.bodies, lists["bodies"], strict=True):
        writer.carry(source, body.get("pins", []), ways)
    written_to = {one.key.upper(): lists[key] for key, one in sections().lists.items()}
    for track in tracks:
        kind = track.source.dollop.kind
        written_to[kind].append((writer.collider if kind == COLLIDER else writer.region)(track, depsgraph))
    return lists


def _check(scene: bpy.types.Scene, view_layer: bpy.types.ViewLayer, taking_part: Participants) -> None:
    if not taking_part.bodies:
        told = ["There is no body: choose Body for an object in its Physics tab", *map(why_unfit, taking_part.unfit)]
        raise ExportError("\n".join(told + notices.instances(view_layer.depsgraph, taking_part)))
    old, new = scene.render.frame_map_old, scene.render.frame_map_new
    if old != new:
        # Blender evaluates colliders at stretched frames, but files are read at unstretched ones.
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
        **{key: found for key, found in lists.items() if found or key in ("bodies", "colliders")},
    }


class _Writer:
    """Writes meshes and collects faults."""

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
        if not is_own_mesh(source):
            return {"name": source.name, **self._shaped(track), **colour.of(source), **values}
        mesh, placed = self._placed(track)
        # A sheet lies on the faces, and may be open.
        if not is_sheet(source):
            self._expect_closed("body", track)
        if placed and can_be_pinned(source) and source.dollop.pins:
            weights = weights_of(source, depsgraph, {pin.vertex_group for pin in source.dollop.pins})
            values["pins"] = [self._pin(pin, mesh, weights) for pin in source.dollop.pins]
        return {"name": source.name, **placed, **colour.of(source), **values}

    def carry(self, source: bpy.types.Object, entries: list[dict[str, Any]], ways: motion.Ways) -> None:
        """Gives the pins of a body the motion of the objects that they follow."""
        for pin, entry in zip(source.dollop.pins if entries else (), entries, strict=True):
            try:
                way = pins.placements(pin, ways)
            except pins.PinError as error:
                self.problems.append(str(error))
            except placement.PlacementError as error:
                self._misplaced(pin.followed, error, ways[pin.followed])
            else:
                entry |= {"motion": motion.keys(way, self._start, self._scale)} if way else {}

    def collider(self, track: motion.Track, depsgraph: bpy.types.Depsgraph) -> dict[str, Any]:
        source = track.source
        settings = settings_of(source, depsgraph).collider
        values = to_json(sections().collider.settings, settings, self._scale) | motion.changes(track, self._start)
        if not is_own_mesh(source):
            return {"name": source.name, **self._shaped(track), **values}
        if self._is_nowhere(track):
            return {}
        self._expect_rigid("collider", track)
        wrong = faults(track.mesh)
        if wrong and "thickness" not in values:
            self.problems.append(
                f"The collider {source.name!r} is not a closed surface ({wrong}): "
                "switch on Thickness, or add a Solidify modifier"
            )
        return {"name": source.name, **self._placed(track)[1], **values}

    def region(self, track: motion.Track, depsgraph: bpy.types.Depsgraph) -> dict[str, Any]:
        """A heater, a tool or an outflow."""
        source = track.source
        found = section(source.dollop.kind)
        settings = getattr(settings_of(source, depsgraph), found.key)
        values = to_json(found.settings, settings, self._scale) | motion.changes(track, self._start)
        if not is_own_mesh(source):
            return {"name": source.name, **self._shaped(track), **values}
        if self._is_nowhere(track):
            return {}
        self._expect_rigid(found.key, track)
        self._expect_closed(found.key, track)
        return {"name": source.name, **self._placed(track)[1], **values}

    def _pin(
        self, pin: bpy.types.PropertyGroup, mesh: TriangleMesh, weights: Mapping[str, np.ndarray]
    ) -> dict[str, Any]:
        try:
            return {"name": pin.vertex_group, "vertices": pins.vertices(pin, mesh, weights).tolist()}
        except pins.PinError as error:
            self.problems.append(str(error))
            return {}

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

    def _has_no_faces(self, track: motion.Track) -> bool:
        if len(track.mesh.triangles):
            return False
        self.problems.append(
            f"{track.source.name!r} has no faces: give it some, or add Realize Instances to its geometry nodes"
        )
        return True

    def _shaped(self, track: motion.Track) -> dict[str, Any]:
        """The entry of an object with another shape than its mesh. It lies around the middle of the mesh, and is scaled
        with the object; without numbers it has no size, and only the object's place and direction count."""
        shape = shape_of(track.source)
        if not shape.settings:
            track.matrices = [_upright(matrix) for matrix in track.matrices]
            return {"shape": {"type": shape.item.value}, **self._moved(track)}
        if self._is_nowhere(track) or self._has_no_faces(track):
            return {}
        track.matrices = [_around(matrix, track.mesh.middle()) for matrix in track.matrices]
        numbers = to_json(shape.settings, shapes.numbers(track.source, shape), self._scale)
        return {"shape": {"type": shape.item.value, **numbers}, **self._moved(track)}

    def _placed(self, track: motion.Track) -> tuple[TriangleMesh, dict[str, Any]]:
        """The mesh as written to its file, and its entry in the scene file."""
        if self._has_no_faces(track):
            return track.mesh, {}
        try:
            mesh, placements = motion.split(track)
        except placement.PlacementError as error:
            self._misplaced(track.source, error, track.matrices)
            return track.mesh, {}
        mesh = mesh.scaled(self._scale)
        shape = {"type": shapes.MESH, "path": self._file(mesh, track.source.name)}
        return mesh, {"shape": shape, **self._stands(placements)}

    def _moved(self, track: motion.Track) -> dict[str, Any]:
        """The motion of a shape that is no mesh."""
        try:
            return self._stands(motion.placements(track))
        except placement.PlacementError as error:
            self._misplaced(track.source, error, track.matrices)
            return {}

    def _stands(self, placements: list[placement.Placement]) -> dict[str, Any]:
        keys = motion.keys(placements, self._start, self._scale)
        return {"motion": keys} if len(keys) > 1 else {"transform": keys[0]["transform"]}

    def _misplaced(self, source: bpy.types.Object, error: placement.PlacementError, matrices: list[np.ndarray]) -> None:
        at = f" (frame {self._start + error.number})" if len(matrices) > 1 else ""
        self.problems.append(f"{source.name!r} {error}{at}")

    def _file(self, mesh: TriangleMesh, name: str) -> str:
        path = f"{target.SHAPES}/{len(self.shapes):03}.obj"
        obj.write(self._folder / path, mesh)
        self.shapes[self._folder / path] = name
        return path


def _around(matrix: np.ndarray, middle: np.ndarray) -> np.ndarray:
    """The placement of what lies around a place in the space of an object."""
    moved = matrix.copy()
    moved[:3, 3] += matrix[:3, :3] @ middle
    return moved


def _upright(matrix: np.ndarray) -> np.ndarray:
    """The placement of a plane: its position and the direction of its +Z side, without scale."""
    x, y, z = matrix[:3, :3].T
    normal = np.cross(x, y)
    normal *= np.sign(normal @ z or 1.0)
    columns = [x, np.cross(normal, x), normal]
    upright = np.eye(4)
    upright[:3, :3] = np.array([column / (np.linalg.norm(column) or 1.0) for column in columns]).T
    upright[:3, 3] = matrix[:3, 3]
    return upright
