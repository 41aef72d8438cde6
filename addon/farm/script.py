# SPDX-FileCopyrightText: 2026 The Dollop founders
# SPDX-License-Identifier: GPL-3.0-or-later
"""Runs in another Blender: `blender --python script.py -- FOLDER`, or in a Python with Blender as a module. See
`planning`."""

from __future__ import annotations

import importlib.util
import os
import sys
import traceback
from pathlib import Path

# First, as it makes the other modules of Blender importable.
import bpy  # noqa: F401

_NAME = "dollop_planning"
_PACKAGE = Path(__file__).parents[1]


def main(folder: Path) -> None:
    """Loads this very add-on, whatever version is installed, and plans."""
    found = importlib.util.spec_from_file_location(
        _NAME, _PACKAGE / "__init__.py", submodule_search_locations=[str(_PACKAGE)]
    )
    package = importlib.util.module_from_spec(found)
    sys.modules[_NAME] = package
    found.loader.exec_module(package)
    package.register()
    importlib.import_module(f"{_NAME}.farm.planning").plan(folder)


if __name__ == "__main__":
    code = 0
    try:
        main(Path(sys.argv[sys.argv.index("--") + 1]))
    except BaseException:
        traceback.print_exc()
        code = 1
    sys.stdout.flush()
    sys.stderr.flush()
    # Blender 4.5 as a module hangs at exit while handlers are registered.
    os._exit(code)
