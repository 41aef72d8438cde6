# SPDX-FileCopyrightText: 2026 The Dollop founders
# SPDX-License-Identifier: GPL-3.0-or-later
"""What OpenJD makes of templates."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable
from pathlib import Path

import openjd
import pytest

HERE = Path(__file__).parent
REFERENCE = HERE / "reference_template.json"

pytestmark = pytest.mark.skipif(openjd.program() is None, reason="openjd is not there")


def changed(folder: Path, change: Callable[[dict], object]) -> Path:
    template = copy.deepcopy(json.loads(REFERENCE.read_text(encoding="utf-8")))
    change(template)
    path = folder / "template.json"
    path.write_text(json.dumps(template), encoding="utf-8")
    return path


def parameters(template: dict) -> dict:
    return template["steps"][1]["parameterSpace"]


def test_check_and_summary() -> None:
    assert openjd.check(REFERENCE).code == 0
    told = openjd.summary(REFERENCE, "Mesh")
    assert told.code == 0 and "- 'Simulate'" in told.output


def test_steps_and_chunks() -> None:
    ended = openjd.run(REFERENCE, "Mesh")
    assert ended.code == 0, ended.output
    assert "openjd_progress: 50" in ended.output
    assert ended.values("chunk") == [f"{kind}:{frames}" for kind in ("mesh", "volume") for frames in chunks()]


def chunks() -> list[str]:
    """Of the frames -3 to 3 by three: evened out, and negative frames have their minus."""
    return ["-3--1", "0-1", "2-3"]


def test_all_steps() -> None:
    ended = openjd.run(REFERENCE)
    assert ended.code == 0 and len(ended.values("folder")) == 1 and len(ended.values("chunk")) == 6


@pytest.mark.parametrize(
    ("frames", "expected"),
    [("5", ["5-5"]), ("-5--3,7,9-10", ["-5--3", "7-7", "9-10"]), ("7-20:2", None), ("-3", ["-3--3"])],
)
def test_ranges(frames: str, expected: list[str] | None) -> None:
    ended = openjd.run(REFERENCE, "Mesh", Frames=frames)
    assert ended.code == 0, ended.output
    found = [chunk.removeprefix("mesh:") for chunk in ended.values("chunk") if chunk.startswith("mesh")]
    assert found == (expected or [f"{frame}-{frame}" for frame in range(7, 21, 2)])


def test_the_product_needs_no_expression(tmp_path: Path) -> None:
    template = changed(tmp_path, lambda template: parameters(template).pop("combination"))
    assert len(openjd.run(template, "Mesh").values("chunk")) == 6


def test_paths(tmp_path: Path) -> None:
    """A default is relative to the folder of the template; one that is given is as it is given, where absolute."""
    template = changed(tmp_path, lambda _: None)
    assert openjd.run(template, "Simulate").values("folder") == [str(tmp_path / "cache")]
    assert openjd.run(template, "Simulate", Folder="/some/where").values("folder") == ["/some/where"]

    def absolute(template: dict) -> None:
        template["parameterDefinitions"][2]["default"] = "/cache"

    template = changed(tmp_path, absolute)
    assert openjd.check(template).code == 0
    assert openjd.run(template, "Simulate").code != 0


def test_failures_are_1(tmp_path: Path) -> None:
    def fail(template: dict) -> None:
        template["steps"][0]["script"]["embeddedFiles"][0]["data"] = "exit 3\n"

    ended = openjd.run(changed(tmp_path, fail), "Mesh")
    assert ended.code == 1 and ended.values("chunk") == []


@pytest.mark.parametrize(("length", "code"), [(64, 0), (65, 1)])
def test_names_of_steps_have_64_characters(tmp_path: Path, length: int, code: int) -> None:
    template = changed(tmp_path, lambda template: template["steps"][1].update(name="n" * length))
    assert openjd.check(template).code == code


def test_a_thousand_steps(tmp_path: Path) -> None:
    def more(template: dict) -> None:
        step = template["steps"].pop(0)
        template["steps"] = [{**step, "name": f"S{number}"} for number in range(1000)]

    assert openjd.check(changed(tmp_path, more)).code == 0


@pytest.mark.parametrize(("count", "code"), [(1024, 0), (1025, 1)])
def test_values_of_a_parameter(tmp_path: Path, count: int, code: int) -> None:
    def more(template: dict) -> None:
        parameters(template)["taskParameterDefinitions"][0]["range"] = [f"v{number}" for number in range(count)]

    assert openjd.check(changed(tmp_path, more)).code == code
