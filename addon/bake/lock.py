# SPDX-FileCopyrightText: 2026 The Dollop founders
# SPDX-License-Identifier: GPL-3.0-or-later
"""Locks of the operating system on files. They end with the process that holds them, however it ends; the file itself
says nothing. The solver locks its cache folder so, too."""

from __future__ import annotations

import contextlib
import os
from pathlib import Path
from typing import BinaryIO

if os.name == "nt":
    import msvcrt

    def _lock(file: BinaryIO) -> None:
        msvcrt.locking(file.fileno(), msvcrt.LK_NBLCK, 1)
else:
    import fcntl

    def _lock(file: BinaryIO) -> None:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)


def is_held(path: Path) -> bool:
    """Whether somebody holds the lock on a file, or nobody can tell: the file may not be opened, or its disk knows no
    locks."""
    try:
        with path.open("r+b") as file:
            _lock(file)
    except FileNotFoundError:
        return False
    except OSError:
        return True
    return False


class Lock:
    """A lock held by this process. Makes the file; raises `OSError` where that fails."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._file = path.open("wb")
        # Some network disks know no locks; there `is_held` takes the file for one.
        with contextlib.suppress(OSError):
            _lock(self._file)

    def release(self) -> None:
        """Leaves the file there, unlocked."""
        self._file.close()

    def remove(self) -> None:
        """Removes the file with its lock, so that nobody finds it unlocked."""
        with contextlib.suppress(OSError):
            self._path.unlink(missing_ok=True)
        self._file.close()
        # Windows removes no file that is open.
        with contextlib.suppress(OSError):
            self._path.unlink(missing_ok=True)
