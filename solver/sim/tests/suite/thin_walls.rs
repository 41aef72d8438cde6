//! Walls that are thinner than the cells of matter on a grid.

use crate::common::{
    advance_and_resume, advanced, assert_same_bits, at, centre, flat, scene, simulate, simulate_with, turned_at,
};
use dollop_scene::{Material, Scene};
use dollop_sim::{MeshLibrary, TriangleMesh};
use glam::{DQuat, DVec3};
use serde_json::{Value, json};

const SPACING: f64 = 0.02;
/// Inner edges of the tank and height of what fills it, m.
const TANK: f64 = 0.24;
const HEIGHT: f64 = 0.16;

/// The bottom and four walls of a tank, boxes of their own, that go at a speed along x.
fn tank(thickness: f64, speed: f64) -> Vec<Value> {
    let (away, outer) = (f64::midpoint(TANK, thickness), TANK + 2.0 * thickness);
    let walls = [
        ([thickness, outer, 0.4], [away, 0.0, 0.2]),
        ([thickness, outer, 0.4], [-away, 0.0, 0.2]),
        ([outer, thickness, 0.4], [0.0, away, 0.2]),
        ([outer, thickness, 0.4], [0.0, -away, 0.2]),
        ([outer, outer, thickness], [0.0, 0.0, -thickness / 2.0]),
    ];
    let wall = |(number, (size, [x, y, z])): (usize, ([f64; 3], [f64; 3]))| {
        let mut wall = json!({"name": format!("wall {number}"), "shape": {"type": "box", "size": size},
            "transform": at(x, y, z), "friction": 0.5});
        if speed > 0.0 {
            let key =
                |frame: i32| json!({"frame": frame, "transform": at(x + speed * f64::from(frame - 1) / 24.0, y, z)});
            wall["motion"] = json!([key(1), key(50)]);
        }
        wall
    };
    walls.into_iter().enumerate().map(wall).collect()
}

fn filled(thickness: f64, viscosity: f64, speed: f64) -> Scene {
    let material = json!({"type": "continuum", "rest_density": 1000.0, "viscosity": viscosity});
    let body = json!({"name": "body", "shape": {"type": "box", "size": [TANK, TANK, HEIGHT]},
        "transform": at(0.0, 0.0, HEIGHT / 2.0), "velocity": [speed, 0.0, 0.0], "material": material});
    scene(SPACING, json!([body]), json!(tank(thickness, speed)))
}

/// Asserts that nothing has left a tank that went some way, and that the matter fills it as high as before.
fn assert_held(scene: &Scene, thickness: f64, speed: f64, what: &str) {
    let frame = advanced(simulate(scene), 24).frame();
    let place = |position: &glam::Vec3| position.as_dvec3() - DVec3::X * speed;
    let is_out = |p: &DVec3| p.x.abs().max(p.y.abs()) > f64::midpoint(TANK, thickness) || p.z < -thickness / 2.0;
    let out = frame.positions.iter().map(place).filter(is_out).count();
    let mean = centre(&frame).z;
    println!("{what}: {out} of {} out, mean height {mean:.4} m", frame.positions.len());
    assert!(out == 0, "{what}: {out} out");
    // It settles by 1.5 %, as between thick walls; in a plane, where half as many particles share a cell, what they lie
    // unevenly swells it by 2.5 %.
    assert!((mean - HEIGHT / 2.0).abs() < 0.03 * HEIGHT / 2.0, "{what}: mean height {mean} m");
}

/// A tank with walls of a fifth of a spacing, or two spacings, that stands or moves, holds water and honey.
#[test]
fn tanks_with_thin_walls_hold_their_liquid() {
    for thickness in [0.004, 0.04] {
        for (viscosity, speed) in [(1e-3, 0.0), (10.0, 0.0), (1e-3, 0.5)] {
            let what = format!("walls of {thickness} m at {speed} m/s, {viscosity} Pa s");
            assert_held(&filled(thickness, viscosity, speed), thickness, speed, &what);
        }
        let what = format!("walls of {thickness} m in a plane");
        assert_held(&flat(filled(thickness, 1e-3, 0.0)), thickness, 0.0, &what);
    }
}

/// Jelly that fills a tank lies still in it, however thin the walls are that overlap at its edges: there a line through
/// one of them runs along another.
#[test]
fn jelly_lies_still_between_thin_walls() {
    for (spacing, thickness) in [(SPACING, 0.05), (SPACING, 0.02), (0.014, 0.05), (0.014, 0.035)] {
        for modulus in [5000.0, 1e5] {
            let mut scene = filled(thickness, 1.0, 0.0);
            scene.particle_spacing = spacing;
            let Material::Continuum(jelly) = &mut scene.bodies[0].material else { panic!("another model") };
            jelly.shear_modulus = modulus;
            let fastest = advanced(simulate(&scene), 12).frame().stats.max_speed;
            println!("spacing {spacing}, walls of {thickness} m, {modulus} Pa: {fastest:.4} m/s");
            assert!(fastest < 0.05, "spacing {spacing}, walls of {thickness} m, {modulus} Pa: {fastest} m/s");
        }
    }
}

/// Water in a tank and water around it, half as high, stay apart.
#[test]
fn thin_walls_part_what_lies_on_both_sides() {
    const THICKNESS: f64 = 0.02;
    const BASIN: f64 = 0.56;
    let mut scene = filled(THICKNESS, 1e-3, 0.0);
    let (low, inner, outer) = (-THICKNESS, f64::midpoint(TANK, 2.0 * THICKNESS), BASIN / 2.0);
    let strip = |name: &str, size: [f64; 2], [x, y]: [f64; 2]| {
        let height = HEIGHT / 2.0 - low;
        let mut strip = scene.bodies[0].clone();
        strip.name = name.into();
        strip.shape = serde_json::from_value(json!({"type": "box", "size": [size[0], size[1], height]})).unwrap();
        strip.transform = serde_json::from_value(at(x, y, low + height / 2.0)).unwrap();
        strip
    };
    let (width, middle) = (outer - inner, f64::midpoint(outer, inner));
    let strips = [
        strip("left", [width, BASIN], [-middle, 0.0]),
        strip("right", [width, BASIN], [middle, 0.0]),
        strip("front", [2.0 * inner, width], [0.0, -middle]),
        strip("back", [2.0 * inner, width], [0.0, middle]),
    ];
    scene.bodies.extend(strips);
    let basin = json!({"name": "basin", "shape": {"type": "box", "size": [BASIN, BASIN, 2.0]}, "inverted": true,
        "transform": at(0.0, 0.0, 1.0 + low), "friction": 0.5});
    scene.colliders.push(serde_json::from_value(basin).unwrap());
    let frame = advanced(simulate(&scene), 24).frame();
    let heights = |is_inner: bool| {
        let is_wanted = |p: &&glam::Vec3| (p.x.abs().max(p.y.abs()) < TANK as f32 / 2.0 + 0.002) == is_inner;
        let found: Vec<f64> = frame.positions.iter().filter(is_wanted).map(|p| f64::from(p.z)).collect();
        (found.len(), found.iter().sum::<f64>() / found.len() as f64)
    };
    let [(inside, high), (_, low_height)] = [heights(true), heights(false)];
    println!("{inside} inside, mean heights {high:.4} and {low_height:.4} m");
    assert_eq!(inside, 1125, "particles inside");
    assert!((high - HEIGHT / 2.0).abs() < 0.003, "mean height {high} m inside");
    assert!((low_height - f64::midpoint(HEIGHT / 2.0, low)).abs() < 0.003, "mean height {low_height} m outside");
}

/// The same bits for any number of threads, and for a bake that was cut and resumed.
#[test]
fn thin_walls_act_by_the_same_bits_again() {
    assert_same_bits(|| simulate(&filled(0.004, 1e-3, 0.5)), 4, "water in a tank that is carried");
}

/// A standing tank whose water a paddle stirs and leaves again, resumed after each frame.
#[test]
fn thin_walls_and_a_paddle_that_leaves_act_by_the_same_bits_again() {
    let start = || {
        let mut scene = filled(0.004, 1e-3, 0.0);
        let key = |frame: i32, x: f64, z: f64| json!({"frame": frame, "transform": at(x, 0.0, z)});
        let paddle = json!({"name": "paddle", "shape": {"type": "box", "size": [0.006, 0.16, 0.3]}, "friction": 0.5,
            "transform": at(-0.06, 0.0, 0.2), "motion": [key(1, -0.06, 0.2), key(3, 0.06, 0.2), key(5, 0.06, 0.8)]});
        scene.colliders.push(serde_json::from_value(paddle).unwrap());
        simulate(&scene)
    };
    let mut simulation = start();
    for _ in 0..8 {
        advance_and_resume(&mut simulation, start, "water that a paddle leaves");
    }
    let out = simulation.frame().positions.iter().filter(|p| p.z < -0.002 || p.x.abs().max(p.y.abs()) > 0.122).count();
    assert!(out == 0, "{out} out");
}

/// Wherever the floor lies among the cells, thin walls hold water by the same bits.
#[test]
fn thin_walls_act_by_the_same_bits_at_any_height() {
    const THICKNESS: f64 = 0.004;
    for offset in 0..5 {
        let by = 2.0 * SPACING * f64::from(offset) / 5.0;
        let start = || {
            let mut scene = filled(THICKNESS, 1e-3, 0.0);
            let all = scene.colliders.iter_mut().map(|wall| &mut wall.transform);
            let all = all.chain(scene.bodies.iter_mut().map(|body| &mut body.transform));
            all.for_each(|transform| transform.translation[2] += by);
            simulate(&scene)
        };
        let what = format!("water {by} m higher");
        let mut simulation = start();
        for _ in 0..3 {
            advance_and_resume(&mut simulation, start, &what);
        }
        let frame = advanced(simulation, 5).frame();
        let depth = 2.0 * (centre(&frame).z - by);
        println!("{what}: {depth:.4} m deep");
        let is_out = |p: &&glam::Vec3| f64::from(p.z) - by < -THICKNESS / 2.0 || p.x.abs().max(p.y.abs()) > 0.122;
        assert_eq!(frame.positions.iter().filter(is_out).count(), 0, "{what}");
        assert!((0.95..1.01).contains(&(depth / HEIGHT)), "{what}: {depth} m deep");
    }
}

/// Two plates of a tenth of a spacing that meet at an acute angle, and go aside at a speed: nothing is pushed through
/// one by the other.
#[test]
fn an_acute_wedge_of_thin_plates_holds_what_falls_into_it() {
    const THICKNESS: f64 = 0.002;
    for (degrees, speed) in [(10.0_f64, 0.0), (20.0, 1.0)] {
        let half = degrees.to_radians() / 2.0;
        let plate = |name: &str, side: f64| {
            let (angle, middle) = (side * half, 0.25);
            let [x, z] = [side * middle * half.sin(), middle * half.cos()];
            let rotation = [(angle / 2.0).cos(), 0.0, (angle / 2.0).sin(), 0.0];
            let key = |frame: i32| {
                json!({"frame": frame, "transform": {"rotation": rotation,
                "translation": [x + speed * f64::from(frame - 1) / 24.0, 0.0, z]}})
            };
            json!({"name": name, "shape": {"type": "box", "size": [THICKNESS, 0.4, 2.0 * middle]}, "friction": 0.0,
                "transform": {"rotation": rotation, "translation": [x, 0.0, z]},
                "motion": if speed > 0.0 { json!([key(1), key(50)]) } else { json!([]) }})
        };
        let material = json!({"type": "continuum", "rest_density": 1000.0, "viscosity": 1e-3});
        let body = json!({"name": "body", "shape": {"type": "box", "size": [0.04, 0.08, 0.1]}, "material": material,
            "transform": at(0.0, 0.0, 0.4), "velocity": [speed, 0.0, -4.0]});
        let scene = scene(SPACING, json!([body]), json!([plate("left", -1.0), plate("right", 1.0)]));
        for scene in [flat(scene.clone()), scene] {
            let frame = advanced(simulate(&scene), 8).frame();
            let shift = speed * 8.0 / 24.0;
            // Beyond the outer surface of a plate, where it is.
            let is_out = |p: &&glam::Vec3| {
                let (x, z) = ((f64::from(p.x) - shift).abs(), f64::from(p.z));
                let (along, off) = (x * half.sin() + z * half.cos(), x * half.cos() - z * half.sin());
                let is_beyond = (0.0..0.49).contains(&along) && off > THICKNESS / 2.0 || z < -THICKNESS;
                // It may leave at the open ends.
                is_beyond && p.y.abs() < 0.19
            };
            let out = frame.positions.iter().filter(is_out).count();
            println!("{degrees} degrees at {speed} m/s: {out} of {} out", frame.len());
            assert!(out == 0, "{degrees} degrees at {speed} m/s: {out} of {} out", frame.len());
        }
    }
}

/// A plate below z = 0, five spacings thick where x < 0 and 0.4 beyond.
fn stepped_plate() -> TriangleMesh {
    let (long, wide, thick, thin) = (0.6, 0.3, 5.0 * SPACING, 0.4 * SPACING);
    let outline = [(-long, 0.0), (long, 0.0), (long, -thin), (0.0, -thin), (0.0, -thick), (-long, -thick)];
    let side = |y: f64| outline.map(|(x, z)| DVec3::new(x, y, z));
    let count = outline.len() as u32;
    let around = (0..count).map(|n| [n, (n + 1) % count]);
    let mut triangles: Vec<[u32; 3]> =
        around.flat_map(|[a, b]| [[a, b, count + b], [a, count + b, count + a]]).collect();
    for [a, b, c] in [[0, 2, 1], [0, 3, 2], [0, 4, 3], [0, 5, 4]] {
        triangles.extend([[a, b, c], [count + a, count + c, count + b]]);
    }
    TriangleMesh { positions: [side(-wide), side(wide)].concat(), triangles }
}

/// Water runs down a slanted plate from where it is thick to where it is thin, and none through it: what lies on the
/// thick part lies where its samples say, by rounding beneath the surface.
#[test]
fn water_runs_from_thick_to_thin_walls() {
    let turn = DQuat::from_rotation_y(0.35);
    let placed = |place: DVec3| turned_at(turn * place, turn);
    let material = json!({"type": "continuum", "rest_density": 1000.0, "viscosity": 0.001});
    let body = json!({"name": "water", "shape": {"type": "box", "size": [0.2, 0.2, 0.1]},
        "transform": placed(DVec3::new(-0.25, 0.0, 0.0505)), "material": material});
    let plate = json!({"name": "plate", "shape": {"type": "mesh", "path": "plate"}, "friction": 0.2,
        "transform": placed(DVec3::ZERO)});
    let meshes = MeshLibrary::from([("plate".into(), stepped_plate())]);
    let mut simulation = simulate_with(&scene(SPACING, json!([body]), json!([plate])), &meshes);
    let (mut below, mut past) = (0, 0);
    for _ in 0..12 {
        simulation = advanced(simulation, 1);
        let places: Vec<DVec3> =
            simulation.frame().positions.iter().map(|place| turn.inverse() * place.as_dvec3()).collect();
        let on_plate = || places.iter().filter(|place| place.x.abs() < 0.56 && place.y.abs() < 0.27);
        below = below.max(on_plate().filter(|place| place.z < -0.1 * SPACING).count());
        past = on_plate().filter(|place| place.x > 0.1).count();
    }
    println!("{past} of {} on the thin part, at most {below} below", simulation.frame().positions.len());
    assert!(below == 0 && past > 100, "{below} below, {past} past");
}
