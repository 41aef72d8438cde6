# SPDX-FileCopyrightText: 2026 The Dollop founders
# SPDX-License-Identifier: GPL-3.0-or-later
"""The example Suzanne in a bowl, coarse: baked by the real solver, played, rendered."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import bmesh
import bpy
import make
import numpy as np

import addon
import tools

SPACING = 0.06
FRAMES = 36
FALLING, LANDING = 8, 11
# The pictured parts, and their frames.
PICTURES = {"Surface": (1, FALLING, LANDING, FRAMES), "Volume": (FALLING,), "Particles": (FALLING,)}


def bake_and_render(folder: Path) -> None:
    """Leaves the project, and its pictures in `folder`."""
    scene = bake(folder)
    check_matter(scene)
    check_surface(scene)
    make.prepare_render(scene, (128, 96), 8)
    pictures = render_parts(folder)
    check_pictures(scene, folder, pictures)
    bpy.ops.wm.save_mainfile()
    for (part, frame), pixels in pictures.items():
        np.save(folder / f"{part}_{frame}.npy", pixels)


def solver_refuses_a_scene(folder: Path) -> None:
    from addon import session

    scene = tools.fresh(folder, fake=False)
    tools.cube("body", "BODY")
    scene.dollop.settings.output.use_mesh = False
    words = "Scene tab > Output: nothing would be written; give at least one of Mesh, Volume and Particles"
    tools.expect_error(session.BakeError, words, session.bake, scene, bpy.context.view_layer)
    scene.dollop.settings.output.use_mesh = True
    refuses_settings_by_their_names(scene)
    tools.cube("wall", "COLLIDER", 10.0)
    words = '"body" lies wholly inside a collider; move it out'
    tools.expect_error(session.BakeError, words, session.bake, scene, bpy.context.view_layer)
    assert "mesh file" not in session.status.last(scene)[0]


def refuses_settings_by_their_names(scene: bpy.types.Scene) -> None:
    from addon import session

    wax = tools.cube("wax", "BODY")
    wax.location.z = 3.0
    heat, material = wax.dollop.body.heat, wax.dollop.body.material
    material.type = "thermal"
    for owner, name, wrong, words in (
        (heat, "liquidus", 0.5 * heat.solidus, "'wax': Heat > Liquidus: must not be below the solidus"),
        (
            material.thermal_settings,
            "repulsion_exponent",
            material.thermal_settings.attraction_exponent,
            "'wax': Material > Repulsion Exponent: must be above the Attraction Exponent",
        ),
    ):
        before = getattr(owner, name)
        setattr(owner, name, wrong)
        tools.expect_error(session.BakeError, words, session.bake, scene, bpy.context.view_layer)
        setattr(owner, name, before)
    bpy.data.objects.remove(wax)


def matter_falls_alike_at_any_unit_scale(folder: Path) -> None:
    """A block of one unit falls g t^2 / 2 metres, which are more units if a unit is a centimetre."""
    frames = 4
    for metres in (1.0, 0.01):
        (folder / str(metres)).mkdir()
        scene = tools.fresh(folder / str(metres), fake=False)
        scene.unit_settings.scale_length = metres
        scene.frame_end = frames
        tools.cube("block", "BODY", 1.0)
        scene.dollop.settings.particle_spacing = 0.125
        scene.dollop.settings.output.use_particles = True
        tools.bake()
        fallen = metres * (particles(scene, 1) - particles(scene, frames)).mean(axis=0)
        seconds = (frames - 1) / scene.render.fps
        assert abs(fallen[2] / (9.81 / 2 * seconds**2) - 1.0) < 0.02, f"unit {metres} m: fell {fallen} m"
        assert np.abs(fallen[:2]).max() < 1e-3 * fallen[2], fallen
        addon.unregister()


def bake(folder: Path) -> bpy.types.Scene:
    """The example, baked; the particles fill the body."""
    from addon import session

    scene = tools.fresh(folder, fake=False)
    make.build(scene, SPACING, FRAMES)
    filled = volume(bpy.data.objects["Suzanne"])
    progress = session.bake(scene, bpy.context.view_layer).run.progress
    assert progress.finished == FRAMES, progress
    matter = progress.particles * SPACING**3
    assert abs(matter / filled - 1.0) < 0.05, f"{matter} m3 of particles in a body of {filled} m3"
    assert len(particles(scene, 1)) == progress.particles
    return scene


def check_matter(scene: bpy.types.Scene) -> None:
    """It falls; no particle is ever outside the bowl; at the end all lie in it and rest."""
    places = np.array([particles(scene, frame) for frame in range(1, FRAMES + 1)])
    fallen = places[0].mean(axis=0) - places[FALLING - 1].mean(axis=0)
    seconds = (FALLING - 1) / scene.render.fps
    assert abs(fallen[2] / (9.81 / 2 * seconds**2) - 1.0) < 0.05, f"fell {fallen[2]} m in {seconds} s"
    for frame, at in enumerate(places, 1):
        # Above the rim the distance from the axis counts, as matter outside there lands outside.
        away = np.linalg.norm(np.minimum(at, (np.inf, np.inf, 0.0)), axis=1)
        assert away.max() < make.BOWL_RADIUS, f"frame {frame}: a particle {away.max()} m from the middle of the bowl"
    assert places[-1][:, 2].max() < 0.0, "matter above the rim"
    moved = np.linalg.norm(places[-1] - places[-2], axis=1)
    assert moved.max() < 0.2 * SPACING and moved.mean() < 0.02 * SPACING, f"moves by up to {moved.max()} m a frame"


def check_surface(scene: bpy.types.Scene) -> None:
    """It roughly keeps its volume, as the matter keeps its density, and does not come out of the wall of the bowl."""
    volumes = []
    for frame in (1, FRAMES):
        # Three quarters up: inside the matter. At its surface the sum lacks neighbours.
        at_rest = bpy.data.objects["Suzanne"].dollop.body.material.continuum_settings.rest_density
        inside = np.percentile(densities(scene, frame), 75) / at_rest
        assert abs(inside - 1.0) < 0.02, f"frame {frame}: the matter is {inside} times as dense as at rest"
        scene.frame_set(frame)
        volumes.append(volume(scene.dollop.surface))
    # The isovalue lies outside of the matter, and flat matter has more surface than the falling lump.
    assert abs(volumes[1] / volumes[0] - 1.0) < 0.2, f"the volume is not kept: {volumes} m3"
    away = np.linalg.norm(tools.world_vertices(scene.dollop.surface), axis=1).max()
    assert away < make.BOWL_RADIUS + make.BOWL_THICKNESS, f"the surface reaches {away} m from the middle of the bowl"


def check_pictures(scene: bpy.types.Scene, folder: Path, pictures: dict) -> None:
    """Each part is visible; the surface differs from frame to frame, and is blurred where it falls, not where it
    rests."""
    surface = scene.dollop.surface
    surface.hide_render = scene.dollop.volume.hide_render = scene.dollop.particles.hide_render = True
    empty = tools.render(folder / "empty.png", 1)
    for (part, frame), pixels in pictures.items():
        seen = difference(pixels, empty)
        assert seen > 0.01, f"{part} at frame {frame} differs by {seen} from a picture without it"
    frames = PICTURES["Surface"]
    for one, later in pairwise(frames):
        unlike = difference(pictures["Surface", one], pictures["Surface", later])
        assert unlike > 0.005, f"frames {one} and {later} differ by {unlike}"
    surface.hide_render = False
    scene.render.use_motion_blur = False
    blur = {}
    for frame in (FALLING, FRAMES):
        sharp = tools.render(folder / f"sharp_{frame}.png", frame)
        blur[frame] = difference(sharp, pictures["Surface", frame])
    scene.render.use_motion_blur = True
    assert blur[FALLING] > 3 * blur[FRAMES] and blur[FALLING] > 5e-4, blur


def render_parts(folder: Path) -> dict[tuple[str, int], np.ndarray]:
    """Surface, volume and particles, each alone."""
    parts = {name: bpy.data.objects[f"Dollop {name}"] for name in PICTURES}
    pictures = {}
    for name, frames in PICTURES.items():
        for other, shown in parts.items():
            shown.hide_render = other != name
        for frame in frames:
            pictures[name, frame] = tools.render(folder / f"{name}_{frame}.png", frame)
    return pictures


def particles(scene: bpy.types.Scene, frame: int) -> np.ndarray:
    """Positions of the loaded particles, (particles, 3)."""
    found = tools.evaluated(scene.dollop.particles, frame)
    points = found.pointcloud.points
    places = np.empty(3 * len(points), np.float32)
    points.foreach_get("co", places)
    return places.reshape(-1, 3).astype(float)


def densities(scene: bpy.types.Scene, frame: int) -> np.ndarray:
    """Densities of the loaded particles, kg/m3."""
    found = tools.evaluated(scene.dollop.particles, frame)
    column = found.pointcloud.attributes["density"].data
    values = np.empty(len(column), np.float32)
    column.foreach_get("value", values)
    return values.astype(float)


def volume(source: bpy.types.Object) -> float:
    mesh = bmesh.new()
    mesh.from_object(source, bpy.context.evaluated_depsgraph_get())
    enclosed = mesh.calc_volume()
    mesh.free()
    return enclosed


def difference(one: np.ndarray, other: np.ndarray) -> float:
    """Mean over all pixels and colours."""
    return float(np.abs(one - other)[:, :, :3].mean())
