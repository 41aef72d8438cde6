# SPDX-FileCopyrightText: 2026 The Dollop founders
# SPDX-License-Identifier: GPL-3.0-or-later
"""The solver's messages about a scene file, in the words of the interface. Independent of Blender.

The solver names places as `bodies[0].heat.liquidus` and settings as `particle_spacing`; users know objects, and
settings by their labels.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from .settings.schema import Group, Sections, Setting, Variants, Vector

_STEP = re.compile(r"\[(\d+)\]|([^.\[\]]+)")
# Text in quotes is a name or a value. A setting is a path, a word of several parts, or in backquotes.
_SETTING = re.compile(r'"[^"]*"|`([a-z_.]+)`|(?<![\w/.])([a-z]+(?:[._][a-z]+)+)(?![\w/])')
_SWITCH = re.compile(r"\bset `(\w+)` in the scene\b")
_BODY = re.compile(r"\bof body (\d+)\b")
_INTO = " > "


@dataclass(frozen=True)
class Wording:
    """The wording for one scene file."""

    sections: Sections
    names: dict[str, list[str]]
    """Names of the items in its lists: of objects, and of the pins of a body, such as `bodies[0].pins`."""
    shapes: dict[Path, str]
    """The name of the source object of each mesh file."""

    def error(self, message: str, path: str = "") -> str:
        """An error with its object and setting, found from the place `path` if it has one."""
        told, owner = self._without_file(message)
        named, setting = self._place(_steps(path))
        owner = named or owner
        # The solver itself writes objects like this.
        known = not owner or f'"{owner}"' in told
        return ": ".join([*([] if known else [repr(owner)]), *([setting] if setting else []), self.sentence(told)])

    def sentence(self, text: str) -> str:
        """A sentence with the labels of its settings."""
        return _SETTING.sub(self._setting, _SWITCH.sub(self._switch, _BODY.sub(self._body, text)))

    def _without_file(self, message: str) -> tuple[str, str]:
        """The message without the name of its mesh file, and the object of that file."""
        for path, name in self.shapes.items():
            file = f" (mesh file {path})"
            if file in message:
                return message.replace(file, ""), name
        return message, ""

    def _place(self, steps: list[str | int]) -> tuple[str, str]:
        """The name of the object at a place, and its setting by its label, or else by its name in the file."""
        lists = self.sections.lists
        match steps:
            case [str() as kind, int(number), *rest] if kind in lists and number < len(self.names[kind]):
                own = (*lists[kind].settings, self.sections.shapes[lists[kind].key])
                labels = self._pin(steps) or _labels(own, rest)
                # A mesh is the object itself.
                is_whole = rest in ([], ["shape"], ["shape", "path"])
                return self.names[kind][number], "" if is_whole else _INTO.join(labels or [_text(rest)])
            # The list of all bodies is no place.
            case [str() as key, *_] if steps != [key] or key not in self.names:
                labels = _labels(self.sections.scene.settings, steps)
                return "", _INTO.join(["Scene tab", *labels]) if labels else _text(steps)
        return "", ""

    def _pin(self, steps: list[str | int]) -> list[str] | None:
        """The pin at a place within it."""
        match steps:
            case ["bodies", _, "pins", int(number), *_]:
                names = self.names.get(_text(steps[:3]), ())
                return [f"Pin {names[number]!r}"] if number < len(names) else None
        return None

    def _setting(self, found: re.Match[str]) -> str:
        name = found[1] or found[2]
        if not name:
            return found[0]
        steps = name.split(".")
        sections = (self.sections.scene, *self.sections.lists.values())
        for section in sections:
            labels = _labels(section.settings, steps)
            if labels:
                return _INTO.join(labels)
        deeper = (one.label for section in sections for one in _within(section) if [one.key] == steps)
        return next(deeper, found[0])

    def _switch(self, found: re.Match[str]) -> str:
        switches = (one for one in self.sections.scene.settings if one.optional and one.key == found[1])
        return next((f"switch on {one.label} in the Scene tab" for one in switches), found[0])

    def _body(self, found: re.Match[str]) -> str:
        bodies, number = self.names["bodies"], int(found[1])
        return f'of body "{bodies[number]}"' if number < len(bodies) else found[0]


def _steps(path: str) -> list[str | int]:
    """`bodies[0].heat` as `bodies`, 0 and `heat`."""
    return [int(number) if number else key for number, key in _STEP.findall(path)]


def _text(steps: list[str | int]) -> str:
    return "".join(f"[{step}]" if isinstance(step, int) else f".{step}" for step in steps).removeprefix(".")


def _labels(settings: tuple[Setting, ...], steps: list[str | int]) -> list[str] | None:
    """The labels on the path to a setting; None if there is no such path."""
    if not steps:
        return []
    key, *rest = steps
    setting = next((one for one in settings if key in (one.key, one.keys or one.key)), None)
    match setting:
        case None:
            return None
        case Variants() if rest == [setting.tag]:
            return [setting.label]
        case Variants() | Group():
            ways = (_labels(inner, rest) for inner in _parts(setting))
            found = next((way for way in ways if way is not None), None)
            return None if found is None else [setting.label, *found]
        case Vector() if len(setting.default) == 3 and rest in ([0], [1], [2]):
            return [f"{setting.label} {'XYZ'[rest[0]]}"]
    return [setting.label]


def _parts(setting: Setting) -> list[tuple[Setting, ...]]:
    """The settings in a group, or in each kind of a choice."""
    match setting:
        case Group():
            return [setting.settings]
        case Variants():
            return [case.settings for case in setting.cases]
    return []


def _within(setting: Setting) -> Iterator[Setting]:
    """All settings in a setting, at any depth."""
    for part in _parts(setting):
        for inner in part:
            yield inner
            yield from _within(inner)
