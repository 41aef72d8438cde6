"""The grids of a bake, read by OpenVDB itself: the level set of a surface, and the fields of the matter.

`dollop` is DOLLOP_BINARY, or the one of a release build; the interpreters to read with are as in `test_read_back.py`.
"""

import json
import os
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
READER = Path(__file__).with_name("read_volume.py")
SOLVER = os.environ.get("DOLLOP_BINARY", str(ROOT / "target" / "release" / "dollop"))
PYTHONS = os.environ.get("DOLLOP_OPENVDB_PYTHONS", "/usr/bin/python3").split(os.pathsep)
COLOR = [0.75, 0.5, 0.25]
RATE = 50
SCENE = {
    "version": 1,
    "frames": {"start": 1, "end": 2, "rate": RATE},
    "particle_spacing": 0.08,
    "bodies": [
        {
            "name": "drop",
            "shape": {"type": "sphere", "radius": 0.5},
            "transform": {"translation": [0.1, -0.2, 1]},
            "color": COLOR,
            "material": {"type": "smoothed"},
        }
    ],
    "output": {
        "mesh": {"resolution": 0.5},
        "volume": {
            "resolution": 0.5,
            "precision": "full",
            "grids": ["density", "velocity", "color", "age", "rest_position", "surface"],
        },
        "particles": {},
    },
}


@pytest.fixture(scope="module")
def cache(tmp_path_factory):
    folder = tmp_path_factory.mktemp("volumes")
    scene = folder / "scene.json"
    scene.write_text(json.dumps(SCENE), encoding="utf-8")
    subprocess.run([SOLVER, "bake", scene, "--cache", folder / "cache"], check=True, capture_output=True)
    return folder / "cache"


def read(python, cache, age):
    command = [python, str(READER), str(cache), *map(str, COLOR), str(age)]
    return subprocess.run(command, capture_output=True, text=True, check=False)


@pytest.mark.parametrize("python", PYTHONS)
def test_every_grid_equals_that_of_openvdb(python, cache):
    result = read(python, cache, 1 / RATE)
    assert result.returncode == 0, result.stdout + result.stderr


def test_the_reader_sees_a_wrong_age(cache):
    result = read(PYTHONS[0], cache, 2 / RATE)
    assert result.returncode == 1 and "not 0.04" in result.stdout, result.stdout + result.stderr


def test_volumes_made_again_are_the_same(cache, tmp_path):
    subprocess.run([SOLVER, "volume", cache, "--out", tmp_path / "again"], check=True, capture_output=True)
    name = "volume/volume_0002.vdb"
    assert (tmp_path / "again" / name).read_bytes() == (cache / name).read_bytes()
