# SPDX-FileCopyrightText: 2026 The Dollop founders
# SPDX-License-Identifier: GPL-3.0-or-later
"""The code that runs the solver and reads its results works without Blender."""

from __future__ import annotations

import itertools
import json
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest
from conftest import HERE
from files import NO_FORMAT, TRIANGLES, fake_solver, write_cache

from addon.bake import binary, folders, index
from addon.bake.runner import Run, State, bake_command
from addon.geometry import obj, placement
from addon.geometry.mesh import TriangleMesh, faults
from addon.settings import schema

ADDON = HERE.parents[1] / "addon"
SCENE = {"frames": {"start": 1, "end": 3, "rate": 24}, "output": {"mesh": {}}}
SCENE |= {"bodies": [{"shape": {"path": "shapes/000.obj"}}]}
MAKER = {"blend": "a.blend", "scene": "Scene", "token": "t"}


def start(folder: Path, monkeypatch: pytest.MonkeyPatch, behaviour: str) -> Run:
    monkeypatch.setenv("FAKE_SOLVER", behaviour)
    scene = folder / "scene.json"
    scene.write_text(json.dumps(SCENE), encoding="utf-8")
    return Run(bake_command(fake_solver(folder), scene, folder / "cache"))


def test_modules_without_blender_do_not_import_it() -> None:
    names = [
        f"addon.{p.parent.name}.{p.stem}" for part in ("bake", "geometry") for p in (ADDON / part).glob("[a-z]*.py")
    ]
    names += [f"addon.settings.{name}" for name in ("schema", "units", "names", "values", "draw", "fitting")]
    names += ["addon.presets", "addon.wording"]
    code = f"import sys; sys.modules['bpy'] = None\nfor name in {names!r}: __import__(name)"
    subprocess.run([sys.executable, "-c", code], check=True, cwd=ADDON.parent)


def test_progress_and_end(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    run = start(tmp_path, monkeypatch, "")
    assert run.wait() is State.DONE
    assert (run.progress.frame, run.progress.finished, run.progress.total) == (3, 3, 3)
    assert run.progress.fraction == 1.0 and run.progress.particles == 8 and run.warnings == ["few particles"]
    assert index.read(tmp_path / "cache").frames == (1, 2, 3)


def test_poll_does_not_block(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    run = start(tmp_path, monkeypatch, "slow")
    seen, settled = set(), set()
    while run.poll() is State.RUNNING:
        seen.add(run.progress.finished)
        settled.add((run.progress.settled, run.progress.fraction))
        time.sleep(0.02)
    assert len(seen) > 2
    assert (0.25, 0.25) in settled and run.progress.settled is None


@pytest.mark.parametrize(
    ("behaviour", "words"), [("refuse", "shapes/000.obj)\nclose it"), ("crash", "out of cheese"), ("killed", "memory")]
)
def test_errors_are_reported(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, behaviour: str, words: str) -> None:
    run = start(tmp_path, monkeypatch, behaviour)
    assert run.wait() is State.FAILED
    assert words in run.message


def test_the_place_of_an_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    run = start(tmp_path, monkeypatch, "misfit")
    assert run.wait() is State.FAILED and run.path == "bodies[1].heat.liquidus"
    run = start(tmp_path, monkeypatch, "crash")
    assert run.wait() is State.FAILED and run.path == ""


def wait_for_first_frame(run: Run) -> None:
    while run.poll() is State.RUNNING and run.progress.finished < 1:
        time.sleep(0.02)


def test_cancel(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    run = start(tmp_path, monkeypatch, "slow")
    wait_for_first_frame(run)
    run.cancel()
    assert run.cancelling and run.wait() is State.CANCELLED
    assert index.read(tmp_path / "cache").frames == (1,)


def test_a_solver_that_does_not_stop_is_killed_when_cancelled_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = start(tmp_path, monkeypatch, "deaf")
    wait_for_first_frame(run)
    run.cancel()
    run.cancel()
    assert run.wait() is State.CANCELLED and run.progress.finished < 3


def test_binary_is_made_executable(tmp_path: Path) -> None:
    bundled = tmp_path / "bin" / binary.NAME
    bundled.parent.mkdir()
    bundled.write_text("#!/bin/sh\nexit 7\n", encoding="utf-8")
    bundled.chmod(0o644)
    found = binary.find(tmp_path, "", {})
    assert subprocess.run([str(found)], check=False).returncode == 7


def test_binary_order_and_complaints(tmp_path: Path) -> None:
    for name in ("a", "b"):
        (tmp_path / name).write_text("", encoding="utf-8")
    preference, variable = str(tmp_path / "a"), {binary.VARIABLE: str(tmp_path / "b")}
    assert binary.find(tmp_path, preference, variable).name == "a"
    assert binary.find(tmp_path, "", variable).name == "b"
    with pytest.raises(binary.BinaryError, match="preferences"):
        binary.find(tmp_path, "", {})
    with pytest.raises(binary.BinaryError, match="nowhere"):
        binary.find(tmp_path, "nowhere", variable)


def test_unreadable_indices_are_refused(tmp_path: Path) -> None:
    write_cache(tmp_path, [1, 2], ["mesh"])
    good = json.loads((tmp_path / index.INDEX_FILE).read_text(encoding="utf-8"))
    for change, words in (
        ({"format": "other"}, "damaged"),
        ({"version": {"major": 2}}, "2.x"),
        ({"done": 3}, "damaged"),
        ({"outputs": [{**good["outputs"][0], "format": "../../../etc"}]}, "does not know"),
        ({"outputs": [{**good["outputs"][0], "format": NO_FORMAT}]}, "does not know"),
        ({"outputs": [{**good["outputs"][0], "kind": "no kind"}]}, "does not know"),
        ({"outputs": [{**good["outputs"][0], "kind": ["mesh"]}]}, "damaged"),
    ):
        (tmp_path / index.INDEX_FILE).write_text(json.dumps({**good, **change}), encoding="utf-8")
        with pytest.raises(index.CacheError, match=words):
            index.read(tmp_path)
    with pytest.raises(index.CacheError, match="cannot be read"):
        index.read(tmp_path / "none")


def test_index_finds_missing_files_and_gaps(tmp_path: Path) -> None:
    write_cache(tmp_path, [1, 2, 3, 7, 8, 12], ["mesh"])
    found = index.read(tmp_path)
    mesh = found.output("mesh")
    assert index.runs(found.frames) == [(1, 3), (7, 8), (12, 12)]
    mesh.path(tmp_path, 7).unlink()
    assert found.missing(mesh) == [7] and found.output("volume") is None


def new_folder(root: Path) -> Path:
    claim = folders.create(root, MAKER)
    claim.keep()
    return claim.folder


def test_folders_in_use_stay_and_abandoned_ones_go(tmp_path: Path) -> None:
    kept, left, working = (folders.create(tmp_path, MAKER) for _ in range(3))
    kept.keep()
    left.leave()
    assert folders.abandoned(tmp_path, MAKER) == [left.folder]
    assert folders.abandoned(tmp_path, {**MAKER, "token": "other"}) == []
    assert not folders.remove(working.folder, MAKER) and working.folder.exists()
    working.leave()
    assert folders.abandoned(tmp_path, MAKER) == [left.folder, working.folder]
    assert folders.remove(left.folder, MAKER) and not left.folder.exists()


def test_a_lock_counts_only_while_its_process_lives(tmp_path: Path) -> None:
    folder = new_folder(tmp_path)
    write_cache(folder / folders.CACHE, [1], ["mesh"])
    path = folder / folders.CACHE / ".dollop-lock"
    code = (
        "import sys, pathlib, addon.bake.lock as lock\n"
        "held = lock.Lock(pathlib.Path(sys.argv[1])); print('held', flush=True); sys.stdin.read()"
    )
    command = [sys.executable, "-c", code, str(path)]
    with subprocess.Popen(command, cwd=ADDON.parent, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as holder:
        assert holder.stdout.readline() == b"held\n"
        assert not folders.remove(folder, MAKER) and (folder / folders.CACHE / "bake.json").exists()
        holder.kill()
    assert path.exists() and folders.remove(folder, MAKER) and not folder.exists()


def test_folders_are_new_and_only_own_ones_go(tmp_path: Path) -> None:
    first, second = new_folder(tmp_path), new_folder(tmp_path)
    assert (first.name, second.name) == ("bake_0001", "bake_0002")
    write_cache(first / folders.CACHE, [1], ["mesh", "particles"])
    assert not folders.remove(first, {**MAKER, "token": "other"}) and (first / folders.CACHE / "bake.json").exists()
    assert folders.remove(first, MAKER) and not first.exists()
    write_cache(second / folders.CACHE, [1], ["mesh"])
    foreign = second / folders.CACHE / "mesh" / "notes.txt"
    foreign.write_text("mine", encoding="utf-8")
    assert not folders.remove(second, MAKER) and foreign.read_text(encoding="utf-8") == "mine"
    assert new_folder(tmp_path).name == "bake_0003"


def test_folders_of_new_kinds_and_formats_go_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    document = json.loads(schema.FILE.read_text(encoding="utf-8"))
    document["$defs"]["Output"]["properties"]["threads"] = {"$ref": "#/$defs/MeshOutput"}
    document["$defs"]["MeshFormat"]["oneOf"].append({"type": "string", "const": "thread", "description": "New."})
    monkeypatch.setattr(schema, "load", lambda: schema.read(document))
    folder = new_folder(tmp_path)
    for made in ("threads/threads_0001.thread", "mesh/mesh_0001.thread", "checkpoints/checkpoint_0001.state"):
        path = folder / folders.CACHE / made
        path.parent.mkdir(parents=True)
        path.write_text("", encoding="utf-8")
    assert folders.remove(folder, MAKER) and not folder.exists()


def test_folders_do_not_follow_links(tmp_path: Path) -> None:
    precious = tmp_path / "precious"
    write_cache(precious, [1], ["mesh"])
    folder = new_folder(tmp_path / "root")
    (folder / folders.CACHE).symlink_to(precious)
    folders.remove(folder, MAKER)
    assert (precious / "bake.json").exists() and (precious / "mesh" / "mesh_0001.ply").exists()


def cube() -> TriangleMesh:
    corners = np.array([[x, y, z] for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)], np.float32)
    return TriangleMesh(corners, TRIANGLES)


def test_faults() -> None:
    closed = cube()
    assert not faults(closed)
    opened = faults(TriangleMesh(closed.vertices, closed.triangles[1:]))
    assert (opened.open_edges, opened.flipped_edges) == (3, 0)
    flipped = closed.triangles.copy()
    flipped[0] = flipped[0][::-1]
    assert faults(TriangleMesh(closed.vertices, flipped)).flipped_edges == 3
    assert faults(TriangleMesh(closed.vertices, np.vstack([closed.triangles, closed.triangles[:1]]))).open_edges == 3


def test_meshes_that_the_solver_accepts_have_no_faults() -> None:
    closed = cube()
    split = TriangleMesh(
        closed.vertices[closed.triangles].reshape(-1, 3), np.arange(closed.triangles.size).reshape(-1, 3)
    )
    assert not faults(split) and faults(TriangleMesh(split.vertices, split.triangles[1:])).open_edges == 3
    # Two cubes that share an edge: four faces meet there.
    beside = closed.vertices + np.array([2, 2, 0], np.float32)
    both = TriangleMesh(np.vstack([closed.vertices, beside]), np.vstack([closed.triangles, closed.triangles + 8]))
    assert not faults(both)


def test_obj_reads_back_exactly(tmp_path: Path) -> None:
    rng = np.random.default_rng(1)
    mesh = TriangleMesh(rng.normal(size=(100, 3)).astype(np.float32) * 1e-3, rng.integers(0, 100, (50, 3)))
    obj.write(tmp_path / "m.obj", mesh)
    lines = [line.split() for line in (tmp_path / "m.obj").read_text(encoding="ascii").splitlines()]
    vertices = np.array([line[1:] for line in lines if line[0] == "v"], np.float32)
    triangles = np.array([line[1:] for line in lines if line[0] == "f"], int) - 1
    assert np.array_equal(vertices, mesh.vertices) and np.array_equal(triangles, mesh.triangles)


def rebuilt(placed: placement.Placement) -> np.ndarray:
    w, x, y, z = placed.rotation
    turn = np.array(
        [
            [1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)],
            [2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)],
            [2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)],
        ]
    )
    matrix = np.eye(4)
    matrix[:3, :3] = turn * placed.scale
    matrix[:3, 3] = placed.translation
    return matrix


def test_a_split_placement_gives_its_matrix() -> None:
    rng = np.random.default_rng(2)
    for mirrored in (1.0, -1.0):
        for _ in range(50):
            turn, _ = np.linalg.qr(rng.normal(size=(3, 3)))
            turn *= np.sign(np.linalg.det(turn)) * mirrored
            matrix = np.eye(4)
            matrix[:3, :3] = turn * rng.uniform(0.1, 3.0, 3)
            matrix[:3, 3] = rng.normal(size=3)
            placed = placement.place(matrix)
            assert np.allclose(rebuilt(placed), matrix, atol=1e-9)
            assert np.isclose(np.linalg.norm(placed.rotation), 1.0)


def test_shear_and_flattening_are_seen() -> None:
    sheared = np.eye(4)
    sheared[0, 1] = 0.01
    assert placement.is_sheared(sheared) and not placement.is_sheared(np.diag([1.0, 2.0, 3.0, 1.0]))
    with pytest.raises(placement.PlacementError):
        placement.place(np.diag([1.0, 0.0, 1.0, 1.0]))


def test_rotations_take_the_near_sign() -> None:
    def about_z(angle: float) -> np.ndarray:
        matrix = np.eye(4)
        matrix[:2, :2] = [[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]]
        return matrix

    placed = placement.follow([about_z(angle) for angle in np.linspace(0, 4 * np.pi, 33)])
    steps = [a.rotation @ b.rotation for a, b in itertools.pairwise(placed)]
    assert min(steps) > 0.9
