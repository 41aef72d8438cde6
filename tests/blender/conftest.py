# SPDX-FileCopyrightText: 2026 The Dollop founders
# SPDX-License-Identifier: GPL-3.0-or-later
"""The Blenders for the tests: DOLLOP_BPY_PYTHONS names Pythons with the bpy module, separated as in PATH."""

from __future__ import annotations

import importlib.util
import os
import subprocess
import sys
from pathlib import Path

import pytest

HERE = Path(__file__).parent
sys.path[:0] = [str(HERE.parents[1]), str(HERE)]


def blender_pythons() -> list[str]:
    named = os.environ.get("DOLLOP_BPY_PYTHONS", "")
    if named:
        return [python for python in named.split(os.pathsep) if python]
    return [sys.executable] if importlib.util.find_spec("bpy") else []


def call(python: str, target: str, folder: Path, **environment: str) -> None:
    """Calls the function `module:name` with `folder` in a new Blender with its own home folder."""
    run([python, str(HERE / "inside.py"), target, str(folder)], folder, **environment)


def run(command: list[str], folder: Path, **environment: str) -> None:
    """Runs a command with Blender in it; the test fails if the command does."""
    ended = subprocess.run(
        command,
        env=clean_environment(folder, environment),
        cwd=folder,
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    if ended.returncode != 0:
        told = f"{' '.join(command)} ended with {ended.returncode}\n{ended.stdout}\n{ended.stderr}"
        pytest.fail(told, pytrace=False)


def clean_environment(folder: Path, more: dict[str, str]) -> dict[str, str]:
    """Without the user's settings, and with a home in `folder`."""
    home = folder / "home"
    home.mkdir(exist_ok=True)
    clean = {key: value for key, value in os.environ.items() if not key.startswith(("BLENDER_", "XDG_", "PYTHON"))}
    return {**clean, "HOME": str(home), **more}


@pytest.fixture
def solver() -> str:
    """The solver of this repository, if it is built: DOLLOP_BINARY, or in target/."""
    target = HERE.parents[1] / "target"
    for path in (os.environ.get("DOLLOP_BINARY", ""), target / "release/dollop", target / "debug/dollop"):
        if path and Path(path).is_file():
            return str(path)
    pytest.skip("the solver is not built")


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    if "blender" in metafunc.fixturenames:
        pythons = blender_pythons()
        absent = [pytest.param("", marks=pytest.mark.skip("no Python with bpy: set DOLLOP_BPY_PYTHONS"))]
        metafunc.parametrize("blender", pythons or absent, ids=[Path(p).parents[1].name for p in pythons] or ["none"])
