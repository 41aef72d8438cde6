# SPDX-FileCopyrightText: 2026 The Dollop founders
# SPDX-License-Identifier: GPL-3.0-or-later
"""A Slurm cluster of this one machine for the tests, in its own folder: munged, slurmctld and slurmd, run as root.

Three partitions take jobs: `low` (the default one), whose jobs are told half a minute before they give way, `abrupt`,
whose jobs are killed at once, and `high`, whose jobs both give way to. A job that gives way is queued again.
"""

from __future__ import annotations

import contextlib
import os
import re
import shutil
import signal
import socket
import subprocess
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

DAEMONS = ("munged", "slurmctld", "slurmd")
# The PATH of ordinary users lacks these folders.
ADMINISTRATION = ("/usr/sbin", "/usr/local/sbin", "/sbin")
CONFIGURATION = """\
ClusterName=dollop
SlurmctldHost={host}(127.0.0.1)
SlurmctldPort={controller}
SlurmdPort={worker}
SlurmUser=root
SlurmdUser=root
AuthType=auth/munge
AuthInfo=socket={folder}/munge.socket
CredType=cred/munge
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/slurmd.pid
SlurmctldLogFile={folder}/slurmctld.log
SlurmdLogFile={folder}/slurmd.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
MpiDefault=none
SwitchType=switch/none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
SchedulerType=sched/backfill
SchedulerParameters=sched_interval=1,bf_interval=1,sched_min_interval=100000,default_queue_depth=1000
PriorityType=priority/basic
ReturnToService=2
RequeueExit=75
KillWait=10
BatchStartTimeout=1
MinJobAge=86400
MessageTimeout=20
SlurmdTimeout=300
PreemptType=preempt/partition_prio
PreemptMode=REQUEUE
{more}
NodeName={host} NodeAddr=127.0.0.1 CPUs=2 State=UNKNOWN
PartitionName=low Nodes={host} Default=YES PriorityTier=1 PreemptMode=REQUEUE GraceTime=30 State=UP MaxTime=INFINITE
PartitionName=abrupt Nodes={host} PriorityTier=1 PreemptMode=REQUEUE GraceTime=0 State=UP MaxTime=INFINITE
PartitionName=high Nodes={host} PriorityTier=9 PreemptMode=OFF State=UP MaxTime=INFINITE
"""
# Warns a job that gives way by the signal from its --signal option; without this setting of the farm, by SIGTERM.
ASKED_SIGNAL = "SlurmctldParameters=preempt_send_user_signal"


class Job(NamedTuple):
    """Slurm's data on a job, or on one task of an array."""

    state: str
    code: int
    signal: int
    restarts: int
    reason: str
    number: int


class ClusterError(Exception):
    pass


def missing() -> list[str]:
    """The reasons why Slurm cannot be started here; empty if it can."""
    if os.geteuid() != 0:
        return ["the rights of root"]
    return [program for program in (*DAEMONS, "sbatch", "scontrol", "squeue", "setpriv") if not program_path(program)]


def program_path(program: str) -> str | None:
    return shutil.which(program, path=os.pathsep.join([os.environ.get("PATH", ""), *ADMINISTRATION]))


NEEDS_SLURM = [
    # One at a time: there are two processors.
    pytest.mark.xdist_group("slurm"),
    pytest.mark.skipif(bool(missing()), reason=f"no Slurm can be started: {missing()}"),
]


class Cluster:
    """Use as a context: at its exit all started processes have ended, jobs too."""

    def __init__(self, folder: Path, more: str = ASKED_SIGNAL) -> None:
        self.folder = folder
        self.configuration = folder / "slurm.conf"
        # Without the caller's variables, as the tests may run inside a job of another Slurm.
        own = {key: value for key, value in os.environ.items() if not key.startswith(("SLURM_", "SBATCH_", "MUNGE_"))}
        self.environment = {**own, "SLURM_CONF": str(self.configuration)}
        self.daemons: dict[str, subprocess.Popen] = {}
        self.more = more
        self.port = 0
        # The time when a job was first seen waiting for its next start.
        self.queued_again: dict[tuple[str, int], float] = {}

    def __enter__(self) -> Cluster:
        try:
            self.start()
        except BaseException:
            self.stop()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    def start(self) -> None:
        lacking = missing()
        if lacking:
            raise ClusterError(f"a Slurm cannot be started without {', '.join(lacking)}")
        for name in ("state", "spool"):
            (self.folder / name).mkdir(parents=True)
        key = self.folder / "munge.key"
        key.write_bytes(os.urandom(128))
        key.chmod(0o400)
        controller, self.port = free_ports(2)
        self.configuration.write_text(
            CONFIGURATION.format(
                host=socket.gethostname().split(".")[0],
                controller=controller,
                worker=self.port,
                folder=self.folder,
                more=self.more,
            ),
            encoding="utf-8",
        )
        self.start_munged(key)
        self.launch("slurmctld", "-D", "-f", str(self.configuration))
        self.start_slurmd()
        self.until(self.idle, 30, "the node to be idle")

    def start_munged(self, key: Path) -> None:
        where = {"socket": "munge.socket", "pid-file": "munged.pid", "log-file": "munged.log", "seed-file": "seed"}
        options = [f"--{option}={self.folder / name}" for option, name in where.items()]
        self.launch("munged", "--foreground", "--force", f"--key-file={key}", "--num-threads=2", *options)
        self.until((self.folder / "munge.socket").exists, 10, "munged")

    def start_slurmd(self) -> None:
        self.launch("slurmd", "-D", "-f", str(self.configuration))

    def launch(self, daemon: str, *arguments: str) -> None:
        """A daemon in the foreground, which ends with this process."""
        path = program_path(daemon)
        assert path
        with (self.folder / f"{daemon}.out").open("ab") as output:
            self.daemons[daemon] = subprocess.Popen(
                ["setpriv", "--pdeathsig", "KILL", path, *arguments],
                env=self.environment,
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )

    def idle(self) -> bool:
        try:
            return self.run("sinfo", "--noheader", "--format=%T", "--partition=low").strip() == "idle"
        except ClusterError:
            return False

    def until(self, done: Callable[[], bool], timeout: float, what: str) -> None:
        """Waits for a condition; after a timeout, the error contains the logs of the daemons and of Slurm."""
        end = time.monotonic() + timeout
        while not done():
            dead = [name for name, daemon in self.daemons.items() if daemon.poll() is not None]
            if dead or time.monotonic() > end:
                raise ClusterError(f"waited for {what}; ended: {', '.join(dead) or 'none'}\n{self.logs()}")
            time.sleep(0.1)

    def logs(self) -> str:
        """The last lines of the daemons."""
        tails = []
        for path in sorted([*self.folder.glob("*.out"), *self.folder.glob("*.log")]):
            lines = path.read_text(encoding="utf-8", errors="replace").splitlines()
            if lines:
                tails.append("\n".join([f"--- {path.name}", *lines[-15:]]))
        return "\n".join(tails)

    def run(self, *command: str, cwd: Path | None = None) -> str:
        """The output of a command of Slurm, or of a script that calls such commands."""
        ended = subprocess.run(
            command, env=self.environment, cwd=cwd, capture_output=True, text=True, timeout=120, check=False
        )
        if ended.returncode != 0:
            raise ClusterError(f"{' '.join(command)} ended with {ended.returncode}\n{ended.stdout}{ended.stderr}")
        return ended.stdout

    def jobs(self) -> dict[str, Job]:
        """All jobs so far by their id, finished ones too; a task of an array is `12_3`."""
        found = {}
        shown = self.run("scontrol", "show", "job", "--oneliner") if self.queue(all_states=True) else ""
        for line in shown.splitlines():
            fields = dict(re.findall(r"(\w+)=(\S*)", line))
            code, by_signal = (int(number) for number in fields["ExitCode"].split(":"))
            job = Job(
                fields["JobState"], code, by_signal, int(fields["Restarts"]), fields["Reason"], int(fields["JobId"])
            )
            for key in keys(fields):
                found[key] = job
        return found

    def states(self) -> dict[str, tuple[str, int]]:
        """The state and the exit code by id."""
        return {key: (job.state, job.code) for key, job in self.jobs().items()}

    def queue(self, all_states: bool = False) -> list[str]:
        """The ids of the unfinished jobs."""
        states = ["--states=all"] if all_states else []
        return self.run("squeue", "--noheader", "--array", "--format=%i", *states).split()

    def wait(self, timeout: float = 120) -> None:
        """Waits until no job is left. Slurm delays a job that is queued again by two minutes, which this skips."""

        def empty() -> bool:
            self.nudge()
            return not self.queue()

        self.until(empty, timeout, "the queue to be empty")

    def nudge(self) -> None:
        """Starts jobs that are queued again, but not at once: Slurm has revoked the credentials of that very moment."""
        for key, job in self.jobs().items():
            if job.state != "PENDING" or job.reason != "BeginTime":
                continue
            since = self.queued_again.setdefault((key, job.restarts), time.monotonic())
            if time.monotonic() > since + 2.5:
                # It may have started meanwhile.
                with contextlib.suppress(ClusterError):
                    self.run("scontrol", "update", f"jobid={key}", "StartTime=now")

    def wait_for(self, key: str, state: str, timeout: float = 60) -> None:
        """Waits until a job is in a state."""

        def reached() -> bool:
            self.nudge()
            job = self.jobs().get(key)
            return job is not None and job.state == state

        self.until(reached, timeout, f"job {key} to be {state}")

    def processes(self, key: str | None = None) -> list[int]:
        """The processes of a job's script, or of all jobs: children after their parents."""
        found = []
        for number in pids():
            variables = environment(number)
            if variables.get("SLURM_CONF") != str(self.configuration) or "SLURM_JOB_ID" not in variables:
                continue
            if key in (None, variables["SLURM_JOB_ID"], task_key(variables)):
                found.append(number)
        return sorted(found)

    def keepers(self, key: str | None = None) -> list[int]:
        """The slurmstepd of a job, or of all jobs."""
        title = f"slurmstepd: [{self.jobs()[key].number}." if key else ""
        return sorted(
            pid
            for pid in pids()
            if executable(pid).startswith("slurmstepd")
            and environment(pid).get("SLURM_CONF") == str(self.configuration)
            and command_line(pid).startswith(title)
        )

    def kill(self, key: str, name: str) -> None:
        """kill -9 for the processes named `name` that the script of a job started."""
        chosen = [pid for pid in self.processes(key) if name in command_line(pid) and not is_script(pid)]
        if not chosen:
            told = [command_line(pid) for pid in self.processes(key)]
            raise ClusterError(f"job {key} has no process {name}, but {told}")
        for pid in chosen:
            strike(pid)

    def lose_node(self) -> None:
        """The whole node dies at once and comes back: Slurm learns from the node's report that its jobs are gone."""
        before = {key: job.restarts for key, job in self.jobs().items() if job.state == "RUNNING"}
        self.end("slurmd", signal.SIGKILL)
        self.strike_jobs()
        self.start_slurmd()
        self.until(self.listens, 30, "the node to be back")

        def noticed() -> bool:
            # Makes the node report its jobs again.
            self.daemons["slurmd"].send_signal(signal.SIGHUP)
            time.sleep(1)
            now = self.jobs()
            return all(now[key].state != "RUNNING" or now[key].restarts > count for key, count in before.items())

        self.until(noticed, 60, "the loss of the node to be noticed")

    def listens(self) -> bool:
        with socket.socket() as caller:
            return caller.connect_ex(("127.0.0.1", self.port)) == 0

    def strike_jobs(self) -> None:
        """kill -9 for all jobs and their slurmstepd, until none is left."""
        for _ in range(100):
            left = [*self.keepers(), *self.processes()]
            if not left:
                return
            for pid in left:
                strike(pid)
            time.sleep(0.02)

    def clear(self) -> None:
        """Removes all jobs, as at the start."""
        left = self.queue()
        if left:
            self.run("scancel", *left)
            self.strike_jobs()
        self.until(self.idle, 60, "the node to be idle")

    def stop(self) -> None:
        # The controller first, so that it starts nothing more.
        for daemon in ("slurmctld", "slurmd"):
            self.end(daemon, signal.SIGKILL)
        self.strike_jobs()
        self.end("munged", signal.SIGTERM)

    def end(self, daemon: str, how: signal.Signals) -> None:
        process = self.daemons.pop(daemon, None)
        if process is None:
            return
        process.send_signal(how)
        try:
            process.wait(5)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


def keys(fields: dict[str, str]) -> Iterator[str]:
    """The job ids in one line of `scontrol show job`: waiting tasks of an array share a line."""
    if "ArrayTaskId" not in fields:
        yield fields["JobId"]
        return
    tasks = fields["ArrayTaskId"].split("%")[0]
    for part in tasks.split(","):
        first, _, last = part.partition("-")
        last, _, step = last.partition(":")
        for task in range(int(first), int(last or first) + 1, int(step or 1)):
            yield f"{fields['ArrayJobId']}_{task}"


def task_key(variables: dict[str, str]) -> str:
    return f"{variables.get('SLURM_ARRAY_JOB_ID')}_{variables.get('SLURM_ARRAY_TASK_ID')}"


def free_ports(count: int) -> list[int]:
    """Unused ports, all different."""
    sockets = [socket.socket() for _ in range(count)]
    try:
        for each in sockets:
            each.bind(("127.0.0.1", 0))
        return [each.getsockname()[1] for each in sockets]
    finally:
        for each in sockets:
            each.close()


def pids() -> list[int]:
    return [int(path.name) for path in Path("/proc").iterdir() if path.name.isdigit()]


def environment(pid: int) -> dict[str, str]:
    """The variables of a process; empty if it has just ended."""
    try:
        told = Path(f"/proc/{pid}/environ").read_bytes().decode(errors="replace")
    except OSError:
        return {}
    return dict(variable.split("=", 1) for variable in told.split("\0") if "=" in variable)


def command_line(pid: int) -> str:
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace").strip()
    except OSError:
        return ""


def is_script(pid: int) -> bool:
    """Whether it is the script of a job, which Slurm runs under this name."""
    return "/slurm_script" in command_line(pid)


def executable(pid: int) -> str:
    try:
        return Path(f"/proc/{pid}/exe").readlink().name
    except OSError:
        return ""


def strike(pid: int) -> None:
    with contextlib.suppress(ProcessLookupError):
        os.kill(pid, signal.SIGKILL)
