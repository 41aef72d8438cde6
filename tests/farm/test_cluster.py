# SPDX-FileCopyrightText: 2026 The Dollop founders
# SPDX-License-Identifier: GPL-3.0-or-later
"""Tests the Slurm cluster of the tests, and the form of a job script that works in it however the job ends."""

from __future__ import annotations

import textwrap
import time
from pathlib import Path

import pytest
from cluster import NEEDS_SLURM, Cluster, ClusterError

HERE = Path(__file__).parent
REFERENCE = HERE.parents[1] / "solver/cli/src/commands/farm/engines/slurm/again.sh"
# worker LOG RUNS CODE: works until it is stopped or killed, and ends with CODE in its RUNS-th run. Each worker of an
# array has its own log.
WORKER = """\
#!/bin/sh
log=$1${SLURM_ARRAY_TASK_ID:+_$SLURM_ARRAY_TASK_ID}
trap 'echo told >> "$log"; sleep 1; echo checkpoint >> "$log"; exit 130' TERM
echo run >> "$log"
[ "$(grep -c run "$log")" -lt "$2" ] || { echo end >> "$log"; exit "$3"; }
sleep 300 &
wait $!
"""
# As above, but ends with 75 by itself in all earlier runs.
PASSING = WORKER.replace("sleep 300 &\nwait $!", "exit 75")
# The reference script without its request to be queued again: only the exit code requests it.
BY_CODE = ('if scontrol requeue "$job"', "if false")
# Requests it by the number that Slurm gives to the job, which for one task of an array is the number of the array.
BY_NUMBER = ("job=${job:-$SLURM_JOB_ID}", "job=$SLURM_JOB_ID")

pytest_plugins = ["clusters"]
pytestmark = NEEDS_SLURM


def submit(cluster: Cluster, folder: Path, *options: str, runs: int = 2, code: int = 0, **other: str) -> str:
    """A job with a worker; its id."""
    worker = folder / "worker"
    worker.write_text(other.get("worker", WORKER), encoding="utf-8")
    worker.chmod(0o755)
    script = folder / "job.sh"
    text = REFERENCE.read_text(encoding="utf-8")
    if "change" in other:
        before, after = other["change"]
        assert before in text
        text = text.replace(before, after)
    script.write_text(text, encoding="utf-8")
    arguments = [str(worker), str(folder / "log"), str(runs), str(code)]
    return cluster.run("sbatch", "--parsable", f"--output={folder}/out", *options, str(script), *arguments).strip()


def wrapped(cluster: Cluster, *options: str, line: str = "true") -> str:
    return cluster.run("sbatch", "--parsable", "--output=/dev/null", *options, f"--wrap={line}").strip()


def log(folder: Path, task: int | None = None) -> list[str]:
    path = folder / ("log" if task is None else f"log_{task}")
    return path.read_text(encoding="utf-8").split() if path.exists() else []


def wait_for_log(cluster: Cluster, folder: Path, word: str, count: int = 1, task: int | None = None) -> None:
    cluster.until(lambda: log(folder, task).count(word) >= count, 60, f"{word} in the log")


def give_way(cluster: Cluster) -> None:
    """A job of the higher partition that needs the whole node."""
    # Slurm kills a job that has just started without a warning.
    time.sleep(3)
    high = wrapped(cluster, "--partition=high", "--ntasks=2", line="sleep 1")
    cluster.wait_for(high, "COMPLETED")


def test_states_contain_codes_and_tasks(cluster: Cluster) -> None:
    good = wrapped(cluster)
    bad = wrapped(cluster, line="exit 3")
    array = wrapped(cluster, "--array=0-2", line="exit $SLURM_ARRAY_TASK_ID")
    cluster.wait()
    states = cluster.states()
    assert states[good] == ("COMPLETED", 0)
    assert states[bad] == ("FAILED", 3)
    assert [states[f"{array}_{task}"] for task in range(3)] == [("COMPLETED", 0), ("FAILED", 1), ("FAILED", 2)]


def test_errors_contain_the_message_of_slurm(cluster: Cluster) -> None:
    with pytest.raises(ClusterError, match=r"(?s)sbatch.*invalid partition"):
        wrapped(cluster, "--partition=none")


def test_a_chain_of_jobs_runs_in_order(cluster: Cluster, tmp_path: Path) -> None:
    """The form of a submitting script: jobs that depend on a job which is queued again keep waiting."""
    steps = tmp_path / "submit.sh"
    text = f"""\
        #!/bin/sh
        set -e
        cd "{tmp_path}"
        S=$(sbatch --parsable --requeue --output=out job.sh ./worker log 2 0)
        A=$(sbatch --parsable --requeue --output=/dev/null --array=0-3 --dependency=afterok:"$S" \\
            --kill-on-invalid-dep=yes --wrap='echo end >> array')
        E=$(sbatch --parsable --output=/dev/null --dependency=afterok:"$A" --kill-on-invalid-dep=yes \\
            --wrap='cp array after')
        echo "$S $A $E"
        """
    steps.write_text(textwrap.dedent(text), encoding="utf-8")
    (tmp_path / "job.sh").write_text(REFERENCE.read_text(encoding="utf-8"), encoding="utf-8")
    (tmp_path / "worker").write_text(PASSING, encoding="utf-8")
    (tmp_path / "worker").chmod(0o755)
    first, array, last = cluster.run("sh", str(steps)).split()
    cluster.wait()
    states = cluster.states()
    assert {states[key] for key in (first, last, *(f"{array}_{task}" for task in range(4)))} == {("COMPLETED", 0)}
    assert log(tmp_path) == ["run", "run", "end"]
    assert (tmp_path / "after").read_text(encoding="utf-8").split() == ["end"] * 4


@pytest.mark.parametrize("code", [1, 2, 3, 4, 70])
def test_a_failure_ends_the_chain(cluster: Cluster, tmp_path: Path, code: int) -> None:
    first = submit(cluster, tmp_path, runs=1, code=code)
    valid = "--kill-on-invalid-dep=yes"
    array = wrapped(cluster, "--array=0-3", f"--dependency=afterok:{first}", valid)
    last = wrapped(cluster, f"--dependency=afterok:{array}", valid)
    cluster.wait()
    states = cluster.states()
    assert states[first] == ("FAILED", code)
    assert log(tmp_path) == ["run", "end"]
    assert {states[f"{array}_{task}"][0] for task in range(4)} == {"CANCELLED"}
    assert states[last][0] == "CANCELLED"


def test_a_temporary_failure_is_tried_again(cluster: Cluster, tmp_path: Path) -> None:
    job = submit(cluster, tmp_path, runs=3, worker=PASSING)
    cluster.wait()
    assert log(tmp_path) == ["run", "run", "run", "end"]
    assert cluster.states()[job] == ("COMPLETED", 0)


def test_a_killed_worker_is_started_again(cluster: Cluster, tmp_path: Path) -> None:
    job = submit(cluster, tmp_path)
    wait_for_log(cluster, tmp_path, "run")
    cluster.kill(job, "worker")
    cluster.wait()
    assert log(tmp_path) == ["run", "run", "end"]
    assert cluster.states()[job] == ("COMPLETED", 0)
    assert "ended with 137" in (tmp_path / "out").read_text(encoding="utf-8")


def test_a_job_is_not_repeated_for_ever(cluster: Cluster, tmp_path: Path) -> None:
    job = submit(cluster, tmp_path, "--export=ALL,DOLLOP_TRIES=2", worker="#!/bin/sh\necho run >> $1\nkill -9 $$\n")
    cluster.wait()
    assert log(tmp_path) == ["run"] * 3
    assert cluster.states()[job] == ("FAILED", 137)


@pytest.mark.parametrize("partition", ["low", "abrupt"])
def test_giving_way(cluster: Cluster, tmp_path: Path, partition: str) -> None:
    # Without notice Slurm guarantees no signal before it kills: on a busy machine the signal may be missing once, but
    # not always.
    for chance in range(3 if partition == "abrupt" else 1):
        folder = tmp_path / str(chance)
        folder.mkdir()
        job = submit(cluster, folder, f"--partition={partition}")
        wait_for_log(cluster, folder, "run")
        give_way(cluster)
        cluster.wait()
        assert cluster.states()[job] == ("COMPLETED", 0)
        if log(folder) != ["run", "run", "end"]:
            break
    assert log(folder) == ["run", "told", "checkpoint", "run", "end"]


def test_giving_way_where_only_term_is_sent(tmp_path: Path) -> None:
    """All processes of the job receive it after the half minute, ten seconds (KillWait) before they are killed."""
    with Cluster(tmp_path / "slurm", more="") as cluster:
        job = submit(cluster, tmp_path)
        wait_for_log(cluster, tmp_path, "run")
        give_way(cluster)
        cluster.wait()
        assert log(tmp_path) == ["run", "told", "checkpoint", "run", "end"]
        assert cluster.states()[job] == ("COMPLETED", 0)


def test_time_limit(cluster: Cluster, tmp_path: Path) -> None:
    """The shortest limit is a minute."""
    job = submit(cluster, tmp_path, "--time=1")
    cluster.wait()
    assert log(tmp_path) == ["run", "told", "checkpoint", "run", "end"]
    assert cluster.states()[job] == ("COMPLETED", 0)


def test_loss_of_the_node(cluster: Cluster, tmp_path: Path) -> None:
    job = submit(cluster, tmp_path)
    wait_for_log(cluster, tmp_path, "run")
    cluster.lose_node()
    cluster.wait()
    assert log(tmp_path) == ["run", "run", "end"]
    assert cluster.states()[job] == ("COMPLETED", 0)


def test_cancelled_jobs_stay_so(cluster: Cluster, tmp_path: Path) -> None:
    job = submit(cluster, tmp_path)
    wait_for_log(cluster, tmp_path, "run")
    cluster.run("scancel", job)
    cluster.wait()
    assert log(tmp_path) == ["run", "told", "checkpoint"]
    assert cluster.states()[job][0] == "CANCELLED"


def test_a_signal_of_the_user_is_a_stop(cluster: Cluster, tmp_path: Path) -> None:
    """The user can request a checkpoint."""
    job = submit(cluster, tmp_path)
    wait_for_log(cluster, tmp_path, "run")
    cluster.run("scancel", "--batch", "--signal=USR1", job)
    cluster.wait()
    assert log(tmp_path) == ["run", "told", "checkpoint", "run", "end"]
    assert cluster.states()[job] == ("COMPLETED", 0)


def test_tasks_of_an_array_are_queued_again_alone(cluster: Cluster, tmp_path: Path) -> None:
    array = submit(cluster, tmp_path, "--array=0-3", worker=PASSING)
    cluster.wait()
    assert [log(tmp_path, task) for task in range(4)] == [["run", "run", "end"]] * 4
    assert {cluster.states()[f"{array}_{task}"] for task in range(4)} == {("COMPLETED", 0)}
