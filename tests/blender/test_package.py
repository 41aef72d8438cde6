# SPDX-FileCopyrightText: 2026 The Dollop founders
# SPDX-License-Identifier: GPL-3.0-or-later
"""The extension is built, validated, installed and used."""

from __future__ import annotations

import platform
import subprocess
import sys
import zipfile
from pathlib import Path

from conftest import HERE, call
from files import fake_solver

sys.path.insert(0, str(HERE.parents[1] / "tools"))

import package_addon


def test_a_solver_for_another_platform_is_refused(tmp_path: Path) -> None:
    arm = tmp_path / "dollop"
    arm.write_bytes(b"\x7fELF\x02\x01\x01" + bytes(9) + b"\x03\x00\xb7\x00")
    assert package_addon.is_for_linux_x64(Path(sys.executable)) == (platform.machine() == "x86_64")
    script = Path(package_addon.__file__)
    command = [sys.executable, str(script), "--binary", str(arm), "--output", str(tmp_path / "dist")]
    ended = subprocess.run(command, capture_output=True, text=True, check=False)
    assert ended.returncode != 0 and "no program for Linux on x64" in ended.stderr and not (tmp_path / "dist").exists()


def test_package_is_built_installed_and_used(blender: str, tmp_path: Path) -> None:
    package = package_addon.build(fake_solver(tmp_path), tmp_path / "dist", package_addon.module_tool(blender))
    names = zipfile.ZipFile(package).namelist()
    assert {"blender_manifest.toml", "schema.json", "LICENSE", "bin/dollop"} <= set(names)
    assert not [name for name in names if "__pycache__" in name or name.startswith("test")]
    call(blender, "cases.package:install", tmp_path)
    call(blender, "cases.package:bake_with_installed", tmp_path)
