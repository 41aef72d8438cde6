//! Solids that melt on warm plates, against the speed at which heat crosses the film that they press out (Moallemi,
//! Webb and Viskanta 1986, "An experimental and analytical study of close-contact melting", Journal of Heat Transfer
//! 108).

use crate::common::{advanced, assert_same_bits, at, flat, floor, scene, simulate, weightless, with};
use crate::melting::block;
use dollop_scene::{HeatFlow, Scene};
use dollop_sim::{Frame, Simulation};
use serde_json::{Value, json};

/// Edge of a cube of ice, m, and the temperature of the plate, K.
const EDGE: f64 = 0.026;
const PLATE: f64 = 303.15;
const MELTS: f64 = 273.15;
const LATENT: f64 = 334e3;
const CAPACITY: f64 = 2100.0;
const CONDUCTIVITY: f64 = 2.2;
const DENSITY: f64 = 917.0;
const RATE: f64 = 15.0;

fn ice(molten: &Value) -> (Value, Value) {
    let material = json!({"type": "continuum", "rest_density": DENSITY, "viscosity": 0.26, "shear_modulus": 26000,
        "contact_friction": 0.1, "molten": molten});
    let heat = json!({"specific_heat": CAPACITY, "conductivity": CONDUCTIVITY, "solidus": MELTS - 0.5, "liquidus": MELTS,
        "latent_heat": LATENT, "emissivity": 0});
    (material, heat)
}

fn cube(spacing: f64, molten: &Value) -> Scene {
    let (material, heat) = ice(molten);
    block(spacing, [EDGE; 3], &material, &heat, [270.0, PLATE], RATE)
}

/// The part of the matter that is solid.
fn solid(frame: &Frame) -> f64 {
    let cold = |t: &&f32| **t < (MELTS - 0.25) as f32;
    frame.temperatures().unwrap().iter().filter(cold).count() as f64 / frame.len() as f64
}

/// The speed at which a solid melts that bears a pressure, Pa, on a film of S, m^2, m/s.
fn speed(viscosity: f64, shape: f64, pressure: f64) -> f64 {
    let warmer = PLATE - MELTS;
    let taken = DENSITY * (LATENT + CAPACITY * (0.5 + warmer / 2.0));
    let melting = RATE * CONDUCTIVITY * warmer / taken;
    melting / (viscosity * melting * shape / pressure).powf(0.25)
}

/// How fast a cube melts, over what it should.
fn over_exact(scene: &Scene, viscosity: f64, shape: f64, frames: [usize; 2]) -> f64 {
    let simulation = advanced(simulate(scene), frames[0]);
    let before = solid(&simulation.frame());
    let simulation = advanced(simulation, frames[1] - frames[0]);
    let after = solid(&simulation.frame());
    let weight = scene.gravity[2].abs() * DENSITY * EDGE * f64::midpoint(before, after);
    let seconds = (frames[1] - frames[0]) as f64 / 24.0;
    let found = (before - after) * EDGE / seconds;
    let exact = speed(viscosity, shape, weight);
    println!("{before:.3} to {after:.3}: {found:.5} of {exact:.5} m/s");
    found / exact
}

/// S of a square, which is the torsion constant of Timoshenko and Goodier, and of a strip.
const SQUARE: f64 = 0.4217 * EDGE * EDGE;
const STRIP: f64 = EDGE * EDGE;

#[test]
fn a_cube_melts_as_fast_as_heat_crosses_its_film() {
    for spacing in [0.0022, 0.0015] {
        for viscosity in [0.002, 0.05] {
            let over = over_exact(&cube(spacing, &json!({"viscosity": viscosity})), viscosity, SQUARE, [14, 34]);
            assert!((over - 1.0).abs() < 0.2, "{spacing} {viscosity}: {over}");
        }
    }
}

#[test]
fn in_a_plane_as_well() {
    for spacing in [0.002, 0.001] {
        let over = over_exact(&flat(cube(spacing, &json!({"viscosity": 0.002}))), 0.002, STRIP, [14, 34]);
        assert!((over - 1.0).abs() < 0.2, "{spacing}: {over}");
    }
}

#[test]
fn the_heavier_the_faster() {
    let mut scene = cube(0.0018, &json!({"viscosity": 0.002}));
    scene.gravity[2] *= 8.0;
    let over = over_exact(&scene, 0.002, SQUARE, [8, 20]);
    assert!((over - 1.0).abs() < 0.2, "{over}");
}

#[test]
fn it_has_the_same_bits_again() {
    assert_same_bits(|| simulate(&cube(0.003, &json!({"viscosity": 0.002}))), 12, "a cube that melts on a plate");
}

fn walls_gave(simulation: &Simulation) -> f64 {
    simulation.stats().heat.unwrap().walls
}

/// Heat that walls give to a scene in a frame, over what they give where nothing presses.
fn pressed_over_weightless(scene: &Scene, frames: usize) -> f64 {
    let [pressed, free] =
        [scene.clone(), weightless(scene.clone())].map(|scene| walls_gave(&advanced(simulate(&scene), frames)));
    println!("{pressed:.4} and {free:.4} J");
    pressed / free
}

/// What cannot leave is not pressed out.
#[test]
fn melt_that_walls_close_in_stays_a_thick_film() {
    let mut scene = cube(0.002, &json!({"viscosity": 0.002}));
    let tub = json!([{"name": "tub", "shape": {"type": "box", "size": [EDGE, EDGE, 0.2]}, "transform": at(0.0, 0.0, 0.1),
        "inverted": true, "temperature": PLATE, "friction": 0.5}]);
    scene.colliders = serde_json::from_value(tub).unwrap();
    let over = pressed_over_weightless(&scene, 12);
    assert!((over - 1.0).abs() < 0.1, "{over}");
}

/// A solid in its own melt weighs nothing.
#[test]
fn a_solid_in_a_pool_of_its_melt_does_not_press_it_out() {
    let (material, heat) = ice(&json!({"viscosity": 0.002}));
    let body = |name: &str, size: [f64; 3], x: f64, temperature: f64| {
        json!({"name": name, "shape": {"type": "box", "size": size}, "transform": at(x, 0.0, size[2] / 2.0),
            "temperature": temperature, "heat": heat, "material": with(material.clone(), &json!({"fuses": true}))})
    };
    let bodies = json!([
        body("ice", [EDGE; 3], 0.0, 272.0),
        body("water", [EDGE; 3], EDGE, 273.5),
        body("more", [EDGE; 3], -EDGE, 273.5)
    ]);
    let mut ground = floor(0.5);
    ground["temperature"] = json!(PLATE);
    let tub = json!({"name": "tub", "shape": {"type": "box", "size": [3.0 * EDGE, EDGE, 0.4]}, "inverted": true});
    let mut scene = scene(0.002, bodies, json!([ground, tub]));
    scene.ambient.convection = 0.0;
    scene.heat = Some(HeatFlow { rate: RATE });
    let over = pressed_over_weightless(&scene, 12);
    assert!((over - 1.0).abs() < 0.1, "{over}");
}
