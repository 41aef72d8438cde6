# SPDX-FileCopyrightText: 2026 The Dollop founders
# SPDX-License-Identifier: MIT OR Apache-2.0
"""Bakes a scene and reads its last frame. Needs `target/release/dollop`, or another by DOLLOP_BINARY."""

from __future__ import annotations

import json
import os
import struct
import subprocess
import tempfile
import time
from pathlib import Path
from typing import Any, NamedTuple

ROOT = Path(__file__).resolve().parents[1]
BINARY = os.environ.get("DOLLOP_BINARY", str(ROOT / "target" / "release" / "dollop"))
SIZES = {"float": "f", "int": "i", "uint": "I", "uchar": "B", "double": "d"}

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


def run(binary: str, made: dict[str, Any], folder: Path, threads: int) -> tuple[Path, float]:
    """Bakes a scene in a folder; returns the cache and the seconds. Exits with the solver's error if it refuses the
    scene."""
    path, cache = folder / "scene.json", folder / "cache"
    path.write_text(json.dumps(made), encoding="utf-8")
    command = [binary, "bake", str(path), "--cache", str(cache), "--threads", str(threads)]
    begin = time.monotonic()
    ended = subprocess.run(command, capture_output=True, text=True, check=False)
    seconds = time.monotonic() - begin
    if ended.returncode:
        raise SystemExit(f"{binary}: {ended.stderr}")
    return cache, seconds


def frames_of(cache: Path) -> list[dict[str, Any]]:
    """The record of each frame in the index of a cache."""
    done: list[dict[str, Any]] = json.loads((cache / "bake.json").read_text(encoding="utf-8"))["done"]
    return done


def oven(temperature: float) -> dict[str, Any]:
    """A heater around the whole scene, which heats it to a temperature, K."""
    effect = {"type": "temperature", "temperature": temperature, "response": 0.4}
    return {"name": "oven", "shape": {"type": "box", "size": [3, 3, 3]}, "effect": effect}


def particles(path: Path) -> Rows:
    """The columns of a binary PLY file of particles."""
    header, _, data = path.read_bytes().partition(b"end_header\n")
    lines = [line.split() for line in header.decode().splitlines()]
    count = next(int(line[2]) for line in lines if line[:2] == ["element", "vertex"])
    columns = [(line[2], SIZES[line[1]]) for line in lines if line[:1] == ["property"]]
    row = struct.Struct("<" + "".join(kind for _, kind in columns))
    rows = row.iter_unpack(data[: row.size * count])
    return dict(zip((name for name, _ in columns), zip(*rows, strict=True), strict=True))
