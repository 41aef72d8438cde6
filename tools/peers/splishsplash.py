# SPDX-FileCopyrightText: 2026 The Dollop founders
# SPDX-License-Identifier: MIT OR Apache-2.0
"""Installs SPlisHSPlasH, and writes the block in a tank in the format of its scenes.

Version 2.18.1 is installed from PyPI into `build/peers`. Its bundled graphics libraries, with which it crashes at
import, are replaced by links to the system's.
"""

from __future__ import annotations

import json
import subprocess
import sys
import venv
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from baking import BLOCK, ROOT, TANK

FOLDER = ROOT / "build" / "peers"
PACKAGE = "pysplishsplash==2.18.1"
BUNDLED = ("GLX", "GLdispatch", "OpenGL")
# Density of its liquid, kg/m^3.
DENSITY = 1000
# It fills the block on its own lattice, which takes more room: the same number of particles is 4.5 % closer in it.
CLOSER = 1.15
BOX = ((1, 3, 4, 2), (5, 6, 8, 7), (1, 2, 6, 5), (3, 7, 8, 4), (1, 5, 7, 3), (2, 4, 8, 6))


def install() -> Path:
    """The Python with SPlisHSPlasH."""
    python = FOLDER / "bin" / "python"
    # Written last, so that an installation that was cut is made again.
    complete = FOLDER / "complete"
    if not complete.exists():
        print(f"installing {PACKAGE} into {FOLDER}", file=sys.stderr)
        try:
            venv.create(FOLDER, with_pip=True)
            subprocess.run([python, "-m", "pip", "install", "-q", PACKAGE], check=True)
        except (OSError, subprocess.CalledProcessError) as error:
            raise SystemExit(f"{PACKAGE} cannot be installed: {error}") from None
        for folder in FOLDER.glob("lib/python*/site-packages/pysplishsplash.libs"):
            mend(folder)
        complete.write_text(PACKAGE)
    return python


def mend(folder: Path) -> None:
    """Links the system's graphics libraries in place of the bundled ones."""
    for name in BUNDLED:
        library = Path(f"/usr/lib/x86_64-linux-gnu/lib{name}.so.0")
        if not library.exists():
            raise SystemExit(f"SPlisHSPlasH needs {library}: apt-get install libgl1 libopengl0")
        for bundled in folder.glob(f"lib{name}-*.so*"):
            bundled.unlink()
            bundled.symlink_to(library)


def write_scene(spacing: float, settings: dict[str, Any], material: dict[str, Any]) -> Path:
    """A scene of the block in the tank; y is up."""
    radius = spacing / 2
    width, depth, height = TANK
    write_box(FOLDER / "box.obj")
    common = {
        "particleRadius": radius,
        "density0": DENSITY,
        "gravitation": [0, -9.81, 0],
        "boundaryHandlingMethod": 0,
    }
    wall = {
        "geometryFile": str(FOLDER / "box.obj"),
        "translation": [0, height / 2, 0],
        "scale": [edge + 2 * radius for edge in (width, height, depth)],
        "isDynamic": False,
        "isWall": True,
        "mapInvert": True,
    }
    water = {
        "denseMode": 0,
        "start": [-width / 2 + radius, radius, -depth / 2 + radius],
        "end": [-width / 2 + BLOCK[0] - radius, BLOCK[2] - radius, -depth / 2 + BLOCK[1] - radius],
        "translation": [0, 0, 0],
    }
    scene = {
        "Configuration": {**common, **settings},
        "RigidBodies": [wall],
        "Materials": [{"id": "Fluid", **material}],
        "FluidBlocks": [water],
    }
    path = FOLDER / "scene.json"
    path.write_text(json.dumps(scene))
    return path


def write_box(path: Path) -> None:
    """A cube with edges of 1 m around the origin."""
    corners = [(x, y, z) for z in (-0.5, 0.5) for y in (-0.5, 0.5) for x in (-0.5, 0.5)]
    lines = [f"v {x} {y} {z}" for x, y, z in corners]
    lines += [f"f {a} {b} {c}\nf {a} {c} {d}" for a, b, c, d in BOX]
    path.write_text("\n".join(lines) + "\n")
