# SPDX-FileCopyrightText: 2026 The Dollop founders
# SPDX-License-Identifier: GPL-3.0-or-later
"""Reads `bake.json`, the index of a cache folder."""

from __future__ import annotations

import json
from collections.abc import Collection
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from ..settings import schema

INDEX_FILE = "bake.json"
_FORMAT = "dollop-bake"
_MAJOR = 1


class CacheError(RuntimeError):
    """A folder without a bake that this release can read; the message gives the reason."""


@dataclass(frozen=True)
class Output:
    """One kind of file. `format` is also the extension of its files; `pattern` starts at the cache folder:
    `mesh/mesh_{frame:04}.ply`."""

    kind: str
    format: str
    attributes: frozenset[str]

    @property
    def pattern(self) -> str:
        return f"{self.kind}/{self.kind}_{{frame:04}}.{self.format}"

    def path(self, cache: Path, frame: int) -> Path:
        return cache / self.pattern.format(frame=frame)


@dataclass(frozen=True)
class Index:
    """The content of a cache folder. `frames` are the frames with complete files, in rising order, `rate` of them per
    second; `status` is `running`, `complete`, `cancelled` or `failed`."""

    cache: Path
    status: str
    frames: tuple[int, ...]
    rate: float
    particle_spacing: float
    outputs: tuple[Output, ...]

    def output(self, kind: str) -> Output | None:
        return next((output for output in self.outputs if output.kind == kind), None)

    def only(self, kinds: Collection[str]) -> Index:
        """The same index with these kinds of files alone."""
        return replace(self, outputs=tuple(output for output in self.outputs if output.kind in kinds))

    def missing(self, output: Output) -> list[int]:
        """Listed frames whose file is missing."""
        return [frame for frame in self.frames if not output.path(self.cache, frame).is_file()]


def kinds() -> tuple[str, ...]:
    """The kinds of files that a bake can have, each in a folder of its name."""
    return tuple(schema.load().formats)


def read(cache: Path) -> Index:
    """Reads the index in `cache`; raises `CacheError`."""
    path = cache / INDEX_FILE
    try:
        document = json.loads(path.read_text(encoding="utf-8"))
        _check_version(document, path)
        return Index(
            cache=cache,
            status=str(document["status"]),
            frames=tuple(sorted(int(record["frame"]) for record in document["done"])),
            rate=_rate(document["frames"]["rate"]),
            particle_spacing=float(document["particle_spacing"]),
            outputs=tuple(_output(record) for record in document["outputs"]),
        )
    except OSError as error:
        raise CacheError(f"{path} cannot be read: {error.strerror}") from error
    except (ValueError, KeyError, TypeError) as error:
        raise CacheError(f"{path} is damaged: {error!r}") from error


def runs(frames: tuple[int, ...]) -> list[tuple[int, int]]:
    """First and last frame of each range without a gap."""
    found: list[tuple[int, int]] = []
    for frame in frames:
        if found and frame == found[-1][1] + 1:
            found[-1] = (found[-1][0], frame)
        else:
            found.append((frame, frame))
    return found


def _check_version(document: Any, path: Path) -> None:
    if document["format"] != _FORMAT:
        raise ValueError(f"its format is {document['format']!r}")
    major = document["version"]["major"]
    if major != _MAJOR:
        raise CacheError(
            f"{path} has the format {major}.x, and this release reads {_MAJOR}.x: use the one that baked it"
        )


def _rate(value: Any) -> float:
    rate = float(value)
    if not 0.0 < rate < float("inf"):
        raise ValueError(f"its frame rate is {value!r}")
    return rate


def _output(record: Any) -> Output:
    names = frozenset(attribute["name"] for attribute in record["attributes"])
    kind, form = record["kind"], record["format"]
    # They become parts of paths.
    if form not in schema.load().formats.get(kind, ()):
        raise ValueError(f"it has {kind} files of the format {form!r}, which this release does not know")
    return Output(kind=kind, format=form, attributes=names)
