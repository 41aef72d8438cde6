# SPDX-FileCopyrightText: 2026 The Dollop founders
# SPDX-License-Identifier: GPL-3.0-or-later
"""Makes or updates the objects that show a bake."""

from __future__ import annotations

from collections.abc import Callable

import bpy

from .. import hiding
from ..bake.index import Index, Output, runs
from ..scene_units import unit_scale
from . import materials, paths, sharing, temperatures
from .tree import Tree

_MODIFIER = "Dollop"
# In particle spacings: thin parts are visible, and edges are soft.
_OPTICAL_DEPTH = 1.5


def load(scene: bpy.types.Scene, index: Index, planned: bool = False) -> list[str]:
    """Shows the bake in `scene`; hides the objects of outputs that it lacks. The files of a planned bake need not
    exist. Returns warnings for the user."""
    shown = {"mesh": ("surface", _surface), "particles": ("particles", _particles), "volume": ("volume", _volume)}
    warnings = []
    for kind, (name, update) in shown.items():
        output = index.output(kind)
        if output is None or not index.frames:
            warnings += _retire_one(scene, name)
            continue
        warnings += sharing.separate(scene, name) + update(scene, index, output)
        missing = [] if planned else index.missing(output)
        if missing:
            warnings.append(f"{len(missing)} files of the {name} are missing, the first at frame {missing[0]}")
    return warnings


def retire(scene: bpy.types.Scene) -> list[str]:
    """Hides the objects that show a bake, so that they no longer read its files; keeps materials and transforms for the
    next one. Returns warnings for the user."""
    return [warning for name in sharing.PARTS for warning in _retire_one(scene, name)]


def _retire_one(scene: bpy.types.Scene, name: str) -> list[str]:
    shown = getattr(scene.dollop, name)
    if shown is None:
        return []
    if sharing.is_shared(scene, shown):
        return sharing.release(scene, name)
    hiding.altogether(shown)
    if shown.type == "VOLUME":
        sharing.with_own_data(shown).filepath = ""
    else:
        _node_group(shown).nodes.clear()
    return []


def _surface(scene: bpy.types.Scene, index: Index, output: Output) -> list[str]:
    shown, tree, geometry = _read(scene, "surface", "Dollop Surface", index, output)
    smooth = tree.node("GeometryNodeSetShadeSmooth")
    tree.link(geometry, smooth.inputs["Geometry"])
    material = materials.assign(shown, materials.surface)
    _show_temperatures(scene, index, output, material)
    tree.finish(smooth.outputs[0], material)
    return []


def _particles(scene: bpy.types.Scene, index: Index, output: Output) -> list[str]:
    shown, tree, geometry = _read(scene, "particles", "Dollop Particles", index, output)
    points = tree.node("GeometryNodeMeshToPoints")
    tree.link(geometry, points.inputs["Mesh"])
    tree.link(tree.math("MULTIPLY", tree.named("radius"), 1.0 / unit_scale(scene)), points.inputs["Radius"])
    material = materials.assign(shown, materials.particles)
    _show_temperatures(scene, index, output, material)
    tree.finish(points.outputs[0], material)
    return []


def _volume(scene: bpy.types.Scene, index: Index, output: Output) -> list[str]:
    shown = _object(scene, "volume", "Dollop Volume", bpy.data.volumes.new)
    factor = 1.0 / unit_scale(scene)
    first, last = index.frames[0], index.frames[-1]
    volume = sharing.with_own_data(shown)
    volume.filepath = paths.stored(output.path(index.cache, first))
    volume.is_sequence = True
    volume.sequence_mode = "EXTEND"
    volume.frame_start = first
    volume.frame_duration = last - first + 1
    # Blender counts the files of a sequence from 1.
    volume.frame_offset = first - 1
    volume.velocity_unit = "SECOND"
    # A volume has no nodes that could scale it; the delta scale leaves the user's own scale alone.
    shown.delta_scale = (factor, factor, factor)
    material = materials.assign(shown, lambda: materials.volume(_OPTICAL_DEPTH / index.particle_spacing))
    _show_temperatures(scene, index, output, material)
    warnings = []
    if len(runs(index.frames)) > 1:
        warnings.append("The volume is empty in the frames that were not baked")
    if bpy.app.version >= (5, 0, 0) and scene.world is None:
        warnings.append("Blender 5 does not render volumes in a scene without a world: add one in the World tab")
    return warnings


def _read(
    scene: bpy.types.Scene, name: str, label: str, index: Index, output: Output
) -> tuple[bpy.types.Object, Tree, bpy.types.NodeSocket]:
    """The object of this output with fresh nodes, and in them the file of the current frame in Blender units, with the
    attributes for motion blur and shaders."""
    shown = _object(scene, name, label, bpy.data.meshes.new)
    factor = 1.0 / unit_scale(scene)
    tree = Tree(_node_group(shown))
    clock = tree.clock(index.frames)
    geometry = tree.scaled(tree.file(paths.pattern(index.cache, output.pattern), clock.file), factor)
    if "velocity" in output.attributes:
        geometry = tree.with_motion(geometry, factor, clock, index.rate)
    if "temperature" in output.attributes:
        geometry = tree.with_copy(geometry, "temperature", materials.TEMPERATURE)
    geometry = tree.with_colour(geometry, materials.COLOUR, None if "color" in output.attributes else materials.UNKNOWN)
    return shown, tree, geometry


def _show_temperatures(scene: bpy.types.Scene, index: Index, output: Output, material: bpy.types.Material) -> None:
    if "temperature" not in output.attributes:
        return
    found = temperatures.of_bake(index, output) if materials.is_by_temperature(material) else None
    materials.show_temperatures(material, *(found or temperatures.of_bodies(scene)))


def _object(scene: bpy.types.Scene, name: str, label: str, make: Callable[[str], bpy.types.ID]) -> bpy.types.Object:
    """The object of this output: the one of the last bake while it is still in the scene, else a new one."""
    shown = getattr(scene.dollop, name)
    if shown is None or scene.objects.get(shown.name) != shown:
        shown = bpy.data.objects.new(label, make(label))
        scene.collection.objects.link(shown)
        setattr(scene.dollop, name, shown)
    hiding.restore(shown)
    return shown


def _node_group(shown: bpy.types.Object) -> bpy.types.NodeTree:
    """The nodes of an object, not shared with other objects."""
    modifier = shown.modifiers.get(_MODIFIER)
    if modifier is None:
        modifier = shown.modifiers.new(_MODIFIER, "NODES")
    if modifier.node_group is None or not sharing.is_sole(modifier.node_group):
        modifier.node_group = bpy.data.node_groups.new(shown.name, "GeometryNodeTree")
        modifier.node_group.is_modifier = True
    return modifier.node_group
