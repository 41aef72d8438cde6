//! Matter on a grid that melts and sets.

use crate::common::{advanced, assert_same_bits, at, drift, floor, quantile, scene, simulate, spread};
use dollop_scene::{HeatFlow, Scene};
use dollop_sim::{Frame, Simulation};
use glam::Vec3;
use serde_json::{Value, json};

/// A block on a floor, with temperatures, K, and factor by which heat flows faster.
pub fn block(spacing: f64, size: [f64; 3], material: &Value, heat: &Value, temperatures: [f64; 2], rate: f64) -> Scene {
    let body = json!({"name": "block", "shape": {"type": "box", "size": size}, "transform": at(0.0, 0.0, size[2] / 2.0),
        "temperature": temperatures[0], "heat": heat, "material": material});
    let mut ground = floor(0.5);
    ground["temperature"] = json!(temperatures[1]);
    let mut scene = scene(spacing, json!([body]), json!([ground]));
    scene.ambient.convection = 0.0;
    scene.heat = Some(HeatFlow { rate });
    scene
}

/// A material and its heat.
pub fn chocolate() -> (Value, Value) {
    let material = json!({"type": "continuum", "rest_density": 1300, "viscosity": 500, "shear_modulus": 1e5, "yield_stress": 2e4,
        "molten": {"viscosity": 3, "yield_stress": 10}});
    let heat = json!({"specific_heat": 1600, "conductivity": 0.25, "solidus": 300, "liquidus": 307, "latent_heat": 45000,
        "emissivity": 0});
    (material, heat)
}

/// Beyond its liquidus matter has the viscosity of Arrhenius's law: it spreads as matter of that viscosity does.
#[test]
fn a_melt_gets_thinner_as_it_gets_hotter() {
    let still = json!({"conductivity": 0, "emissivity": 0, "solidus": 300, "liquidus": 300});
    let spread_of = |material: Value| {
        spread(&advanced(simulate(&block(0.04, [0.5, 0.5, 0.4], &material, &still, [320.0, 320.0], 1.0)), 12).frame())
    };
    let energy = 1e5;
    let thinner = (energy / 8.314_462_618 * (1.0 / 320.0 - 1.0 / 300.0_f64)).exp();
    let plain = spread_of(json!({"type": "continuum", "rest_density": 1000, "viscosity": 20}));
    let molten = json!({"viscosity": 20.0 / thinner, "activation_energy": energy});
    let hot = spread_of(json!({"type": "continuum", "rest_density": 1000, "viscosity": 1e5, "molten": molten}));
    println!("{thinner:.4} times as thick: {hot:.5}, {plain:.5} m");
    assert!((hot / plain - 1.0).abs() < 1e-4, "{hot} {plain}");
}

/// The same scene at other spacings is the same shot: a bar of chocolate melts on a warm plate.
#[test]
fn a_bar_melts_alike_at_three_spacings() {
    let (material, heat) = chocolate();
    let at_spacing = |spacing: f64| {
        let scene = block(spacing, [0.1, 0.06, 0.016], &material, &heat, [293.0, 345.0], 400.0);
        let simulation = advanced(simulate(&scene), 48);
        let frame = simulation.frame();
        let heat = simulation.stats().heat.unwrap();
        let melted = frame.temperatures().unwrap().iter().filter(|&&t| t > 303.5).count() as f64 / frame.len() as f64;
        let wide = quantile(frame.positions.iter().map(|p| f64::from(p.x.abs())), 0.95);
        println!("{spacing} m: half width {wide:.5} m, melted {melted:.3}, stored {:.0} J", heat.stored);
        [wide, melted]
    };
    let [coarse, middle, fine] = [0.0032, 0.0022, 0.0016].map(at_spacing);
    for (n, tolerance) in [(0, 0.05), (1, 0.1)] {
        assert!((coarse[n] / fine[n] - 1.0).abs() < tolerance, "{coarse:?} {fine:?}");
        assert!((middle[n] / fine[n] - 1.0).abs() < tolerance, "{middle:?} {fine:?}");
    }
}

/// A world that is turned is the same shot: a bar melts on a plate that lies along no axis as on one along them.
#[test]
fn a_bar_melts_alike_on_a_plate_that_is_turned() {
    let (material, heat) = chocolate();
    let of_turned = |angle: f64| {
        let mut scene = block(0.0032, [0.1, 0.06, 0.016], &material, &heat, [293.0, 345.0], 400.0);
        let (sin, cos) = (angle.to_radians().sin(), angle.to_radians().cos());
        let rotation = [(angle / 2.0).to_radians().cos(), 0.0, (angle / 2.0).to_radians().sin(), 0.0];
        let up = |length: f64| [sin * length, 0.0, cos * length];
        (scene.bodies[0].transform.rotation, scene.bodies[0].transform.translation) = (rotation, up(0.008));
        scene.colliders[0].transform.rotation = rotation;
        scene.gravity = up(-9.81);
        let simulation = advanced(simulate(&scene), 24);
        let temperatures = simulation.frame().temperatures().unwrap().to_vec();
        let melted = temperatures.iter().filter(|&&t| t > 303.5).count() as f64 / temperatures.len() as f64;
        assert!((0.3..0.7).contains(&melted), "half of it has melted half way: {melted}");
        let frame = advanced(simulation, 24).frame();
        let along = |p: &Vec3| f64::from(p.x) * cos - f64::from(p.z) * sin;
        let away = |p: &Vec3| f64::from(p.x) * sin + f64::from(p.z) * cos;
        let [wide, high] = [
            quantile(frame.positions.iter().map(|p| along(p).abs()), 0.95),
            quantile(frame.positions.iter().map(away), 0.95),
        ];
        println!("turned by {angle} degrees: half width {wide:.5} m, {high:.5} m high");
        [wide, high]
    };
    let [level, turned] = [0.0, 20.0].map(of_turned);
    for (one, other) in level.iter().zip(turned) {
        assert!((other / one - 1.0).abs() < 0.04, "{level:?} {turned:?}");
    }
}

/// What may melt slides by Coulomb's law as long as it is solid, a plate of one layer as well, which walls on the grid
/// would fling off.
#[test]
fn what_may_melt_slides_on_a_turned_collider() {
    let (material, heat) = chocolate();
    let angle = 20.0_f64.to_radians();
    let rotation = json!([(angle / 2.0).cos(), 0, (angle / 2.0).sin(), 0]);
    let exact = 9.81 * (angle.sin() - 0.2 * angle.cos());
    for height in [0.02, 0.15] {
        let mut scene = block(0.02, [0.3, 0.3, height], &material, &heat, [293.0, 293.0], 1.0);
        let up = [angle.sin() * height / 2.0, 0.0, angle.cos() * height / 2.0];
        scene.bodies[0].transform.translation = up;
        scene.bodies[0].transform.rotation = serde_json::from_value(rotation.clone()).unwrap();
        scene.colliders[0].transform.rotation = scene.bodies[0].transform.rotation;
        scene.colliders[0].friction = 0.2;
        let simulation = advanced(simulate(&scene), 6);
        let before = simulation.frame();
        let after = advanced(simulation, 6).frame();
        let gained = (drift(&after) - drift(&before)).length() / 0.25;
        println!("{height} m high: {gained:.3} m/s2, should {exact:.3}");
        assert!((gained / exact - 1.0).abs() < 0.05, "{gained}");
    }
}

/// Walls hold what melts in one way as long as any of it keeps its shape: where some of it met a wall as a solid and
/// some as a liquid, stiff matter was thrown about at thousands of metres a second.
#[test]
fn what_melts_is_not_thrown_off_its_plate() {
    let heat = json!({"specific_heat": 2100, "conductivity": 2.2, "solidus": 272.65, "liquidus": 273.15, "latent_heat": 334e3,
        "emissivity": 0});
    let fastest = |molten: &Value, temperatures: [f64; 2], frames: usize| {
        let material = json!({"type": "continuum", "rest_density": 917, "viscosity": 0.26, "shear_modulus": 26000,
            "molten": molten});
        let scene = block(0.0022, [0.026; 3], &material, &heat, temperatures, 15.0);
        let mut simulation = simulate(&scene);
        let mut fastest: f32 = 0.0;
        for _ in 0..frames {
            simulation.advance().unwrap();
            fastest = simulation.frame().velocities.iter().map(|v| v.length()).fold(fastest, f32::max);
        }
        println!("{molten} at {temperatures:?} K: {fastest} m/s");
        fastest
    };
    let [water, rubber] = [json!({"viscosity": 0.002}), json!({"viscosity": 0.1, "shear_modulus": 10000})];
    // Half of it has melted.
    assert!(fastest(&water, [272.9, 272.9], 14) < 0.01);
    assert!(fastest(&rubber, [272.9, 272.9], 14) < 0.01);
    assert!(fastest(&water, [270.0, 303.15], 40) < 0.2);
    assert!(fastest(&rubber, [270.0, 303.15], 46) < 0.01);
}

/// What sets keeps the shape that it has then, without stress.
#[test]
fn matter_that_sets_keeps_its_new_shape() {
    let (mut material, mut heat) = chocolate();
    (material["molten"]["viscosity"], heat["conductivity"]) = (json!(20), json!(2.0));
    let mut scene = block(0.02, [0.3, 0.3, 0.2], &material, &heat, [340.0, 340.0], 1.0);
    scene.colliders[0].temperature = None;
    let cold = json!([{"name": "cold", "shape": {"type": "box", "size": [4, 4, 4]},
        "effect": {"type": "temperature", "temperature": 340, "response": 0.05},
        "values": [{"frame": 9, "value": 340}, {"frame": 12, "value": 250}]}]);
    scene.heaters = serde_json::from_value(cold).unwrap();
    let simulation = advanced(simulate(&scene), 30);
    let set = simulation.frame();
    assert!(set.temperatures().unwrap().iter().all(|&t| t < 300.0), "all has set");
    let later = advanced(simulation, 48).frame();
    let first = simulate(&scene).frame();
    let moved = |a: &Frame, b: &Frame| {
        let ways = a.positions.iter().zip(&b.positions).map(|(a, b)| f64::from(a.distance(*b)));
        quantile(ways, 0.95)
    };
    println!("{:.4} m as it sets, {:.5} m after", moved(&first, &set), moved(&set, &later));
    assert!(moved(&first, &set) > 0.03, "it has flowed");
    assert!(moved(&set, &later) < 0.002, "{}", moved(&set, &later));
}

fn melting_drop() -> Simulation {
    let (material, heat) = chocolate();
    let mut scene = block(0.01, [0.08, 0.08, 0.06], &material, &heat, [299.0, 400.0], 2000.0);
    scene.bodies[0].transform.translation[2] += 0.05;
    scene.ambient.convection = 20.0;
    scene.heaters = serde_json::from_value(json!([{"name": "torch", "shape": {"type": "sphere", "radius": 0.03},
        "transform": at(0.03, 0.0, 0.08), "effect": {"type": "temperature", "temperature": 600, "response": 0.1}}]))
    .unwrap();
    simulate(&scene)
}

/// The same bits for any number of threads, and for a bake that was cut and resumed.
#[test]
fn melting_matter_has_the_same_bits_again() {
    let frame = advanced(melting_drop(), 10).frame();
    let hot = frame.temperatures().unwrap().iter().filter(|&&t| t > 307.0).count();
    assert!(hot > 10 && hot < frame.len(), "{hot} of {}", frame.len());
    assert_same_bits(melting_drop, 10, "a drop that melts");
}
