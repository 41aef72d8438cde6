"""Compares the grids of a bake with what they must be, by OpenVDB.

    python read_volume.py CACHE COLOR_R COLOR_G COLOR_B AGE

The cache has one frame: a mesh, and a volume in full precision on voxels as wide as the cells of the mesh. Runs under any
interpreter that has numpy and an OpenVDB module. Exits with 1 and a message for each difference.
"""

import sys
from pathlib import Path

import numpy as np
from read_samples import active_array, load_openvdb

HEAD = {
    "density": ("float", "fog volume"),
    "velocity": ("vec3s", "unknown"),
    "color": ("vec3s", "unknown"),
    "age": ("float", "unknown"),
    "rest_position": ("vec3s", "unknown"),
    "surface": ("float", "level set"),
}


def read_mesh(path):
    """Corners and triangles of a binary PLY."""
    head, body = path.read_bytes().split(b"end_header\n", 1)
    lines = [line.split() for line in head.decode("ascii").splitlines()]
    counts = [int(line[2]) for line in lines if line[0] == "element"]
    names = [line[2] for line in lines if line[0] == "property" and line[1] != "list"]
    corners = np.frombuffer(body, np.dtype([(name, "<f4") for name in names]), counts[0])
    faces = np.dtype([("count", "u1"), ("corners", "<u4", 3)])
    triangles = np.frombuffer(body, faces, counts[1], corners.nbytes)["corners"]
    return np.stack([corners["x"], corners["y"], corners["z"]], axis=-1).astype(np.float32), triangles


def volume_of(corners, faces):
    a, b, c = (corners[faces[:, place]].astype(np.float64) for place in range(3))
    return np.einsum("ij,ij->i", a, np.cross(b, c)).sum() / 6


def arrays(grid, low, shape):
    """Values and activity in a box."""
    values = np.full((*shape, *np.shape(grid.background)), np.nan, np.float32)
    grid.copyToArray(values, ijk=low)
    spans = np.array([(item.min, item.max) for item in grid.iterOnValues()], np.int64).reshape(-1, 2, 3)
    return values, active_array(spans.transpose(1, 0, 2), low, shape)


def check_level_set(vdb, grid, cache):
    """The level set is OpenVDB's own of the mesh, voxel by voxel, and OpenVDB meshes it to the same volume."""
    corners, triangles = read_mesh(cache / "mesh" / "mesh_0002.ply")
    voxel = grid.transform.voxelSize()[0]
    if abs(grid.background - 3 * voxel) > 1e-6 * voxel:
        yield f"background {grid.background}, not {3 * voxel}"
    transform = vdb.createLinearTransform(voxelSize=voxel)
    own = vdb.FloatGrid.createLevelSetFromPolygons(corners, triangles=triangles, transform=transform, halfWidth=3)
    low = tuple(int(c) for c in np.floor(corners.min(axis=0) / voxel) - 12)
    shape = tuple(int(c) for c in np.ceil(corners.max(axis=0) / voxel) + 12 - low)
    (found, active), (expected, own_active) = arrays(grid, low, shape), arrays(own, low, shape)
    off = np.abs(found - expected)
    at = np.unravel_index(off.argmax(), off.shape)
    if off[at] > 0.01 * voxel:
        yield f"{found[at]} at {np.add(at, low)}, not {expected[at]}; {(off > 0.01 * voxel).sum()} voxels differ"
    # Where the distance is as long as the band is wide, rounding decides.
    edge = np.abs(np.abs(expected) - grid.background) < 0.01 * voxel
    if (active != own_active)[~edge].any():
        yield f"{(active != own_active)[~edge].sum()} voxels are active in one only"
    if (found[~active] == -np.float32(grid.background)).sum() < 1000:
        yield "too few voxels beyond the band are inside"
    points, quads = grid.convertToQuads()
    # OpenVDB's quads look inwards.
    enclosed = abs(volume_of(points, np.vstack([quads[:, [0, 1, 2]], quads[:, [0, 2, 3]]])))
    if abs(enclosed / volume_of(corners, triangles) - 1) > 0.01:
        yield f"OpenVDB's mesh encloses {enclosed}, ours {volume_of(corners, triangles)}"


def check_constant(grid, density, expected):
    """One value wherever the density is."""
    if grid.activeVoxelCount() != density.activeVoxelCount():
        yield f"{grid.activeVoxelCount()} voxels, not {density.activeVoxelCount()}"
    for item in grid.iterOnValues():
        if not np.allclose(item.value, expected, rtol=1e-5, atol=0):
            yield f"{item.value}, not {expected}"
            return


def check_rest(grid):
    """Matter that fell has its places at rest above."""
    for item in grid.iterOnValues():
        voxel = np.array(item.min) * grid.transform.voxelSize()[0]
        if np.abs(np.subtract(item.value, voxel)).max() > 0.1:
            yield f"{item.value} at {voxel}"
            return


def check(vdb, cache, color, age):
    grids = {grid.name: grid for grid in vdb.readAll(str(cache / "volume" / "volume_0002.vdb"))[0]}
    found = {name: (grid.valueTypeName, grid.gridClass) for name, grid in grids.items()}
    if found != HEAD:
        yield f"{found}, not {HEAD}"
        return
    yield from check_level_set(vdb, grids["surface"], cache)
    yield from check_constant(grids["color"], grids["density"], color)
    yield from check_constant(grids["age"], grids["density"], age)
    yield from check_rest(grids["rest_position"])


def main(cache, *numbers):
    vdb = load_openvdb()
    *color, age = map(float, numbers)
    differences = list(check(vdb, Path(cache), color, age))
    print(*differences, sep="\n")
    print(f"OpenVDB {vdb.LIBRARY_VERSION}: {len(differences)} differences")
    return 1 if differences else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
