//! Any input leads to a result of numbers, or to an error.

use crate::common::{advanced, at, floor, scene, simulate};
use dollop_scene::{Body, Scene, Shape};
use dollop_sim::{Frame, MeshLibrary, Simulation};
use serde_json::{Value, json};

/// A ball of about 60 particles above a floor at any scale.
fn ball(scale: f64, material: &Value) -> Scene {
    let ball = json!([{"name": "ball", "shape": {"type": "sphere", "radius": 2.5 * scale},
        "transform": at(0.0, 0.0, 2.8 * scale), "temperature": 300.0, "material": material}]);
    scene(scale, ball, json!([floor(0.3)]))
}

fn soft() -> Value {
    json!({"type": "smoothed"})
}

fn finite(frame: &Frame) -> bool {
    frame.positions.iter().chain(&frame.velocities).all(|v| v.is_finite())
}

/// Runs some frames; all results must stay numbers.
fn survives(name: &str, scene: &Scene, frames: usize) {
    let mut simulation = simulate(scene);
    for _ in 0..frames {
        simulation.advance().unwrap_or_else(|error| panic!("{name}: {error}"));
        assert!(finite(&simulation.frame()), "{name}: not a number");
    }
    let stats = simulation.frame().stats;
    println!(
        "{name}: {} steps, fastest {:.3e} m/s, pressed by {:.3}",
        stats.steps, stats.max_speed, stats.max_compression
    );
}

#[test]
fn scenes_of_any_size() {
    for scale in [1e-4, 1e-2, 1.0, 1e3] {
        let mut scene = ball(scale, &soft());
        // Sound crosses the ball in as many frames at any size.
        scene.frames.rate = 10.0 / scale;
        survives(&format!("spacing {scale} m"), &scene, 5);
    }
}

#[test]
fn any_frame_rate() {
    for rate in [1.0, 1000.0, 100_000.0] {
        let mut scene = ball(0.1, &soft());
        scene.frames.rate = rate;
        survives(&format!("{rate} frames a second"), &scene, 2);
    }
}

#[test]
fn any_gravity() {
    for gravity in [0.0, 1000.0, -1000.0] {
        let mut scene = ball(0.1, &soft());
        scene.gravity = [0.0, 0.0, gravity];
        survives(&format!("gravity {gravity} m/s^2"), &scene, 3);
    }
}

#[test]
fn any_material() {
    for (field, values) in [
        ("stiffness", [1e-3, 1e5, 1e7]),
        ("viscosity", [0.0, 100.0, 1e3]),
        ("rest_density", [1e-3, 10.0, 1e5]),
        ("cohesion", [0.0, 0.5, 1.0]),
    ] {
        for value in values {
            let mut material = soft();
            material[field] = json!(value);
            survives(&format!("{field} {value}"), &ball(0.1, &material), 1);
        }
    }
}

#[test]
fn any_state_equation_in_any_air() {
    for equation in ["linear", "tait", "ideal-gas"] {
        for (density, pressure) in [(0.0, 0.0), (1.2, 5e5), (990.0, 1e9), (2000.0, 1e-9)] {
            let mut material = soft();
            material["state_equation"] = json!(equation);
            let mut scene = ball(0.1, &material);
            scene.ambient = dollop_scene::Ambient { density, pressure, ..Default::default() };
            survives(&format!("{equation} in {density} kg/m^3, {pressure} Pa"), &scene, 2);
        }
    }
    for kernel in ["spiky", "cubic-spline"] {
        for smoothing_length in [0.9, 2.0] {
            let mut material = soft();
            material["state_equation"] = json!("ideal-gas");
            let mut scene = ball(0.1, &material);
            scene.discretization =
                serde_json::from_value(json!({"kernel": kernel, "smoothing_length": smoothing_length})).unwrap();
            survives(&format!("gas by {kernel} {smoothing_length}"), &scene, 3);
        }
    }
}

#[test]
fn a_gas_far_from_the_pressure_of_the_air_is_told() {
    let told = |pressure: f64| {
        let mut material = soft();
        material["state_equation"] = json!("ideal-gas");
        material["rest_density"] = json!(1.0);
        material["stiffness"] = json!(1000.0);
        let mut scene = ball(0.1, &material);
        scene.ambient.pressure = pressure;
        Simulation::new(&scene, &MeshLibrary::new()).unwrap().estimate().warnings
    };
    for pressure in [0.0, 400.0, 1000.0, 1900.0] {
        assert_eq!(told(pressure), [""; 0], "{pressure} Pa");
    }
    let (thin, dense) = (told(100.0), told(5000.0));
    assert!(thin.len() == 1 && thin[0].contains("to 0.1 times") && thin[0].contains("near 0.1 kg/m^3"), "{thin:?}");
    assert!(dense.len() == 1 && dense[0].contains("to 5 times") && dense[0].contains("near 5 kg/m^3"), "{dense:?}");
}

#[test]
fn any_discretization() {
    for kernel in ["spiky", "cubic-spline"] {
        for smoothing_length in [0.9, 1.25, 2.0] {
            let mut scene = ball(0.1, &soft());
            scene.discretization =
                serde_json::from_value(json!({"kernel": kernel, "smoothing_length": smoothing_length})).unwrap();
            survives(&format!("{kernel} {smoothing_length}"), &scene, 3);
        }
    }
}

#[test]
fn any_speed() {
    for speed in [1e2, 1e4] {
        let mut scene = ball(0.1, &soft());
        scene.bodies[0].velocity = [speed, 0.0, -speed];
        scene.frames.rate = 240.0;
        survives(&format!("{speed} m/s"), &scene, 1);
    }
}

#[test]
fn bodies_that_overlap_give_way_and_say_so() {
    let cube = |x: f64| json!({"name": "cube", "shape": {"type": "box", "size": [1.0, 1.0, 1.0]}, "transform": at(x, 0.0, 0.0)});
    let simulation = simulate(&scene(0.1, json!([cube(0.0), cube(0.5)]), json!([])));
    let estimate = simulation.estimate();
    let part = estimate.particles[1] as f64 / estimate.particles[0] as f64;
    assert!((0.45..0.62).contains(&part), "{part} of the second cube is left");
    assert_eq!(simulation.frame().len(), estimate.particles.iter().sum::<usize>());
    assert!(estimate.warnings.iter().any(|w| w.contains("overlaps bodies before it")), "{:?}", estimate.warnings);
    let speed = advanced(simulation, 3).frame();
    assert!(finite(&speed));
}

/// The rows of the second body may lie anywhere, also between those of the first.
#[test]
fn overlapping_bodies_give_way_at_any_offset() {
    let ball =
        |x: f64| json!({"name": "ball", "shape": {"type": "sphere", "radius": 0.1}, "transform": at(x, 0.0, 0.11)});
    for offset in (3..20).map(|n| 0.01 * f64::from(n)) {
        let estimate = simulate(&scene(0.02, json!([ball(0.0), ball(offset)]), json!([]))).estimate();
        let left = estimate.particles[1] as f64 / estimate.particles[0] as f64;
        // The volume of a ball outside of another one.
        let part = offset / 0.2;
        let expected = 1.5 * part - 0.5 * part.powi(3);
        assert!((left - expected).abs() < 0.12, "{left} for {expected} at {offset}");
        assert!(offset > 0.17 || estimate.warnings.iter().any(|w| w.contains("overlaps")), "{offset}");
    }
}

#[test]
fn bodies_in_walls_give_way_and_say_so() {
    let scene = ball(0.1, &soft());
    let mut sunk = scene.clone();
    sunk.bodies[0].transform.translation = [0.0; 3];
    let (whole, half) = (simulate(&scene), simulate(&sunk));
    let part = half.frame().len() as f64 / whole.frame().len() as f64;
    assert!((0.35..0.6).contains(&part), "{part}");
    assert!(half.frame().positions.iter().all(|p| p.z > 0.0));
    assert!(half.estimate().warnings.iter().any(|w| w.contains("overlaps colliders")));
    sunk.bodies[0].transform.translation = [0.0, 0.0, -1.0];
    let error = Simulation::new(&sunk, &MeshLibrary::new()).unwrap_err();
    assert!(error.path.to_string() == "bodies[0].shape" && error.message.contains("inside a collider"), "{error}");
}

#[test]
fn bodies_that_touch_are_not_said_to_overlap() {
    for material in ["smoothed", "continuum"] {
        let body = |shape: Value, place: Value| json!({"name": "body", "shape": shape, "transform": place, "material": {"type": material}});
        let ball = |x: f64| body(json!({"type": "sphere", "radius": 0.5}), at(x, 0.0, 0.5));
        let warnings = |bodies: Value, walls: Value| simulate(&scene(0.05, bodies, walls)).estimate().warnings;
        assert_eq!(warnings(json!([ball(0.0), ball(1.0)]), json!([floor(0.5)])), [""; 0], "{material}");
        let sheet = |z: f64| body(json!({"type": "box", "size": [1.0, 1.0, 0.185]}), at(0.0, 0.0, z));
        assert_eq!(warnings(json!([sheet(1.0), sheet(1.185)]), json!([])), [""; 0], "{material}");
        // The bodies reach into each other, the first by a tenth of a spacing.
        let gap = if material == "smoothed" { 0.18 } else { 0.15 };
        let warnings = warnings(json!([sheet(1.0), sheet(1.0 + gap)]), json!([]));
        assert!(warnings.len() == 1 && warnings[0].contains("bodies before it"), "{material}: {warnings:?}");
    }
}

#[test]
fn the_cost_of_a_bake_is_foreseen_without_filling() {
    let large = json!([{"name": "ball", "shape": {"type": "sphere", "radius": 1.0}, "angular_velocity": [0, 0, 2], "material": soft()}]);
    let mut scene = scene(0.06, large, json!([]));
    let outlines = dollop_sim::outlines(&scene, &MeshLibrary::new()).unwrap();
    let foreseen = dollop_sim::estimate(&scene, &MeshLibrary::new(), &outlines).unwrap();
    let measured = simulate(&scene).estimate();
    let near = |a: f64, b: f64, tolerance: f64| assert!((a / b - 1.0).abs() < tolerance, "{foreseen:?} {measured:?}");
    near(foreseen.particles[0] as f64, measured.particles[0] as f64, 0.05);
    near(foreseen.memory as f64, measured.memory as f64, 0.15);
    near(foreseen.neighbours, measured.neighbours, 0.25);
    assert_eq!(foreseen.steps_per_frame, measured.steps_per_frame);
    let infinite = Body { shape: Shape::Mesh { path: "nowhere.obj".into() }, ..scene.bodies[0].clone() };
    scene.bodies.push(infinite);
    assert_eq!(dollop_sim::outlines(&scene, &MeshLibrary::new()).unwrap_err().path.to_string(), "bodies[1].shape");
}

#[test]
fn bodies_too_small_too_large_or_without_mesh_are_refused() {
    let fails = |shape: Value, spacing: f64, word: &str| {
        let body = json!([{"name": "thing", "shape": shape}]);
        let error = Simulation::new(&scene(spacing, body, json!([])), &MeshLibrary::new()).unwrap_err();
        assert!(error.path.to_string() == "bodies[0].shape" && error.message.contains(word), "{error}");
    };
    fails(json!({"type": "box", "size": [1e6, 1e6, 1e6]}), 1e-5, "larger particle_spacing");
    fails(json!({"type": "mesh", "path": "nowhere.obj"}), 0.1, "no faces");
}

#[test]
fn unequal_densities_lie_on_each_other() {
    let cube = |z: f64, density: f64| {
        json!({"name": "cube", "shape": {"type": "box", "size": [0.5, 0.5, 0.5]}, "transform": at(0.0, 0.0, z),
            "material": {"type": "smoothed", "rest_density": density, "viscosity": 20.0, "stiffness": 2000.0}})
    };
    let tank = json!({"name": "tank", "shape": {"type": "box", "size": [0.5, 0.5, 4.0]}, "transform": at(0.0, 0.0, 2.0),
        "inverted": true});
    let scene = scene(0.05, json!([cube(0.25, 2000.0), cube(0.77, 20.0)]), json!([tank]));
    let frame = advanced(simulate(&scene), 6).frame();
    assert!(finite(&frame) && frame.stats.max_speed < 2.0, "{:?}", frame.stats);
    let mean = |source: u32| {
        let own = frame.positions.iter().zip(&frame.sources).filter(|(_, s)| **s == source).map(|(p, _)| p.z);
        own.clone().sum::<f32>() / own.count() as f32
    };
    assert!((0.2..0.28).contains(&mean(0)) && (0.6..0.85).contains(&mean(1)), "{} {}", mean(0), mean(1));
}

#[test]
fn a_collider_too_fast_for_any_step_is_named() {
    let mut scene = ball(0.1, &soft());
    let key = |frame: i32, z: f64| json!({"frame": frame, "transform": at(0.0, 0.0, z)});
    scene.colliders[0].motion = serde_json::from_value(json!([key(1, -1e9), key(2, 1e9)])).unwrap();
    let error = Simulation::new(&scene, &MeshLibrary::new()).unwrap_err();
    assert!(error.path.to_string() == "colliders" && error.message.contains("a collider moves by it at"), "{error}");
}

#[test]
fn bodies_without_room_are_refused_with_the_reason() {
    let refused = |spacing: f64, height: f64| {
        let ball =
            json!([{"name": "ball", "shape": {"type": "sphere", "radius": 0.1}, "transform": at(0.0, 0.0, height)}]);
        let table = json!({"name": "table", "shape": {"type": "box", "size": [4.0, 4.0, 1.0]}});
        Simulation::new(&scene(spacing, ball, json!([table])), &MeshLibrary::new()).unwrap_err().message
    };
    assert!(refused(0.05, 0.0).contains("lies wholly inside a collider"), "{}", refused(0.05, 0.0));
    assert!(refused(10.0, 1.4).contains("too close to a collider for particles 10 m apart"), "{}", refused(10.0, 1.4));
}

#[test]
fn a_body_that_rows_of_particles_fit_badly_is_told_of() {
    let filled = |size: [f64; 3]| {
        let block = json!([{"name": "block", "shape": {"type": "box", "size": size}}]);
        Simulation::new(&scene(0.1, block, json!([])), &MeshLibrary::new())
    };
    let warnings = |size: [f64; 3]| filled(size).unwrap().estimate().warnings;
    let refused = filled([1.0, 1.0, 0.02]).unwrap_err();
    assert_eq!(refused.path.to_string(), "bodies[0].shape");
    assert!(refused.message.contains("% more matter than its volume, as it is too thin"), "{}", refused.message);
    let thin = warnings([1.0, 1.0, 0.04]);
    assert!(thin.iter().any(|warning| warning.contains("% more matter than its volume")), "{thin:?}");
    for size in [[0.2; 3], [1.6; 3]] {
        assert!(warnings(size).is_empty(), "{:?}", warnings(size));
    }
}

/// A collider that shrinks far below the reach of its samples still acts where it is seen, and nowhere else.
#[test]
fn a_collider_that_shrinks_to_a_point_still_stops_matter() {
    let key = |frame: i32, scale: f64| json!({"frame": frame, "transform": {"scale": [scale, scale, scale]}});
    for smallest in [0.3, 0.05, 0.001] {
        let ball = json!([{"name": "ball", "shape": {"type": "sphere", "radius": 0.15},
            "transform": {"translation": [-1.0, 0.0, 0.0]}, "velocity": [4.0, 0.0, 0.0], "material": {"type": "smoothed"}}]);
        let point = json!({"name": "point", "shape": {"type": "sphere", "radius": 0.4},
            "motion": [key(1, 1.0), key(2, smallest)]});
        let scene = crate::common::weightless(scene(0.05, ball, json!([point])));
        let mut simulation = simulate(&scene);
        let mut nearest = f32::INFINITY;
        for _ in 0..12 {
            simulation.advance().unwrap();
            let frame = simulation.frame();
            nearest = frame.positions.iter().map(|p| p.length()).fold(nearest, f32::min);
        }
        println!("scaled by {smallest}: nearest {nearest} m");
        assert!(nearest < 0.3, "the matter never came near");
        assert!(f64::from(nearest) > 0.4 * smallest - 1e-4, "{nearest} m from the centre, scaled by {smallest}");
    }
}
