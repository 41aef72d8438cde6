# SPDX-FileCopyrightText: 2026 The Dollop founders
# SPDX-License-Identifier: GPL-3.0-or-later
"""Runs a job type of Flamenco in QuickJS, with stand-ins for the objects that its Manager gives to a job compiler (as
of 3.8).

What they reproduce: `job.addTask` takes a copy, so commands and dependencies that are added later are lost; tasks are
told apart by their identity and not by their names; a dependency on a task that was never added is refused when the
job is stored; a script runs in strict mode; a setting that is not given is undefined, because defaults are filled in
by who submits.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, NamedTuple

import quickjs

TYPES = {"string", "int32", "float", "bool"}
SUBTYPES = {"file_path", "dir_path", "file_name", "hashed_file_path"}
VISIBLE = {"visible", "hidden", "submission", "web"}
FIELDS = {
    *("key", "type", "subtype", "choices", "propargs", "description", "label", "default", "eval", "evalInfo"),
    *("visible", "required", "editable"),
}
# Parameters of the Worker's commands: the required ones, and the optional ones.
COMMANDS = {
    "exec": ({"exe"}, {"args"}),
    "blender-render": ({"exe", "blendfile"}, {"exeArgs", "argsBefore", "args"}),
    "frames-to-video": ({"exe", "fps", "inputGlob", "outputFile"}, {"exeArgs", "argsBefore", "args"}),
    "make-directory": ({"path"}, set()),
    "move-directory": ({"src", "dest"}, set()),
    "copy-file": ({"src", "dest"}, set()),
    "echo": ({"message"}, set()),
    "sleep": ({"duration_in_seconds"}, set()),
}
STAND_INS = Path(__file__).with_name("flamenco_stand_ins.js")


class Command(NamedTuple):
    name: str
    parameters: dict[str, Any]
    steps: int


class Task(NamedTuple):
    name: str
    type: str
    commands: list[Command]
    dependencies: list[str]


class FlamencoError(Exception):
    pass


def load(source: str) -> quickjs.Context:
    context = quickjs.Context()
    context.set_time_limit(20)
    context.eval(STAND_INS.read_text(encoding="utf-8"))
    context.eval('"use strict";\n' + source)
    return context


def job_type(source: str) -> dict[str, Any]:
    """JOB_TYPE, checked against the demands of the Manager and the add-on."""
    found = json.loads(load(source).eval("JSON.stringify(JOB_TYPE)"))
    wrong = [] if found.get("label") else ["no label"]
    keys = [setting.get("key") for setting in found["settings"]]
    if len(keys) != len(set(keys)):
        wrong.append("two settings of one key")
    for setting in found["settings"]:
        wrong += [f"{setting.get('key')}: {fault}" for fault in faults(setting)]
    if wrong:
        raise FlamencoError("; ".join(wrong))
    return found


def faults(setting: dict[str, Any]) -> list[str]:
    found = [f"unknown field {field}" for field in setting if field not in FIELDS]
    if setting.get("type") not in TYPES:
        found.append(f"type {setting.get('type')}")
    if setting.get("subtype", "file_path") not in SUBTYPES:
        found.append(f"subtype {setting['subtype']}")
    if setting.get("visible", "hidden") not in VISIBLE:
        found.append(f"visible {setting['visible']}")
    if setting.get("type") != "string" and ("choices" in setting or "subtype" in setting):
        found.append("only strings have choices and subtypes")
    return found


def compile_job(source: str, settings: dict[str, Any], metadata: dict[str, str] | None = None) -> list[Task]:
    """The tasks in the order of their addition, with the names of the tasks that they depend on."""
    context = load(source)
    job = {"name": "job", "jobType": "test", "priority": 50, "settings": settings, "metadata": metadata or {}}
    try:
        told = context.eval(f"standIns.compile({json.dumps(job)})")
    except quickjs.JSException as error:
        raise FlamencoError(str(error)) from error
    added = json.loads(told)
    names = {task["uuid"]: task["name"] for task in added}
    return [resolve(task, names) for task in added]


def resolve(task: dict[str, Any], names: dict[str, str]) -> Task:
    lost = [depended["name"] for depended in task["dependencies"] if depended["uuid"] not in names]
    if lost:
        raise FlamencoError(f"task {task['name']} depends on {lost[0]}, which is not part of this job")
    commands = [Command(each["name"], each["parameters"], each["steps"]) for each in task["commands"]]
    for command in commands:
        check(command)
    return Task(task["name"], task["type"], commands, [names[depended["uuid"]] for depended in task["dependencies"]])


def check(command: Command) -> None:
    """Checks a command as the Worker reads it; but the Worker ignores unknown parameters, which here are faults."""
    if command.name not in COMMANDS:
        raise FlamencoError(f"unknown command {command.name}")
    needed, others = COMMANDS[command.name]
    given = set(command.parameters)
    if needed - given or given - needed - others:
        raise FlamencoError(f"{command.name} takes {sorted(needed)} and {sorted(others)}, not {sorted(given)}")
    for name in ("args", "argsBefore"):
        if not isinstance(command.parameters.get(name, []), list):
            raise FlamencoError(f"{command.name}: {name} must be a list")
