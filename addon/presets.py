# SPDX-FileCopyrightText: 2026 The Dollop founders
# SPDX-License-Identifier: GPL-3.0-or-later
"""Presets of matter by their names, from presets.json. Independent of Blender.

A preset gives settings of a body as a scene file does: `temperature`, `material` and `heat`. Those of matter whose
firmness is chosen for looks name the `height` of the body that they are for.
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
# Settings that are in proportion to the height of the body, by material: what stands, flows or breaks does so by them
# over density, gravity and height, and in times as the root of that. The energy of a crack is as its stress times its
# opening, a viscosity as a stress times a time.
_GO_WITH_HEIGHT: dict[str, dict[tuple[str, ...], float]] = {
    "thermal": {("dissociation_energy",): 1, ("molten", "dissociation_energy"): 1, ("molten", "stiffness"): 1},
    "continuum": {
        ("shear_modulus",): 1,
        ("yield_stress",): 1,
        ("strength",): 1,
        ("fracture_energy",): 2,
        ("viscosity",): 1.5,
    },
}


@dataclass(frozen=True)
class Preset:
    """One kind of matter; `settings` are settings of a body in a scene file, of one of this height, m, or of any."""

    name: str
    description: str
    settings: dict[str, Any]
    height: float | None = None

    @property
    def label(self) -> str:
        return label_of(self.name)

    @property
    def model(self) -> str:
        """The type of its material."""
        return self.settings["material"]["type"]

    @property
    def softens(self) -> bool:
        """Whether heat changes its material: matter without molten settings does not melt, a sheet that keeps all of
        its stiffness (1) does not soften, and what is a liquid from the start only gets thinner."""
        material = self.settings["material"]
        molten = material.get("molten", {})
        keeps_shape = ("shear_modulus", "yield_stress")
        return molten.get("stiffness", 1) != 1 or any(molten.get(key, 0) < material.get(key, 0) for key in keeps_shape)

    def for_height(self, height: float) -> dict[str, Any]:
        """Settings for a body of this height, m."""
        if self.height is None or height <= 0.0:
            return self.settings
        settings = copy.deepcopy(self.settings)
        for (*groups, key), power in _GO_WITH_HEIGHT[self.model].items():
            values = settings["material"]
            for group in groups:
                values = values[group]
            values[key] = _rounded(values[key] * (height / self.height) ** power)
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
    return tuple(
        Preset(one.pop("name"), one.pop("description"), height=one.pop("height", None), settings=one) for one in found
    )


def _rounded(value: float) -> float:
    """Rounded to two digits."""
    return float(f"{value:.1e}")
