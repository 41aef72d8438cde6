# SPDX-FileCopyrightText: 2026 The Dollop founders
# SPDX-License-Identifier: GPL-3.0-or-later
"""Dollop's data in a .blend: the settings from the schema, and the place of the last bake."""

from __future__ import annotations

from typing import Any

import bpy

from . import hiding, shapes
from .settings import schema
from .settings.names import shape_name
from .settings.properties import OVERRIDABLE, Builder, enum_items

NONE, BODY, COLLIDER, HEATER, TOOL, OUTFLOW = "NONE", "BODY", "COLLIDER", "HEATER", "TOOL", "OUTFLOW"
# Kinds of objects that stand for a region, and are not rendered.
REGIONS = (HEATER, TOOL, OUTFLOW)
# Choices for the object that a pin follows.
SELF, OTHER = "SELF", "OTHER"
DEFAULT_ROOT = "//dollop_cache"

_builder = Builder()
_sections: schema.Sections | None = None


def sections() -> schema.Sections:
    """The settings read from the schema when the add-on was registered."""
    if _sections is None:
        raise RuntimeError("the add-on is not registered")
    return _sections


def section(kind: str) -> schema.Group:
    """The settings of a kind other than NONE. An object stores them under the key of the group."""
    return getattr(sections(), kind.lower())


def shape_of(source: bpy.types.Object) -> schema.Case:
    """The chosen shape of an object of a kind other than NONE."""
    return _chosen_shape(source.dollop, section(source.dollop.kind).key)


def _chosen_shape(settings: bpy.types.PropertyGroup, kind: str) -> schema.Case:
    chosen = getattr(settings, shape_name(kind))
    return next(case for case in sections().shapes[kind].cases if case.item.value == chosen)


def is_own_mesh(source: bpy.types.Object) -> bool:
    """Whether the shape of an object of a kind other than NONE is its mesh."""
    return shape_of(source).item.value == shapes.MESH


def is_sheet(source: bpy.types.Object) -> bool:
    """Whether an object is a body whose faces are the matter."""
    return source.dollop.kind == BODY and source.dollop.body.material.type == "oriented"


def can_be_pinned(source: bpy.types.Object) -> bool:
    """Whether an object is a sheet with vertex groups; pins of other objects are ignored."""
    return source.type == "MESH" and is_sheet(source) and is_own_mesh(source)


class DOLLOP_PG_superseded(bpy.types.PropertyGroup):
    """A bake that a newer one has replaced."""

    path: bpy.props.StringProperty()
    # Seconds since 1970, as text: Blender's floats are too short for it.
    time: bpy.props.StringProperty()


class DOLLOP_PG_pin(bpy.types.PropertyGroup):
    """A region of a sheet that is held or moved."""

    vertex_group: bpy.props.StringProperty(
        name="Vertex Group",
        description="Held are the vertices with a weight above 0.5, after the modifiers, and the edges and faces "
        "between them",
        override=OVERRIDABLE,
    )
    follow: bpy.props.EnumProperty(
        name="Follow",
        description="What the region goes with, from where it is at the first frame: place and rotation, not scale",
        items=(
            (SELF, "This Object", "The region goes where the object itself is animated to; else it stays"),
            (OTHER, "Another Object", "The region goes with another object"),
        ),
        options=set(),
        override=OVERRIDABLE,
    )
    target: bpy.props.PointerProperty(
        type=bpy.types.Object,
        name="Object",
        description="What the region goes with: an empty, a hand, a curtain rod",
        poll=lambda pin, other: other != pin.id_data,
        override=OVERRIDABLE,
    )

    @property
    def followed(self) -> bpy.types.Object | None:
        """The object that the region follows; None if it was removed, or not chosen."""
        return self.id_data if self.follow == SELF else self.target


class DOLLOP_PG_wedge(bpy.types.PropertyGroup):
    """A setting that a farm bakes with each of several values."""

    setting: bpy.props.StringProperty(
        name="Setting",
        description="The setting as the scene file has it: bodies[0].material.stiffness, or with the name of a body, "
        "bodies[dough].material.stiffness",
        options=set(),
    )
    values: bpy.props.StringProperty(
        name="Values", description="Its values, with commas between them: 50, 100, 200", options=set()
    )


class DOLLOP_PG_hidden(bpy.types.PropertyGroup):
    """The look of an object before Dollop hid it."""

    active: bpy.props.BoolProperty(override=OVERRIDABLE)
    # Whether it is hidden with and without a bake.
    for_good: bpy.props.BoolProperty(override=OVERRIDABLE)
    hide_render: bpy.props.BoolProperty(override=OVERRIDABLE)
    hide_viewport: bpy.props.BoolProperty(override=OVERRIDABLE)
    display_type: bpy.props.StringProperty(override=OVERRIDABLE)


def _kind_changed(settings: bpy.types.PropertyGroup, _context: bpy.types.Context) -> None:
    source = settings.id_data
    if settings.kind in REGIONS:
        hiding.for_good(source)
    elif settings.kind != BODY or settings.hidden.for_good:
        hiding.restore(source)


def _shape_choice(kind: str, offered: schema.Variants) -> Any:
    def changed(settings: bpy.types.PropertyGroup, _context: bpy.types.Context) -> None:
        chosen = _chosen_shape(settings, kind)
        if chosen.settings:
            shapes.fit(settings.id_data, chosen)

    return bpy.props.EnumProperty(
        name=offered.label,
        description=offered.description,
        items=enum_items(case.item for case in offered.cases),
        default=offered.default,
        options=set(),
        override=OVERRIDABLE,
        update=changed,
    )


def _shapes_group(found: schema.Sections) -> type:
    """The numbers of all shapes that have some, each once."""
    cases = {case.item.value: case for offered in found.shapes.values() for case in offered.cases if case.settings}
    return _builder.cases("DOLLOP_PG_shapes", cases.values())


def _object_group(found: schema.Sections) -> type:
    kinds = [(one.key.upper(), one.label, one.description) for one in found.lists.values()]
    return type(
        "DOLLOP_PG_object",
        (bpy.types.PropertyGroup,),
        {
            "__annotations__": {
                "kind": bpy.props.EnumProperty(
                    name="Type",
                    description="What the object is to Dollop",
                    items=[(NONE, "None", "Takes no part"), *kinds],
                    options=set(),
                    override=OVERRIDABLE,
                    update=_kind_changed,
                ),
                "shapes": _overridable(_shapes_group(found)),
                "pins": bpy.props.CollectionProperty(type=DOLLOP_PG_pin, override=OVERRIDABLE | {"USE_INSERTION"}),
                "hidden": _overridable(DOLLOP_PG_hidden),
            }
            | {
                one.key: _overridable(_builder.group(f"DOLLOP_PG_{one.key}", one.settings))
                for one in found.lists.values()
            }
            | {shape_name(kind): _shape_choice(kind, offered) for kind, offered in found.shapes.items()}
        },
    )


def _overridable(group: type) -> Any:
    return bpy.props.PointerProperty(type=group, override=OVERRIDABLE)


def _farm_group(found: schema.Sections) -> type:
    """The settings of farm jobs, and the place of the last job."""
    engines = [(item.value, item.label, item.description) for item in found.engines]
    return type(
        "DOLLOP_PG_farm",
        (bpy.types.PropertyGroup,),
        {
            "__annotations__": {
                "engine": bpy.props.EnumProperty(
                    name="Farm",
                    description="What runs the job",
                    items=engines,
                    options=set(),
                ),
                "segment": bpy.props.IntProperty(
                    name="Frames per Segment",
                    description="Frames that are simulated by one task before another goes on; 0 simulates all by one",
                    default=50,
                    min=0,
                    options=set(),
                ),
                "chunk": bpy.props.IntProperty(
                    name="Frames per Chunk",
                    description="Frames whose meshes, volumes or pictures are made by one task",
                    default=10,
                    min=1,
                    options=set(),
                ),
                "render": bpy.props.BoolProperty(
                    name="Render",
                    description="Have the farm render the frames, too: a copy of this file that shows the bake to come",
                    options=set(),
                ),
                "dollop": bpy.props.StringProperty(
                    name="Solver",
                    description="Command that starts Dollop on the farm; empty for this solver, by its path here",
                    options=set(),
                ),
                "blender": bpy.props.StringProperty(
                    name="Blender",
                    description="Command that starts Blender on the farm; empty for blender",
                    options=set(),
                ),
                "wedges": bpy.props.CollectionProperty(type=DOLLOP_PG_wedge),
                # The bake folder of the last job.
                "folder": bpy.props.StringProperty(),
            }
        },
    )


def _scene_group(found: schema.Sections, farm: type) -> type:
    return type(
        "DOLLOP_PG_scene",
        (bpy.types.PropertyGroup,),
        {
            "__annotations__": {
                "settings": bpy.props.PointerProperty(type=_builder.group("DOLLOP_PG_settings", found.scene.settings)),
                "root": bpy.props.StringProperty(
                    name="Cache Folder",
                    description=f"Where bakes are kept, each in a new folder; {DEFAULT_ROOT} where this is empty",
                    subtype="DIR_PATH",
                    default=DEFAULT_ROOT,
                    options={"PATH_SUPPORTS_BLEND_RELATIVE"},
                ),
                "token": bpy.props.StringProperty(),
                # A bake folder of ours, or the folder of a loaded cache.
                "folder": bpy.props.StringProperty(),
                "loaded": bpy.props.BoolProperty(),
                "superseded": bpy.props.CollectionProperty(type=DOLLOP_PG_superseded),
                "farm": bpy.props.PointerProperty(type=farm),
                "surface": bpy.props.PointerProperty(type=bpy.types.Object),
                "volume": bpy.props.PointerProperty(type=bpy.types.Object),
                "particles": bpy.props.PointerProperty(type=bpy.types.Object),
            }
        },
    )


# The property groups that need no schema.
_PLAIN = (DOLLOP_PG_superseded, DOLLOP_PG_hidden, DOLLOP_PG_pin, DOLLOP_PG_wedge)
_made: list[type] = []


def register() -> None:
    global _sections
    _sections = schema.load()
    for plain in _PLAIN:
        _make(plain)
    bpy.types.Object.dollop = _overridable(_make(_object_group(_sections)))
    farm = _make(_farm_group(_sections))
    bpy.types.Scene.dollop = _overridable(_make(_scene_group(_sections, farm)))


def _make(group: type) -> type:
    bpy.utils.register_class(group)
    _made.append(group)
    return group


def unregister() -> None:
    global _sections
    del bpy.types.Scene.dollop
    del bpy.types.Object.dollop
    while len(_made) > len(_PLAIN):
        bpy.utils.unregister_class(_made.pop())
    _builder.unregister()
    while _made:
        bpy.utils.unregister_class(_made.pop())
    _sections = None
