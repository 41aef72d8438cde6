//! Solid bodies become one where they are pressed together hard enough.

use crate::common::{advanced, assert_same_bits, at, centre, flat, floor, scene, simulate};
use dollop_scene::Scene;
use dollop_sim::{Frame, Simulation};
use serde_json::{Value, json};

const GRAVITY: f64 = 9.81;
const DENSITY: f64 = 1000.0;
/// Height and width of the block that lies on the other, m.
const HEIGHT: f64 = 0.1;
const WIDTH: f64 = 0.2;
/// Degrees.
const SLOPE: f64 = 10.0;

fn block(name: &str, size: [f64; 3], middle: f64, fusion_pressure: f64) -> Value {
    let material = json!({"type": "continuum", "rest_density": DENSITY, "viscosity": 20.0, "shear_modulus": 30000,
        "contact_friction": 0.0, "fusion_pressure": fusion_pressure});
    json!({"name": name, "shape": {"type": "box", "size": size}, "transform": at(0.0, 0.0, middle), "material": material})
}

/// A block on a wide one on a rough slope, in the plane, without friction between them.
fn on_a_slope(spacing: f64, fusion_pressure: f64) -> Scene {
    let wide = 4.0 * WIDTH;
    let bodies = [
        block("below", [wide, 1.0, HEIGHT], HEIGHT / 2.0, 10.0),
        block("above", [WIDTH, 1.0, HEIGHT], 1.5 * HEIGHT, fusion_pressure),
    ];
    let mut scene = flat(scene(spacing, json!(bodies), json!([floor(10.0)])));
    let slope = SLOPE.to_radians();
    scene.gravity = [GRAVITY * slope.sin(), 0.0, -GRAVITY * slope.cos()];
    scene
}

/// How far the upper block is down the slope, m.
fn slid(frame: &Frame) -> f64 {
    let upper = frame.positions.iter().zip(&frame.sources).filter(|(_, source)| **source == 1);
    let places: Vec<f64> = upper.map(|(place, _)| f64::from(place.x)).collect();
    places.iter().sum::<f64>() / places.len() as f64
}

/// The weight of the upper block presses it on the lower one: it fuses below that pressure, and slides off above twice
/// that, which a weight that is laid on at once presses with, at two spacings. The larger of both bodies' settings
/// counts.
#[test]
fn a_block_fuses_by_its_weight() {
    let weight = DENSITY * GRAVITY * HEIGHT * SLOPE.to_radians().cos();
    let free = 0.5 * GRAVITY * SLOPE.to_radians().sin() * (8.0_f64 / 24.0).powi(2);
    for spacing in [0.02, 0.014] {
        for (part, fuses) in [(0.8, true), (2.3, false)] {
            let frame = advanced(simulate(&on_a_slope(spacing, part * weight)), 8).frame();
            let (slid, fused) = (slid(&frame), &frame.fused_bodies);
            println!("{spacing} m, {part} of the weight: slid {slid:.4} of {free:.4} m, {fused:?}");
            if fuses {
                assert!(slid < 0.1 * free, "{slid}");
                assert!(*fused == [Some(0), Some(0)] && frame.solid(1) == Some(0), "{fused:?}");
            } else {
                assert!(slid > 0.8 * free, "{slid} of {free}");
                assert!(fused.is_empty() && frame.solid(1) == Some(1), "{fused:?}");
            }
        }
    }
}

/// Three balls that fall on each other.
fn falling_balls() -> Simulation {
    let ball = |name: &str, place: [f64; 3], velocity: [f64; 3], fusion_pressure: f64| {
        let material = json!({"type": "continuum", "rest_density": 1200.0, "viscosity": 20.0, "shear_modulus": 10000,
            "yield_stress": 500, "fusion_pressure": fusion_pressure});
        json!({"name": name, "shape": {"type": "sphere", "radius": 0.08}, "velocity": velocity,
            "transform": at(place[0], place[1], place[2]), "material": material})
    };
    let balls = [
        ball("first", [0.0, 0.0, 0.081], [0.0; 3], 1000.0),
        ball("second", [0.01, 0.0, 0.26], [0.0, 0.0, -1.0], 1000.0),
        ball("third", [0.2, 0.0, 0.081], [-1.0, 0.0, 0.0], 0.0),
    ];
    simulate(&scene(0.03, json!(balls), json!([floor(0.5)])))
}

/// Two of three balls have fused; who has, with whom, is the same for any number of threads, and for a bake that was
/// cut and resumed.
#[test]
fn fused_bodies_have_the_same_bits_again() {
    let frame = advanced(falling_balls(), 4).frame();
    println!("{:?}, {}", frame.fused_bodies, centre(&frame));
    assert_eq!(frame.fused_bodies, [Some(0), Some(0), Some(2)]);
    assert_same_bits(falling_balls, 8, "balls that fuse");
}
