//! Matter on a grid that is far from the rest takes steps of its own.

use crate::common::{advanced, assert_same_bits, at, continuum, floor, scene, simulate};
use dollop_scene::{HeatFlow, Scene};
use dollop_sim::{Frame, Simulation};
use serde_json::{Value, json};

const FRAMES: usize = 4;

/// A block that stands on the ground, and so takes a step a frame.
fn block(material: &Value) -> Value {
    json!({"name": "block", "shape": {"type": "box", "size": [0.2, 0.2, 0.1]}, "transform": at(0.0, 0.0, 0.05), "temperature": 300,
        "material": material})
}

/// A ball that flies over it, so fast that it takes many.
fn ball(x: f64, speed: f64, material: &Value) -> Value {
    json!({"name": "ball", "shape": {"type": "sphere", "radius": 0.06}, "transform": at(x, 0.0, 0.9), "temperature": 300,
        "velocity": [speed, 0.0, 0.0], "material": material})
}

fn on_the_ground(bodies: Value) -> Scene {
    scene(0.02, bodies, json!([floor(0.5)]))
}

/// The scene with heat, and a heater that holds everything.
fn heated(mut scene: Scene) -> Scene {
    scene.heat = Some(HeatFlow { rate: 10.0 });
    let heater = json!([{"name": "heater", "shape": {"type": "box", "size": [100.0, 1.0, 3.0]}, "effect": {"type": "temperature", "temperature": 400, "response": 5}}]);
    scene.heaters = serde_json::from_value(heater).unwrap();
    scene
}

/// The places, velocities and temperatures of a body after some frames.
fn told(frame: &Frame, body: u32) -> Vec<[f32; 7]> {
    let temperatures = frame.temperatures().unwrap();
    let own = (0..frame.len()).filter(|&i| frame.sources[i] == body);
    let of = |i: usize| {
        let (place, velocity) = (frame.positions[i], frame.velocities[i]);
        [place.x, place.y, place.z, velocity.x, velocity.y, velocity.z, temperatures[i]]
    };
    own.map(of).collect()
}

/// What is far away does not change a bit of a body, though one takes a step a frame and the other many.
#[test]
fn what_is_far_away_changes_nothing() {
    let honey = continuum(1400.0, json!({"viscosity": 2000.0}));
    let jelly = continuum(1000.0, json!({"viscosity": 1.0, "shear_modulus": 3000.0}));
    for (name, material) in [("honey", honey), ("jelly", jelly)] {
        let (slow, quick) = (block(&material), ball(3.0, 20.0, &material));
        let run = |bodies: Value| advanced(simulate(&heated(on_the_ground(bodies))), FRAMES).frame();
        let [alone, fast] = [&slow, &quick].map(|body| run(json!([body])));
        let [beside, behind] = [json!([slow, quick]), json!([quick, slow])].map(run);
        println!(
            "{name}: {} steps alone, {} of the ball, {} in all",
            alone.stats.steps, fast.stats.steps, beside.stats.steps
        );
        assert!(alone.stats.steps * 4 < fast.stats.steps && beside.stats.steps == fast.stats.steps);
        assert!(told(&beside, 0) == told(&alone, 0), "{name}: the block differs");
        assert!(told(&behind, 0) == told(&fast, 0), "{name}: the ball differs");
        let warmed =
            told(&beside, 0).iter().map(|own| f64::from(own[6]) - 300.0).sum::<f64>() / told(&beside, 0).len() as f64;
        assert!(warmed > 0.1, "{name}: warmed by {warmed} K");
    }
}

/// A paddle that moves by 20 cells in a frame takes all with it: what lies on it, puddles and single drops before it.
#[test]
fn a_quick_wall_passes_nothing_by() {
    for (name, material) in [("honey", json!({"viscosity": 10.0})), ("water", json!({"viscosity": 0.001}))] {
        let lump = |name: &str, x: f64, width: f64| {
            json!({"name": name, "shape": {"type": "box", "size": [width, width, 0.02]}, "transform": at(x, 0.0, 0.015),
                "material": continuum(1000.0, material.clone())})
        };
        let drops = (0..8).map(|n| lump("drop", 0.2 + 0.13 * f64::from(n), 0.02));
        let bodies: Vec<Value> =
            [lump("near", 0.05, 0.08), lump("puddle", 1.4, 0.1)].into_iter().chain(drops).collect();
        let key = |frame: i32, x: f64| json!({"frame": frame, "transform": at(x, 0.0, 0.2)});
        let paddle = json!({"name": "paddle", "shape": {"type": "box", "size": [0.1, 4.0, 0.5]}, "friction": 0.5,
            "motion": [key(1, -0.06), key(2, 0.74), key(3, 1.54)]});
        let mut simulation = simulate(&scene(0.02, json!(bodies), json!([floor(0.5), paddle])));
        for end in [0.74, 1.54] {
            simulation.advance().unwrap();
            let frame = simulation.frame();
            let behind =
                frame.positions.iter().filter(|place| f64::from(place.x) < end + 0.049 && place.z < 0.5).count();
            println!("{name}: {behind} of {} behind the paddle, {} steps", frame.len(), frame.stats.steps);
            assert_eq!(behind, 0, "{name}, at {end} m");
        }
    }
}

fn above(x: f64, speed: f64) -> Scene {
    let water = continuum(1000.0, json!({"viscosity": 0.5}));
    on_the_ground(json!([block(&water), ball(x, speed, &water)]))
}

/// What comes down on other matter takes its steps in time: it falls freely until then, and does not pass through.
#[test]
fn what_falls_on_other_matter_meets_it() {
    let mut scene = above(0.0, 0.0);
    scene.bodies[1].velocity = [0.0, 0.0, -10.0];
    scene.bodies[1].transform.translation = [0.0, 0.0, 3.0];
    let mut simulation = simulate(&scene);
    let height = |frame: &Frame| {
        let own = (0..frame.len()).filter(|&i| frame.sources[i] == 1);
        let all: Vec<f64> = own.map(|i| f64::from(frame.positions[i].z)).collect();
        all.iter().sum::<f64>() / all.len() as f64
    };
    let start = height(&simulation.frame());
    for number in 1..=12 {
        simulation.advance().unwrap();
        let (frame, time) = (simulation.frame(), f64::from(number) / 24.0);
        let free = start - 10.0 * time - 0.5 * 9.81 * time * time;
        if free > 0.25 {
            assert!((height(&frame) - free).abs() < 1e-4, "frame {number}: {} m instead of {free}", height(&frame));
        }
        let lowest = frame.positions.iter().map(|place| place.z).fold(f32::INFINITY, f32::min);
        assert!(lowest > -0.001, "frame {number}: {lowest}");
    }
    let volume = simulation.frame().positions.iter().filter(|place| place.z < 0.3).count();
    assert!(volume as f64 > 0.95 * simulation.frame().len() as f64, "{volume} below");
}

fn meets() -> Simulation {
    let mut scene = heated(above(-0.6, 12.0));
    scene.bodies[1].velocity[2] = -8.0;
    scene.bodies[1].transform.translation[2] = 0.6;
    simulate(&scene)
}

/// The ball comes from far, meets the block and splashes.
#[test]
fn what_comes_and_meets_has_the_same_bits_again() {
    assert_same_bits(meets, 6, "a ball that meets a block");
}
