# SPDX-FileCopyrightText: 2026 The Dollop founders
# SPDX-License-Identifier: MIT OR Apache-2.0
"""Runs a program to its end, and tells what it took."""

from __future__ import annotations

import os
import signal
import subprocess
import tempfile
import time
from typing import NamedTuple


class Cost(NamedTuple):
    """What a process took: seconds of the clock, seconds of all its cores, and its largest memory, MB."""

    seconds: float
    cpu: float
    megabytes: float


def measured(command: list[str], threads: int) -> tuple[Cost, str]:
    """Runs a command; returns its cost, and what it printed. Exits with that if the command fails.

    The system counts what this process has held so far as held by the command, too, so it should be little."""
    environment = {**os.environ, "RAYON_NUM_THREADS": str(threads), "OMP_NUM_THREADS": str(threads)}
    # Threads of OpenMP that wait would else count as work, the more so the busier the machine is.
    environment["OMP_WAIT_POLICY"] = "passive"
    # A file, as a pipe that nobody reads would stop what prints much.
    with tempfile.TemporaryFile("w+", errors="replace") as printed:
        begin = time.perf_counter()
        try:
            process = subprocess.Popen(command, env=environment, stdout=printed, stderr=subprocess.STDOUT)
        except OSError as error:
            raise SystemExit(f"{command[0]} cannot be run: {error.strerror}") from None
        # Of this process alone, where `resource` would tell the largest of all so far.
        _, status, usage = os.wait4(process.pid, 0)
        seconds = time.perf_counter() - begin
        process.returncode = os.waitstatus_to_exitcode(status)
        printed.seek(0)
        text = printed.read()
    if process.returncode == -signal.SIGILL:
        raise SystemExit(f"{command[0]} cannot run here: this machine lacks instructions that it was built for")
    if process.returncode:
        raise SystemExit(f"{command[0]} failed with {process.returncode}:\n{text}")
    return Cost(seconds, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024), text
