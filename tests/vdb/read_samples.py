"""Reads the sample files of `write_samples` with OpenVDB and compares them with the formulas of their values.

    python read_samples.py DIRECTORY

Runs under any interpreter that has numpy and an OpenVDB module: `openvdb`, `pyopenvdb`, or the one inside the wheel
of bpy. Exits with 1 and a message for each difference.
"""

import importlib
import importlib.util
import itertools
import sys
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

ORIGINS = [
    (0, 0, 0),
    (4096, 0, 0),
    (8, 0, 0),
    (-8, -8, -8),
    (-4104, 8, 16),
    (-4096, 0, 0),
    (4088, 4088, -8),
    (120, 120, 120),
    (128, 0, 0),
    (-136, -128, 0),
    (0, 0, -12288),
    (0, 0, 8),
]
INACTIVE_LEAVES = [(x, 0, 0) for x in range(-16, 40, 8)]
LARGEST_HALF = 65504
SPHERE_VOXEL = 0.1
SPHERE_BAND = np.float32(0.3)
# Corner, edge, value, whether active.
TILES = [
    ((8, 0, 0), 8, 1.1, True),
    ((16, 0, 0), 8, -3.0, False),
    ((-128, 0, 128), 128, 2.1, True),
    ((-256, 0, 128), 128, 4.1, False),
    ((4096, 0, 0), 4096, 5.1, False),
    ((0, -4096, 0), 4096, 6.1, True),
]
FILE_COMPRESSION = {"none": "active values", "zip": "zip + active values", "blosc": "blosc + active values"}
SAMPLE_METADATA = {
    "creator": "write_samples",
    "a_bool": True,
    "a_double": 0.1,
    "a_float": 0.5,
    "a_string": "Käse",
    "a_vec3d": (0.1, 0.2, 0.3),
    "a_vec3i": (1, -2, 3),
    "an_int32": -5,
    "an_int64": 1 << 40,
}


def load_openvdb():
    """The OpenVDB module of this interpreter; a bpy wheel has its own beside bpy, off the path."""
    bpy = importlib.util.find_spec("bpy")
    if bpy and bpy.origin:
        sys.path += map(str, Path(bpy.origin).parent.glob("*/python/lib/python3*/site-packages"))
    for name in ("openvdb", "pyopenvdb"):
        if importlib.util.find_spec(name):
            return importlib.import_module(name)
    sys.exit("this interpreter has no OpenVDB module")


def smooth(i, j, k):
    return ((i + 2 * j + 3 * k) / 64).astype(np.float32)


def noise(i, j, k):
    mixed = (i * 73856093) ^ (j * 19349663) ^ (k * 83492791)
    return ((mixed & 0xFFFF) / 16 - 2048).astype(np.float32)


def smooth_vector(i, j, k):
    first = smooth(i, j, k)
    return np.stack([first, -first / 2, k.astype(np.float32)], axis=-1)


def noise_vector(i, j, k):
    return np.stack([noise(i, j, k), noise(j, k, i), noise(k, i, j)], axis=-1)


def sphere(i, j, k):
    x, y, z = i - 3, j + 5, k - 2
    distance = (np.sqrt((x * x + y * y + z * z).astype(np.float64)) - 40) * SPHERE_VOXEL
    return np.clip(distance.astype(np.float32), -SPHERE_BAND, SPHERE_BAND)


def pattern(i, j, k):
    first_leaf = np.logical_and.reduce([(axis >= 0) & (axis < 8) for axis in (i, j, k)])
    return first_leaf | ((i + 3 * j + 5 * k) % 7 != 0)


def in_leaves(origins):
    """Whether voxels lie in one of these leaves."""
    return lambda i, j, k: np.logical_or.reduce([(i & -8 == x) & (j & -8 == y) & (k & -8 == z) for x, y, z in origins])


def fixed(value):
    return lambda i, j, k: np.full((*i.shape, *np.shape(value)), value, np.float32)


def inactive_value(i, j, k):
    odd = (i + j + k) % 2 == 1
    choices = [(3.0, 3.0), (-3.0, -3.0), (5.1, 5.1), (3.0, -3.0), (3.0, 5.1), (6.1, 5.1)]
    values = noise(i, j, k)
    for column, (if_odd, if_even) in enumerate(choices, start=-2):
        values = np.where(i // 8 == column, np.where(odd, if_odd, if_even), values)
    return values.astype(np.float32)


def choose(condition, yes, no):
    """Selects values by a condition, which has no axis of components."""
    return lambda *voxel: np.where(widen(condition(*voxel), yes(*voxel)), yes(*voxel), no(*voxel))


def widen(mask, values):
    return mask[..., np.newaxis] if values.ndim > mask.ndim else mask


def both(*conditions):
    return lambda *voxel: np.logical_and.reduce([condition(*voxel) for condition in conditions])


@dataclass
class Sample:
    """The expected grid. Values and activity are functions of arrays of index coordinates."""

    leaves: list
    value: Callable
    active: Callable
    background: object = 0.0
    grid_class: str = "unknown"
    voxel_size: tuple = (0.1, 0.1, 0.1)
    translation: tuple = (0.05, -0.25, 1.0)
    metadata: dict = field(default_factory=lambda: {"creator": "Dollop 0.1.0"})
    tiles: list = field(default_factory=list)

    @property
    def components(self):
        return np.shape(self.background)


def fog_like(value, background, **rest):
    """The common leaves, with the background where inactive."""
    active = both(in_leaves(ORIGINS), pattern)
    return Sample(ORIGINS, choose(active, value, fixed(background)), active, background=background, **rest)


def sphere_leaves():
    corners = np.array(list(itertools.product(range(-56, 56, 8), repeat=3)))
    local = np.stack(np.meshgrid(*[np.arange(8)] * 3, indexing="ij"), axis=-1).reshape(-1, 3)
    voxels = corners[:, np.newaxis] + local
    in_band = np.abs(sphere(*np.moveaxis(voxels, -1, 0))) < SPHERE_BAND
    return [tuple(corner) for corner in corners[in_band.any(axis=1)].tolist()]


def samples():
    """All grids of a file, by name and by the count of earlier grids of that name."""
    plain = {"creator": "Dollop 0.1.0"}
    relative = {**plain, "vector_type": "contravariant relative"}
    invariant = {**plain, "vector_type": "invariant"}
    face_leaves = both(in_leaves(ORIGINS), pattern)
    face_inactive = choose(in_leaves(ORIGINS), fixed((7.1, 8.1, 9.1)), fixed((1.1, -2.1, 0.5)))
    inactive_leaves = in_leaves(INACTIVE_LEAVES)
    inactive_active = both(inactive_leaves, pattern)
    inactive = choose(inactive_leaves, inactive_value, fixed(3.0))
    corner = both(in_leaves([(0, 0, 0)]), pattern)

    def last(i, j, k):
        return (i == -1) & (j == -1) & (k == -1)

    single = Sample([(-8, -8, -8)], choose(last, fixed(1e6), fixed(0.0)), last, grid_class="fog volume")
    return {
        ("density", 0): fog_like(smooth, 0.0, grid_class="fog volume"),
        ("rough", 0): fog_like(noise, 1.1, metadata=SAMPLE_METADATA),
        ("velocity", 0): fog_like(smooth_vector, (0.0, 0.0, 0.0), metadata=relative),
        ("faces", 0): Sample(
            ORIGINS,
            choose(face_leaves, noise_vector, face_inactive),
            face_leaves,
            (1.1, -2.1, 0.5),
            "staggered",
            metadata=invariant,
        ),
        ("surface", 0): Sample(
            sphere_leaves(),
            sphere,
            lambda *voxel: np.abs(sphere(*voxel)) < SPHERE_BAND,
            SPHERE_BAND,
            "level set",
            translation=(0.0, 0.0, 0.0),
        ),
        ("inactive", 0): Sample(INACTIVE_LEAVES, choose(inactive_active, smooth, inactive), inactive_active, 3.0),
        ("tiles", 0): Sample([(0, 0, 0)], choose(corner, smooth, fixed(3.0)), corner, 3.0, tiles=TILES),
        ("empty", 0): Sample([], fixed(0.5), lambda i, j, k: np.zeros(i.shape, bool), 0.5, "fog volume"),
        ("twin", 0): Sample([(0, 0, 0)], choose(corner, smooth, fixed(0.0)), corner, grid_class="fog volume"),
        ("twin", 1): single,
        ("single", 0): Sample(single.leaves, single.value, last, 0.0, "fog volume", (0.1, 0.2, 0.4), (0.0, 0.0, 0.0)),
    }


def rounded(values, half):
    """The values that a reader gets from a file of this precision."""
    values = np.asarray(values, np.float32)
    return np.clip(values, -LARGEST_HALF, LARGEST_HALF).astype(np.float16).astype(np.float32) if half else values


def overlay_tiles(sample, corner, values, active):
    """Puts tiles over the formulas' values of a box."""
    for origin, edge, value, tile_active in sample.tiles:
        low = np.clip(np.subtract(origin, corner), 0, values.shape[:3])
        high = np.clip(np.subtract(origin, corner) + edge, 0, values.shape[:3])
        box = tuple(map(slice, low, high))
        values[box], active[box] = value, tile_active


def active_array(runs, corner, shape):
    """The active voxels of a box, as OpenVDB reports them."""
    active = np.zeros(shape, bool)
    low, high = np.subtract(runs[0], corner), np.subtract(runs[1], corner) + 1
    near = ((high > 0) & (low < shape)).all(axis=1)
    for first, last in zip(np.clip(low[near], 0, shape), np.clip(high[near], 0, shape), strict=True):
        active[tuple(map(slice, first, last))] = True
    return active


def check_box(grid, sample, half, corner, shape, runs):
    """Compares value and activity of every voxel of a box."""
    voxel = np.meshgrid(
        *[np.arange(start, start + size) for start, size in zip(corner, shape, strict=True)], indexing="ij"
    )
    values, active = sample.value(*voxel), sample.active(*voxel)
    overlay_tiles(sample, corner, values, active)
    found = np.full((*shape, *sample.components), np.nan, np.float32)
    grid.copyToArray(found, ijk=corner)
    wrong = np.argwhere((found != rounded(values, half)).reshape(*shape, -1).any(axis=-1))
    if len(wrong):
        at = tuple(wrong[0])
        yield f"{len(wrong)} values differ, first at {np.add(corner, at)}: {found[at]}, not {rounded(values, half)[at]}"
    wrong = np.argwhere(active_array(runs, corner, shape) != active)
    if len(wrong):
        yield f"activity differs at {len(wrong)} voxels, first at {np.add(corner, wrong[0])}"


def boxes(sample):
    """Boxes around each leaf and each corner region of a tile; one large box if there are many leaves."""
    if len(sample.leaves) > 100:
        low = np.min(sample.leaves, axis=0) - 16
        high = np.max(sample.leaves, axis=0) + 24
        yield tuple(map(int, low)), tuple(map(int, high - low))
        return
    for origin in sample.leaves:
        yield tuple(axis - 4 for axis in origin), (16, 16, 16)
    for origin, edge, *_ in sample.tiles:
        yield tuple(axis - 4 for axis in origin), (16, 16, 16)
        yield tuple(axis + edge - 12 for axis in origin), (16, 16, 16)
    yield (-20, -20, -20), (8, 8, 8)


def expected_count(sample):
    leaves = 0
    for corner in sample.leaves:
        voxel = np.meshgrid(*[np.arange(start, start + 8) for start in corner], indexing="ij")
        leaves += int(sample.active(*voxel).sum())
    return leaves + sum(edge**3 for _, edge, _, active in sample.tiles if active)


def check_voxels(grid, sample, half):
    spans = [(item.min, item.max) for item in grid.iterOnValues()]
    runs = np.array(spans, np.int64).reshape(-1, 2, 3).transpose(1, 0, 2)
    for corner, shape in boxes(sample):
        yield from check_box(grid, sample, half, corner, shape, runs)
    yield from differs("active voxels", grid.activeVoxelCount(), expected_count(sample))
    yield from differs(
        "active voxels of the iterator", int((runs[1] - runs[0] + 1).prod(axis=1).sum()), expected_count(sample)
    )
    yield from differs("leaves", grid.leafCount(), len(sample.leaves))


def check_head(grid, sample, half, codec):
    """Compares everything except the voxels."""
    yield from differs("background", np.float32(grid.background).tolist(), rounded(sample.background, half).tolist())
    yield from differs("class", grid.gridClass, sample.grid_class)
    yield from differs("half", grid.saveFloatAsHalf, half)
    uniform = len(set(sample.voxel_size)) == 1
    yield from differs("map", grid.transform.typeName, "UniformScaleTranslateMap" if uniform else "ScaleTranslateMap")
    yield from differs("voxel size", tuple(grid.transform.voxelSize()), sample.voxel_size)
    for index in [(0, 0, 0), (1, 2, 3), (-7, 100, -4096)]:
        world = tuple(np.array(index) * sample.voxel_size + np.array(sample.translation))
        if not np.allclose(grid.transform.indexToWorld(index), world, rtol=1e-15, atol=1e-15):
            yield f"index {index} is at {grid.transform.indexToWorld(index)}, not {world}"
        if not np.allclose(grid.transform.worldToIndex(world), index, rtol=1e-12, atol=1e-12):
            yield f"world {world} is at index {grid.transform.worldToIndex(world)}, not {index}"
    low, high = grid.evalActiveVoxelBoundingBox()
    expected = {
        **sample.metadata,
        "class": sample.grid_class,
        "is_saved_as_half_float": half,
        "file_compression": FILE_COMPRESSION[codec],
        "file_voxel_count": grid.activeVoxelCount(),
        "file_bbox_min": tuple(low),
        "file_bbox_max": tuple(high),
        "name": grid.name,
    }
    found = {
        key: tuple(value) if isinstance(value, (list, tuple)) else value for key, value in dict(grid.metadata).items()
    }
    yield from differs("metadata", found, expected)


def differs(what, found, expected):
    if found != expected:
        yield f"{what}: {found}, not {expected}"


def check_file(vdb, path):
    precision, codec = path.stem.split("_")
    grids, _ = vdb.readAll(str(path))
    names, expected = Counter(), samples()
    for grid in grids:
        key = grid.name, names[grid.name]
        names[grid.name] += 1
        sample = expected.pop(key, None)
        if sample is None:
            yield f"{path.name} {key}: unexpected"
            continue
        checks = itertools.chain(
            check_head(grid, sample, precision == "half", codec), check_voxels(grid, sample, precision == "half")
        )
        yield from (f"{path.name} {grid.name}: {difference}" for difference in checks)
    yield from (f"{path.name} {key}: missing" for key in expected)


def main(directory):
    vdb = load_openvdb()
    paths = sorted(Path(directory).glob("*.vdb"))
    differences = [difference for path in paths for difference in check_file(vdb, path)]
    if len(paths) != 6:
        differences.append(f"{len(paths)} files, not 6")
    print(*differences, sep="\n")
    print(f"OpenVDB {vdb.LIBRARY_VERSION}: {len(paths)} files, {len(differences)} differences")
    return 1 if differences else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
