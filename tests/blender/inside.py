# SPDX-FileCopyrightText: 2026 The Dollop founders
# SPDX-License-Identifier: GPL-3.0-or-later
"""Runs one function inside Blender: `python inside.py module:name FOLDER`."""

import importlib
import os
import sys
import traceback
from pathlib import Path

# First, as it makes the other modules of Blender importable.
import bpy  # noqa: F401

HERE = Path(__file__).parent
REPOSITORY = HERE.parents[1]
sys.path[:0] = [str(REPOSITORY), str(HERE), str(REPOSITORY / "examples/suzanne-in-a-bowl")]


def main() -> int:
    module, name = sys.argv[1].split(":")
    try:
        getattr(importlib.import_module(module), name)(Path(sys.argv[2]))
    except BaseException:
        traceback.print_exc()
        return 1
    return 0


code = main()
sys.stdout.flush()
sys.stderr.flush()
# Blender 4.5 hangs at exit while handlers are registered.
os._exit(code)
