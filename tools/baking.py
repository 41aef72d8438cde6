# SPDX-FileCopyrightText: 2026 The Dollop founders
# SPDX-License-Identifier: MIT OR Apache-2.0
"""Bakes a scene and reads its last frame. Needs `target/release/dollop`, or another by DOLLOP_BINARY."""

from __future__ import annotations

import json
import math
import os
import struct
import tempfile
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple

from measuring import Cost, measured

ROOT = Path(__file__).resolve().parents[1]
BINARY = os.environ.get("DOLLOP_BINARY", str(ROOT / "target" / "release" / "dollop"))
SIZES = {"float": "f", "int": "i", "uint": "I", "uchar": "B", "double": "d"}

# The tank that peers are measured with, and the block of liquid in the corner of its least x and y, m.
TANK = (2.02, 1.52, 1.02)
BLOCK = (0.8, 1.0, 1.0)

Rows = dict[str, tuple[float, ...]]


class Bake(NamedTuple):
    """The particles of the last frame; the shortest step, s, and the most steps of a frame."""

    rows: Rows
    step: float
    steps: int


def bake(made: dict[str, Any], threads: int, shapes: dict[str, str] | None = None) -> Bake:
    """Bakes a scene that writes particles; `shapes` are its mesh files by their names. Exits with the solver's error if
    it refuses the scene."""
    with tempfile.TemporaryDirectory() as folder:
        for name, text in (shapes or {}).items():
            Path(folder, name).write_text(text, encoding="ascii")
        cache, _ = run(BINARY, made, Path(folder), threads)
        done = frames_of(cache)
        step = min(frame["smallest_step"] for frame in done if frame.get("smallest_step"))
        rows = particles(max((cache / "particles").glob("*.ply")))
        return Bake(rows, step, max(frame["steps"] for frame in done))


def run(binary: str, made: dict[str, Any], folder: Path, threads: int) -> tuple[Path, Cost]:
    """Bakes a scene in a folder; returns the cache and what it took. Exits with the solver's error if it refuses the
    scene."""
    path, cache = folder / "scene.json", folder / "cache"
    path.write_text(json.dumps(made), encoding="utf-8")
    command = [binary, "bake", str(path), "--cache", str(cache), "--threads", str(threads)]
    cost, _ = measured(command, threads)
    return cache, cost


def frames_of(cache: Path) -> list[dict[str, Any]]:
    """The record of each frame in the index of a cache."""
    done: list[dict[str, Any]] = json.loads((cache / "bake.json").read_text(encoding="utf-8"))["done"]
    return done


def spacing_of(particles: float) -> float:
    """The particle spacing with which the block has so many particles."""
    return (math.prod(BLOCK) / particles) ** (1 / 3)


def collapse(material: dict[str, Any], particles: float, frames: int, friction: float) -> dict[str, Any]:
    """A scene: the block collapses in the tank, without settling, and gets a mesh."""
    water = {
        "name": "block",
        "shape": {"type": "box", "size": BLOCK},
        "transform": {"translation": [-0.61, -0.26, 0.5]},
        "material": material,
    }
    tank = {
        "name": "tank",
        "shape": {"type": "box", "size": TANK},
        "transform": {"translation": [0.0, 0.0, 0.51]},
        "inverted": True,
        "friction": friction,
    }
    return {
        "version": 1,
        "frames": {"start": 1, "end": 1 + frames, "rate": 24},
        "particle_spacing": spacing_of(particles),
        "settle": False,
        "output": {"mesh": {}},
        "bodies": [water],
        "colliders": [tank],
    }


def oven(temperature: float) -> dict[str, Any]:
    """A heater around the whole scene, which heats it to a temperature, K."""
    effect = {"type": "temperature", "temperature": temperature, "response": 0.4}
    return {"name": "oven", "shape": {"type": "box", "size": [3, 3, 3]}, "effect": effect}


def particles(path: Path) -> Rows:
    """The columns of a binary PLY file of particles."""
    with path.open("rb") as file:
        names, row, count = header(file)
        rows = row.iter_unpack(file.read(row.size * count))
        return dict(zip(names, zip(*rows, strict=True), strict=True))


def largest_x(path: Path) -> float:
    """The largest x of the vertices of a binary PLY file, of which little is in memory at once."""
    with path.open("rb") as file:
        names, row, count = header(file)
        at = names.index("x")
        return max(row.unpack(file.read(row.size))[at] for _ in range(count))


def header(file: BinaryIO) -> tuple[list[str], struct.Struct, int]:
    """The names of the columns of particles or vertices, the format of their rows, and how many there are."""
    lines = [line.split() for line in iter(file.readline, b"end_header\n")]
    count = next(int(line[2]) for line in lines if line[:2] == [b"element", b"vertex"])
    # Those of faces are lists.
    columns = [
        (line[2].decode(), SIZES[line[1].decode()]) for line in lines if line[0] == b"property" and len(line) == 3
    ]
    return [name for name, _ in columns], struct.Struct("<" + "".join(kind for _, kind in columns)), count
