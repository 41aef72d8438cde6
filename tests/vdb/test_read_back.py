"""OpenVDB itself reads every voxel of dollop-vdb's files back.

The interpreters to read with come from DOLLOP_OPENVDB_PYTHONS, separated as in PATH; each needs numpy and an OpenVDB
module (`read_samples.py` says which). DOLLOP_EXAMPLES names the folder of the built examples; without it cargo builds
the one that writes the files.
"""

import os
import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
READER = Path(__file__).with_name("read_samples.py")
PYTHONS = os.environ.get("DOLLOP_OPENVDB_PYTHONS", "/usr/bin/python3").split(os.pathsep)


def write_samples(directory):
    built = os.environ.get("DOLLOP_EXAMPLES")
    cargo = ["cargo", "run", "--quiet", "--profile", "test", "--package", "dollop-vdb", "--example", "write_samples"]
    command = [f"{built}/write_samples"] if built else [*cargo, "--"]
    subprocess.run([*command, str(directory)], cwd=ROOT, check=True)


@pytest.fixture(scope="session")
def samples(tmp_path_factory):
    directory = tmp_path_factory.mktemp("samples")
    write_samples(directory)
    return directory


def read(python, directory):
    return subprocess.run([python, str(READER), str(directory)], capture_output=True, text=True, check=False)


@pytest.mark.parametrize("python", PYTHONS)
def test_openvdb_reads_every_voxel(python, samples):
    result = read(python, samples)
    assert result.returncode == 0, result.stdout + result.stderr
    assert "6 files, 0 differences" in result.stdout


@pytest.mark.parametrize("python", PYTHONS)
def test_the_reader_sees_a_wrong_value(python, samples, tmp_path):
    """A single flipped bit in the payload of an uncompressed file must be found."""
    for path in samples.glob("*.vdb"):
        shutil.copy(path, tmp_path)
    damaged = tmp_path / "full_none.vdb"
    content = bytearray(damaged.read_bytes())
    content[-2] ^= 1
    damaged.write_bytes(content)
    result = read(python, tmp_path)
    assert result.returncode == 1, result.stdout + result.stderr
    assert "full_none.vdb single: 1 values differ" in result.stdout


@pytest.mark.skipif(not shutil.which("vdb_print"), reason="vdb_print is not installed")
def test_vdb_print_reads_all_files(samples):
    for path in samples.glob("*.vdb"):
        result = subprocess.run(["vdb_print", "-l", str(path)], capture_output=True, text=True, check=False)
        assert result.returncode == 0, result.stderr
        assert "ERROR" not in result.stdout + result.stderr
        assert result.stdout.count("Information about Tree") == 11


def test_two_runs_write_the_same_bytes(samples, tmp_path):
    write_samples(tmp_path)
    for path in sorted(samples.glob("*.vdb")):
        assert path.read_bytes() == (tmp_path / path.name).read_bytes()
