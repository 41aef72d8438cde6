# SPDX-FileCopyrightText: 2026 The Dollop founders
# SPDX-License-Identifier: GPL-3.0-or-later
"""Runs each `case_` function of cases/ in a new Blender."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest
from conftest import HERE, call


def cases() -> list[str]:
    found = []
    for path in sorted((HERE / "cases").glob("*.py")):
        body = ast.parse(path.read_text(encoding="utf-8")).body
        names = [node.name for node in body if isinstance(node, ast.FunctionDef) and node.name.startswith("case_")]
        found += [f"cases.{path.stem}:{name}" for name in names]
    return found


@pytest.mark.parametrize("case", cases())
def test_case(blender: str, case: str, tmp_path: Path) -> None:
    call(blender, case, tmp_path)
