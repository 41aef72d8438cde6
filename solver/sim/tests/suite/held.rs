//! The parts of a sheet that pins hold, and their motion.

use crate::common::{advanced, at, floor, scene, turned_at};
use crate::oriented::{SPACING, free, positions, rectangle, sheet};
use dollop_scene::{Pin, Scene};
use dollop_sim::{MeshLibrary, Simulation, TriangleMesh};
use glam::{DQuat, DVec3};
use serde_json::{Value, json};

/// Distance of nearest neighbours, m.
const NEAREST: f64 = 1.1225 * SPACING;

fn pins(of: Value) -> Vec<Pin> {
    serde_json::from_value(of).unwrap()
}

/// A flat rectangle like [`rectangle`]'s with its corner of least coordinates at a place, of quads in rows along each
/// side.
fn grid((x, y): (f64, f64), rows: [u32; 2], low: DVec3) -> MeshLibrary {
    let [across, along] = rows;
    let place = |i: u32, j: u32| {
        low + DVec3::new(x * f64::from(i) / f64::from(across), y * f64::from(j) / f64::from(along), 0.0)
    };
    let positions = (0..=along).flat_map(|j| (0..=across).map(move |i| place(i, j))).collect();
    let at = |i: u32, j: u32| j * (across + 1) + i;
    let quads =
        (0..along).flat_map(|j| (0..across).map(move |i| [at(i, j), at(i + 1, j), at(i + 1, j + 1), at(i, j + 1)]));
    let triangles = quads.flat_map(|[a, b, c, d]| [[a, b, c], [a, c, d]]).collect();
    MeshLibrary::from([("sheet".into(), TriangleMesh { positions, triangles })])
}

/// The chosen vertices of the mesh.
fn vertices(meshes: &MeshLibrary, chosen: impl Fn(DVec3) -> bool) -> Value {
    let all = meshes["sheet"].positions.iter().copied();
    all.filter(|&place| chosen(place)).map(|place| json!(place.to_array())).collect()
}

/// Positions of the particles that stay while a sheet falls, with a pin at some vertices.
fn held(meshes: &MeshLibrary, vertices: Value) -> Vec<DVec3> {
    let mut scene = free(json!({}));
    scene.gravity = [0.0, 0.0, -9.81];
    scene.bodies[0].pins = pins(json!([{"name": "pin", "vertices": vertices}]));
    let simulation = Simulation::new(&scene, meshes).unwrap();
    let start = positions(&simulation);
    let after = positions(&advanced(simulation, 1));
    start.iter().zip(after).filter(|(from, to)| *from == to).map(|(from, _)| *from).collect()
}

/// With a mesh of any fineness a pinned edge holds the row at it, and a pinned vertex holds the particles around it.
#[test]
fn a_fine_mesh_is_held_as_a_coarse_one() {
    let size = (0.4, 0.2);
    let low = DVec3::new(-0.2, -0.1, 0.0);
    let of = |fine: f64| {
        let rows = |length: f64| (length / SPACING * fine).ceil() as u32;
        let meshes = if fine > 0.0 { grid(size, [rows(size.0), rows(size.1)], low) } else { grid(size, [1, 1], low) };
        let edge = held(&meshes, vertices(&meshes, |place| place.x < -0.2 + 1e-9));
        let corner = held(&meshes, vertices(&meshes, |place| place.x < -0.2 + 1e-9 && place.y > 0.1 - 1e-9));
        println!("{fine} edges a spacing: {} held at an edge, {} at a corner", edge.len(), corner.len());
        assert!(edge.iter().all(|place| place.x < -0.2 + NEAREST), "{edge:?}");
        assert!(corner.iter().all(|place| place.distance(DVec3::new(-0.2, 0.1, 0.0)) < NEAREST), "{corner:?}");
        (edge.len(), corner.len())
    };
    let coarse = of(0.0);
    let rows = (0.2 / (0.75_f64.sqrt() * NEAREST)) as usize;
    assert!((rows - 1..=rows + 1).contains(&coarse.0) && (1..=2).contains(&coarse.1), "{coarse:?}");
    for fine in [1.0, 4.0, 10.0] {
        assert_eq!(of(fine), coarse);
    }
}

/// A mesh far from the origin is held in the same way as at the origin.
#[test]
fn a_mesh_far_away_is_held_as_one_at_the_origin() {
    let of = |far: f64| {
        let meshes = grid((0.2, 0.2), [100, 100], DVec3::new(far, 0.0, 0.0));
        held(&meshes, vertices(&meshes, |place| place.x < far + 1e-9)).len()
    };
    assert_eq!(of(1e4), of(0.0));
}

/// A layer that lies near, but is connected only by a long path over the mesh, is another layer.
#[test]
fn a_pin_holds_one_layer_of_a_fold() {
    let mut meshes = grid((0.4, 0.2), [80, 20], DVec3::new(-0.2, -0.1, 0.0));
    let mesh = meshes.get_mut("sheet").unwrap();
    // The half at positive x goes back over the other.
    for place in mesh.positions.iter_mut().filter(|place| place.x > 0.0) {
        *place = DVec3::new(-place.x, place.y, 0.8 * NEAREST * (place.x / 0.05).min(1.0));
    }
    let found = held(&meshes, vertices(&meshes, |place| place.x < -0.2 + 1e-9 && place.z == 0.0));
    println!("{} held", found.len());
    assert!((7..=10).contains(&found.len()) && found.iter().all(|place| place.z < 0.1 * NEAREST), "{found:?}");
}

/// Where pins overlap the first one holds; a warning tells if they move apart.
#[test]
fn the_first_of_two_pins_holds() {
    let meshes = grid((0.4, 0.2), [1, 1], DVec3::new(-0.2, -0.1, 0.0));
    let edge = vertices(&meshes, |place| place.x < 0.0);
    let keys = json!([{"frame": 1, "transform": at(0.0, 0.0, 0.0)}, {"frame": 2, "transform": at(0.0, 0.0, 0.05)}]);
    let far = vertices(&meshes, |place| place.x < 0.0 || place.y > 0.0);
    let of = |pinned: Value| {
        let mut scene = free(json!({}));
        scene.bodies[0].pins = pins(pinned);
        Simulation::new(&scene, &meshes).map_err(|error| error.to_string())
    };
    let (still, moved) =
        (json!({"name": "still", "vertices": edge}), json!({"name": "moved", "vertices": far, "motion": keys}));
    let simulation = of(json!([still, moved])).unwrap();
    let (start, warnings) = (positions(&simulation), simulation.estimate().warnings);
    println!("{warnings:?}");
    let [warning] = &*warnings else { panic!("{warnings:?}") };
    assert!(
        warning.contains("\"still\" and \"moved\" of body \"sheet\"") && warning.contains("both reach 10 of"),
        "{warning}"
    );
    let after = positions(&advanced(simulation, 1));
    let stayed = start.iter().zip(&after).filter(|(from, to)| from == to).count();
    assert_eq!(stayed, 10, "the edge that both hold");
    // Pins that move alike may overlap.
    let alike = json!({"name": "alike", "vertices": far});
    assert_eq!(of(json!([still, alike])).unwrap().estimate().warnings, Vec::<String>::new());
    let error = of(json!([alike, still])).unwrap_err();
    assert!(error.contains("bodies[0].pins[1].vertices") && error.contains("no other pin holds"), "{error}");
    let away = json!({"name": "away", "vertices": [[-0.2, -0.1, 0.0], [0.1, 0.05, 0.0]]});
    let error = of(json!([still, away])).unwrap_err();
    assert!(error.contains("bodies[0].pins[1].vertices[1]"), "{error}");
}

/// For a pin at a place without a vertex the error names the nearest vertex, in the coordinates of the mesh's file.
#[test]
fn a_pin_beside_all_vertices_is_told_the_nearest() {
    let meshes = grid((0.4, 0.2), [1, 1], DVec3::new(-0.2, -0.1, 0.0));
    let of = |vertex: [f64; 3]| {
        let mut scene = free(json!({}));
        scene.bodies[0].transform = serde_json::from_value(json!({
            "translation": [0.1, 20.7, 0.3], "rotation": [0.6, 0.0, 0.8, 0.0], "scale": [2.0, 2.0, 2.0]
        }))
        .unwrap();
        scene.bodies[0].pins = pins(json!([{"name": "pin", "vertices": [[-0.2, -0.1, 0.0], vertex]}]));
        Simulation::new(&scene, &meshes).map(|_| ()).map_err(|error| error.to_string())
    };
    let error = of([0.2, 0.1, 0.03]).unwrap_err();
    println!("{error}");
    for words in ["bodies[0].pins[0].vertices[1]: ", "at [0.2, 0.1, 0.03]", "at [0.2, 0.1, 0], 3.00e-2 m away"] {
        assert!(error.contains(words), "{words:?} is not in {error}");
    }
    assert_eq!(of([0.2, 0.1, 1e-7]), Ok(()));
}

/// A pin that turns moves the particles that it holds exactly, place and normal, and the rest of the strip follows.
#[test]
fn a_pin_that_turns_takes_a_strip_along() {
    let (length, width, turn) = (0.3, 0.1, 1.5);
    let (hinge, axis) = (DVec3::new(-length / 2.0, 0.0, 0.0), DVec3::new(0.6, 0.0, 0.8));
    let key = |frame: i32, angle: f64| json!({"frame": frame, "transform": turned_at(hinge, DQuat::from_axis_angle(axis, angle))});
    let mut scene = free(json!({"viscosity": 20, "stretch_stiffness": 50, "bending_stiffness": 1e-2}));
    let edge = json!([[hinge.x, -width / 2.0, 0.0], [hinge.x, width / 2.0, 0.0]]);
    scene.bodies[0].pins = pins(json!([{"name": "turned", "vertices": edge, "motion": [key(1, 0.0), key(25, turn)]}]));
    let mut simulation = Simulation::new(&scene, &rectangle(length, width)).unwrap();
    let start = positions(&simulation);
    let turned = |place: DVec3, frame: i32| {
        let part = (f64::from(frame - 1) / 24.0).min(1.0);
        hinge + DQuat::from_axis_angle(axis, turn * part) * (place - hinge)
    };
    let held: Vec<usize> = (0..start.len()).filter(|&i| start[i].x < hinge.x + 0.8 * NEAREST).collect();
    let mut off = 0.0;
    for frame in 2..=72 {
        simulation.advance().unwrap();
        let now = positions(&simulation);
        off = held.iter().map(|&i| now[i].distance(turned(start[i], frame))).fold(off, f64::max);
    }
    let (now, normals) = (positions(&simulation), simulation.frame().vector("normal").unwrap().to_vec());
    let normal = DQuat::from_axis_angle(axis, turn) * DVec3::Z;
    let tilt = held.iter().map(|&i| normals[i].as_dvec3().angle_between(normal)).fold(0.0, f64::max);
    let behind = (0..start.len()).map(|i| now[i].distance(turned(start[i], 72))).fold(0.0, f64::max);
    // It still swings a little; a strip that stayed behind would be 0.33 m off.
    println!("{} held, off by {off:.1e} m, tilted by {tilt:.3}; the rest by {behind:.4} m", held.len());
    assert!((3..=6).contains(&held.len()) && off < 1e-6, "{off}");
    assert!(tilt < 0.1 && behind < 0.06, "{tilt} {behind}");
}

/// Whether all particles slept through the last frame.
fn sleeps(simulation: &Simulation) -> bool {
    let stats = simulation.stats();
    stats.steps == 1 && stats.force_evaluations == simulation.frame().len() as u64
}

/// A sheet that sleeps on the ground wakes when one of its pins lifts it, and does not sleep while the pin moves.
#[test]
fn a_sheet_asleep_wakes_when_its_pin_moves() {
    let from = 60;
    let body = sheet("sheet", at(0.0, 0.0, SPACING / 2.0), json!({"viscosity": 20}));
    let mut scene = scene(SPACING, json!([body]), json!([floor(0.5)]));
    let keys =
        json!([{"frame": from, "transform": at(0.0, 0.0, 0.0)}, {"frame": from + 12, "transform": at(0.0, 0.0, 0.1)}]);
    let edge = json!([[-0.1, -0.1, 0.0], [-0.1, 0.1, 0.0]]);
    scene.bodies[0].pins = pins(json!([{"name": "lifted", "vertices": edge, "motion": keys}]));
    let mut simulation = Simulation::new(&scene, &rectangle(0.2, 0.2)).unwrap();
    let mut slept = Vec::new();
    for frame in 2..=from {
        simulation.advance().unwrap();
        slept.extend(sleeps(&simulation).then_some(frame));
    }
    let before = positions(&simulation);
    let mut awake = true;
    for _ in 0..12 {
        simulation.advance().unwrap();
        awake &= !sleeps(&simulation);
    }
    let after = positions(&simulation);
    let rise = |near: bool| {
        let some = (0..before.len()).filter(|&i| (before[i].x < -0.1 + 0.8 * NEAREST) == near);
        some.map(|i| after[i].z - before[i].z).fold((f64::INFINITY, 0.0_f64), |(a, b), z| (a.min(z), b.max(z)))
    };
    println!("slept in {} frames; the held rise by {:?} m, the others by {:?} m", slept.len(), rise(true), rise(false));
    assert!(slept.contains(&from), "{slept:?}");
    assert!(awake && rise(true).0 > 0.0999 && rise(true).1 < 0.1001 && rise(false).1 > 0.06, "{:?}", rise(false));
}

/// A ball that is pressed into a sheet held all around dents the sheet, and no pin gives.
#[test]
fn a_pinned_sheet_bears_a_ball() {
    let body =
        sheet("sheet", at(0.0, 0.0, 0.0), json!({"viscosity": 20, "stretch_stiffness": 200, "tear_stretch": 1.5}));
    let ball = json!({"name": "ball", "shape": {"type": "sphere", "radius": 0.05}, "motion": [
        {"frame": 1, "transform": at(0.0, 0.0, 0.07)}, {"frame": 13, "transform": at(0.0, 0.0, 0.03)}]});
    let mut scene = scene(SPACING, json!([body]), json!([ball]));
    scene.settle = false;
    let meshes = grid((0.3, 0.3), [10, 10], DVec3::new(-0.15, -0.15, 0.0));
    let rim = vertices(&meshes, |place| place.abs().max_element() > 0.15 - 1e-9);
    scene.bodies[0].pins = pins(json!([{"name": "rim", "vertices": rim}]));
    let mut simulation = Simulation::new(&scene, &meshes).unwrap();
    let (start, unstrained) = (positions(&simulation), simulation.stats().elastic_energy);
    let mut drift = 0.0;
    for _ in 0..24 {
        simulation.advance().unwrap();
        drift += simulation.stats().energy_drift;
    }
    let now = positions(&simulation);
    let rim = |i: usize| 0.15 - start[i].abs().max_element();
    let held: Vec<usize> = (0..start.len()).filter(|&i| now[i] == start[i]).collect();
    let mut rows = (0..start.len()).filter(|&i| rim(i) < 0.8 * NEAREST);
    let nearest = now.iter().map(|place| place.distance(DVec3::Z * 0.03)).fold(f64::INFINITY, f64::min);
    let lowest = now.iter().map(|place| place.z).fold(0.0, f64::min);
    let stored = simulation.stats().elastic_energy - unstrained;
    println!(
        "{} held; lowest {lowest:.4} m, nearest to the ball's centre {nearest:.4} m; drift {drift:.1e} of {stored:.1e} J",
        held.len()
    );
    assert!(rows.clone().count() > 40 && rows.all(|i| held.contains(&i)));
    // Two corners have a triangle whose vertices are all held.
    assert!(held.iter().filter(|&&i| rim(i) > 1.01 * NEAREST).count() <= 2);
    assert!((-0.035..-0.02).contains(&lowest) && nearest > 0.05, "{lowest} {nearest}");
    assert!(drift.abs() < 0.05 * stored, "{drift} {stored}");
}

/// A pin that jumps farther in a frame than any step can follow is named.
#[test]
fn a_pin_that_is_too_fast_is_named() {
    let of = |first: i32| -> String {
        let keys = json!([{"frame": first, "transform": at(0.0, 0.0, 0.0)}, {"frame": first + 1, "transform": at(0.0, 0.0, 1e7)}]);
        let mut scene: Scene = free(json!({}));
        scene.bodies[0].pins =
            pins(json!([{"name": "hand", "vertices": [[-0.1, -0.1, 0.0], [-0.1, 0.1, 0.0]], "motion": keys}]));
        let told = Simulation::new(&scene, &rectangle(0.2, 0.2)).map_err(|error| error.to_string());
        told.and_then(|mut simulation| (0..3).try_for_each(|_| simulation.advance().map_err(|error| error.to_string())))
            .unwrap_err()
    };
    for first in [1, 2] {
        let error = of(first);
        println!("{error}");
        assert!(error.contains("the pin \"hand\" of body \"sheet\" moves at 2.400e8 m/s"), "{error}");
    }
}

/// A flag that is pinned at two corners tears off by its own weight, with a warning; pinned along an edge it holds.
#[test]
fn pins_that_carry_too_little_are_told() {
    let (x, y) = (0.6, 0.4);
    let run = |vertices: Value| {
        let upright = json!({"rotation": [0.5_f64.sqrt(), 0.5_f64.sqrt(), 0.0, 0.0]});
        let material = json!({"stretch_stiffness": 60, "rest_density": 400, "thickness": 5e-4, "viscosity": 5});
        let mut scene = scene(SPACING, json!([sheet("flag", upright, material)]), json!([]));
        scene.settle = false;
        scene.bodies[0].pins = pins(json!([{"name": "pole", "vertices": vertices}]));
        let simulation = Simulation::new(&scene, &rectangle(x, y)).unwrap();
        let told = simulation.estimate().warnings.iter().any(|warning| warning.contains("may tear off"));
        let fallen = positions(&advanced(simulation, 18)).iter().filter(|p| p.z < -1.0).count();
        (told, fallen)
    };
    let corner = |i: f64, j: f64| [i * x / 2.0, j * y / 2.0, 0.0];
    let edge = run(json!([corner(-1.0, 1.0), corner(1.0, 1.0)]));
    let corners = run(json!([corner(-1.0, 1.0)]));
    println!("edge {edge:?}, corner {corners:?}");
    assert!(edge == (false, 0) && corners.0 && corners.1 > 100, "{edge:?} {corners:?}");
}
