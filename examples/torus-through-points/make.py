# SPDX-FileCopyrightText: 2026 The Dollop founders
# SPDX-License-Identifier: GPL-3.0-or-later
"""Figure 9 of Tonnesen (1992): fits a surface to 300 points of a torus, and tells how far it is from that.

python make.py DOLLOP FOLDER            writes points.txt and torus.obj into FOLDER, with the binary DOLLOP
python make.py DOLLOP FOLDER --render   renders points and surface beside each other, too; with a Python that has
                                        the bpy module
"""

from __future__ import annotations

import argparse
import math
import random
import subprocess
import sys
from pathlib import Path

COUNT = 300
LARGE, SMALL = 1.0, 0.4
# Each point is the farthest from those before among so many: evenly strewn.
TRIES = 10
SEED = 1992

Point = tuple[float, float, float]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("dollop")
    parser.add_argument("folder", type=Path)
    parser.add_argument("--render", action="store_true")
    options = parser.parse_args()
    options.folder.mkdir(parents=True, exist_ok=True)
    points, mesh = options.folder / "points.txt", options.folder / "torus.obj"
    strewn = strew(random.Random(SEED))
    points.write_text("".join(f"{x:.6f} {y:.6f} {z:.6f}\n" for x, y, z in strewn), encoding="utf-8")
    subprocess.run([options.dollop, "fit", points, "--out", mesh, "--overwrite"], check=True)
    tell(mesh)
    if options.render:
        render(strewn, mesh, options.folder / "torus.png")


def strew(chance: random.Random) -> list[Point]:
    """Points all over the torus."""
    points: list[Point] = []
    while len(points) < COUNT:
        tries = [point(chance) for _ in range(TRIES)]
        points.append(max(tries, key=lambda place: min((math.dist(place, other) for other in points), default=0.0)))
    return points


def point(chance: random.Random) -> Point:
    """A point of the torus, as likely as any other by area."""
    while True:
        around, across = (chance.uniform(0.0, math.tau) for _ in range(2))
        radius = LARGE + SMALL * math.cos(across)
        if chance.uniform(0.0, LARGE + SMALL) <= radius:
            return radius * math.cos(around), radius * math.sin(around), SMALL * math.sin(across)


def tell(mesh: Path) -> None:
    """Prints how far vertices, middles of edges and of triangles are from the torus."""
    lines = [line.split() for line in mesh.read_text(encoding="utf-8").splitlines()]
    vertices = [tuple(map(float, words[1:4])) for words in lines if words[0] == "v"]
    faces = [[vertices[int(word.split("/")[0]) - 1] for word in words[1:]] for words in lines if words[0] == "f"]
    parts = [part for a, b, c in faces for part in ([a, b, c], [a, b], [b, c], [c, a])]
    middles = [tuple(sum(axis) / len(part) for axis in zip(*part, strict=True)) for part in parts]
    distances = [abs(math.hypot(math.hypot(x, y) - LARGE, z) - SMALL) / SMALL for x, y, z in (*vertices, *middles)]
    mean, most = sum(distances) / len(distances), max(distances)
    print(f"from the torus: {mean:.2%} of the small radius in the mean, {most:.2%} at most")


def render(points: list[Point], mesh: Path, picture: Path) -> None:
    """Renders the points as balls, and beside them the surface."""
    import bpy

    sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
    import stage
    from studio import glazed

    bpy.ops.wm.read_homefile(use_empty=True)
    scene = bpy.context.scene
    bpy.ops.mesh.primitive_uv_sphere_add(radius=0.035, segments=24, ring_count=12)
    ball = bpy.context.object.data
    ball.shade_smooth()
    ball.materials.append(glazed("Points", (0.8, 0.12, 0.06), 0.3))
    bpy.data.objects.remove(bpy.context.object)
    for place in points:
        made = bpy.data.objects.new("Point", ball)
        made.location = place[0] - 1.5, place[1], place[2]
        scene.collection.objects.link(made)
    bpy.ops.wm.obj_import(filepath=str(mesh), forward_axis="Y", up_axis="Z")
    surface = bpy.context.object
    surface.location.x = 1.5
    surface.data.shade_smooth()
    surface.data.materials.clear()
    surface.data.materials.append(glazed("Surface", (0.1, 0.35, 0.6), 0.3))
    bpy.ops.mesh.primitive_plane_add(size=60.0, location=(0.0, 0.0, -SMALL))
    bpy.context.object.data.materials.append(glazed("Floor", (0.6, 0.58, 0.55), 0.8))
    stage.camera(scene, (0.0, -5.6, 5.2), (0.0, -0.1, -0.1), 42.0)
    stage.lamp(scene, (-3.0, -3.5, 5.0), (0.0, 0.0, 0.0), 500.0, 1.5)
    stage.world(scene, (0.85, 0.88, 0.95), 0.5)
    stage.cycles(scene, 720, 320)
    scene.render.filepath = str(picture.resolve())
    bpy.ops.render.render(write_still=True)


if __name__ == "__main__":
    main()
