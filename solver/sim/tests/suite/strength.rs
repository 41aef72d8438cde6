//! Matter with a yield stress: what stands, what flows, and where it comes to rest.

use crate::common::{GRAVITY, at, flat, floor, scene, simulate, weightless};
use dollop_scene::Scene;
use dollop_sim::{Frame, Simulation, Stepping};
use glam::DVec3;
use serde_json::{Value, json};

fn material(stiffness: f64, viscosity: f64, yield_stress: f64) -> Value {
    json!({"type": "smoothed", "stiffness": stiffness, "viscosity": viscosity, "cohesion": 0, "yield_stress": yield_stress})
}

/// A layer of some height on a floor that is tilted by an angle.
fn layer(height: f64, angle: f64, yield_stress: f64) -> Scene {
    let body = json!([{"name": "layer", "shape": {"type": "box", "size": [2.4, 1.0, height]},
        "transform": at(0.0, 0.0, height / 2.0 + 1e-3), "material": material(1000.0, 5.0, yield_stress)}]);
    let mut scene = flat(scene(0.02, body, json!([floor(2.0)])));
    scene.gravity = [GRAVITY * angle.sin(), 0.0, -GRAVITY * angle.cos()];
    scene
}

fn mean(frame: &Frame, value: impl Fn(usize) -> f64) -> f64 {
    (0..frame.len()).map(value).sum::<f64>() / frame.len() as f64
}

#[test]
fn a_layer_stands_on_a_slope_below_its_yield_stress_and_flows_above() {
    let (height, angle) = (0.2, 0.3_f64);
    let threshold = 1000.0 * GRAVITY * height * angle.sin();
    for part in [0.7, 0.85, 0.92, 1.0, 1.15] {
        let mut simulation = simulate(&layer(height, angle, threshold * part));
        let start = simulation.frame();
        let x = |simulation: &Simulation| {
            let frame = simulation.frame();
            let middle: Vec<usize> = (0..frame.len()).filter(|&i| start.positions[i].x.abs() < 0.5).collect();
            middle.iter().map(|&i| f64::from(frame.velocities[i].x)).sum::<f64>() / middle.len() as f64
        };
        let mut xs = vec![];
        for n in 0..36 {
            if n % 6 == 0 {
                xs.push(x(&simulation));
            }
            simulation.advance().unwrap();
        }
        let f = simulation.frame();
        println!(
            "{part}: {xs:.4?} {} max speed {:.2e}, asleep {}",
            x(&simulation),
            f.stats.max_speed,
            f.stats.force_evaluations == f.len() as u64
        );
    }
}

#[test]
fn a_slump_comes_to_rest_with_the_profile_of_its_yield_stress() {
    let (length, height, tau) = (0.3, 0.6, 100.0);
    for (spacing, viscosity, tau) in [(0.02, 5.0, tau), (0.015, 5.0, tau), (0.015, 5.0, 0.0), (0.01, 10.0, tau)] {
        let body = json!([{"name": "column", "shape": {"type": "box", "size": [length, 1.0, height]},
        "transform": at(length / 2.0 + 1e-3, 0.0, height / 2.0 + 1e-3), "material": material(2000.0, viscosity, tau)}]);
        let wall = json!({"name": "wall", "shape": {"type": "box", "size": [1.0, 1.0, 4.0]}, "transform": at(-0.5, 0.0, 1.0), "friction": 0});
        let scene = flat(scene(spacing, body, json!([floor(5.0), wall])));
        let mut simulation = simulate(&scene);
        let area = simulation.frame().len() as f64 * spacing * spacing;
        let a: f64 = 2.0 * tau / (1000.0 * GRAVITY);
        let expected = (1.5 * area / a.sqrt()).powf(2.0 / 3.0);
        println!("expected length {expected:.3}, height {:.3}", (a * expected).sqrt());
        for n in 0..72 {
            simulation.advance().unwrap();
            if n % 6 == 5 {
                let f = simulation.frame();
                let mut xs: Vec<f32> = f.positions.iter().map(|p| p.x).collect();
                xs.sort_by(f32::total_cmp);
                let top = f.positions.iter().filter(|p| p.x < 0.1).map(|p| p.z).fold(0.0, f32::max);
                println!(
                    "{n}: length {:.3} {:.3} top {:.3} mean x {:.4} speed {:.2e} drift {:.2e} E {:.3e} K {:.2e} steps {}",
                    xs[xs.len() - 1],
                    xs[xs.len() - 3],
                    top,
                    mean(&f, |i| f64::from(f.positions[i].x)),
                    f.stats.max_speed,
                    f.stats.energy_drift,
                    f.stats.elastic_energy,
                    f.stats.kinetic_energy,
                    f.stats.steps
                );
            }
        }
    }
}

/// A free cylinder that is twisted swings at pi / L sqrt(G / rho), however thick it is.
#[test]
fn a_twisted_cylinder_swings_by_its_shear_modulus() {
    let (spacing, length, stiffness) = (0.02, 0.5, 400.0);
    for (radius, viscosity) in [(0.06, 0.0), (0.1, 0.0), (0.1, 5.0)] {
        let body = json!([{"name": "bar", "shape": {"type": "cylinder", "radius": radius, "height": length},
        "material": material(stiffness, viscosity, 1e5)}]);
        let mut scene = weightless(scene(spacing, body, json!([])));
        scene.frames.rate = 200.0;
        let mut simulation = simulate(&scene);
        let frame = simulation.frame();
        let k = std::f64::consts::PI / length;
        let mode = |p: glam::Vec3| {
            let p = p.as_dvec3();
            DVec3::new(-p.y, p.x, 0.0) * (k * p.z).sin()
        };
        let positions: Vec<DVec3> = frame.positions.iter().map(|p| p.as_dvec3()).collect();
        let velocities: Vec<DVec3> = frame.positions.iter().map(|&p| mode(p) * 0.2).collect();
        simulation.place(&positions, &velocities);
        let amplitude = |f: &Frame| -> f64 {
            f.velocities.iter().zip(&frame.positions).map(|(v, &p)| v.as_dvec3().dot(mode(p))).sum()
        };
        let first = amplitude(&simulation.frame());
        let expected = k * (stiffness / 4.0).sqrt();
        let mut last = 1.0;
        let mut crossings = vec![];
        let mut peaks = vec![];
        let mut peak = 0.0_f64;
        for n in 1..400 {
            simulation.advance().unwrap();
            let a = amplitude(&simulation.frame()) / first;
            peak = peak.max(a.abs());
            if (last > 0.0) != (a > 0.0) {
                crossings.push(n as f64 - 1.0 + last / (last - a));
                peaks.push(peak);
                peak = 0.0;
            }
            last = a;
        }
        let s = simulation.stats();
        let period = 2.0 * (crossings[crossings.len() - 1] - crossings[0]) / (crossings.len() - 1) as f64 / 200.0;
        println!(
            "radius {radius} c {viscosity}: {} particles {} crossings, omega {:.4} of {expected:.4}: {:.4}, peaks {peaks:.3?} drift {:.2e} E {:.2e}",
            frame.len(),
            crossings.len(),
            std::f64::consts::TAU / period,
            std::f64::consts::TAU / period / expected,
            s.energy_drift,
            s.elastic_energy + s.kinetic_energy
        );
    }
}

/// A block turns as a whole.
#[test]
fn a_block_turns_without_false_stress() {
    for (stepping, viscosity) in [(Stepping::Global, 0.0), (Stepping::Individual, 0.0)] {
        let body = json!([{"name": "block", "shape": {"type": "box", "size": [0.2, 0.15, 0.3]}, "angular_velocity": [0.5, 1.0, 0.3],
        "material": material(1000.0, viscosity, 1e4)}]);
        let scene = weightless(scene(0.02, body, json!([])));
        let mut simulation = simulate(&scene);
        simulation.set_stepping(stepping);
        let start = simulation.frame();
        let pairs: Vec<(usize, usize)> = (0..start.len())
            .step_by(7)
            .flat_map(|i| (0..start.len()).step_by(11).map(move |j| (i, j)))
            .filter(|&(i, j)| start.positions[i].distance(start.positions[j]) > 0.1)
            .collect();
        let spin = |f: &Frame| {
            f.positions.iter().zip(&f.velocities).map(|(p, v)| p.as_dvec3().cross(v.as_dvec3())).sum::<DVec3>()
        };
        println!("E {:.3e} K {:.3e}", start.stats.elastic_energy, start.stats.kinetic_energy);
        for n in 0..160 {
            simulation.advance().unwrap();
            if n % 40 == 39 {
                let f = simulation.frame();
                let worst = pairs
                    .iter()
                    .map(|&(i, j)| {
                        (f.positions[i].distance(f.positions[j]) / start.positions[i].distance(start.positions[j])
                            - 1.0)
                            .abs()
                    })
                    .fold(0.0, f32::max);
                println!(
                    "{stepping:?} {n}: distances {worst:.2e} E {:.3e} K {:.3e} drift {:.2e} spin {:.2e} momentum {:.1e}",
                    f.stats.elastic_energy,
                    f.stats.kinetic_energy,
                    f.stats.energy_drift,
                    (spin(&f) - spin(&start)).length() / spin(&start).length(),
                    f.stats.momentum_drift
                );
            }
        }
    }
}
