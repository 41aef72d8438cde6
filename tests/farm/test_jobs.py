# SPDX-FileCopyrightText: 2026 The Dollop founders
# SPDX-License-Identifier: GPL-3.0-or-later
"""Jobs that `dollop farm` writes for Open Job Description and Flamenco."""

from __future__ import annotations

import json
import shlex
import subprocess
from pathlib import Path

import flamenco
import openjd
from baking import assert_whole, farm, scene

WEDGE = "bodies[drop].material.stiffness=40,70"


def test_an_openjd_job(tmp_path: Path) -> None:
    """By the CLI of Open Job Description, with the job's own submit command; a second run finds all files."""
    source = scene(tmp_path)
    job = farm("openjd", source, tmp_path / "a cache", "--segment", 6, "--chunk", 4, "--wedge", WEDGE)
    template = Path(job["job"])
    assert openjd.check(template).code == 0
    (bundled,) = json.loads((template.parent / "parameter_values.json").read_text(encoding="utf-8"))["parameterValues"]
    words = shlex.split(job["submit"])
    assert words[:2] == ["openjd", "run"] and words[-1] == f"{bundled['name']}={bundled['value']}"
    for _ in range(2):
        ended = openjd.call(*words[1:])
        assert ended.code == 0, ended.output
        assert "openjd_fail" not in ended.output
        for cache in job["caches"]:
            assert_whole(Path(cache["cache"]), Path(cache["scene"]), tmp_path / f"plain-{cache['name']}")
    assert ended.output.count("openjd_progress: 100.0") == 0, "nothing is left to do"


def test_an_openjd_job_reports_progress_and_failures(tmp_path: Path) -> None:
    job = farm("openjd", scene(tmp_path), tmp_path / "cache", "--segment", 6)
    template = Path(job["job"])
    ended = openjd.run(template, "Mesh-1", Cache=str(tmp_path / "cache"))
    assert ended.code == 0 and "openjd_progress: 50.0" in ended.output and "openjd_status: frame 1," in ended.output
    particles = tmp_path / "cache" / "particles" / "particles_-001.ply"
    particles.write_bytes(particles.read_bytes()[:-1])
    for mesh in (tmp_path / "cache" / "mesh").iterdir():
        mesh.unlink()
    # With the step that it depends on, the particles would be made again.
    ended = openjd.call("run", str(template), "--step", "Mesh-1", f"--job-param=Cache={tmp_path / 'cache'}")
    assert ended.code != 0 and "openjd_fail:" in ended.output and "particles_-001.ply" in ended.output


def compiled(job: dict) -> tuple[dict, list[flamenco.Task]]:
    about = json.loads(Path(job["job"]).read_text(encoding="utf-8"))
    source = (Path(job["job"]).parent / f"{about['type']}.js").read_text(encoding="utf-8")
    known = {setting["key"] for setting in flamenco.job_type(source)["settings"]}
    assert set(about["settings"]) == known, "what the job type asks for is given"
    return about, flamenco.compile_job(source, about["settings"], about["metadata"])


def test_a_flamenco_job(tmp_path: Path) -> None:
    """Its tasks, run in any order that their dependencies allow, the last first, complete the caches."""
    job = farm("flamenco", scene(tmp_path), tmp_path / "cache", "--segment", 6, "--chunk", 4, "--wedge", WEDGE)
    about, tasks = compiled(job)
    assert about["type"] == "dollop" and about["submitter_platform"] == "linux"
    done: set[str] = set()
    while len(done) < len(tasks):
        ready = [task for task in tasks if task.name not in done and done.issuperset(task.dependencies)]
        assert ready, "a task waits for ever"
        task = ready[-1]
        for command in task.commands:
            assert command.name == "exec"
            words = [command.parameters["exe"], *command.parameters["args"]]
            subprocess.run(words, check=True, capture_output=True, timeout=300)
        done.add(task.name)
    for cache in job["caches"]:
        assert_whole(Path(cache["cache"]), Path(cache["scene"]), tmp_path / f"plain-{cache['name']}")


def test_flamenco_tasks_depend_on_their_segment_alone(tmp_path: Path) -> None:
    (tmp_path / "shot.blend").touch()
    shot = ["--render", tmp_path / "shot.blend"]
    _, tasks = compiled(farm("flamenco", scene(tmp_path), tmp_path / "cache", "--segment", 6, "--chunk", 4, *shot))
    after = {task.name: sorted(task.dependencies) for task in tasks}
    assert after["simulate -2..3"] == [] and after["simulate 4..8"] == ["simulate -2..3"]
    assert after["mesh 2..3"] == ["simulate -2..3"] and after["volume 8"] == ["simulate 4..8"]
    assert after["render 2..3"] == ["mesh 2..3", "volume 2..3"]
    assert after["collect"] == ["render -2..1", "render 2..3", "render 4..7", "render 8"]
    (render,) = next(task for task in tasks if task.name == "render 8").commands
    assert render.parameters["exe"] == "{blender}" and render.parameters["args"][-1] == "--frames=8"
    _, whole = compiled(farm("flamenco", scene(tmp_path), tmp_path / "other", "--segment", 0))
    after = {task.name: sorted(task.dependencies) for task in whole}
    assert after["collect"] == ["mesh -2..7", "mesh 8", "volume -2..7", "volume 8"]
    assert after["mesh 8"] == ["simulate -2..8"]
