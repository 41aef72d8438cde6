# SPDX-FileCopyrightText: 2026 The Dollop founders
# SPDX-License-Identifier: GPL-3.0-or-later
"""Pictures of a job for a farm: by the solver's script, in a Blender without the add-on."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

from conftest import call, clean_environment


def test_each_wedge_has_pictures(blender: str, solver: str, tmp_path: Path) -> None:
    scene = _scene(tmp_path)
    _run(solver, "bake", scene, "--cache", tmp_path / "shown")
    call(blender, "cases.farm_render:save_shot", tmp_path)
    wedge = ["--wedge", "bodies[0].shape.radius=0.2,0.35"]
    shot = ["--render", tmp_path / "shot.blend"]
    job = json.loads(_run(solver, "farm", "slurm", scene, "--cache", tmp_path / "farm", "--json", *wedge, *shot))
    pictures = []
    for cache in job["caches"]:
        _run(solver, "simulate", cache["scene"], "--cache", cache["cache"])
        _run(solver, "mesh", cache["cache"])
        folder = Path(cache["cache"], "render")
        assert _render(blender, tmp_path, cache["cache"], "1..2").returncode == 0
        assert sorted(path.name for path in folder.iterdir()) == ["render_0001.png", "render_0002.png"]
        pictures += [path.read_bytes() for path in sorted(folder.iterdir())]
    # Radii and frames differ; existing pictures stay, and missing ones are not skipped.
    assert len(set(pictures)) == 4
    first = folder / "render_0001.png"
    first.write_bytes(b"there")
    assert _render(blender, tmp_path, cache["cache"], "1,3").returncode == 0
    assert first.read_bytes() == b"there" and (folder / "render_0003.png").is_file()
    Path(cache["cache"], "mesh", "mesh_0004.ply").unlink()
    ended = _render(blender, tmp_path, cache["cache"], "4")
    assert ended.returncode != 0 and "mesh_0004.ply: there is no such file" in ended.stderr
    assert len(list(folder.iterdir())) == 3


def _scene(folder: Path) -> Path:
    path = folder / "scene.json"
    drop = {"name": "drop", "shape": {"type": "sphere", "radius": 0.3}, "transform": {"translation": [0, 0, 0.5]}}
    document = {
        "version": 1,
        "frames": {"start": 1, "end": 4, "rate": 12},
        "particle_spacing": 0.06,
        "bodies": [drop | {"material": {"type": "smoothed", "stiffness": 50}}],
        "colliders": [{"name": "ground", "shape": {"type": "plane"}}],
        "output": {"mesh": {}, "volume": {}, "particles": {}},
    }
    path.write_text(json.dumps(document), encoding="utf-8")
    return path


def _run(solver: str, *arguments: object) -> str:
    command = [solver, *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, timeout=300, check=True).stdout


def _render(blender: str, folder: Path, cache: str, frames: str) -> subprocess.CompletedProcess:
    """The script as a farm starts it; the module of Blender takes the program's arguments after the dashes."""
    script = folder / "farm" / "farm" / "render.py"
    command = [blender, script, "--", "--blend", folder / "shot.blend", "--cache", cache, "--frames", frames]
    environment = clean_environment(folder, {"DOLLOP_BINARY": ""})
    return subprocess.run(
        list(map(str, command)), env=environment, cwd=folder, capture_output=True, text=True, timeout=300, check=False
    )
