"""Compares the grids of a bake with their expected values, by OpenVDB.

    python read_volume.py CACHE COLOR_R COLOR_G COLOR_B AGE

Of the second frame, which has a mesh, and a volume in full precision on voxels as wide as the cells of the mesh. Runs
under any interpreter that has numpy and an OpenVDB module. Exits with 1 and a message for each difference.
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
    # OpenVDB reads rows of any stride as if they were dense.
    triangles = np.ascontiguousarray(np.frombuffer(body, faces, counts[1], corners.nbytes)["corners"])
    return np.stack([corners["x"], corners["y"], corners["z"]], axis=-1).astype(np.float32), triangles


def volume_of(corners, faces):
    a, b, c = (corners[faces[:, place]].astype(np.float64) for place in range(3))
    return np.einsum("ij,ij->i", a, np.cross(b, c)).sum() / 6


def distances(points, corners, triangles):
    """Distances of points to the nearest of all triangles."""
    a, b, c = (corners[triangles[:, place]] for place in range(3))
    normal = np.cross(b - a, c - a)
    found = []
    for point in points:
        squared, over = np.full(len(a), np.inf), np.ones(len(a), bool)
        for start, end in ((a, b), (b, c), (c, a)):
            along, to = end - start, point - start
            t = np.clip(np.einsum("ij,ij->i", to, along) / np.einsum("ij,ij->i", along, along), 0, 1)
            squared = np.minimum(squared, ((to - t[:, np.newaxis] * along) ** 2).sum(axis=1))
            over &= np.einsum("ij,ij->i", np.cross(normal, along), to) > 0
        plane = np.einsum("ij,ij->i", normal, point - a) ** 2 / (normal**2).sum(axis=1)
        found.append(np.sqrt(np.where(over, plane, squared).min()))
    return np.array(found)


def windings(points, corners, triangles):
    """The winding number of a mesh around points, by solid angles (van Oosterom and Strackee 1983)."""
    found = []
    for point in points:
        a, b, c = (corners[triangles[:, place]] - point for place in range(3))
        x, y, z = (np.linalg.norm(corner, axis=1) for corner in (a, b, c))
        dot = [np.einsum("ij,ij->i", *pair) for pair in ((a, b), (b, c), (c, a))]
        volume = np.einsum("ij,ij->i", a, np.cross(b, c))
        found.append(np.arctan2(volume, x * y * z + dot[0] * z + dot[1] * x + dot[2] * y).sum() / (2 * np.pi))
    return np.array(found)


def arrays(grid, low, shape):
    """Values and activity in a box."""
    values = np.full((*shape, *np.shape(grid.background)), np.nan, np.float32)
    grid.copyToArray(values, ijk=low)
    spans = np.array([(item.min, item.max) for item in grid.iterOnValues()], np.int64).reshape(-1, 2, 3)
    return values, active_array(spans.transpose(1, 0, 2), low, shape)


def check_level_set(vdb, grid, cache):
    """The level set equals OpenVDB's own of the mesh, voxel by voxel, and OpenVDB meshes it to the same volume."""
    corners, triangles = read_mesh(cache / "mesh" / "mesh_0002.ply")
    voxel = grid.transform.voxelSize()[0]
    if abs(grid.background - 3 * voxel) > 1e-6 * voxel:
        yield f"background {grid.background}, not {3 * voxel}"
    transform = vdb.createLinearTransform(voxelSize=voxel)
    own = vdb.FloatGrid.createLevelSetFromPolygons(corners, triangles=triangles, transform=transform, halfWidth=3)
    low = tuple(int(c) for c in np.floor(corners.min(axis=0) / voxel) - 12)
    shape = tuple(int(c) for c in np.ceil(corners.max(axis=0) / voxel) + 12 - low)
    (found, active), (expected, own_active) = arrays(grid, low, shape), arrays(own, low, shape)
    # OpenVDB passes the nearest triangle on from voxel to voxel, and far from the surface sometimes misses it; close to
    # it, it sometimes takes the wrong side.
    off = np.argwhere(np.abs(found - expected) > 1e-3 * voxel)
    if len(off) > 0.1 * active.sum() or np.abs(found - expected).max() > 0.2 * voxel:
        yield f"{len(off)} of {active.sum()} voxels differ, by up to {np.abs(found - expected).max()}"
    turned = np.argwhere((found < 0) != (expected < 0))
    inside = windings((turned + low) * voxel, corners.astype(np.float64), triangles) > 0.5
    if ((found[tuple(turned.T)] < 0) != inside).any() or len(turned) > 10:
        yield f"{len(turned)} signs differ, {(inside == (found[tuple(turned.T)] < 0)).sum()} of them rightly"
    some = np.vstack([off, np.argwhere(active)[::97]])
    exact = distances((some + low) * voxel, corners.astype(np.float64), triangles)
    wrong = np.argwhere(np.abs(np.minimum(exact, grid.background) - np.abs(found[tuple(some.T)])) > 1e-4 * voxel)
    if len(wrong):
        at = tuple(some[wrong[0, 0]])
        yield f"{len(wrong)} of {len(some)} distances are wrong, first {found[at]}, not {exact[wrong[0, 0]]}"
    if (active & ~own_active).sum() > 0.01 * active.sum() or (own_active & ~active).sum() > 0.001 * active.sum():
        yield f"{(active & ~own_active).sum()} more voxels are active, {(own_active & ~active).sum()} are not"
    if (found[~active] == -np.float32(grid.background)).sum() < 1000:
        yield "too few voxels beyond the band are inside"
    points, quads = grid.convertToQuads()
    # OpenVDB's quads look inwards.
    enclosed = abs(volume_of(points, np.vstack([quads[:, [0, 1, 2]], quads[:, [0, 2, 3]]])))
    if abs(enclosed / volume_of(corners, triangles) - 1) > 0.01:
        yield f"OpenVDB's mesh encloses {enclosed}, ours {volume_of(corners, triangles)}"


def check_constant(grid, density, expected):
    """One value wherever there is density."""
    if grid.activeVoxelCount() != density.activeVoxelCount():
        yield f"{grid.activeVoxelCount()} voxels, not {density.activeVoxelCount()}"
    for item in grid.iterOnValues():
        if not np.allclose(item.value, expected, rtol=1e-5, atol=0):
            yield f"{item.value}, not {expected}"
            return


def check_rest(grid, density):
    """Matter that has just begun to fall is at its old position."""
    of = density.getConstAccessor()
    inner = [item for item in grid.iterOnValues() if of.getValue(item.min) > 0.9]
    at = np.array([item.min for item in inner]) * grid.transform.voxelSize()[0]
    off = np.abs(np.array([item.value for item in inner]) - at).max()
    if not off < 0.04:
        yield f"places at rest are up to {off} m away"


def check(vdb, cache, color, age):
    grids = {grid.name: grid for grid in vdb.readAll(str(cache / "volume" / "volume_0002.vdb"))[0]}
    found = {name: (grid.valueTypeName, grid.gridClass) for name, grid in grids.items()}
    if found != HEAD:
        yield f"{found}, not {HEAD}"
        return
    yield from check_level_set(vdb, grids["surface"], cache)
    yield from check_constant(grids["color"], grids["density"], color)
    yield from check_constant(grids["age"], grids["density"], age)
    yield from check_rest(grids["rest_position"], grids["density"])


def main(cache, *numbers):
    vdb = load_openvdb()
    *color, age = map(float, numbers)
    differences = list(check(vdb, Path(cache), color, age))
    print(*differences, sep="\n")
    print(f"OpenVDB {vdb.LIBRARY_VERSION}: {len(differences)} differences")
    return 1 if differences else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
