//! Walls that are thinner than the cells of matter on a grid.

use crate::common::{advanced, assert_same_bits, at, centre, flat, scene, simulate};
use dollop_scene::Scene;
use glam::DVec3;
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
