# SPDX-FileCopyrightText: 2026 The Dollop founders
# SPDX-License-Identifier: GPL-3.0-or-later
"""Jobs that `dollop farm slurm` writes, in a Slurm cluster of this machine."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

from baking import assert_whole, dollop, farm, scene
from cluster import NEEDS_SLURM, Cluster

pytest_plugins = ["clusters"]
pytestmark = NEEDS_SLURM

# Fine enough that a task can be caught at work.
FINE = 0.03


def submit(cluster: Cluster, job: dict, *options: str) -> list[str]:
    """Submits a job by its own command. Returns the numbers of its simulations, in order."""
    told = cluster.run(*shlex.split(job["submit"]), *options)
    return re.findall(r"simulate (\d+)", told)


def log(job: dict, number: str) -> str:
    (path,) = (Path(job["job"]).parents[1] / "logs").glob(f"*-{number}.log")
    return path.read_text(encoding="utf-8")


def states(cluster: Cluster, first: str) -> dict[str, tuple[str, int]]:
    """The states of all jobs from a given one on."""
    return {key: state for key, state in cluster.states().items() if int(key.split("_")[0]) >= int(first)}


def assert_all_well(cluster: Cluster, first: str) -> None:
    found = states(cluster, first)
    assert {state for state, _ in found.values()} == {"COMPLETED"}, found


def test_a_wedge_of_four_bakes(cluster: Cluster, tmp_path: Path) -> None:
    """Segments, arrays of chunks, dependencies: each cache equals the cache of a bake by one command."""
    wedge = "bodies[drop].material.stiffness=40,50,60,70"
    job = farm("slurm", scene(tmp_path), tmp_path / "cache", "--segment", 6, "--chunk", 4, "--wedge", wedge)
    first, *_ = submit(cluster, job)
    cluster.wait(240)
    assert_all_well(cluster, first)
    assert len(job["caches"]) == 4
    for cache in job["caches"]:
        assert_whole(Path(cache["cache"]), Path(cache["scene"]), tmp_path / f"plain-{cache['name']}")
    bits = [Path(cache["cache"], "mesh/mesh_0008.ply").read_bytes() for cache in job["caches"]]
    assert len(set(bits)) == 4, "four values, four results"


def test_killed_simulations_resume(cluster: Cluster, tmp_path: Path) -> None:
    """A killed simulation, one at its time limit, and one that gives way resume from their checkpoints."""
    source = scene(tmp_path, last=14, spacing=FINE)
    job = farm("slurm", source, tmp_path / "cache", "--segment", 0, "--chunk", 8)
    (simulate,) = submit(cluster, job)
    cache = tmp_path / "cache"
    cluster.until(lambda: any((cache / "checkpoints").glob("*.state")), 60, "a checkpoint")
    cluster.kill(simulate, "dollop simulate")
    cluster.until(lambda: cluster.jobs()[simulate].restarts == 1, 60, "the job to be queued again")
    cluster.wait_for(simulate, "RUNNING")
    cluster.until(lambda: log(job, simulate).count("baking") == 2, 60, "it to go on")
    # As Slurm does at the time limit.
    cluster.run("scancel", "--batch", "--signal=USR1", simulate)
    cluster.until(lambda: cluster.jobs()[simulate].restarts == 2, 60, "the job to be queued again")
    cluster.wait(240)
    assert_all_well(cluster, simulate)
    told = log(job, simulate)
    assert "ended with 137" in told and "ended with 130" in told and told.count("ended with 0") == 1, told
    assert "frame -2," not in told.split("ended with 137")[1], "it went on"
    assert_whole(cache, source, tmp_path / "plain")


def test_a_failure_ends_dependent_jobs(cluster: Cluster, tmp_path: Path) -> None:
    job = farm("slurm", scene(tmp_path), tmp_path / "cache", "--segment", 6)
    # Another bake now occupies the folder.
    other = scene(tmp_path, last=3)
    dollop("bake", other, "--cache", tmp_path / "cache", "--frames", "-2")
    first, *_ = submit(cluster, job)
    cluster.wait()
    found = states(cluster, first)
    assert found.pop(first) == ("FAILED", 4)
    assert {state for state, _ in found.values()} == {"CANCELLED"}, found
    assert "another scene" in log(job, first)
