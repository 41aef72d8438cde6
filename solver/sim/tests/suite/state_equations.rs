//! State equations: energy, pressure and forces in agreement, sound, gases in boxes, in air and in a vacuum.

use crate::common::{Random, advanced, centre, close_packed, drift, evaluate, scene, simulate, weightless};
use dollop_scene::{Ambient, StateEquation};
use dollop_sim::boundary::{Wall, WallKernel};
use dollop_sim::kernel::Kernel;
use dollop_sim::lattice::edge;
use dollop_sim::material::pressure::{Density, PressureForces, PressureLaw};
use dollop_sim::{Frame, MeshLibrary, Simulation, SmoothingKernel};
use glam::{DVec3, Vec3};
use serde_json::{Value, json};
use std::f64::consts::TAU;

const EQUATIONS: [StateEquation; 3] = [StateEquation::Linear, StateEquation::Tait, StateEquation::IdealGas];

/// A law of 800 kg/m^3 in air that presses on a gas with a part of the gas's own pressure.
fn law(state_equation: StateEquation, cohesion: f64, ambient: f64) -> PressureLaw {
    let ambient = Ambient { density: 0.0, pressure: ambient * 800.0 * 300.0, ..Ambient::default() };
    PressureLaw { cohesion: cohesion as f32, ..PressureLaw::new(800.0, 300.0, 0.0, state_equation, &ambient) }
}

/// Elastic energy of particles at rest, J, and their accelerations.
fn evaluated(pressure: &PressureForces, positions: &[DVec3], sources: &[u32], walls: &[Wall]) -> (f64, Vec<DVec3>) {
    let (densities, accelerations) = evaluate(pressure, positions, &vec![DVec3::ZERO; positions.len()], sources, walls);
    let energies = densities.iter().zip(sources).map(|(&density, &source)| pressure.law(source).energy(density));
    (energies.sum::<f64>() * SPACING.powi(3), accelerations)
}

const SPACING: f64 = 0.1;
const H: f64 = 1.25 * SPACING;

/// Density of a particle without neighbours at a wall with some share of the sum.
fn density_by(law: PressureLaw, share: f32) -> Density {
    let pressure = PressureForces::new(SmoothingKernel::new(Kernel::Spiky, H), SPACING, vec![law]);
    let wall = Wall { share, adhesive_share: share, ..Wall::default() };
    evaluate(&pressure, &[DVec3::ZERO], &[DVec3::ZERO], &[0], &[wall]).0[0]
}

#[test]
fn energy_is_the_integral_of_push_and_pull() {
    for equation in EQUATIONS {
        for (cohesion, ambient) in [(0.0, 0.0), (0.3, 0.7), (1.0, 1.4)] {
            let law = law(equation, cohesion, ambient);
            let densities: Vec<_> = (0..=4000).map(|i| density_by(law, 0.35 * i as f32 / 1000.0)).collect();
            let (mut work, scale) = (0.0, f64::from(law.modulus));
            for pair in densities.windows(2) {
                let term = |total: f32, held: f32| f64::from(law.push(total) + law.pull(held));
                let rise = f64::from(pair[1].total) - f64::from(pair[0].total);
                work += 0.5 * rise * (term(pair[0].total, pair[0].held) + term(pair[1].total, pair[1].held));
                let found = law.energy(pair[1]) - law.energy(densities[0]);
                // Steps of 3.5e-4, at least, of a density that is itself rounded to 1e-7.
                let size = scale + work.abs();
                assert!((found - work).abs() < 1e-4 * size, "{equation:?} {cohesion} {ambient}: {found} {work}");
            }
            let (first, last) = (densities[0].total, densities[4000].total);
            assert!(first < 0.2 && last > 1.4, "{equation:?}: from {first} to {last}");
        }
    }
}

#[test]
fn the_modulus_is_the_slope_of_the_pressure_and_never_zero() {
    for equation in EQUATIONS {
        let law = law(equation, 1.0, 0.5);
        for density in [0.9, 1.2, 2.0] {
            let at = |total: f32| Density { total, held: total };
            let step = 2e-3;
            let rise = law.pressure(at(density + step)) - law.pressure(at(density - step));
            let slope = density * rise / (2.0 * step);
            let modulus = law.bulk_modulus(at(density));
            if density > 1.0 || equation == StateEquation::IdealGas {
                assert!((slope / modulus - 1.0).abs() < 2e-3, "{equation:?} at {density}: {slope} {modulus}");
            }
        }
        for density in [0.0, 1e-6, 0.2, 1.0, 100.0] {
            let at = Density { total: density, held: density };
            let speed = law.signal_speed(law.local_modulus(at));
            assert!(speed >= 17.3 && speed.is_finite(), "{equation:?} at {density}: {speed} m/s");
        }
    }
    let speed = |law: PressureLaw, total| law.signal_speed(law.local_modulus(Density { total, held: total }));
    let stiffened = speed(law(StateEquation::Tait, 0.0, 0.0), 1.2) / 300.0_f32.sqrt();
    assert!((stiffened / 1.2_f32.powi(3) - 1.0).abs() < 1e-5, "{stiffened}");
}

/// The wall of a floor at z = 0 for a particle at a height; half of its share is adhesive.
fn floor_at(kernel: &WallKernel, height: f64) -> Wall {
    let (share, slope) = kernel.share(height);
    let gradient = Vec3::Z * slope as f32;
    Wall {
        share: share as f32,
        gradient,
        adhesive_share: 0.5 * share as f32,
        adhesive_gradient: 0.5 * gradient,
        ..Wall::default()
    }
}

#[test]
fn forces_are_the_gradient_of_the_elastic_energy() {
    let [linear, tait, gas] = EQUATIONS;
    let light = PressureLaw { rest_density: 100.0, modulus: 4e4, ..law(gas, 0.5, 0.6) };
    let mixed = vec![law(linear, 0.3, 0.0), law(tait, 0.5, 0.0), light, law(gas, 0.0, 0.0)];
    let kinds = EQUATIONS.map(|equation| vec![law(equation, 0.4, 0.5)]);
    for laws in kinds.into_iter().chain([mixed]) {
        let kernel = SmoothingKernel::new(Kernel::Spiky, H);
        let wall_kernel = WallKernel::new(&kernel, SPACING);
        let mut random = Random::new(7);
        let count = 40;
        let positions: Vec<DVec3> =
            (0..count).map(|_| random.vector(1.9 * SPACING) + DVec3::Z * (2.2 * SPACING)).collect();
        let sources: Vec<u32> = (0..count as u32).map(|i| i % laws.len() as u32).collect();
        let pressure = PressureForces::new(kernel, SPACING, laws);
        let walls =
            |positions: &[DVec3]| -> Vec<Wall> { positions.iter().map(|p| floor_at(&wall_kernel, p.z)).collect() };
        let (_, accelerations) = evaluated(&pressure, &positions, &sources, &walls(&positions));
        let masses: Vec<f64> =
            sources.iter().map(|&s| f64::from(pressure.law(s).rest_density) * SPACING.powi(3)).collect();
        let largest = accelerations.iter().zip(&masses).map(|(a, m)| a.length() * m).fold(0.0, f64::max);
        // The energy is summed from densities of single precision; the wall's share is linear between entries.
        let step = 1e-3 * SPACING;
        let mut worst = 0.0_f64;
        for i in 0..count {
            for axis in [DVec3::X, DVec3::Y, DVec3::Z] {
                let energy = |shift: f64| {
                    let mut moved = positions.clone();
                    moved[i] += axis * shift;
                    evaluated(&pressure, &moved, &sources, &walls(&moved)).0
                };
                let force = -(energy(step) - energy(-step)) / (2.0 * step);
                worst = worst.max((force - accelerations[i].dot(axis) * masses[i]).abs() / largest);
            }
        }
        println!("forces off the gradient by {worst:.2e} of the largest");
        assert!(worst < 5e-3, "{worst}");
    }
}

fn body(size: [f64; 3], centre: [f64; 3], material: Value) -> Value {
    let mut material = material;
    material["type"] = json!("smoothed");
    json!({"name": "body", "shape": {"type": "box", "size": size}, "material": material,
        "transform": {"translation": centre}})
}

fn tank(size: [f64; 3]) -> Value {
    json!({"name": "tank", "shape": {"type": "box", "size": size}, "inverted": true, "friction": 0.0})
}

fn mean(values: impl Iterator<Item = f64>) -> f64 {
    let (count, sum) = values.fold((0.0, 0.0), |(count, sum), value| (count + 1.0, sum + value));
    sum / count
}

/// A gas of 2 kg/m^3 in one end of a box, with a free part of some lengths of its own; pressure after a while over N m
/// k / V, in the mean and at the three pairs of walls, and the parts of the matter in the thirds of the box.
fn released(free: f64) -> (f64, [f64; 3], [f64; 3]) {
    let (stiffness, density, spacing, length) = (100.0, 2.0, 0.04, 0.4 * (1.0 + free));
    let gas =
        json!({"state_equation": "ideal-gas", "stiffness": stiffness, "rest_density": density, "viscosity": 10.0});
    let scene = weightless(scene(
        spacing,
        json!([body([0.4; 3], [0.2 - length / 2.0, 0.0, 0.0], gas)]),
        json!([tank([length, 0.4, 0.4])]),
    ));
    let start = simulate(&scene);
    let far = start.frame().positions.iter().map(|p| f64::from(p.x) + length / 2.0).fold(0.0, f64::max);
    assert!(far < 0.42, "settling lets the gas out to {far} m");
    let end = advanced(start, 60).frame();
    let expected = end.len() as f64 * density * spacing.powi(3) * stiffness / (length * 0.4 * 0.4);
    let pressure = end.scalar("pressure").unwrap();
    let near = |distance: &dyn Fn(DVec3) -> f64| {
        let close = end.positions.iter().zip(pressure).filter(|(p, _)| distance(p.as_dvec3()) < 0.05);
        mean(close.map(|(_, &pressure)| f64::from(pressure))) / expected
    };
    let walls = [near(&|p| length / 2.0 - p.x.abs()), near(&|p| 0.2 - p.y.abs()), near(&|p| 0.2 - p.z.abs())];
    let all = mean(pressure.iter().map(|&p| f64::from(p))) / expected;
    let third = |number: usize| {
        let own = end.positions.iter().filter(|p| ((f64::from(p.x) / length + 0.5) * 3.0) as usize == number);
        own.count() as f64 / end.len() as f64
    };
    (all, walls, [0, 1, 2].map(third))
}

#[test]
fn a_gas_fills_a_box_and_presses_by_its_mass() {
    // The wider it spreads, the fewer neighbours its particles have.
    for (free, tolerance) in [(0.25, 0.05), (0.6, 0.06), (1.4, 0.1)] {
        let (all, walls, thirds) = released(free);
        println!(
            "gas let out into {free} of its volume: {all:.3} of N m k / V, at the walls {walls:.3?}; thirds {thirds:.3?}"
        );
        for pressure in walls.into_iter().chain([all]) {
            assert!((pressure - 1.0).abs() < tolerance, "{pressure} of N m k / V");
        }
        for third in thirds {
            assert!((third - 1.0 / 3.0).abs() < 0.05, "{third} of the matter in a third");
        }
    }
}

/// Mean density of the middle half of a ball of gas, kg/m^3.
fn middle_density(frame: &Frame, radius: f32) -> f64 {
    let middle = centre(frame).as_vec3();
    let density = frame.scalar("density").unwrap().iter().zip(&frame.positions);
    mean(density.filter(|(_, p)| p.distance(middle) < radius).map(|(&density, _)| f64::from(density)))
}

#[test]
fn a_gas_in_air_takes_the_pressure_of_the_air() {
    for ambient in [0.6, 1.3] {
        let gas = json!({"type": "smoothed", "state_equation": "ideal-gas", "stiffness": 100.0, "rest_density": 1.0,
            "viscosity": 5.0, "cohesion": 1.0});
        let ball = json!([{"name": "puff", "shape": {"type": "sphere", "radius": 0.4}, "material": gas}]);
        let mut scene = weightless(scene(0.05, ball, json!([])));
        scene.ambient.pressure = ambient * 100.0;
        let start = simulate(&scene);
        let first = middle_density(&start.frame(), 0.2);
        let density = middle_density(&advanced(start, 40).frame(), 0.2);
        println!("gas in air: density {first:.3} -> {density:.3} of {ambient} kg/m^3");
        assert!((first - 1.0).abs() < 0.03, "{first}");
        assert!((density / ambient - 1.0).abs() < 0.05, "{density} instead of {ambient}");
    }
}

#[test]
fn a_gas_in_a_vacuum_only_spreads() {
    let gas = json!({"state_equation": "ideal-gas", "stiffness": 100.0, "cohesion": 1.0, "viscosity": 0.0});
    let scene = weightless(scene(0.1, json!([body([0.5, 0.5, 0.5], [0.0; 3], gas)]), json!([])));
    let size = |frame: &Frame| mean(frame.positions.iter().map(|p| f64::from(p.length())));
    let mut simulation = simulate(&scene);
    for _ in 0..10 {
        let before = size(&simulation.frame());
        simulation = advanced(simulation, 1);
        assert!(size(&simulation.frame()) > before);
    }
    let frame = simulation.frame();
    println!("drifts at {:.1e} m/s, the fastest at {:.0} m/s", drift(&frame).length(), frame.stats.max_speed);
    assert!(drift(&frame).length() < 3e-4);
    // The work of all its pressure limits the speed.
    assert!(frame.stats.max_speed < 40.0 && frame.stats.elastic_energy < 0.0, "{:?}", frame.stats);
}

#[test]
fn light_matter_rises_in_air_at_the_right_rate() {
    let ambient = Ambient { density: 1.2, pressure: 50.0, ..Ambient::default() };
    for (material, own) in [
        (json!({"rest_density": 0.8}), 0.8),
        (json!({"rest_density": 2.4, "state_equation": "tait"}), 2.4),
        // At rest its pressure is that of the air: 50 / 100 kg/m^3.
        (json!({"rest_density": 0.5, "state_equation": "ideal-gas", "stiffness": 100.0, "viscosity": 20.0}), 0.5),
    ] {
        let mut scene = scene(0.1, json!([body([0.5, 0.5, 0.5], [0.0; 3], material)]), json!([]));
        scene.ambient = ambient.clone();
        let after = advanced(simulate(&scene), 6).frame();
        let rate = drift(&after).z / after.time;
        let expected = -9.81 * (1.0 - ambient.density / own);
        println!("matter of {own} kg/m^3 in air goes up at {rate:.3} of {expected:.3} m/s^2");
        assert!((rate / expected - 1.0).abs() < 0.02, "{rate} instead of {expected}");
    }
}

/// Speed of a long, weak density wave through the lattice at some density over rest, over sqrt(K / rho): its
/// acceleration over its displacement is the square of its frequency.
fn sound(law: PressureLaw, over_rest: f64, direction: DVec3) -> f64 {
    let half = edge(SPACING) / 2.0 * over_rest.cbrt().recip();
    let (number, width) = (TAU / (24.0 * SPACING), 0.01 * SPACING);
    let places = close_packed(10, half);
    let shift = |p: &DVec3| direction * (width * (number * p.dot(direction)).cos());
    let positions: Vec<DVec3> = places.iter().map(|p| p + shift(p)).collect();
    let pressure = PressureForces::new(SmoothingKernel::new(Kernel::Spiky, H), SPACING, vec![law]);
    let (sources, walls) = (vec![0; positions.len()], vec![Wall::default(); positions.len()]);
    let (_, accelerations) = evaluated(&pressure, &positions, &sources, &walls);
    let inner = places.iter().zip(&accelerations).filter(|(p, _)| p.length() < 1.5 * SPACING);
    let squares = mean(inner.map(|(p, a)| -a.dot(direction) / shift(p).dot(direction)));
    let density = Density { total: over_rest as f32, held: over_rest as f32 };
    let modulus = f64::from(law.bulk_modulus(density));
    (squares / (modulus / (f64::from(law.rest_density) * over_rest))).sqrt() / number
}

#[test]
fn sound_goes_at_the_root_of_bulk_modulus_over_density() {
    let [linear, tait, gas] = EQUATIONS;
    // At rest, pressed, and a gas at rest in air far from the density of its body.
    for (equation, ambient, over_rest) in
        [(linear, 0.0, 1.0), (linear, 0.0, 1.04), (tait, 0.0, 1.0), (tait, 0.0, 1.04), (gas, 1.0, 1.0), (gas, 0.7, 0.7)]
    {
        for direction in [DVec3::X, DVec3::new(1.0, 1.0, 0.0), DVec3::ONE, DVec3::new(3.0, 2.0, 1.0)] {
            let ratio = sound(law(equation, 1.0, ambient), over_rest, direction.normalize());
            println!("{equation:?} at {over_rest} of rest density along {direction}: {ratio:.4} of sqrt(K / rho)");
            let tolerance = if over_rest < 1.0 { 0.06 } else { 0.025 };
            assert!((ratio - 1.0).abs() < tolerance, "{equation:?} {over_rest} {direction}: {ratio}");
        }
    }
}

#[test]
fn a_gas_does_not_settle_before_time_begins_but_goes_off_then() {
    let gas = json!({"state_equation": "ideal-gas", "stiffness": 100.0});
    let scene = weightless(scene(0.1, json!([body([0.5, 0.5, 0.5], [0.0; 3], gas)]), json!([])));
    let filled = Simulation::new(&scene, &MeshLibrary::new()).unwrap().frame();
    let settled = simulate(&scene).frame();
    let moved = filled.positions.iter().zip(&settled.positions).map(|(a, b)| a.distance(*b)).fold(0.0, f32::max);
    assert!(moved < 0.05, "{moved}");
    assert!(advanced(simulate(&scene), 2).frame().stats.max_speed > 3.0);
}
