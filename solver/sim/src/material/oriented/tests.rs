#![allow(clippy::unwrap_used, clippy::print_stdout)]

use crate::laws::sheet::*;
use crate::laws::well::{Exponents, Well};
use crate::{MeshLibrary, Simulation, TriangleMesh};
use dollop_scene::Scene;
use glam::{DQuat, DVec3};
use serde_json::json;

/// A pair in double precision.
struct PairForce {
    /// J.
    energy: f64,
    /// On the first particle.
    force: DVec3,
    torque: DVec3,
    their_torque: DVec3,
}

fn pair(r: DVec3, own: DVec3, their: DVec3, Case { weights, well, fixed, layers, .. }: &Case) -> PairForce {
    let fixed = *fixed;
    let pair =
        Pair { layer: layer(0.9, 1.0), squared: r.length_squared(), a: own.dot(r), b: their.dot(r), c: own.dot(their) };
    let beta = if fixed { Beta::fixed(0.4) } else { pair.beta() };
    let mut gradient = pair.bending(weights, &beta);
    if let Some(well) = well {
        let value = well.value(r.length());
        let slope = -value.repulsion / (2.0 * pair.squared);
        let (push, pull) = if r.length() < well.separation {
            (WellPart { energy: value.energy + 1.0, slope }, WellPart { energy: -1.0, slope: 0.0 })
        } else {
            (WellPart { energy: 0.0, slope: 0.0 }, WellPart { energy: value.energy, slope })
        };
        gradient = gradient.with_well(push, pull, &pair.in_plane());
    }
    if *layers {
        gradient = gradient.and(pair.layers().gradient.times(0.3));
    }
    let force = r * (2.0 * gradient.squared) + own * gradient.a + their * gradient.b;
    let torque = -own.cross(r * gradient.a + their * gradient.c);
    let their_torque = -their.cross(r * gradient.b + own * gradient.c);
    PairForce { energy: gradient.energy, force, torque, their_torque }
}

struct Case {
    name: &'static str,
    weights: Weights<f64>,
    well: Option<Well>,
    /// Whether weights do not change.
    fixed: bool,
    /// Whether layers push each other.
    layers: bool,
}

fn of(name: &'static str, weights: Weights<f64>) -> Case {
    Case { name, weights, well: None, fixed: false, layers: false }
}

fn cases() -> Vec<Case> {
    let none = Weights { planarity: 0.0, normality: 0.0, circularity: 0.0, curvature: 0.0 };
    let well = Well::in_sheet(Exponents { n: 12, m: 6 }, 0.9);
    let all = Weights { planarity: 0.7, normality: 0.4, circularity: 0.2, curvature: -0.2 };
    vec![
        of("co-planarity", Weights { planarity: 1.0, ..none }),
        of("co-normality", Weights { normality: 1.0, ..none }),
        of("co-circularity", Weights { circularity: 1.0, ..none }),
        of("curved", Weights { planarity: 0.7, normality: 0.4, curvature: 0.3, ..none }),
        Case { well: Some(well), ..of("Lennard-Jones", none) },
        Case { well: Some(well), ..of("all", all) },
        Case { fixed: true, ..of("all, woven", all) },
        Case { layers: true, ..of("layers", none) },
    ]
}

fn random(state: &mut u64) -> f64 {
    *state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
    (*state >> 11) as f64 / (1_u64 << 52) as f64 - 1.0
}

/// Force and torque of every potential equal the numerical gradient of its energy.
#[test]
fn forces_and_torques_are_the_gradients() {
    let mut state = 7;
    for case in cases() {
        let Case { name, well, .. } = case;
        let (mut worst, mut felt) = (0.0_f64, 0);
        for _ in 0..2000 {
            let vector = |state: &mut u64| DVec3::new(random(state), random(state), random(state));
            let own = (DVec3::Z + 0.6 * vector(&mut state)).normalize();
            let their = (DVec3::Z + 0.6 * vector(&mut state)).normalize();
            let r = vector(&mut state) * DVec3::new(1.6, 1.6, 0.5);
            // Where the well's curvature jumps, differences are of first order only.
            let jumps = well.is_some_and(|w| [w.separation, w.core].iter().any(|at| (r.length() - at).abs() < 1e-4));
            if r.length() < 0.4 || jumps {
                continue;
            }
            let of = |r: DVec3, own: DVec3, their: DVec3| pair(r, own, their, &case).energy;
            let PairForce { force, torque, their_torque, .. } = pair(r, own, their, &case);
            let step = 1e-5;
            let along = |energy: &dyn Fn(f64) -> f64| (energy(step) - energy(-step)) / (2.0 * step);
            let axes = [DVec3::X, DVec3::Y, DVec3::Z];
            let turned = |n: DVec3, axis: DVec3, by: f64| DQuat::from_axis_angle(axis, by) * n;
            let numeric =
                |energy: &dyn Fn(DVec3, f64) -> f64| DVec3::from_array(axes.map(|axis| along(&|by| energy(axis, by))));
            // r grows as the first particle goes back.
            let errors = [
                force - numeric(&|axis, by| of(r + axis * by, own, their)),
                torque + numeric(&|axis, by| of(r, turned(own, axis, by), their)),
                their_torque + numeric(&|axis, by| of(r, own, turned(their, axis, by))),
            ];
            let scale = force.length().max(torque.length()).max(their_torque.length());
            // The sum of torques and of r times the force vanishes.
            let spin = (torque + their_torque - r.cross(force)).length();
            assert!(spin <= 1e-12 * (1.0 + scale), "{name}: {spin}");
            felt += usize::from(scale > 1e-3);
            worst = errors.iter().fold(worst, |worst, error| worst.max(error.length() / scale.max(1e-3)));
        }
        println!("{name}: {worst:.1e} of {felt} pairs");
        assert!(worst < 1e-5 && felt > 300, "{name}: {worst} {felt}");
    }
}

/// A flat sheet has no energy of bending; a sphere none of co-circularity, and none at all where its curvature is
/// preferred.
#[test]
fn sheets_and_spheres_are_at_rest() {
    let weights = Weights { planarity: 1.0, normality: 1.0, circularity: 1.0, curvature: 0.0 };
    let PairForce { energy, force, .. } = pair(DVec3::new(0.8, 0.3, 0.0), DVec3::Z, DVec3::Z, &of("flat", weights));
    assert!(energy == 0.0 && force == DVec3::ZERO);
    let (own, their) = (DVec3::Z, DVec3::new(0.2, 0.1, 1.0).normalize());
    for radius in [3.0, 10.0] {
        let offset = (their - own) * radius;
        let circular = Weights { planarity: 0.0, normality: 0.0, ..weights };
        let PairForce { energy, force, torque, .. } = pair(offset, own, their, &of("even", circular));
        assert!(energy < 1e-14 && force.length() < 1e-14 && torque.length() < 1e-14, "{energy} {force}");
        let PairForce { energy, force, torque, .. } =
            pair(offset, own, their, &of("curved", Weights { curvature: 1.0 / radius, ..weights }));
        assert!(energy < 1e-14 && force.length() < 1e-14 && torque.length() < 1e-14, "{energy} {force}");
    }
}

/// Layers neither bind nor bend each other.
#[test]
fn layers_do_not_feel_each_other() {
    let weights = Weights { planarity: 1.0, normality: 1.0, circularity: 1.0, curvature: 0.1 };
    for aside in [0.0, 0.3, 0.8, 1.5] {
        let r = DVec3::new(aside, 0.0, LAYER * 0.9 + 1e-4);
        let pair = Pair { layer: layer(0.9, 1.0), squared: r.length_squared(), a: r.z, b: -r.z, c: -1.0 };
        let Gradient { energy, squared, a, b, c } = pair.bending(&weights, &pair.beta());
        assert!([energy, squared, a, b, c].iter().all(|&value| value == 0.0) && pair.in_plane().part == 0.0);
    }
}

/// A sheet whose particles are struck and turned at random keeps its momentum and, spins included, its angular
/// momentum.
#[test]
fn a_sheet_keeps_momentum_and_angular_momentum() {
    for structure in ["woven", "free"] {
        let scene: Scene = serde_json::from_value(json!({
            "version": 1, "frames": {"start": 1, "end": 9, "rate": 200.0}, "gravity": [0, 0, 0], "particle_spacing": 0.02,
            "settle": false, "sleep": false, "bodies": [{"name": "sheet", "shape": {"type": "mesh", "path": "sheet"},
                "material": {"type": "oriented", "structure": structure, "bending_stiffness": 1e-3, "curvature": 2, "evenness": 1e-3}}]
        }))
        .unwrap();
        let corner = |x: f64, y: f64| DVec3::new(x, y, 0.0) * 0.15;
        let positions = vec![corner(-1.0, -1.0), corner(1.0, -1.0), corner(1.0, 1.0), corner(-1.0, 1.0)];
        let mesh = TriangleMesh { positions, triangles: vec![[0, 1, 2], [0, 2, 3]] };
        let mut simulation = Simulation::new(&scene, &MeshLibrary::from([("sheet".into(), mesh)])).unwrap();
        let mut state = 5;
        let (_, particles) = simulation.parts();
        for slot in 0..particles.len() {
            let mut vector = |size: f64| DVec3::new(random(&mut state), random(&mut state), random(&mut state)) * size;
            particles.velocities[slot] = vector(0.5);
            particles.spins[slot] = vector(20.0);
            particles.orientations[slot] = DQuat::from_scaled_axis(vector(0.2)) * particles.orientations[slot];
        }
        let sums = |simulation: &mut Simulation| {
            let (integrator, particles) = simulation.parts();
            let (mass, inertia) = (integrator.solver.mass(0), integrator.solver.inertia(0));
            let (mut momentum, mut spin, mut size) = (DVec3::ZERO, DVec3::ZERO, 0.0);
            for slot in 0..particles.len() {
                let own = particles.velocities[slot] * mass;
                let turning = particles.positions[slot].cross(own) + particles.spins[slot] * inertia;
                (momentum, spin, size) = (momentum + own, spin + turning, size + turning.length());
            }
            (momentum, spin, size)
        };
        let (momentum, spin, size) = sums(&mut simulation);
        for _ in 0..20 {
            simulation.advance().unwrap();
        }
        let (later, spun, _) = sums(&mut simulation);
        let (lost, turned) = (later.distance(momentum), spun.distance(spin) / size);
        println!("{structure}: momentum off by {lost:.1e} kg m/s, angular momentum by {turned:.1e} of what all have");
        assert!(lost < 1e-6 && turned < 1e-5, "{lost} {turned}");
    }
}
