//! Matter on a grid: any input leads to a result of numbers, or to one error.

use crate::common::{at, floor, scene, simulate, weightless};
use dollop_scene::{Material, Scene};
use dollop_sim::{MeshLibrary, Simulation, SimulationError};
use glam::DVec3;
use serde_json::{Value, json};

/// A cube of about 60 particles above a floor at any scale.
fn cube(spacing: f64, material: &Value) -> Scene {
    let cube = json!([{"name": "cube", "shape": {"type": "box", "size": [4.0 * spacing, 4.0 * spacing, 4.0 * spacing]},
        "transform": at(0.0, 0.0, 2.5 * spacing), "material": material}]);
    scene(spacing, cube, json!([floor(0.5)]))
}

fn water() -> Value {
    json!({"type": "continuum", "viscosity": 0.001})
}

/// Runs some frames; all results must stay numbers.
fn survives(name: &str, scene: &Scene, frames: usize) {
    let mut simulation = simulate(scene);
    for _ in 0..frames {
        simulation.advance().unwrap_or_else(|error| panic!("{name}: {error}"));
        let frame = simulation.frame();
        let all = frame.positions.iter().chain(&frame.velocities);
        assert!(all.clone().all(|vector| vector.is_finite()), "{name}: not a number");
        assert!(frame.stats.max_speed < 1000.0, "{name}: {} m/s", frame.stats.max_speed);
    }
}

/// The error that ends a simulation within some frames.
fn ends(mut simulation: Simulation, frames: usize) -> SimulationError {
    let ended = (0..frames).find_map(|_| simulation.advance().err());
    ended.expect("it goes on")
}

#[test]
fn grid_matter_of_any_size() {
    for (spacing, rate) in [(1e-5, 1000.0), (1e-5, 24.0), (0.01, 1e5), (1e3, 24.0), (1e3, 0.1)] {
        let mut scene = cube(spacing, &water());
        scene.frames.rate = rate;
        survives(&format!("spacing {spacing} m at {rate} a second"), &scene, 2);
    }
}

#[test]
fn grid_matter_of_any_stiffness_and_density() {
    for density in [1e-3, 1e5] {
        for spacing in [1e-5, 0.02] {
            let material = |mut more: Value| {
                more["type"] = json!("continuum");
                more["rest_density"] = json!(density);
                more
            };
            for more in [
                json!({"viscosity": 0.0}),
                json!({"viscosity": 1e9}),
                json!({"viscosity": 0.0, "shear_modulus": 1e9}),
                json!({"viscosity": 1e9, "shear_modulus": 1e9, "yield_stress": 1e9}),
                json!({"viscosity": 0.0, "yield_stress": 1e9, "consistency": 1e9, "flow_index": 2.0}),
            ] {
                let material = material(more);
                survives(&format!("{material} at {spacing} m"), &cube(spacing, &material), 2);
            }
        }
    }
}

#[test]
fn grid_matter_in_any_gravity_and_of_few_particles() {
    survives("no gravity", &weightless(cube(0.02, &water())), 2);
    let mut heavy = cube(0.02, &water());
    heavy.gravity = [0.0, 0.0, -1000.0];
    survives("1000 m/s^2", &heavy, 2);
    for count in [1.0, 2.0] {
        let mut few = cube(0.02, &water());
        few.bodies[0].shape =
            serde_json::from_value(json!({"type": "box", "size": [0.02 * count, 0.02, 0.02]})).unwrap();
        assert_eq!(simulate(&few).frame().len(), count as usize);
        survives(&format!("{count} particles"), &few, 12);
        // One alone flies at any speed.
        few.bodies[0].velocity = [0.0, 0.0, if count > 1.0 { 0.0 } else { 9000.0 }];
        assert!(count > 1.0 || simulate(&few).advance().is_ok());
    }
}

/// Matter whose equations hold no numbers must not go on as if nothing acted on it: no scene file asks for that.
#[test]
fn grid_matter_without_a_solution_ends_it() {
    let mut scene = cube(0.02, &water());
    let Material::Continuum(material) = &mut scene.bodies[0].material else { panic!("another model") };
    material.viscosity = f64::NAN;
    let error = ends(simulate(&scene), 1);
    assert!(error.is_on_grid && error.to_string().contains("the matter flew apart"), "{error}");
}

/// Matter too fast for any step is told of before the first frame.
#[test]
fn grid_matter_too_fast_for_any_step_is_refused() {
    let mut fast = cube(0.02, &water());
    fast.bodies[0].velocity = [9000.0, 0.0, 0.0];
    let error = Simulation::new(&fast, &MeshLibrary::new()).unwrap_err();
    assert_eq!(error.path.to_string(), "bodies");
    for words in ["shorter than the shortest", "moves at 9.000e3 m/s", "higher frames.rate"] {
        assert!(error.message.contains(words), "{words:?} is not in {error}");
    }
    // As many steps a second are taken at a higher rate.
    fast.frames.rate = 240.0;
    Simulation::new(&fast, &MeshLibrary::new()).unwrap();
    let mut simulation = simulate(&cube(0.02, &water()));
    let frame = simulation.frame();
    let places: Vec<DVec3> = frame.positions.iter().map(|place| place.as_dvec3()).collect();
    simulation.place(&places, &vec![DVec3::X * 1e30; places.len()]);
    assert!(ends(simulation, 1).speed > 1e29);
}

/// Walls that close in on matter, or come upon it too fast, end a bake.
#[test]
fn walls_that_drive_grid_matter_beyond_any_speed_end_it() {
    let key = |frame: i32, z: f64, scale: f64| {
        json!({"frame": frame, "transform":
        {"translation": [0.0, 0.0, z], "scale": [scale, scale, scale]}})
    };
    // What is pressed into less than its volume ends, or is still told in numbers.
    let mut crushed = cube(0.02, &water());
    let tank = json!({"name": "tank", "shape": {"type": "box", "size": [0.1, 0.1, 0.1]}, "inverted": true,
        "motion": [key(1, 0.05, 1.0), key(3, 0.05, 1e-3)]});
    crushed.colliders = serde_json::from_value(json!([tank])).unwrap();
    let mut simulation = simulate(&crushed);
    let ended = (0..4).find_map(|_| simulation.advance().err());
    assert!(ended.is_none_or(|error| error.is_on_grid));
    assert!(simulation.frame().positions.iter().all(|place| place.is_finite()));
    let mut struck = cube(0.02, &water());
    let hammer = json!({"name": "hammer", "shape": {"type": "box", "size": [1.0, 1.0, 0.02]},
        "motion": [key(1, 0.15, 1.0), key(2, -1000.0, 1.0)]});
    struck.colliders = serde_json::from_value(json!([hammer])).unwrap();
    let error = ends(simulate(&struck), 1);
    assert!(error.to_string().contains("a collider moves by it at"), "{error}");
}
