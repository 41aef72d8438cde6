# SPDX-FileCopyrightText: 2026 The Dollop founders
# SPDX-License-Identifier: MIT OR Apache-2.0
"""The behaviour of each preset: the table of docs/presets.md.

    python3 tools/presets.py [NAME ...] [--spacing 0.03] [--threads 2]

Bakes balls 31 cm wide of each preset that fall 5 cm onto a floor: one as it starts, for 1.5 s, and one in a heater with
a response of 0.4 s, for 2.5 s. Of sheets: squares of 1 m that fall over a ball 50 cm wide for 1 s, and strips, clamped
so that 40 cm are free, for 2 s, all at 2 cm. Needs `target/release/dollop`, or another by DOLLOP_BINARY.
"""

from __future__ import annotations

import argparse
import json
import statistics
from typing import Any, NamedTuple

import preset_sheets
from baking import ROOT, Bake, bake, oven

RADIUS = 0.155
# Rate of heat flow, and temperature of the heater, K, where the default does not fit.
RATES, RATE = {"thermal_glass": 2, "smoothed_lava": 1, "smoothed_honey": 3000}, 100
HEATERS = {"wax": 360, "chocolate": 320, "ice": 285, "solder": 500, "glass": 1400, "honey": 333}
HEATERS |= {f"thermal_{name}": kelvin for name, kelvin in HEATERS.items() if name != "honey"} | {"smoothed_honey": 333}
# Seconds cold and heated; presets that start hot are shown unheated.
COLD, HEATED = 1.5, 2.5


class Shape(NamedTuple):
    """Final width and height of the matter, m: of 98 % of the particles, and of all."""

    wide: float
    all_wide: float
    high: float
    all_high: float
    temperature: float
    # Shortest step, s.
    step: float

    def __str__(self) -> str:
        sizes = f"{self.wide:.2f} ({self.all_wide:.2f}) | {self.high:.2f} ({self.all_high:.2f})"
        return f"{sizes} | {self.temperature:.0f} | {self.step * 1e6:.0f}"


def scene(preset: dict[str, Any], seconds: float, heater: float | None, spacing: float) -> dict[str, Any]:
    """A ball of a preset above a floor."""
    body = {key: preset[key] for key in ("temperature", "material", "heat")}
    ball = {"type": "sphere", "radius": RADIUS}
    place = {"translation": [0, 0, RADIUS + 0.05]}
    made = {
        "version": 1,
        "frames": {"start": 1, "end": 1 + round(24 * seconds), "rate": 24},
        "particle_spacing": spacing,
        "heat": {"rate": RATES.get(preset["name"], RATE)},
        "bodies": [{"name": preset["name"], "shape": ball, "transform": place, **body}],
        "colliders": [{"name": "floor", "shape": {"type": "plane"}}],
        "output": {"particles": {}},
    }
    if heater is not None:
        made["heaters"] = [oven(heater)]
    return made


def shape_of(done: Bake) -> Shape:
    """The shape of the matter."""
    x, z = sorted(done.rows["x"]), sorted(done.rows["z"])
    few = len(x) // 100
    wide, high = x[-1 - few] - x[few], z[-1 - 2 * few]
    return Shape(wide, x[-1] - x[0], high, z[-1], statistics.fmean(done.rows["temperature"]), done.step)


def measured(preset: dict[str, Any], spacing: float, threads: int) -> dict[str, str]:
    """The rows of a preset: its behaviour, and its final state."""
    runs = {"as it starts": (COLD, None)}
    if preset["name"] in HEATERS:
        runs["heated"] = (HEATED, HEATERS[preset["name"]])
    made = {what: scene(preset, seconds, heater, spacing) for what, (seconds, heater) in runs.items()}
    return {what: str(shape_of(bake(one, threads))) for what, one in made.items()}


def main() -> None:
    """Prints the tables."""
    presets = json.loads((ROOT / "addon" / "presets.json").read_text(encoding="utf-8"))
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", metavar="NAME", help="presets to measure; all if none is named")
    parser.add_argument("--spacing", type=float, default=0.03)
    parser.add_argument("--threads", type=int, default=2)
    options = parser.parse_args()
    wanted = [one for one in presets if one["name"] in options.names or not options.names]
    print("| preset | | width, m (all) | height, m (all) | K | step, µs |\n|---|---|---|---|---|---|")
    for preset in wanted:
        if preset["material"]["type"] != "oriented":
            show(preset, measured(preset, options.spacing, options.threads))
    print("\n| preset | | x, m | z, m | K | steps a frame |\n|---|---|---|---|---|---|")
    for preset in wanted:
        if preset["material"]["type"] == "oriented":
            show(preset, preset_sheets.measured(preset, options.threads))


def show(preset: dict[str, Any], rows: dict[str, str]) -> None:
    """Prints the rows of a preset."""
    for what, row in rows.items():
        print(f"| {preset['name']} | {what} | {row} |", flush=True)


if __name__ == "__main__":
    main()
