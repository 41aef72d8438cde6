# SPDX-FileCopyrightText: 2026 The Dollop founders
# SPDX-License-Identifier: GPL-3.0-or-later
"""Which Blenders to test in: DOLLOP_BPY_PYTHONS names Pythons with the bpy module, separated as in PATH."""

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
    """Calls the function `module:name` with `folder` in a Blender of its own, which has a home of its own."""
    run([python, str(HERE / "inside.py"), target, str(folder)], folder, **environment)


def run(command: list[str], folder: Path, **environment: str) -> None:
    """Runs a command with Blender in it; the test fails where the command does."""
    home = folder / "home"
    home.mkdir(exist_ok=True)
    clean = {key: value for key, value in os.environ.items() if not key.startswith(("BLENDER_", "XDG_", "PYTHON"))}
    ended = subprocess.run(
        command,
        env={**clean, "HOME": str(home), **environment},
        cwd=folder,
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    if ended.returncode != 0:
        told = f"{' '.join(command)} ended with {ended.returncode}\n{ended.stdout}\n{ended.stderr}"
        pytest.fail(told, pytrace=False)


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    if "blender" in metafunc.fixturenames:
        pythons = blender_pythons()
        absent = [pytest.param("", marks=pytest.mark.skip("no Python with bpy: set DOLLOP_BPY_PYTHONS"))]
        metafunc.parametrize("blender", pythons or absent, ids=[Path(p).parents[1].name for p in pythons] or ["none"])
