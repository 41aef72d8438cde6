//! How bodies of solids on a grid hold each other: they push, slide by Coulomb's law, and come apart.

use crate::common::{advanced, assert_same_bits, at, flat, floor, on_slope, scene, simulate, weightless, with};
use dollop_scene::Scene;
use dollop_sim::{Frame, Simulation};
use glam::DVec3;
use serde_json::{Value, json};

fn body(name: &str, size: [f64; 3], place: Value, velocity: f64, settings: &Value) -> Value {
    let material = with(json!({"type": "continuum", "rest_density": 1000.0, "viscosity": 1.0}), settings);
    json!({"name": name, "shape": {"type": "box", "size": size}, "transform": place, "velocity": [velocity, 0.0, 0.0],
        "material": material})
}

/// The mean place and velocity of a body.
fn motion(frame: &Frame, body: u32) -> [DVec3; 2] {
    let own = |all: &[glam::Vec3]| {
        let own: Vec<DVec3> =
            all.iter().zip(&frame.sources).filter(|(_, own)| **own == body).map(|(v, _)| v.as_dvec3()).collect();
        own.iter().sum::<DVec3>() / own.len() as f64
    };
    [own(&frame.positions), own(&frame.velocities)]
}

/// A block that lies on another, which a rough slope holds.
fn block_on_block(spacing: f64, friction: f64) -> Scene {
    let settings = json!({"shear_modulus": 3e4, "contact_friction": friction});
    let low = body("low", [1.2, 0.2, 0.1], at(0.3, 0.0, 0.05), 0.0, &settings);
    let high = body("high", [0.2, 0.2, 0.1], at(0.0, 0.0, 0.15), 0.0, &settings);
    on_slope(scene(spacing, json!([low, high]), json!([floor(5.0)])))
}

/// A block slides on another by Coulomb's law at two spacings, and stays where friction holds it.
#[test]
fn a_block_slides_on_another_by_its_friction() {
    let slope = on_slope(scene(0.02, json!([]), json!([]))).gravity;
    let (along, across) = (slope[0], -slope[2]);
    for spacing in [0.02, 0.014] {
        let speed = |friction: f64| {
            let frame = advanced(simulate(&block_on_block(spacing, friction)), 12).frame();
            let [[_, low], [place, high]] = [0, 1].map(|number| motion(&frame, number));
            assert!((place.z - 0.15).abs() < 0.3 * spacing, "{place}");
            (high - low).x
        };
        for friction in [0.0, 0.2] {
            let (found, exact) = (speed(friction), 0.5 * (along - friction * across));
            println!("spacing {spacing} m, friction {friction}: {found:.3} m/s, exact {exact:.3}");
            assert!((found / exact - 1.0).abs() < 0.08, "{found} {exact}");
        }
        let stays = speed(0.8);
        println!("spacing {spacing} m, friction 0.8: {stays:.4} m/s");
        assert!(stays.abs() < 0.05, "{stays}");
    }
}

/// Two cubes that fly at each other, of different density.
fn collision(spacing: f64) -> Scene {
    let cube = |name: &str, x: f64, z: f64, velocity: f64, density: f64| {
        let settings = json!({"shear_modulus": 5000.0, "rest_density": density});
        body(name, [0.2; 3], at(x, 0.0, z), velocity, &settings)
    };
    let cubes = json!([cube("light", -0.13, 0.0, 1.0, 1000.0), cube("heavy", 0.13, 0.05, -1.0, 2000.0)]);
    weightless(scene(spacing, cubes, json!([])))
}

/// Bodies that meet keep their momentum, gain no energy, and part again.
#[test]
fn bodies_that_meet_part_again() {
    for spacing in [0.02, 0.014] {
        let before = simulate(&collision(spacing)).frame();
        let after = advanced(simulate(&collision(spacing)), 12).frame();
        let momentum = |frame: &Frame| motion(frame, 0)[1] + 2.0 * motion(frame, 1)[1];
        let energy = |frame: &Frame| {
            let of = |(v, source): (&glam::Vec3, &u32)| f64::from(v.length_squared()) * f64::from(1 + source);
            frame.velocities.iter().zip(&frame.sources).map(of).sum::<f64>()
        };
        let way = |frame: &Frame| (motion(frame, 1)[0] - motion(frame, 0)[0]).length();
        println!(
            "spacing {spacing} m: momentum {:.4} and {:.4}, energy {:.3} of what it was, {:.3} m apart",
            momentum(&before),
            momentum(&after),
            energy(&after) / energy(&before),
            way(&after)
        );
        assert!((momentum(&after) - momentum(&before)).length() < 5e-3);
        assert!(energy(&after) < energy(&before));
        assert!(way(&after) > 0.4, "{}", way(&after));
    }
}

/// A stack stands: no body sinks into another, whatever their density, and all come to rest.
#[test]
fn a_stack_of_bodies_stands() {
    for (flatly, density) in [(false, 1000.0), (true, 1000.0), (false, 4000.0)] {
        let spacing = 0.02;
        let settings = |density: f64| json!({"shear_modulus": 5e4, "viscosity": 500.0, "rest_density": density});
        let cube = |name: &str, z: f64, density: f64| {
            body(name, [0.2, if flatly { 1.0 } else { 0.2 }, 0.2], at(0.0, 0.0, z), 0.0, &settings(density))
        };
        let scene = scene(spacing, json!([cube("low", 0.1, 1000.0), cube("high", 0.3, density)]), json!([floor(0.5)]));
        let scene = if flatly { flat(scene) } else { scene };
        let frame = advanced(simulate(&scene), 60).frame();
        let [[low, _], [high, speed]] = [0, 1].map(|number| motion(&frame, number));
        let heights = |body: u32| frame.positions.iter().zip(&frame.sources).filter(move |(_, own)| **own == body);
        let top = heights(0).fold(f32::NEG_INFINITY, |top, (p, _)| top.max(p.z));
        let bottom = heights(1).fold(f32::INFINITY, |bottom, (p, _)| bottom.min(p.z));
        println!(
            "density {density}: at {:.4} and {:.4} m, {:.4} m/s, gap {:.4} m",
            low.z,
            high.z,
            speed.length(),
            bottom - top
        );
        assert!(speed.length() < 0.03, "{speed}");
        assert!(f64::from(bottom - top) > -0.5 * spacing, "{bottom} {top}");
    }
}

fn two_that_meet() -> Simulation {
    let settings = json!({"shear_modulus": 5000.0});
    let low = body("low", [0.3, 0.3, 0.2], at(0.0, 0.0, 0.1), 0.0, &settings);
    let high = body("high", [0.2; 3], at(0.05, 0.0, 0.33), 0.5, &settings);
    simulate(&scene(0.02, json!([low, high]), json!([floor(0.5)])))
}

/// The same bits for any number of threads, and for a bake that was cut and resumed.
#[test]
fn bodies_that_touch_have_the_same_bits_again() {
    assert_same_bits(two_that_meet, 8, "bodies that touch");
}
