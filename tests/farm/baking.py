# SPDX-FileCopyrightText: 2026 The Dollop founders
# SPDX-License-Identifier: GPL-3.0-or-later
"""The solver, and a scene for it, in tests of farms."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path

_SCHEMA = Path(__file__).parents[2] / "addon/schema.json"
# All kinds of files that a bake can have.
KINDS = tuple(json.loads(_SCHEMA.read_text(encoding="utf-8"))["$defs"]["Output"]["properties"])


def solver() -> str:
    return os.environ["DOLLOP_BINARY"]


def scene(folder: Path, last: int = 8, spacing: float = 0.06) -> Path:
    """A drop that falls on the ground, from frame -2 on."""
    path = folder / "drop.json"
    document = {
        "version": 1,
        "frames": {"start": -2, "end": last, "rate": 24},
        "particle_spacing": spacing,
        "bodies": [
            {
                "name": "drop",
                "shape": {"type": "sphere", "radius": 0.3},
                "transform": {"translation": [0, 0, 0.4]},
                "material": {"type": "smoothed", "stiffness": 50},
            }
        ],
        "colliders": [{"name": "ground", "shape": {"type": "plane"}}],
        "output": {kind: {} for kind in KINDS},
    }
    path.write_text(json.dumps(document), encoding="utf-8")
    return path


def dollop(*arguments: object, code: int = 0) -> str:
    """Standard output of the solver."""
    command = [solver(), *map(str, arguments)]
    ended = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)
    assert ended.returncode == code, f"{command} ended with {ended.returncode}\n{ended.stdout}{ended.stderr}"
    return ended.stdout


def farm(engine: str, scene: Path, cache: Path, *more: object) -> dict:
    """The solver's report on a job that it has written."""
    return json.loads(dollop("farm", engine, scene, "--cache", cache, "--json", *more))


def files(cache: Path) -> dict[str, bytes]:
    """All files of frames in a cache, by their paths within it."""
    return {
        str(path.relative_to(cache)): path.read_bytes() for kind in KINDS for path in sorted((cache / kind).glob("*"))
    }


def assert_whole(cache: Path, scene: Path, plain: Path) -> None:
    """The cache equals, bit for bit, the cache of a bake by one command, without unfinished files."""
    if not plain.exists():
        dollop("bake", scene, "--cache", plain, "--progress", "none")
    expected, found = files(plain), files(cache)
    assert found.keys() == expected.keys()
    assert [name for name in expected if found[name] != expected[name]] == []
    for stage in ("simulate", "mesh", "volume"):
        assert (cache / "done" / f"{stage}.json").is_file(), stage
    left = [path for path in cache.rglob("*") if path.name.startswith(".dollop-") or path.suffix == ".state"]
    assert left == []
    assert not (cache / "records").exists()
    told = json.loads((cache / "bake.json").read_text(encoding="utf-8"))
    assert told["status"] == "complete"
    assert {kind for frame in told["done"] for kind in frame["files"]} == set(KINDS)
