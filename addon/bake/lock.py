# SPDX-FileCopyrightText: 2026 The Dollop founders
# SPDX-License-Identifier: GPL-3.0-or-later
"""Locks of the operating system on files. A lock ends with the process that holds it, however that ends; the content of
the file does not matter. The solver locks its cache folder in the same way."""

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
    """Whether a process holds the lock on a file, or the lock cannot be queried: the file may not be opened, or its
    disk has no locks."""
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
        # Some network disks have no locks; there `is_held` takes the existing file for a held lock.
        with contextlib.suppress(OSError):
            _lock(self._file)

    def release(self) -> None:
        """Keeps the file, unlocked."""
        self._file.close()

    def remove(self) -> None:
        """Removes the file together with its lock, so that no process finds it unlocked."""
        with contextlib.suppress(OSError):
            self._path.unlink(missing_ok=True)
        self._file.close()
        # Windows cannot remove an open file.
        with contextlib.suppress(OSError):
            self._path.unlink(missing_ok=True)
