# SPDX-FileCopyrightText: 2026 The Dollop founders
# SPDX-License-Identifier: GPL-3.0-or-later
"""The stand-ins for Flamenco behave like Flamenco."""

from __future__ import annotations

import json
import re

import pytest

pytest.importorskip("quickjs")

from flamenco import Command, FlamencoError, compile_job, job_type, load

MINIMAL = """
const JOB_TYPE = {
    label: "Bake",
    settings: [
        { key: "frames", type: "string", required: true },
        { key: "chunk_size", type: "int32", default: 2, propargs: { min: 1 }, visible: "submission" },
        { key: "cache", type: "string", subtype: "dir_path", required: true },
    ],
};
function compileJob(job) {
    const simulate = author.Task("simulate", "misc");
    simulate.addCommand(author.Command("exec", { exe: "{dollop}", args: ["bake", job.settings.cache] }));
    job.addTask(simulate);
    for (const chunk of frameChunker(job.settings.frames, job.settings.chunk_size)) {
        const mesh = author.Task("mesh", "misc");
        mesh.addCommand(author.Command("exec", { exe: "{dollop}", args: ["mesh", chunk] }, frameCount(chunk)));
        mesh.addDependency(simulate);
        job.addTask(mesh);
    }
}
"""
SETTINGS = {"frames": "1-5", "chunk_size": 2, "cache": "/cache"}


def compiled(body: str) -> list:
    return compile_job(f"const JOB_TYPE = {{}}; function compileJob(job) {{ {body} }}", {"name": "x"})


def value(expression: str) -> object:
    return json.loads(load("").eval(f"JSON.stringify({expression})"))


def test_a_job_type() -> None:
    assert [setting["key"] for setting in job_type(MINIMAL)["settings"]] == ["frames", "chunk_size", "cache"]
    simulate, *meshes = compile_job(MINIMAL, SETTINGS)
    assert simulate == ("simulate", "misc", [Command("exec", {"exe": "{dollop}", "args": ["bake", "/cache"]}, 0)], [])
    assert [mesh.commands[0].parameters["args"][1] for mesh in meshes] == ["1,2", "3,4", "5"]
    assert [mesh.commands[0].steps for mesh in meshes] == [2, 2, 1]
    assert [mesh.dependencies for mesh in meshes] == [["simulate"]] * 3


def test_defaults_are_not_filled_in() -> None:
    with pytest.raises(FlamencoError, match="chunk size"):
        compile_job(MINIMAL, {"frames": "1-5", "cache": "/cache"})


@pytest.mark.parametrize("wrong", ['type: "int"', 'type: "string", shown: true', 'type: "bool", subtype: "dir_path"'])
def test_wrong_settings_are_refused(wrong: str) -> None:
    with pytest.raises(FlamencoError, match="frames"):
        job_type(MINIMAL.replace('type: "string"', wrong, 1))


def test_commands_added_after_the_task_are_lost() -> None:
    body = 'const a = author.Task("a", "misc"), b = author.Task("b", "misc"); job.addTask(a); job.addTask(b);'
    late = 'b.addDependency(a); b.addCommand(author.Command("echo", { message: "" }));'
    assert compiled(body + late)[1] == ("b", "misc", [], [])


def test_names_do_not_distinguish_tasks() -> None:
    body = 'const a = author.Task("a", "misc"), b = author.Task("a", "misc"); job.addTask(a); a.addDependency(b);'
    assert compiled(body + "b.addDependency(a); job.addTask(b);")[1].dependencies == ["a"]


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ('const a = author.Task("a", "misc"); a.addDependency(author.Task("b", "misc")); job.addTask(a);', "not part"),
        ('author.Task("", "misc");', "required"),
        (
            'const a = author.Task("a", "m"); a.addCommand(author.Command("run", {})); job.addTask(a);',
            "unknown command",
        ),
        ('const a = author.Task("a", "m"); a.addCommand(author.Command("exec", {})); job.addTask(a);', "takes"),
        ("undeclared = 1;", "undeclared"),
    ],
)
def test_faults_of_scripts(body: str, message: str) -> None:
    with pytest.raises(FlamencoError, match=message):
        compiled(body)


@pytest.mark.parametrize(
    ("frames", "size", "chunks"),
    [
        ("1..10,20..25,40,3..8", 4, ["1-4", "5-8", "9,10,20,21", "22-25", "40"]),
        (" 1 - 3 ", 3, ["1-3"]),
        ("5,1,5", 9, ["1,5"]),
        ("47", 4, ["47"]),
    ],
)
def test_chunks(frames: str, size: int, chunks: list[str]) -> None:
    assert value(f"frameChunker({json.dumps(frames)}, {size})") == chunks


@pytest.mark.parametrize("frames", ["-5", "-5--3", "-3-3", "5-3", "1-6:2", "", "1 10", "a"])
def test_ranges_that_throw(frames: str) -> None:
    with pytest.raises(Exception, match="range"):
        value(f"frameChunker({json.dumps(frames)}, 2)")


def test_paths_and_times() -> None:
    assert value("path.join('/a', '', '../b//c', './d')") == "/b/c/d"
    assert value(r"[path.dirname('C:\\a\\b.blend'), path.stem('/a/b.c.blend'), path.basename('/a/b/')]") == [
        "C:/a",
        "b.c",
        "b",
    ]
    assert re.fullmatch(r"\d{4}-\d\d-\d\d_\d{6}", str(value("formatTimestampLocal(new Date())")))
    assert value("shellSplit(\"-b 'two words' --x='y z'\")") == ["-b", "two words", "--x=y z"]
