//! The same scene at other frame rates is the same shot: frames sample matter, they do not make it.

use crate::common::{GRAVITY, advanced, at, centre, continuum, drift, floor, scene, simulate, spread};
use crate::melting::{block, chocolate};
use dollop_scene::Scene;
use dollop_sim::{Frame, Simulation};
use serde_json::{Value, json};

const RATES: [f64; 3] = [12.0, 24.0, 60.0];

/// The scene after some seconds, in frames of a rate.
fn after(mut scene: Scene, rate: f64, seconds: f64) -> Simulation {
    scene.frames.rate = rate;
    advanced(simulate(&scene), (seconds * rate).round() as usize)
}

/// A body that stands on the ground.
fn standing(shape: Value, height: f64, spacing: f64, material: Value) -> Scene {
    let body = json!({"name": "body", "shape": shape, "transform": at(0.0, 0.0, height), "material": material});
    scene(spacing, json!([body]), json!([floor(0.5)]))
}

/// Checks a number of a scene at all rates, within a tolerance.
#[track_caller]
fn check(what: &str, tolerance: f64, all: [f64; 3]) {
    println!("{what}: {:.4}, {:.4}, {:.4} at {RATES:?} frames a second", all[0], all[1], all[2]);
    let [low, high] = [all[0].min(all[1]).min(all[2]), all[0].max(all[1]).max(all[2])];
    assert!(high / low - 1.0 < tolerance, "{what}: {all:?}");
}

#[test]
fn matter_slumps_alike_at_any_frame_rate() {
    let materials = [
        ("water", json!({"viscosity": 0.001}), 0.25),
        ("honey", json!({"viscosity": 20.0}), 0.5),
        ("tar", json!({"viscosity": 2000.0}), 1.0),
        ("mud", json!({"viscosity": 10.0, "yield_stress": 400.0}), 1.0),
        (
            "dough",
            json!({"viscosity": 1.0, "shear_modulus": 5000.0, "yield_stress": 500.0, "consistency": 4000.0, "flow_index": 0.5}),
            1.0,
        ),
        ("sand", json!({"viscosity": 0.0, "friction_angle": 34.0}), 0.5),
    ];
    for (name, settings, seconds) in materials {
        let shape = json!({"type": "box", "size": [0.5, 0.5, 0.4]});
        let stands = standing(shape, 0.2, 0.035, continuum(1000.0, settings));
        check(name, 0.05, RATES.map(|rate| spread(&after(stands.clone(), rate, seconds).frame())));
    }
}

#[test]
fn a_bar_melts_alike_at_any_frame_rate() {
    let (material, heat) = chocolate();
    let bar = block(0.0032, [0.1, 0.06, 0.016], &material, &heat, [293.0, 345.0], 400.0);
    let melted = |frame: &Frame| {
        frame.temperatures().unwrap().iter().filter(|&&t| t > 303.5).count() as f64 / frame.len() as f64
    };
    let ends = RATES.map(|rate| after(bar.clone(), rate, 1.5).frame());
    check("spread of chocolate", 0.05, ends.each_ref().map(spread));
    check("molten part of chocolate", 0.05, ends.each_ref().map(melted));
}

/// How high a ball of jelly gets that bounces, by its height and speed in the air.
#[test]
fn jelly_bounces_alike_at_any_frame_rate() {
    let jelly = continuum(1000.0, json!({"viscosity": 0.5, "shear_modulus": 5000.0}));
    let ball = standing(json!({"type": "sphere", "radius": 0.1}), 0.3, 0.014, jelly);
    let reached = |rate: f64| {
        let frame = after(ball.clone(), rate, 5.0 / 12.0).frame();
        let (height, speed) = (centre(&frame).z, drift(&frame).z);
        height + speed * speed / (2.0 * GRAVITY)
    };
    check("jelly", 0.06, RATES.map(reached));
}

/// How wide a body that hits the ground is then.
#[test]
fn an_impact_is_alike_at_any_frame_rate() {
    for (name, settings) in [
        ("honey", json!({"viscosity": 10.0})),
        ("clay", json!({"viscosity": 1.0, "shear_modulus": 2e5, "yield_stress": 5000.0})),
    ] {
        let mut ball = standing(json!({"type": "sphere", "radius": 0.1}), 0.12, 0.01, continuum(1200.0, settings));
        ball.bodies[0].velocity[2] = -5.0;
        check(name, 0.05, RATES.map(|rate| spread(&after(ball.clone(), rate, 1.0 / 4.0).frame())));
    }
}
