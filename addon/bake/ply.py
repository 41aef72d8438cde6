# SPDX-FileCopyrightText: 2026 The Dollop founders
# SPDX-License-Identifier: GPL-3.0-or-later
"""Reads vertex attributes from the PLY files of a bake."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import numpy as np

# The solver writes only these.
_TYPES = {"float": "<f4", "int": "<i4"}
_LONGEST_HEADER = 1 << 16


class PlyError(ValueError):
    """A file that differs from the solver's files."""


def extent(paths: Iterable[Path], name: str) -> tuple[float, float] | None:
    """The smallest and the largest finite value of `name` over all vertices in these files; None if there is no value.
    Raises `OSError` or `PlyError`."""
    found = []
    for path in paths:
        values = column(path, name)
        values = values[np.isfinite(values)]
        if len(values):
            found += [float(values.min()), float(values.max())]
    return (min(found), max(found)) if found else None


def column(path: Path, name: str) -> np.ndarray:
    """The value of `name` at each vertex; raises `OSError` or `PlyError`."""
    with path.open("rb") as file:
        head, end, _ = file.read(_LONGEST_HEADER).partition(b"end_header\n")
    lines = [line.split() for line in head.decode("ascii", "replace").splitlines()]
    if not end or ["format", "binary_little_endian", "1.0"] not in lines:
        raise PlyError(f"{path} is no PLY file of a bake")
    try:
        start = next(i for i, line in enumerate(lines) if line[:2] == ["element", "vertex"])
        rest = lines[start + 1 :]
        stop = next((i for i, line in enumerate(rest) if line[:1] == ["element"]), len(rest))
        row = np.dtype([(line[2], _TYPES[line[1]]) for line in rest[:stop] if line[:1] == ["property"]])
        count = int(lines[start][2])
        if not count:
            return np.empty(0, np.float32)
        return np.array(np.memmap(path, row, "r", len(head) + len(end), (count,))[name])
    except (StopIteration, LookupError, ValueError) as error:
        raise PlyError(f"{path} has no {name} for each vertex: {error!r}") from error
