//! Sheets of oriented particles: closed forms.

use crate::common::{Random, at, floor, scene, simulate_with, weightless};
use dollop_scene::{Material, Oriented, Scene};
use dollop_sim::{MeshLibrary, Simulation, Stepping, TriangleMesh};
use glam::DVec3;
use serde_json::{Value, json};
use std::f64::consts::{PI, TAU};

const SPACING: f64 = 0.02;

/// A flat rectangle about the origin that faces up, as the mesh "sheet".
fn rectangle(x: f64, y: f64) -> MeshLibrary {
    let corner = |i: i32, j: i32| DVec3::new(f64::from(i) * x / 2.0, f64::from(j) * y / 2.0, 0.0);
    let positions = vec![corner(-1, -1), corner(1, -1), corner(1, 1), corner(-1, 1)];
    MeshLibrary::from([("sheet".into(), TriangleMesh { positions, triangles: vec![[0, 1, 2], [0, 2, 3]] })])
}

fn sheet(name: &str, transform: Value, material: Value) -> Value {
    let mut material = material;
    material["type"] = "oriented".into();
    json!({"name": name, "shape": {"type": "mesh", "path": "sheet"}, "transform": transform, "material": material})
}

/// Particles that move freely.
fn free(material: Value) -> Scene {
    let mut scene = weightless(scene(SPACING, json!([sheet("sheet", at(0.0, 0.0, 0.0), material)]), json!([])));
    scene.settle = false;
    scene.sleep = false;
    scene
}

fn material(scene: &Scene) -> &Oriented {
    match &scene.bodies[0].material {
        Material::Oriented(material) => material,
        other => panic!("{other:?}"),
    }
}

fn positions(simulation: &Simulation) -> Vec<DVec3> {
    simulation.frame().positions.iter().map(|p| p.as_dvec3()).collect()
}

/// The frequency, rad/s, of a signal that begins at its highest, by where it passes zero downwards.
fn frequency(values: &[f64], interval: f64) -> f64 {
    let crossings: Vec<f64> = values
        .windows(2)
        .enumerate()
        .filter(|(_, pair)| pair[0] > 0.0 && pair[1] <= 0.0)
        .map(|(frame, pair)| frame as f64 + pair[0] / (pair[0] - pair[1]))
        .collect();
    assert!(crossings.len() > 1, "{values:?}");
    TAU * (crossings.len() - 1) as f64 / ((crossings[crossings.len() - 1] - crossings[0]) * interval)
}

/// Lets a strip swing from a displacement by place, m, and follows that by its shape.
fn swing(
    scene: &Scene,
    (length, width): (f64, f64),
    frames: usize,
    shape: impl Fn(f64) -> DVec3,
    amplitude: f64,
) -> f64 {
    let meshes = rectangle(length, width);
    let mut simulation = Simulation::new(scene, &meshes).unwrap();
    let start = positions(&simulation);
    let moved: Vec<DVec3> = start.iter().map(|p| *p + amplitude * shape(p.x)).collect();
    simulation.place(&moved, &vec![DVec3::ZERO; start.len()]);
    let signal = |simulation: &Simulation| {
        let now = positions(simulation);
        start.iter().zip(now).map(|(from, to)| (to - *from).dot(shape(from.x))).sum::<f64>()
    };
    let mut values = vec![signal(&simulation)];
    for _ in 0..frames {
        simulation.advance().unwrap();
        values.push(signal(&simulation));
    }
    frequency(&values, 1.0 / scene.frames.rate)
}

/// A strip swings along itself as a bar of its stiffness: omega = pi / L sqrt(Y / sigma).
#[test]
fn a_strip_is_as_stiff_as_told() {
    let length = 0.8;
    for stiffness in [50.0, 200.0] {
        let mut scene = free(json!({"stretch_stiffness": stiffness, "viscosity": 0}));
        scene.frames.rate = 400.0;
        let by_area = material(&scene).rest_density * material(&scene).thickness;
        let wave = PI / length;
        let found = swing(&scene, (length, 0.12), 80, |x| DVec3::X * (wave * x).sin(), 1e-3);
        let expected = wave * (stiffness / by_area).sqrt();
        println!(
            "{stiffness} N/m: {found:.2} rad/s, expected {expected:.2}, off by {:+.1} %",
            (found / expected - 1.0) * 100.0
        );
        assert!((found / expected - 1.0).abs() < 0.04, "{found} {expected}");
    }
}

/// A strip free at both ends bends as a beam: omega = (4.730 / L)^2 sqrt(D / sigma), with the D of a strip that may bend across, too.
#[test]
fn a_strip_bends_as_told() {
    let length = 0.8;
    let k = 4.730_040_74 / length;
    // Euler and Bernoulli's first shape.
    let ratio = 0.982_502_2;
    let shape = move |x: f64| {
        let s = k * (x + length / 2.0);
        DVec3::Z * (s.cosh() + s.cos() - ratio * (s.sinh() + s.sin())) / 2.0
    };
    let mut found = Vec::new();
    const WIDTH: f64 = 0.2;
    for stiffness in [1e-3, 4e-3] {
        let mut scene = free(json!({"stretch_stiffness": 100, "bending_stiffness": stiffness, "viscosity": 0}));
        scene.frames.rate = 60.0;
        let by_area = material(&scene).rest_density * material(&scene).thickness;
        let omega = swing(&scene, (length, WIDTH), 480, shape, 2e-3);
        let expected = k * k * (stiffness / by_area).sqrt();
        println!(
            "{stiffness} N m: {omega:.3} rad/s, expected {expected:.3}, off by {:+.1} %",
            (omega / expected - 1.0) * 100.0
        );
        assert!((omega / expected - 1.0).abs() < 0.07, "{omega} {expected}");
        found.push(omega);
    }
    assert!((found[1] / found[0] / 2.0 - 1.0).abs() < 0.03, "{found:?}");
}

/// A flat sheet stays as it is.
#[test]
fn a_flat_sheet_is_at_rest() {
    let mut simulation = simulate_with(&free(json!({})), &rectangle(0.5, 0.4));
    let before = positions(&simulation);
    for _ in 0..24 {
        simulation.advance().unwrap();
    }
    let moved = before.iter().zip(positions(&simulation)).map(|(from, to)| from.distance(to)).fold(0.0, f64::max);
    println!("{} particles, moved by {:.2e} spacings", before.len(), moved / SPACING);
    assert!(moved < 0.02 * SPACING, "{moved}");
}

/// Momentum and angular momentum, spins included, are kept by a sheet that crumples, and energy to second order in the step.
#[test]
fn a_crumpling_sheet_keeps_momentum_and_energy() {
    let run = |bin: u8| {
        let mut scene = free(json!({"bending_stiffness": 1e-3, "viscosity": 0, "tear_stretch": 1.4}));
        scene.frames.rate = 200.0;
        let mut simulation = Simulation::new(&scene, &rectangle(0.3, 0.3)).unwrap();
        simulation.set_stepping(Stepping::Fixed(bin));
        let start = positions(&simulation);
        let mut random = Random::new(3);
        let velocities: Vec<DVec3> =
            start.iter().map(|p| DVec3::new(0.0, 0.0, 2.0 * (30.0 * p.x).sin()) + random.vector(0.1)).collect();
        simulation.place(&start, &velocities);
        let energy = |simulation: &Simulation| simulation.stats().kinetic_energy + simulation.stats().elastic_energy;
        let before = energy(&simulation);
        let mut drift = 0.0;
        for _ in 0..20 {
            simulation.advance().unwrap();
            drift += simulation.stats().energy_drift;
        }
        let gained = energy(&simulation) - before;
        println!(
            "bin {bin}: energy {before:.4} J, gained {gained:.1e}, told drift {drift:.1e}, impulse {:.1e}",
            simulation.stats().momentum_drift
        );
        (gained / before, drift / before)
    };
    let ((coarse, told), (fine, _)) = (run(5), run(7));
    assert!(coarse.abs() < 0.02 && fine.abs() < 0.1 * coarse.abs().max(1e-4), "{coarse} {fine}");
    assert!((told - coarse).abs() < 0.2 * coarse.abs().max(1e-4), "{told} {coarse}");
}

/// A sheet falls onto a floor and comes to rest.
#[test]
fn a_sheet_lies_on_the_floor() {
    let scene = scene(SPACING, json!([sheet("sheet", at(0.0, 0.0, 0.1), json!({}))]), json!([floor(0.3)]));
    let mut simulation = simulate_with(&scene, &rectangle(0.4, 0.4));
    for _ in 0..48 {
        simulation.advance().unwrap();
    }
    let heights: Vec<f64> = positions(&simulation).iter().map(|p| p.z / SPACING).collect();
    let (low, high) = heights.iter().fold((f64::INFINITY, 0.0_f64), |(low, high), &z| (low.min(z), high.max(z)));
    println!(
        "heights {low:.3} to {high:.3} spacings, {:?} m/s, {} steps",
        simulation.stats().max_speed,
        simulation.stats().steps
    );
    assert!(low > 0.2 && high < 1.0);
}
