# SPDX-FileCopyrightText: 2026 The Dollop founders
# SPDX-License-Identifier: GPL-3.0-or-later
"""Presets of matter by their names, from presets.json. Independent of Blender.

A preset gives settings of a body as a scene file does: `temperature`, `material` and `heat`.
"""

from __future__ import annotations

import copy
import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from .settings.schema import Setting, label_of
from .settings.values import from_json

_FILE = Path(__file__).with_name("presets.json")
# Height of the bodies that the presets are made for, m.
_HEIGHT = 0.3


@dataclass(frozen=True)
class Preset:
    """One kind of matter; `settings` are settings of a body in a scene file."""

    name: str
    description: str
    settings: dict[str, Any]

    @property
    def label(self) -> str:
        return label_of(self.name)

    @property
    def softens(self) -> bool:
        """Whether heat changes its material: matter without molten settings does not melt, a sheet that keeps all of
        its stiffness (1) does not soften, and what is a liquid from the start only gets thinner."""
        material = self.settings["material"]
        molten = material.get("molten", {})
        keeps_shape = ("shear_modulus", "yield_stress")
        return molten.get("stiffness", 1) != 1 or any(molten.get(key, 0) < material.get(key, 0) for key in keeps_shape)

    @property
    def follows_height(self) -> bool:
        """Whether its values depend on the height of the body: melting matter stands, flows or breaks by the energy of
        its bonds over gravity times its height."""
        return "dissociation_energy" in self.settings["material"]

    def for_height(self, height: float) -> dict[str, Any]:
        """Settings for a body of this height, m."""
        if not self.follows_height or height <= 0.0:
            return self.settings
        settings = copy.deepcopy(self.settings)
        molten = settings["material"]["molten"]
        for part, keys in (
            (settings["material"], ["dissociation_energy"]),
            (molten, ["dissociation_energy", "stiffness"]),
        ):
            for key in keys:
                part[key] = _rounded(part[key] * height / _HEIGHT)
        return settings

    def apply(self, settings: tuple[Setting, ...], body: Any, unit_scale: float, height: float = 0.0) -> None:
        """Sets the values of a body of a height, m, in a scene with `unit_scale` metres per Blender unit; without a
        height, the values of the file. Settings of the preset's groups that it does not name get their defaults; other
        settings of the body, all of which are in `settings`, stay."""
        own = tuple(setting for setting in settings if setting.key in self.settings)
        from_json(own, body, self.for_height(height), unit_scale)


def load(path: Path = _FILE) -> tuple[Preset, ...]:
    """All presets, in the order of the file. Raises `OSError`, `json.JSONDecodeError` or `KeyError`."""
    found = json.loads(path.read_text(encoding="utf-8"))
    return tuple(Preset(one.pop("name"), one.pop("description"), one) for one in found)


def _rounded(value: float) -> float:
    """Rounded to two digits."""
    return float(f"{value:.1e}")
