# SPDX-FileCopyrightText: 2026 The Dollop founders
# SPDX-License-Identifier: GPL-3.0-or-later
"""Playback and renders of caches whose files the tests write."""

from __future__ import annotations

import sys
from pathlib import Path

import bpy
import numpy as np
from files import HALF, RATE, STEP, Colour, place_of, write_cache, write_cube

import tools
from tools import camera_and_light, evaluated, render, span


def load(
    folder: Path,
    frames: list[int],
    kinds: list[str],
    hot: bool = False,
    halves: tuple[float, float] = (300.0, 400.0),
    colour: Colour | None = None,
) -> bpy.types.Scene:
    """A saved scene that shows a cache in its project folder."""
    from addon import playback
    from addon.bake import index

    scene = bpy.context.scene
    cache = folder / "project" / "cache {1}"
    write_cache(cache, frames, kinds, hot, colour)
    if "volume" in kinds:
        for frame in frames:
            write_smoke(cache / f"volume/volume_{frame:04}.vdb", place_of(frame), hot, halves)
    warnings = playback.load(scene, index.read(cache))
    assert warnings == [], warnings
    return scene


def write_smoke(path: Path, x: float, hot: bool = False, halves: tuple[float, float] = (300.0, 400.0)) -> None:
    """A cube of density 1 around x, moving along X; its velocity reaches beyond it. A hot one has a temperature for its
    left half and one for its right."""
    version = f"python{sys.version_info.major}.{sys.version_info.minor}"
    sys.path.append(f"{bpy.utils.resource_path('LOCAL')}/python/lib/{version}/site-packages")
    import openvdb

    size = 0.1
    density, velocity = openvdb.FloatGrid(), openvdb.Vec3SGrid((0.0, 0.0, 0.0))
    low, high = round((x - HALF) / size), round((x + HALF) / size) - 1
    side = round(HALF / size)
    density.fill((low, -side, -side), (high, side - 1, side - 1), 1.0, active=True)
    velocity.fill((low - 5, -side - 5, -side - 5), (high + 5, side + 4, side + 4), (STEP * RATE, 0.0, 0.0), active=True)
    grids = {"density": density, "velocity": velocity}
    if hot:
        grids["temperature"] = heat = openvdb.FloatGrid()
        for left, right, kelvin in ((low, low + side - 1, halves[0]), (low + side, high, halves[1])):
            heat.fill((left, -side, -side), (right, side - 1, side - 1), kelvin, active=True)
    for name, grid in grids.items():
        grid.name = name
        grid.transform = openvdb.createLinearTransform(voxelSize=size)
    openvdb.write(str(path), grids=list(grids.values()))


def middle(shown: bpy.types.Object, frame: int) -> float:
    found = evaluated(shown, frame)
    mesh = found.mesh
    return float(np.mean([vertex.co.x for vertex in mesh.vertices])) if len(mesh.vertices) else float("nan")


def case_frames_are_clamped_to_the_baked_ones(folder: Path) -> None:
    tools.fresh(folder)
    surface = load(folder, [1001, 1002, 1003], ["mesh"]).dollop.surface
    for frame, shown in ((1, 1001), (1001, 1001), (1002, 1002), (1003, 1003), (1200, 1003)):
        assert abs(middle(surface, frame) - place_of(shown)) < 1e-4, frame


def case_gaps_show_the_frame_before(folder: Path) -> None:
    tools.fresh(folder)
    surface = load(folder, [2, 3, 7, 8, 12], ["mesh"]).dollop.surface
    wanted = {1: 2, 2: 2, 3: 3, 4: 3, 6: 3, 7: 7, 8: 8, 9: 8, 11: 8, 12: 12, 13: 12}
    for frame, shown in wanted.items():
        assert abs(middle(surface, frame) - place_of(shown)) < 1e-6, frame


def case_the_surface_carries_velocity_and_attributes(folder: Path) -> None:
    tools.fresh(folder)
    surface = load(folder, [1, 2], ["mesh"], hot=True).dollop.surface
    found = evaluated(surface, 2)
    mesh = found.mesh
    velocity = mesh.attributes["velocity"]
    assert (velocity.domain, velocity.data_type) == ("POINT", "FLOAT_VECTOR")
    assert all(abs(item.vector.x - STEP * RATE) < 1e-6 and item.vector.y == 0 for item in velocity.data)
    assert {"temperature", "source"} <= set(mesh.attributes.keys())
    assert all(polygon.use_smooth for polygon in mesh.polygons)


def case_the_unit_scale_is_undone(folder: Path) -> None:
    scene = tools.fresh(folder)
    camera_and_light()
    scene.unit_settings.scale_length = 0.5
    scene = load(folder, [1, 2], ["mesh", "particles", "volume"])
    found = evaluated(scene.dollop.surface, 2)
    mesh = found.mesh
    assert abs(np.mean([v.co.x for v in mesh.vertices]) - 2 * place_of(2)) < 1e-6
    assert abs(mesh.attributes["velocity"].data[0].vector.x - 2 * STEP * RATE) < 1e-5
    found = evaluated(scene.dollop.particles, 2)
    points = found.pointcloud.points
    assert abs(points[0].radius - 0.4) < 1e-6
    assert tuple(scene.dollop.volume.delta_scale) == (2, 2, 2) and tuple(scene.dollop.volume.scale) == (1, 1, 1)


def case_all_formats_have_a_reader(_folder: Path) -> None:
    from addon.playback import tree
    from addon.settings import schema

    for kind, formats in schema.load().formats.items():
        for name in () if kind == "volume" else formats:
            assert hasattr(bpy.types, tree._READERS[f".{name}"][0]), f"{kind} files of the format {name}"


def case_obj_surfaces_play(folder: Path) -> None:
    from addon import playback
    from addon.bake import index

    scene = tools.fresh(folder)
    cache = folder / "project/cache"
    write_cache(cache, [1, 2], ["mesh"])
    text = (cache / "bake.json").read_text(encoding="utf-8").replace("ply", "obj").replace("velocity", "normal")
    (cache / "bake.json").write_text(text, encoding="utf-8")
    for frame in (1, 2):
        (cache / f"mesh/mesh_{frame:04}.obj").write_text(
            f"v 0 0 {frame}\nv 1 0 {frame}\nv 0 1 {frame}\nf 1 2 3\n", encoding="ascii"
        )
    playback.load(scene, index.read(cache))
    found = evaluated(scene.dollop.surface, 2)
    mesh = found.mesh
    assert len(mesh.vertices) == 3 and all(vertex.co.z == 2.0 for vertex in mesh.vertices)


def case_missing_files_are_reported(folder: Path) -> None:
    from addon import playback
    from addon.bake import index

    scene = tools.fresh(folder)
    cache = folder / "project/cache"
    write_cache(cache, [1, 2, 3], ["mesh"])
    (cache / "mesh/mesh_0002.ply").unlink()
    assert "frame 2" in playback.load(scene, index.read(cache))[0]


def check_pictures(folder: Path, tolerance: float) -> None:
    """The cube stands where it should in two frames, has a colour, and motion blur makes it wider by its way."""
    scene = bpy.context.scene
    for frame in (2, 5):
        pixels = render(folder / f"sharp_{frame}.png", frame)
        left, right = span(pixels)
        assert abs(left - (place_of(frame) - HALF)) < tolerance, (frame, left, right)
        assert abs(right - (place_of(frame) + HALF)) < tolerance, (frame, left, right)
    covered = pixels[pixels[:, :, 3] > 0.9][:, :3]
    assert len(covered) and covered.mean() > 0.05 and np.ptp(covered.mean(axis=0)) > 0.05, "black or grey"
    scene.render.use_motion_blur, scene.render.motion_blur_shutter = True, 0.5
    scene.cycles.samples = 64
    left, right = span(render(folder / "blurred.png", 5))
    assert right - left > 2 * HALF + 0.6 * STEP * 0.5, (left, right)
    assert abs((left + right) / 2 - place_of(5)) < tolerance, (left, right)


def case_the_surface_renders_with_motion_blur(folder: Path) -> None:
    tools.fresh(folder)
    load(folder, list(range(1, 9)), ["mesh"])
    camera_and_light()
    check_pictures(folder, 0.1)


def case_blur_comes_from_the_velocity(folder: Path) -> None:
    """With motion blur, a cache of velocity zero renders sharply, though its frames differ."""
    scene = tools.fresh(folder)
    load(folder, list(range(1, 9)), ["mesh"])
    for frame in range(1, 9):
        path = folder / f"project/cache {{1}}/mesh/mesh_{frame:04}.ply"
        write_cube(path, place_of(frame), True)
        moving = np.float32(STEP * RATE).tobytes()
        path.write_bytes(path.read_bytes().replace(moving, bytes(4)))
    camera_and_light()
    scene.render.use_motion_blur, scene.render.motion_blur_shutter = True, 1.0
    left, right = span(render(folder / "still.png", 5))
    assert abs((right - left) - 2 * HALF) < 0.1, (left, right)


def case_the_material_tab_is_where_the_material_is_chosen(folder: Path) -> None:
    scene = tools.fresh(folder)
    load(folder, [1, 2], ["mesh", "particles"])
    camera_and_light()
    green = bpy.data.materials.new("green")
    if green.node_tree is None:
        green.use_nodes = True
    green.node_tree.nodes["Principled BSDF"].inputs["Base Color"].default_value = (0.0, 0.8, 0.0, 1.0)
    for shown, other in (("surface", "particles"), ("particles", "surface")):
        getattr(scene.dollop, shown).hide_render, getattr(scene.dollop, other).hide_render = False, True
        before = render(folder / f"{shown}.png", 2)
        getattr(scene.dollop, shown).material_slots[0].material = green
        after = render(folder / f"{shown}_green.png", 2)
        colours = [pixels[pixels[:, :, 3] > 0.9][:, :3].mean(axis=0) for pixels in (before, after)]
        assert np.ptp(colours[0]) > 0.1, f"the default material of the {shown} is not seen"
        assert colours[1][1] > 2 * colours[1][[0, 2]].max(), f"the chosen material of the {shown} is not seen"


def case_the_surface_has_the_colour_of_the_matter_however_warm(folder: Path) -> None:
    """The matter is too cold to glow: at 300 to 400 K, and at 690 K."""
    scene = tools.fresh(folder)
    camera_and_light()
    heat({"cold": 300.0, "hot": 400.0})
    green = (0.1, 0.5, 0.2)
    load(folder, [1, 2], ["mesh"], hot=True, colour=green)
    warm = render(folder / "warm.png", 2)
    # In another folder, as Blender caches read files for a second.
    load(folder / "hot", [1, 2], ["mesh"], hot=True, colour=green)
    write_even_heat(folder / "hot", 690.0)
    hot = render(folder / "hot.png", 2)
    material = scene.dollop.surface.material_slots[0].material
    assert material.name == "Dollop Surface"
    base = material.node_tree.nodes["Dollop Surface"].inputs["Base Color"]
    material.node_tree.links.remove(base.links[0])
    base.default_value = (*green, 1.0)
    wanted = render(folder / "wanted.png", 2)
    for seen in (warm, hot):
        assert np.abs(seen - wanted).max() < 0.005, np.abs(seen - wanted).max()
    covered = wanted[wanted[:, :, 3] > 0.9][:, :3].mean(axis=0)
    assert covered[1] > covered[[0, 2]].max() + 0.1, "that is no green"


def heat(temperatures: dict[str, float]) -> None:
    for name, temperature in temperatures.items():
        body = bpy.data.objects.get(name) or tools.cube(name, "BODY")
        body.dollop.body.use_temperature, body.dollop.body.temperature = True, temperature
        body.hide_render = True
    # The lists of the view layer do not yet contain objects linked just now.
    bpy.context.view_layer.update()


def write_even_heat(folder: Path, temperature: float) -> None:
    """Writes a cube whose vertices all have this temperature over each frame."""
    for path in (folder / "project/cache {1}/mesh").iterdir():
        found = path.read_bytes()
        for value in np.linspace(300.0, 400.0, 8):
            found = found.replace(np.float32(value).tobytes(), np.float32(temperature).tobytes())
        path.write_bytes(found)


def case_a_single_temperature_looks_like_none(folder: Path) -> None:
    scene = tools.fresh(folder)
    camera_and_light()
    load(folder, [1, 2], ["mesh"])
    plain = render(folder / "plain.png", 2)
    heat({"only": 345.0})
    # In another folder, as Blender caches read files for a second.
    load(folder / "hot", [1, 2], ["mesh"], hot=True)
    write_even_heat(folder / "hot", 345.0)
    assert scene.dollop.surface.material_slots[0].material.node_tree.nodes["Glow"]
    assert np.abs(render(folder / "even.png", 2) - plain).max() < 0.02


def case_the_colours_follow_the_temperatures_of_each_bake(folder: Path) -> None:
    scene = tools.fresh(folder)

    # Blender 5 renders no volumes without a world, which gives a warning.
    scene.world = bpy.data.worlds.new("world")

    def span_after(temperatures: dict[str, float]) -> list[float]:
        heat(temperatures)
        load(folder, [1], ["mesh", "volume"], hot=True)
        node = scene.dollop.volume.material_slots[0].material.node_tree.nodes["Temperatures"]
        return [node.inputs[end].default_value for end in ("From Min", "From Max")]

    assert span_after({"a": 300.0}) == [250.0, 350.0]
    assert span_after({"a": 300.0, "b": 1500.0}) == [300.0, 1500.0]
    material = scene.dollop.volume.material_slots[0].material
    material.node_tree.nodes["Temperatures"].inputs["From Max"].default_value = 700.0
    assert span_after({"b": 900.0}) == [300.0, 700.0], "what the user chose is lost"
    mine = bpy.data.materials.new("mine")
    scene.dollop.surface.material_slots[0].material = mine
    load(folder, [1], ["mesh"], hot=True)
    assert scene.dollop.surface.material_slots[0].material == mine
    assert mine.node_tree is None or not {"Temperatures", "Glow"} & set(mine.node_tree.nodes.keys())


def case_particles_render(folder: Path) -> None:
    tools.fresh(folder)
    load(folder, list(range(1, 9)), ["particles"])
    camera_and_light()
    for frame in (2, 5):
        left, right = span(render(folder / f"particles_{frame}.png", frame))
        assert abs(left - (place_of(frame) - HALF - 0.2)) < 0.1 and abs(right - (place_of(frame) + HALF + 0.2)) < 0.1


def case_the_volume_renders_with_motion_blur(folder: Path) -> None:
    scene = tools.fresh(folder)
    camera_and_light()
    load(folder, list(range(1, 9)), ["volume"])
    volume = scene.dollop.volume.data
    assert volume.velocity_unit == "SECOND" and volume.is_sequence
    # Blender 4.5 draws voxels half a voxel to the positive side.
    check_pictures(folder, 0.15)


def case_the_volume_is_as_thick_at_any_unit_scale(folder: Path) -> None:
    scene = tools.fresh(folder)
    camera_and_light()
    load(folder, [1, 2], ["volume"])
    shown = scene.dollop.volume
    seen = []
    for unit_scale in (1.0, 0.5):
        scene.unit_settings.scale_length = unit_scale
        shown.material_slots[0].material = None
        load(folder, [1, 2], ["volume"])
        assert scene.dollop.volume == shown
        principled = shown.material_slots[0].material.node_tree.nodes["Dollop Volume"]
        principled.inputs["Density"].default_value *= 0.07
        scene.camera.data.ortho_scale = 6.0 / unit_scale
        scene.camera.location.y = -8.0 / unit_scale
        pixels = render(folder / f"scale_{unit_scale}.png", 2)
        seen.append(float(pixels[44:52, 70:78, 3].mean()))
    assert 0.2 < seen[0] < 0.9 and abs(seen[0] - seen[1]) < 0.1, seen


def case_the_volume_follows_the_scene_frame(folder: Path) -> None:
    tools.fresh(folder)
    camera_and_light()
    scene = load(folder, [1001, 1002, 1003], ["volume"])
    volume = scene.dollop.volume
    for frame, file in ((990, 1001), (1001, 1001), (1002, 1002), (1003, 1003), (1010, 1003)):
        scene.frame_set(frame)
        grids = volume.evaluated_get(bpy.context.evaluated_depsgraph_get()).data.grids
        assert grids.load() and grids.frame_filepath.endswith(f"volume_{file}.vdb"), (frame, grids.frame_filepath)


def show_only(kind: str) -> None:
    for name in ("surface", "volume", "particles"):
        getattr(bpy.context.scene.dollop, name).hide_render = name != kind


def pictured(pixels: np.ndarray) -> int | None:
    """The frame whose cube is in the picture; None if there is none."""
    if pixels[:, :, 3].max() <= 0.05:
        return None
    left, right = span(pixels)
    shown = (left + right) / 2 / STEP
    # Blender 4.5 draws volumes half a voxel off.
    assert abs(shown - round(shown)) < 0.45, shown
    return round(shown)


def case_a_rendered_animation_around_the_bake_in_steps(folder: Path) -> None:
    tools.fresh(folder)
    camera_and_light()
    scene = load(folder, list(range(4, 9)), ["mesh", "volume", "particles"])
    scene.frame_start, scene.frame_end, scene.frame_step = 0, 12, 3
    for kind in ("surface", "volume", "particles"):
        show_only(kind)
        scene.render.filepath = str(folder / f"{kind}_####.png")
        bpy.ops.render.render(animation=True)
        seen = [pictured(tools.pixels(Path(scene.render.frame_path(frame=frame)))) for frame in range(0, 13, 3)]
        assert seen == [4, 4, 6, 8, 8], (kind, seen)


def case_a_render_shows_the_right_frame_or_nothing(folder: Path) -> None:
    """In Blender no frame range begins before 0, though a timeline can stand there."""
    from addon import playback
    from addon.bake import index

    cases = (
        ("from_zero", range(3), {-7: 0, 0: 0, 1: 1, 2: 2, 4: 2}, {}),
        ("with_a_gap", (1, 2, 5, 6), {0: 1, 2: 2, 3: 2, 5: 5, 6: 6, 8: 6}, {3}),
    )
    scene = tools.fresh(folder)
    camera_and_light()
    for name, frames, wanted, no_volume in cases:
        cache = folder / "project" / name
        write_cache(cache, list(frames), ["mesh", "volume", "particles"])
        for frame in frames:
            write_smoke(cache / f"volume/volume_{frame:04}.vdb", place_of(frame))
        warnings = playback.load(scene, index.read(cache))
        assert any("not baked" in warning for warning in warnings) == bool(no_volume)
        for kind in ("surface", "volume", "particles"):
            show_only(kind)
            for frame, shown in wanted.items():
                seen = pictured(render(folder / f"{name}_{kind}_{frame}.png", frame))
                assert seen == (None if kind == "volume" and frame in no_volume else shown), (name, kind, frame, seen)


def case_a_volume_without_a_world_gives_a_warning_in_blender_5(folder: Path) -> None:
    from addon import playback
    from addon.bake import index

    scene = tools.fresh(folder)
    scene.world = None
    cache = folder / "project/cache"
    write_cache(cache, [1], ["volume"])
    write_smoke(cache / "volume/volume_0001.vdb", 0.0)
    warnings = playback.load(scene, index.read(cache))
    assert any("world" in warning for warning in warnings) == (bpy.app.version >= (5, 0, 0))


def case_the_shutter_may_stand_anywhere_on_the_frame(folder: Path) -> None:
    """The matter blurs from its position when the shutter opens to its position when it closes."""
    scene = tools.fresh(folder)
    camera_and_light()
    load(folder, list(range(1, 9)), ["mesh", "volume", "particles"])
    scene.render.use_motion_blur = True
    scene.cycles.samples = 64

    def seen(kind: str, shutter: float, position: str) -> float:
        """The middle of the matter, in frames."""
        scene.render.motion_blur_shutter, scene.render.motion_blur_position = shutter, position
        covered = render(folder / f"{kind}_{shutter}_{position}.png", 5)[:, :, 3].sum(axis=0)
        across = (np.arange(len(covered)) + 0.5) / len(covered) * 6.0 - 3.0
        return float((covered * across).sum() / covered.sum() / STEP)

    # Cycles itself shows volumes late if the shutter closes on the frame.
    for kind, positions in (("surface", (1, -1)), ("particles", (1, -1)), ("volume", (1,))):
        show_only(kind)
        for shutter in (0.5, 1.0):
            centre = seen(kind, shutter, "CENTER")
            for side in positions:
                moved = seen(kind, shutter, "START" if side == 1 else "END") - centre
                assert abs(moved - side * shutter / 2) < 0.05, (kind, shutter, side, moved)


def case_between_frames_the_matter_is_on_its_way(folder: Path) -> None:
    scene = tools.fresh(folder)
    scene.unit_settings.scale_length = 0.5
    state = load(folder, [2, 3, 4, 7], ["mesh", "particles"]).dollop
    # A held frame, before, after and in a gap, stands still.
    wanted = {1.0: 2, 1.75: 1.75, 2.25: 2.25, 2.75: 2.75, 3.5: 3.5, 4.25: 4.25, 4.75: 4, 6.25: 4, 6.75: 6.75, 8.25: 7}
    for time, shown in wanted.items():
        scene.frame_set(int(time), subframe=time % 1.0)
        depsgraph = bpy.context.evaluated_depsgraph_get()
        for part in (state.surface, state.particles):
            found = part.evaluated_get(depsgraph).evaluated_geometry()
            points = found.mesh.vertices if part == state.surface else found.pointcloud.points
            seen = np.mean([point.co.x for point in points])
            assert abs(seen - 2 * place_of(1) * shown) < 1e-5, (part.name, time, seen)
            carrier = found.mesh if part == state.surface else found.pointcloud
            velocity = carrier.attributes["velocity"].data[0].vector.x
            held = shown != time
            assert abs(velocity - (0.0 if held else 2 * STEP * RATE)) < 1e-4, (part.name, time, velocity)


def middle_colour(path: Path, width: slice) -> np.ndarray:
    """The mean colour of some columns of pixels of the cube of frame 2, which has the columns 64 to 85."""
    return render(path, 2)[42:54, width, :3].mean(axis=(0, 1))


def case_the_volume_has_the_colour_of_the_surface(folder: Path) -> None:
    """With Blender's default number of scatterings in volumes."""
    scene = tools.fresh(folder)
    camera_and_light()
    load(folder, [1, 2], ["mesh", "volume", "particles"])
    scene.cycles.samples = 64
    colours = {}
    for kind in ("surface", "volume"):
        show_only(kind)
        colours[kind] = middle_colour(folder / f"{kind}.png", slice(68, 80))
    unlike = np.abs(colours["surface"] - colours["volume"])
    assert unlike.max() < 0.2, colours


def case_temperature_colours_the_volume(folder: Path) -> None:
    scene = tools.fresh(folder)
    camera_and_light()
    heat({"cold": 300.0, "hot": 400.0})
    load(folder, [1, 2], ["mesh", "volume", "particles"], hot=True)
    scene.cycles.samples = 64
    show_only("volume")
    cold = middle_colour(folder / "cold.png", slice(67, 72))
    hot = middle_colour(folder / "hot.png", slice(78, 83))
    assert (hot > cold + 0.05).all(), (cold, hot)
    node = scene.dollop.volume.material_slots[0].material.node_tree.nodes["Temperatures"]
    assert [node.inputs[end].default_value for end in ("From Min", "From Max")] == [300.0, 400.0]
