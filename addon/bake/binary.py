# SPDX-FileCopyrightText: 2026 The Dollop founders
# SPDX-License-Identifier: GPL-3.0-or-later
"""Finds the solver."""

from __future__ import annotations

import os
import stat
from collections.abc import Mapping
from pathlib import Path

VARIABLE = "DOLLOP_BINARY"
NAME = "dollop.exe" if os.name == "nt" else "dollop"


class BinaryError(RuntimeError):
    """There is no solver to run; the message names the searched places and a remedy."""


def find(package: Path, preference: str, environment: Mapping[str, str]) -> Path:
    """The solver's path: the preference, else the environment, else the package's own. Made executable if needed."""
    for source, value in (("the preferences", preference), (VARIABLE, environment.get(VARIABLE, ""))):
        if value:
            return _executable(Path(value), f"The solver named by {source} is not there")
    return _executable(package / "bin" / NAME, "This package carries no solver; name one in the add-on's preferences")


def _executable(path: Path, complaint: str) -> Path:
    if not path.is_file():
        raise BinaryError(f"{complaint}: {path}")
    if not os.access(path, os.X_OK):
        # Blender unpacks extensions without the executable bit.
        try:
            path.chmod(path.stat().st_mode | stat.S_IXUSR | stat.S_IXGRP | stat.S_IXOTH)
        except OSError as error:
            raise BinaryError(f"The solver cannot be made executable: {path}: {error.strerror}") from error
    return path
