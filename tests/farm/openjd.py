# SPDX-FileCopyrightText: 2026 The Dollop founders
# SPDX-License-Identifier: GPL-3.0-or-later
"""Runs OpenJD templates by the command `openjd`, named by DOLLOP_OPENJD or beside this Python or in the PATH.

This module hides the package of the same name from the Python that imports it, which does not need it.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple


class Ended(NamedTuple):
    code: int
    output: str

    def values(self, word: str) -> list[str]:
        """The values that the tasks printed after `word=`, in order."""
        return [line.split(f"{word}=", 1)[1].strip() for line in self.output.splitlines() if f"\t{word}=" in line]


def program() -> str | None:
    beside = Path(sys.executable).with_name("openjd")
    return os.environ.get("DOLLOP_OPENJD") or (str(beside) if beside.is_file() else shutil.which("openjd"))


def check(template: Path) -> Ended:
    return call("check", str(template))


def summary(template: Path, step: str | None = None, **parameters: str) -> Ended:
    return call("summary", str(template), *options(step, parameters))


def run(template: Path, step: str | None = None, **parameters: str) -> Ended:
    """Runs one step after its dependencies, or all steps."""
    needed = ["--run-dependencies"] if step else []
    return call("run", str(template), *options(step, parameters), *needed)


def options(step: str | None, parameters: dict[str, str]) -> list[str]:
    given = [f"--job-param={name}={value}" for name, value in parameters.items()]
    return [*(["--step", step] if step else []), *given]


def call(*arguments: str, timeout: float = 300) -> Ended:
    found = program()
    assert found, "openjd is not there"
    ended = subprocess.run(
        [found, *arguments],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=timeout,
        check=False,
    )
    return Ended(ended.returncode, ended.stdout)
