# SPDX-FileCopyrightText: 2026 The Dollop founders
# SPDX-License-Identifier: MIT OR Apache-2.0
"""What each preset does: the table of docs/presets.md.

    python3 tools/presets.py [NAME ...] [--spacing 0.03] [--threads 2]

Bakes balls 31 cm wide of each preset that fall 5 cm onto a floor: one as it starts, for 1.5 s, and one in a heater with
a response of 0.4 s, for 2.5 s. Needs `target/release/dollop`, or another by DOLLOP_BINARY.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import struct
import subprocess
import tempfile
from pathlib import Path
from typing import Any, NamedTuple

ROOT = Path(__file__).resolve().parents[1]
BINARY = os.environ.get("DOLLOP_BINARY", str(ROOT / "target" / "release" / "dollop"))
RADIUS = 0.155
# How fast heat flows, and how hot the heater is, K; others by the default.
RATES, RATE = {"glass": 2, "lava": 1, "honey": 3000}, 100
HEATERS = {"wax": 360, "chocolate": 320, "ice": 285, "solder": 500, "glass": 1400, "honey": 333}
# Seconds cold and heated; what starts hot is shown as it is.
COLD, HEATED = 1.5, 2.5
SIZES = {"float": "f", "int": "i", "uint": "I", "uchar": "B", "double": "d"}

Rows = dict[str, tuple[float, ...]]


class Shape(NamedTuple):
    """How wide and high matter lies in the end, m: 98 % of the particles, and all of them."""

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
        effect = {"type": "temperature", "temperature": heater, "response": 0.4}
        made["heaters"] = [{"name": "oven", "shape": {"type": "box", "size": [3, 3, 3]}, "effect": effect}]
    return made


def baked(made: dict[str, Any], threads: int) -> Shape:
    """The last frame of a bake."""
    with tempfile.TemporaryDirectory() as folder:
        path, cache = Path(folder, "scene.json"), Path(folder, "cache")
        path.write_text(json.dumps(made), encoding="utf-8")
        command = [BINARY, "bake", str(path), "--cache", str(cache), "--threads", str(threads)]
        subprocess.run(command, check=True, capture_output=True)
        done = json.loads((cache / "bake.json").read_text(encoding="utf-8"))["done"]
        step = min(frame["smallest_step"] for frame in done if frame.get("smallest_step"))
        return shape_of(particles(max((cache / "particles").glob("*.ply"))), step)


def shape_of(rows: Rows, step: float) -> Shape:
    """How matter lies."""
    x, z = sorted(rows["x"]), sorted(rows["z"])
    few = len(x) // 100
    wide, high = x[-1 - few] - x[few], z[-1 - 2 * few]
    return Shape(wide, x[-1] - x[0], high, z[-1], statistics.fmean(rows["temperature"]), step)


def particles(path: Path) -> Rows:
    """The columns of a binary PLY file of particles."""
    header, _, data = path.read_bytes().partition(b"end_header\n")
    lines = [line.split() for line in header.decode().splitlines()]
    count = next(int(line[2]) for line in lines if line[:2] == ["element", "vertex"])
    columns = [(line[2], SIZES[line[1]]) for line in lines if line[:1] == ["property"]]
    row = struct.Struct("<" + "".join(kind for _, kind in columns))
    rows = row.iter_unpack(data[: row.size * count])
    return dict(zip((name for name, _ in columns), zip(*rows, strict=True), strict=True))


def main() -> None:
    """Prints the table."""
    presets = json.loads((ROOT / "addon" / "presets.json").read_text(encoding="utf-8"))
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", metavar="NAME", help="presets to measure; all if none is named")
    parser.add_argument("--spacing", type=float, default=0.03)
    parser.add_argument("--threads", type=int, default=2)
    options = parser.parse_args()
    print("| preset | | width, m (all) | height, m (all) | K | step, µs |\n|---|---|---|---|---|---|")
    for preset in presets:
        name = preset["name"]
        if options.names and name not in options.names:
            continue
        runs = {"as it starts": (COLD, None)}
        if name in HEATERS:
            runs["heated"] = (HEATED, HEATERS[name])
        for what, (seconds, heater) in runs.items():
            made = scene(preset, seconds, heater, options.spacing)
            print(f"| {name} | {what} | {baked(made, options.threads)} |", flush=True)


if __name__ == "__main__":
    main()
