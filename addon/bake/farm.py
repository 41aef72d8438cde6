# SPDX-FileCopyrightText: 2026 The Dollop founders
# SPDX-License-Identifier: GPL-3.0-or-later
"""Jobs for render farms: how to ask the solver for a job, and data of a written job.

bake_0001/farm_job.json       the solver's report on the job
bake_0001/cache/farm/         the job itself
bake_0001/cache/              the farm's output; each of several bakes has its own folder
"""

from __future__ import annotations

import functools
import json
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from . import folders

_RECORD = "farm_job.json"
_SIMULATED = Path("done") / "simulate.json"
# The place of an error: `bodies[0].material.stiffness`.
_PLACE = re.compile(r"([a-z_]+(?:\[\d+\]|\.[a-z_]+)*): (.*)", re.DOTALL)


@dataclass(frozen=True)
class Wishes:
    """The wishes for a job. `wedges` are settings with their values, `setting=1,2`; `render` the file to render, or
    none; for empty commands the solver uses its own."""

    engine: str
    segment: int
    chunk: int
    wedges: tuple[str, ...] = ()
    render: Path | None = None
    dollop: str = ""
    blender: str = ""


@dataclass(frozen=True)
class Bake:
    """One bake of a job; `name` lists its settings, and is empty if it is the only bake."""

    name: str
    cache: Path

    @property
    def is_simulated(self) -> bool:
        """Whether all frames are simulated; meshes and volumes may still be missing."""
        return (self.cache / _SIMULATED).is_file()


@dataclass(frozen=True)
class Job:
    """A written job. `file` is submitted by the command `submit`."""

    file: Path
    submit: str
    bakes: tuple[Bake, ...]


def job_command(binary: Path, scene: Path, cache: Path, wishes: Wishes) -> list[str]:
    """Writes a job into `cache` and prints the text for `record`."""
    command = [str(binary), "farm", wishes.engine, str(scene), "--cache", str(cache), "--json"]
    command += ["--segment", str(wishes.segment), "--chunk", str(wishes.chunk)]
    command += [f"--wedge={wedge}" for wedge in wishes.wedges]
    named = (("--render", wishes.render), ("--dollop", wishes.dollop), ("--blender", wishes.blender))
    return command + [f"{name}={value}" for name, value in named if value]


def wedge(setting: str, values: str) -> str:
    """A setting and its values in the solver's notation. Raises `ValueError` if one is missing."""
    setting, parts = setting.strip(), [part.strip() for part in values.split(",")]
    if not setting or not all(parts):
        raise ValueError(
            f"A wedge needs a setting and its values, as bodies[0].material.stiffness and 50, 100; "
            f"one has {setting or 'none'!r} and {values.strip() or 'none'!r}"
        )
    return f"{setting}={','.join(parts)}"


def record(folder: Path, printed: str) -> Job:
    """Stores the solver's report on a job in the bake folder. Raises `ValueError`."""
    job = _job(folder, json.loads(printed))
    (folder / _RECORD).write_text(printed, encoding="utf-8")
    return job


def read(folder: Path) -> Job | None:
    """The job in a bake folder; None if it has none. Fast enough for a panel."""
    try:
        return _read(folder, (folder / _RECORD).stat().st_mtime_ns)
    except (OSError, ValueError):
        return None


@functools.lru_cache(maxsize=16)
def _read(folder: Path, _changed: int) -> Job:
    return _job(folder, json.loads((folder / _RECORD).read_text(encoding="utf-8")))


def _job(folder: Path, document: Any) -> Job:
    try:
        root = folder / folders.CACHE
        # By their names, as the folder may have been moved since.
        bakes = tuple(Bake(found["name"], root / Path(found["cache"]).name if found["name"] else root)
                      for found in document["caches"])  # fmt: skip
        return Job(Path(document["job"]), str(document["submit"]), bakes)
    except (KeyError, TypeError) as error:
        raise ValueError(f"What the solver told of the job cannot be read: {error!r}") from error


def complaint(told: str, scene: Path) -> tuple[str, str]:
    """The message of a solver error, and its place in the scene file, if it has one."""
    _, _, text = told.rpartition("error: ") if "error: " in told else ("", "", told)
    lines = [line.strip().removeprefix("help: ") for line in text.splitlines() if line.strip()]
    message = "\n".join(lines).removeprefix(f"{scene}: ")
    found = _PLACE.fullmatch(message)
    if found is None or found[2].startswith("with "):
        # An error of a wedge, whose settings the user wrote in the notation of the scene file.
        return message, ""
    return found[2], found[1]
