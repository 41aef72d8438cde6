# SPDX-FileCopyrightText: 2026 The Dollop founders
# SPDX-License-Identifier: GPL-3.0-or-later
"""Builds the extension with the solver in it, and validates it: `python tools/package_addon.py`.

Needs a Blender: either `--blender PATH`, or a Python that has the bpy module (`--python PATH`, by default this one).
The solver is built with cargo unless `--binary PATH` names one.
"""

from __future__ import annotations

import argparse
import shutil
import subprocess
import sys
import tempfile
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
ADDON = ROOT / "addon"
_TOOL = "/scripts/addons_core/bl_pkg/cli/blender_ext.py"
_FIND_TOOL = f"import bpy; print('TOOL', bpy.utils.resource_path('LOCAL') + {_TOOL!r})"
_IGNORED = shutil.ignore_patterns("__pycache__", "*.pyc", "bin", ".*")


def main() -> int:
    options = _options()
    binary = options.binary or _built_solver()
    if not is_for_linux_x64(binary):
        sys.exit(f"error: {binary} is no program for Linux on x64, the one platform the extension is packaged for")
    package = build(binary, options.output, _tool(options))
    print(package)
    return 0


def build(binary: Path, output: Path, tool: list[str]) -> Path:
    """Builds and validates the zip in the folder `output`; returns its path."""
    manifest = tomllib.loads((ADDON / "blender_manifest.toml").read_text(encoding="utf-8"))
    output.mkdir(parents=True, exist_ok=True)
    package = output / f"{manifest['id']}-{manifest['version']}-{manifest['platforms'][0]}.zip"
    with tempfile.TemporaryDirectory() as temporary:
        source = Path(temporary) / manifest["id"]
        shutil.copytree(ADDON, source, ignore=_IGNORED)
        (source / "bin").mkdir()
        shutil.copy2(binary, source / "bin" / binary.name)
        _stripped(source / "bin" / binary.name)
        _run([*tool, "build", "--source-dir", str(source), "--output-filepath", str(package)])
    _run([*tool, "validate", str(package)])
    return package


def is_for_linux_x64(binary: Path) -> bool:
    """Reads the head of an ELF file: 64 bits, little-endian, machine 62."""
    head = binary.read_bytes()[:20]
    return head[:6] == b"\x7fELF\x02\x01" and head[18:20] == b"\x3e\x00"


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--binary", type=Path, help="solver to put in (default: cargo build --release)")
    parser.add_argument("--output", type=Path, default=ROOT / "dist", help="folder for the zip (default: dist)")
    parser.add_argument("--blender", help="Blender to build with")
    parser.add_argument("--python", default=sys.executable, help="Python with the bpy module to build with")
    return parser.parse_args()


def _built_solver() -> Path:
    _run(["cargo", "build", "--release", "--package", "dollop"], cwd=ROOT)
    return ROOT / "target" / "release" / ("dollop.exe" if sys.platform == "win32" else "dollop")


def _tool(options: argparse.Namespace) -> list[str]:
    """The start of a command line for Blender's own extension tool."""
    if options.blender:
        return [options.blender, "--command", "extension"]
    return module_tool(options.python)


def module_tool(python: str) -> list[str]:
    """The tool that comes with the bpy module of `python`."""
    said = subprocess.run([python, "-c", _FIND_TOOL], check=True, capture_output=True, text=True).stdout
    return [python, next(line.removeprefix("TOOL ") for line in said.splitlines() if line.startswith("TOOL "))]


def _stripped(binary: Path) -> None:
    """Removes debug information, if the tool for it is installed."""
    strip = shutil.which("strip")
    if strip and binary.read_bytes()[:4] == b"\x7fELF":
        _run([strip, "--strip-debug", str(binary)])


def _run(command: list[str], cwd: Path | None = None) -> None:
    subprocess.run(command, check=True, cwd=cwd)


if __name__ == "__main__":
    sys.exit(main())
