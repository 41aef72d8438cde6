//! Sheets of oriented particles: closed forms.

use crate::common::{Random, advanced, at, flat, floor, scene, simulate_with, weightless, with_any_threads};
use dollop_scene::{Material, Oriented, Scene};
use dollop_sim::{Frame, MeshLibrary, Simulation, Stepping, TriangleMesh};
use glam::{DVec3, Vec3};
use serde_json::{Value, json};
use std::f64::consts::{PI, TAU};

pub const SPACING: f64 = 0.02;

/// A flat rectangle about the origin that faces up, as the mesh "sheet".
pub fn rectangle(x: f64, y: f64) -> MeshLibrary {
    let corner = |i: i32, j: i32| DVec3::new(f64::from(i) * x / 2.0, f64::from(j) * y / 2.0, 0.0);
    let positions = vec![corner(-1, -1), corner(1, -1), corner(1, 1), corner(-1, 1)];
    MeshLibrary::from([("sheet".into(), TriangleMesh { positions, triangles: vec![[0, 1, 2], [0, 2, 3]] })])
}

pub fn sheet(name: &str, transform: Value, material: Value) -> Value {
    let mut material = material;
    material["type"] = "oriented".into();
    json!({"name": name, "shape": {"type": "mesh", "path": "sheet"}, "transform": transform, "material": material})
}

/// A scene of particles that move freely.
pub fn free(material: Value) -> Scene {
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

pub fn positions(simulation: &Simulation) -> Vec<DVec3> {
    simulation.frame().positions.iter().map(|p| p.as_dvec3()).collect()
}

/// The frequency, rad/s, of a signal that begins at its maximum, by its downward zero crossings.
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

/// Lets a strip swing from a displacement by place, m, and follows the swing by its shape.
fn swing(scene: &Scene, length: f64, width: f64, frames: usize, shape: impl Fn(f64) -> DVec3, amplitude: f64) -> f64 {
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

/// A strip swings along itself as a bar of its stiffness does: omega = pi / L sqrt(Y / sigma).
#[test]
fn a_strip_is_as_stiff_as_told() {
    let length = 0.8;
    for stiffness in [50.0, 200.0] {
        let mut scene = free(json!({"stretch_stiffness": stiffness, "viscosity": 0, "stretch_damping": 0}));
        scene.frames.rate = 400.0;
        let by_area = material(&scene).rest_density * material(&scene).thickness;
        let wave = PI / length;
        let found = swing(&scene, length, 0.12, 80, |x| DVec3::X * (wave * x).sin(), 1e-3);
        let expected = wave * (stiffness / by_area).sqrt();
        println!(
            "{stiffness} N/m: {found:.2} rad/s, expected {expected:.2}, off by {:+.1} %",
            (found / expected - 1.0) * 100.0
        );
        assert!((found / expected - 1.0).abs() < 0.04, "{found} {expected}");
    }
}

/// The part of the energy of a strip's longest stretch wave that is left after some frames.
fn wave_left(scene: &Scene, length: f64, frames: usize) -> f64 {
    let wave = PI / length;
    let by_area = material(scene).rest_density * material(scene).thickness;
    let squared = wave * wave * material(scene).stretch_stiffness / by_area;
    let mut simulation = Simulation::new(scene, &rectangle(length, 0.12)).unwrap();
    let start = positions(&simulation);
    let moved: Vec<DVec3> = start.iter().map(|p| *p + DVec3::X * 1e-3 * (wave * p.x).sin()).collect();
    simulation.place(&moved, &vec![DVec3::ZERO; start.len()]);
    let energy = |simulation: &Simulation| {
        let (now, speeds) = (positions(simulation), simulation.frame().velocities);
        let of = |(i, p): (usize, &DVec3)| {
            let shape = (wave * p.x).sin();
            ((now[i].x - p.x) * shape, f64::from(speeds[i].x) * shape)
        };
        let (way, speed) = start.iter().enumerate().map(of).fold((0.0, 0.0), |sum, of| (sum.0 + of.0, sum.1 + of.1));
        way * way * squared + speed * speed
    };
    let before = energy(&simulation);
    energy(&advanced(simulation, frames)) / before
}

/// A wave of frequency omega dies away as exp(-omega^2 tau t / 2) if frames are short beside its period.
#[test]
fn stretching_dies_away_as_told() {
    let (length, damping, frames) = (0.8, 0.002, 240);
    let mut scene = free(json!({"viscosity": 0, "stretch_damping": damping}));
    scene.frames.rate = 1600.0;
    let by_area = material(&scene).rest_density * material(&scene).thickness;
    let squared = (PI / length).powi(2) * material(&scene).stretch_stiffness / by_area;
    let time = frames as f64 / scene.frames.rate;
    let (rate, expected) = (-wave_left(&scene, length, frames).ln() / 2.0 / time, squared * damping / 2.0);
    println!("dies away by {rate:.3}/s, expected {expected:.3}/s");
    assert!((rate / expected - 1.0).abs() < 0.08, "{rate} {expected}");
}

/// The same for frames of a usual length, also if the wave swings as often as there are frames, or half as often.
#[test]
fn no_wave_of_stretch_goes_on() {
    for swings in [0.5, 1.0, 1.1] {
        let (length, by_area) = (0.6, 0.25);
        let stiffness = by_area * (2.0 * length * swings * 24.0_f64).powi(2);
        let left = wave_left(&free(json!({"viscosity": 0, "stretch_stiffness": stiffness})), length, 24);
        println!("{swings} swings a frame: {:.2} % left after 24 frames", 100.0 * left);
        assert!(left < 0.02, "{swings} {left}");
    }
}

/// A strip free at both ends bends as a beam: omega = (4.730 / L)^2 sqrt(D / sigma), also with the D of a strip that
/// may bend across.
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
    for stiffness in [1e-3, 4e-3] {
        let mut scene = free(
            json!({"stretch_stiffness": 100, "bending_stiffness": stiffness, "viscosity": 0, "stretch_damping": 0}),
        );
        scene.frames.rate = 60.0;
        let by_area = material(&scene).rest_density * material(&scene).thickness;
        let expected = k * k * (stiffness / by_area).sqrt();
        let frames = (1.4 * TAU / expected * scene.frames.rate) as usize;
        let omega = swing(&scene, length, 0.2, frames, shape, 2e-3);
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

/// Momentum and angular momentum, spins included, are kept by a sheet that crumples, and energy to second order in the
/// step.
#[test]
fn a_crumpling_sheet_keeps_momentum_and_energy() {
    let run = |bin: u8| {
        let mut scene =
            free(json!({"bending_stiffness": 1e-3, "viscosity": 0, "stretch_damping": 0, "tear_stretch": 1.4}));
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

/// It does not bounce as a ball does: walls keep the energy of its impact.
#[test]
fn a_sheet_that_lands_flat_stays_down() {
    let mut scene = scene(SPACING, json!([sheet("sheet", at(0.0, 0.0, 0.05), json!({}))]), json!([floor(0.3)]));
    scene.bodies[0].velocity = [0.0, 0.0, -10.0];
    let mut simulation = simulate_with(&scene, &rectangle(0.2, 0.2));
    let mut high = 0.0_f64;
    for _ in 0..12 {
        simulation.advance().unwrap();
        high = positions(&simulation).iter().map(|p| p.z).fold(high, f64::max);
    }
    let low = positions(&simulation).iter().map(|p| p.z).fold(f64::INFINITY, f64::min);
    println!("leaps to {:.2} spacings, lies at {:.2}", high / SPACING, low / SPACING);
    assert!(high < 2.5 * SPACING && low > 0.0, "{high} {low}");
}

/// Mean speed downwards, m/s.
fn sinking(frame: &Frame) -> f64 {
    frame.velocities.iter().map(|velocity| f64::from(-velocity.z)).sum::<f64>() / frame.len() as f64
}

/// Air slows a sheet that moves across itself as it slows a plate, by 1.17 of the dynamic pressure (Hoerner 1965), and
/// a sheet that moves along itself not at all.
#[test]
fn air_slows_a_sheet_across_itself() {
    let fallen = |rotation: Value| {
        let mut scene = scene(
            SPACING,
            json!([sheet("sheet", rotation, json!({"rest_density": 250, "thickness": 1e-3}))]),
            json!([]),
        );
        (scene.settle, scene.sleep, scene.ambient.density) = (false, false, 1.2);
        let simulation = advanced(Simulation::new(&scene, &rectangle(0.3, 0.3)).unwrap(), 36);
        (sinking(&simulation.frame()), simulation.stats())
    };
    let weight = 9.81 * (1.0 - 1.2 / 250.0);
    let ((flat, stats), (upright, _)) =
        (fallen(json!({})), fallen(json!({"rotation": [0.5_f64.sqrt(), 0.5_f64.sqrt(), 0.0, 0.0]})));
    let (expected, free) = ((2.0_f64 * 0.25 * weight / (1.17 * 1.2)).sqrt(), weight * 36.0 / 24.0);
    println!(
        "flat {flat:.4} m/s, expected {expected:.4}; upright {upright:.4}, expected {free:.4}; drift {:.1e} J",
        stats.energy_drift
    );
    assert!((flat / expected - 1.0).abs() < 0.01 && (upright / free - 1.0).abs() < 0.01, "{flat} {upright}");
    assert!(
        stats.energy_drift.abs() < 1e-3 * stats.kinetic_energy,
        "{} of {}",
        stats.energy_drift,
        stats.kinetic_energy
    );
}

/// A sheet in so thick a medium that the drag limits the steps sinks evenly.
#[test]
fn a_light_sheet_sinks_in_water() {
    let mut scene =
        scene(SPACING, json!([sheet("sheet", json!({}), json!({"rest_density": 1500, "thickness": 1e-4}))]), json!([]));
    (scene.settle, scene.sleep, scene.ambient.density) = (false, false, 1000.0);
    scene.bodies[0].velocity = [0.0, 0.0, -10.0];
    let simulation = advanced(Simulation::new(&scene, &rectangle(0.2, 0.2)).unwrap(), 12);
    let sinks = sinking(&simulation.frame());
    let expected = (2.0_f64 * 0.15 * 9.81 * (1.0 - 1000.0 / 1500.0) / (1.17 * 1000.0)).sqrt();
    println!("sinks at {sinks:.5} m/s, expected {expected:.5}");
    assert!((sinks / expected - 1.0).abs() < 0.02, "{sinks} {expected}");
}

/// A sheet that falls over a ball, for any number of threads.
fn draped(material: Value, frames: usize) -> Simulation {
    let ball = json!({"name": "ball", "shape": {"type": "sphere", "radius": 0.1}, "transform": at(0.0, 0.0, 0.1), "friction": 0.3});
    let scene = scene(SPACING, json!([sheet("sheet", at(0.01, 0.005, 0.25), material)]), json!([ball, floor(0.4)]));
    advanced(simulate_with(&scene, &rectangle(0.5, 0.5)), frames)
}

#[test]
fn a_sheet_drapes_over_a_ball_and_stays_whole() {
    let frame = with_any_threads(|| draped(json!({}), 16).frame());
    let rest = frame.vector("rest_position").unwrap();
    let normals = frame.normals().unwrap();
    // Neighbours at the start are still neighbours: their distance is no more than the stretch at which the sheet
    // tears.
    let mut widest = 0.0_f32;
    for i in 0..frame.len() {
        for j in 0..i {
            if rest[i].distance(rest[j]) < 1.2 * 1.1225 * SPACING as f32 {
                widest = widest.max(frame.positions[i].distance(frame.positions[j]) / rest[i].distance(rest[j]));
            }
        }
    }
    let inside = frame.positions.iter().map(|p| p.distance(Vec3::Z * 0.1) - 0.1).fold(f32::INFINITY, f32::min);
    let low = frame.positions.iter().map(|p| p.z).fold(f32::INFINITY, f32::min);
    let hung = frame.positions.iter().filter(|p| p.z < 0.15).count() as f64 / frame.len() as f64;
    println!(
        "{} particles, stretch {widest:.3}, over the ball {inside:.4} m, lowest {low:.4} m, hung {hung:.2}",
        frame.len()
    );
    assert!(widest < 1.3 && inside > 0.0 && low > 0.0 && hung > 0.3);
    assert!(normals.iter().all(|normal| (normal.length() - 1.0).abs() < 1e-5));
}

/// A strip whose halves fly apart is held together by its weave up to a speed, and tears in two for good beyond it.
#[test]
fn a_strip_tears_beyond_its_strength() {
    let after = |speed: f64| {
        let mut scene = free(json!({"stretch_stiffness": 50, "tear_stretch": 1.2, "viscosity": 1}));
        scene.frames.rate = 100.0;
        let mut simulation = Simulation::new(&scene, &rectangle(0.4, 0.12)).unwrap();
        let start = positions(&simulation);
        simulation.place(&start, &start.iter().map(|p| DVec3::X * speed * p.x.signum()).collect::<Vec<_>>());
        let now = positions(&advanced(simulation, 40));
        let pairs = start.iter().zip(&now).filter(|(from, _)| from.x.abs() > 0.15);
        let length = |of: f64| {
            let ends = pairs.clone().filter(|(from, _)| from.x * of > 0.0);
            ends.clone().map(|(_, to)| to.x).sum::<f64>() / ends.count() as f64
        };
        length(1.0) - length(-1.0)
    };
    // A wave of this speed strains the strip by speed over sqrt(Y / sigma), 14 m/s.
    let (held, torn) = (after(0.7), after(7.0));
    println!("ends {held:.3} m apart where it holds, {torn:.3} m where it tears; 0.35 m at rest");
    assert!((held - 0.35).abs() < 0.04 && torn > 1.0, "{held} {torn}");
}

/// A lasting sheet takes no more steps for its springs.
#[test]
fn lasting_takes_no_more_steps() {
    let steps = |tears: bool| {
        let scene = free(json!({"stretch_stiffness": 60, "rest_density": 400, "tears": tears}));
        advanced(Simulation::new(&scene, &rectangle(0.3, 0.3)).unwrap(), 1).stats().steps
    };
    assert_eq!(steps(true), steps(false));
}

/// A sheet that does not tear comes back from a stretch that would tear another by far, and its springs make no energy.
#[test]
fn a_strip_that_lasts_does_not_tear() {
    let mut scene = free(
        json!({"stretch_stiffness": 50, "tear_stretch": 1.2, "tears": false, "viscosity": 0, "stretch_damping": 0}),
    );
    scene.frames.rate = 100.0;
    let mut simulation = Simulation::new(&scene, &rectangle(0.4, 0.12)).unwrap();
    let start = positions(&simulation);
    simulation.place(&start, &start.iter().map(|p| DVec3::X * 5.0 * p.x.signum()).collect::<Vec<_>>());
    let length = |simulation: &Simulation| {
        let now = positions(simulation);
        now.iter().map(|p| p.x).fold(0.0, f64::max) - now.iter().map(|p| p.x).fold(0.0, f64::min)
    };
    let (mut longest, mut drift, struck) = (0.0_f64, 0.0, simulation.stats().kinetic_energy);
    for _ in 0..12 {
        simulation.advance().unwrap();
        longest = longest.max(length(&simulation));
        drift += simulation.stats().energy_drift;
    }
    println!("up to {longest:.3} m long, then {:.3} m; drift {drift:.1e} of {struck:.3} J", length(&simulation));
    assert!(longest > 0.45 && length(&simulation) < 0.5 && drift.abs() < 0.02 * struck, "{longest} {drift} {struck}");
}

/// Impossible sheets are refused with an error.
#[test]
fn sheets_that_cannot_be_are_refused() {
    let refused = |scene: &Scene| Simulation::new(scene, &rectangle(0.4, 0.4)).unwrap_err();
    let mut short = free(json!({}));
    short.discretization.smoothing_length = 0.9;
    let error = refused(&short);
    assert!(error.path.to_string() == "discretization.smoothing_length" && error.message.contains("0.95"), "{error}");
    let error = refused(&flat(free(json!({}))));
    assert!(error.path.to_string() == "bodies[0].material" && error.message.contains("3d"), "{error}");
    let error = Simulation::new(&free(json!({})), &MeshLibrary::new()).unwrap_err();
    assert!(error.path.to_string() == "bodies[0].shape" && error.message.contains("no faces"), "{error}");
    let degenerate = TriangleMesh { positions: vec![DVec3::ZERO; 3], triangles: vec![[0, 1, 2]] };
    let error = Simulation::new(&free(json!({})), &MeshLibrary::from([("sheet".into(), degenerate)])).unwrap_err();
    assert!(error.path.to_string() == "bodies[0].shape", "{error}");
}

/// A sheet that its own curvature tears to shards: bending ends where the well does, however long a part of a frame is.
#[test]
fn a_sheet_that_tears_makes_no_energy() {
    let scene = free(
        json!({"curvature": 10, "bending_stiffness": 0.1, "stretch_stiffness": 100, "viscosity": 0, "stretch_damping": 0}),
    );
    let mut simulation = Simulation::new(&scene, &rectangle(0.4, 0.4)).unwrap();
    let stored = simulation.stats().elastic_energy;
    let drift: f64 = (0..3)
        .map(|_| {
            simulation.advance().unwrap();
            simulation.stats().energy_drift
        })
        .sum();
    let widest = simulation.frame().positions.iter().map(|p| p.length()).fold(0.0, f32::max);
    println!("{stored:.2} J, drift {drift:.1e} J, farthest {widest:.2} m");
    assert!(widest > 0.3 && drift.abs() < 0.01 * stored, "{drift} {stored} {widest}");
}

/// Two layers that lie a little more than a spacing apart are two sheets, as of a rolled mat.
#[test]
fn layers_that_lie_close_are_not_bound() {
    let corner = |i: i32, j: i32, z: f64| DVec3::new(f64::from(i) * 0.15, f64::from(j) * 0.15, z);
    for height in [1.0, 1.2, 1.4] {
        let square = |z: f64| [corner(-1, -1, z), corner(1, -1, z), corner(1, 1, z), corner(-1, 1, z)];
        let positions = [square(0.0), square(height * SPACING)].concat();
        let triangles = vec![[0, 1, 2], [0, 2, 3], [4, 5, 6], [4, 6, 7]];
        let meshes = MeshLibrary::from([("sheet".into(), TriangleMesh { positions, triangles })]);
        let mut scene = free(json!({}));
        // This tool cuts nothing, but with it frames tell pieces.
        scene.tools = serde_json::from_value(json!([{"name": "far", "shape": {"type": "sphere", "radius": 0.01},
            "transform": at(9.0, 0.0, 0.0)}]))
        .unwrap();
        let frame = Simulation::new(&scene, &meshes).unwrap().frame();
        let pieces = frame.scalar("sheet").unwrap();
        let told = pieces.iter().zip(&frame.positions).all(|(&piece, p)| (piece > 0.5) == (p.z > 0.5 * SPACING as f32));
        assert!(told, "{height}");
    }
}

/// Sheets of two bodies, dough and a floor: each keeps out of the others, and no particle runs away.
#[test]
fn sheets_meet_other_matter() {
    let dough = json!({"name": "dough", "shape": {"type": "box", "size": [0.08, 0.08, 0.08]}, "transform": at(0.0, 0.0, 0.16),
        "material": {"type": "smoothed", "viscosity": 50}});
    let bodies =
        json!([sheet("low", at(0.0, 0.0, 0.03), json!({})), sheet("high", at(0.01, 0.0, 0.08), json!({})), dough]);
    let scene = scene(SPACING, bodies, json!([floor(0.4)]));
    let simulation = advanced(simulate_with(&scene, &rectangle(0.24, 0.24)), 16);
    let frame = simulation.frame();
    let sources = &frame.sources;
    let of = |body: u32| (0..frame.len()).filter(move |&i| sources[i] == body);
    let low = frame.positions.iter().map(|p| p.z).fold(f32::INFINITY, f32::min);
    let fastest = frame.velocities.iter().map(|v| v.length()).fold(0.0, f32::max);
    let nearest =
        of(0).flat_map(|i| of(1).map(move |j| (i, j))).map(|(i, j)| frame.positions[i].distance(frame.positions[j]));
    let nearest = nearest.fold(f32::INFINITY, f32::min) / SPACING as f32;
    println!("lowest {low:.4} m, fastest {fastest:.2} m/s, sheets {nearest:.2} spacings apart");
    assert!(low > 0.0 && fastest < 1.0 && nearest > 0.6);
}
