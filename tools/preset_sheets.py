# SPDX-FileCopyrightText: 2026 The Dollop founders
# SPDX-License-Identifier: MIT OR Apache-2.0
"""The behaviour of the presets for sheets: drape over a ball, and hang over their clamp."""

from __future__ import annotations

from typing import Any

from baking import Bake, bake, oven

SPACING = 0.02
# Edge of a square that falls onto a ball, m; duration, s.
EDGE, BALL, FALL = 1.0, 0.25, 1.0
# Size of a strip that is held at one end, m; duration, s.
WIDTH, HELD, FREE, HANG = 0.1, 0.1, 0.4, 2.0
# Temperature of the air around the strip, K, if that softens it.
HEATERS, RATE = {"film": 450}, 1


def measured(preset: dict[str, Any], threads: int) -> dict[str, str]:
    """The rows of a preset: its behaviour, and its final state."""
    rows = {"over a ball": _row(bake(scene(preset, _square(), FALL), threads, _square()))}
    runs = {"clamped": None} | ({"clamped, heated": HEATERS[preset["name"]]} if preset["name"] in HEATERS else {})
    return rows | {what: _row(bake(clamped(preset, heater), threads, _strip())) for what, heater in runs.items()}


def scene(preset: dict[str, Any], shapes: dict[str, str], seconds: float) -> dict[str, Any]:
    """A sheet above a ball that lies on a floor."""
    (path,) = shapes
    settings = {key: preset[key] for key in ("temperature", "material", "heat")}
    place = {"translation": [0, 0, 2 * BALL + 0.05]}
    ball = {"shape": {"type": "sphere", "radius": BALL}, "transform": {"translation": [0, 0, BALL]}}
    return {
        "version": 1,
        "frames": {"start": 1, "end": 1 + round(24 * seconds), "rate": 24},
        "particle_spacing": SPACING,
        "bodies": [{"name": preset["name"], "shape": {"type": "mesh", "path": path}, "transform": place, **settings}],
        "colliders": [{"name": "floor", "shape": {"type": "plane"}}, {"name": "ball", **ball}],
        "heat": {"rate": RATE},
        "output": {"particles": {}},
    }


def clamped(preset: dict[str, Any], heater: float | None) -> dict[str, Any]:
    """A strip, held at one end and level at first, with nothing below."""
    made = scene(preset, _strip(), HANG)
    made["colliders"] = []
    made["bodies"][0]["transform"] = {}
    vertices = [[x, y, 0.0] for x in (-HELD, 0.0) for y in (0.0, WIDTH)]
    made["bodies"][0]["pins"] = [{"name": "clamp", "vertices": vertices}]
    if heater is not None:
        made["heaters"] = [oven(heater)]
    return made


def _row(done: Bake) -> str:
    """Its extent, its temperature, and the most steps of a frame."""
    x, z = done.rows["x"], done.rows["z"]
    sizes = f"{min(x):.2f} to {max(x):.2f} | {min(z):.2f} to {max(z):.2f}"
    return f"{sizes} | {max(done.rows['temperature']):.0f} | {done.steps}"


def _square() -> dict[str, str]:
    return {"square.obj": _quads([-EDGE / 2, EDGE / 2], -EDGE / 2, EDGE / 2)}


def _strip() -> dict[str, str]:
    return {"strip.obj": _quads([-HELD, 0.0, FREE], 0.0, WIDTH)}


def _quads(along: list[float], low: float, high: float) -> str:
    """A strip of rectangles along X as an OBJ file."""
    corners = "".join(f"v {x} {y} 0.0\n" for x in along for y in (low, high))
    return corners + "".join(f"f {i} {i + 2} {i + 3} {i + 1}\n" for i in range(1, 2 * len(along) - 1, 2))
