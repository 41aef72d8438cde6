#![allow(clippy::unwrap_used, clippy::print_stdout)]

use crate::integrator::Stepping;
use crate::laws::well::Exponents;
use crate::{MeshLibrary, Simulation};
use dollop_scene::Scene;
use glam::DVec3;
use serde_json::json;
use std::f64::consts::TAU;

const SPACING: f64 = 0.1;
/// So high that the steps of a frame change no frequency.
const RATE: f64 = 2000.0;

/// Matter without damping in weightlessness whose first particles are put to some places.
fn placed(exponents: Exponents, places: &[DVec3]) -> Simulation {
    let scene: Scene = serde_json::from_value(json!({
        "version": 1, "frames": {"start": 1, "end": 9, "rate": RATE}, "gravity": [0, 0, 0], "particle_spacing": SPACING,
        "settle": false, "sleep": false, "bodies": [{"name": "ball", "shape": {"type": "sphere", "radius": 0.3},
            "material": {"type": "thermal", "rest_density": 800, "dissociation_energy": 2.0, "viscosity": 0,
                "repulsion_exponent": exponents.n, "attraction_exponent": exponents.m}}]
    }))
    .unwrap();
    let mut simulation = Simulation::new(&scene, &MeshLibrary::new()).unwrap();
    let (_, particles) = simulation.parts();
    let count = places.len();
    particles.numbers = (0..count as u32).collect();
    particles.positions = places.to_vec();
    particles.velocities.truncate(count);
    particles.densities.truncate(count);
    particles.sources.truncate(count);
    simulation
}

/// T92 (19) with errata 7: a pair at `r_0` (1 + d) oscillates with omega^2 = n m eps / `r_0`^2 / mu.
#[test]
fn a_pair_oscillates_as_its_well_says() {
    for (n, m) in [(12, 6), (5, 3), (9, 5), (24, 12)] {
        let mut simulation = placed(Exponents { n, m }, &[DVec3::ZERO, DVec3::X * SPACING]);
        let separation = simulation.parts().0.solver.separation(0).unwrap();
        let amplitude = 1e-3 * separation;
        simulation.parts().1.positions[1] = DVec3::X * (separation + amplitude);
        // eps = m e, and mu = m / 2.
        let omega = (2.0 * f64::from(n) * f64::from(m) * 2.0).sqrt() / separation;
        let frames = (TAU / omega * RATE * 20.5) as usize;
        let stretch = |simulation: &mut Simulation| {
            let (_, particles) = simulation.parts();
            particles.positions[0].distance(particles.positions[1]) - separation
        };
        let mut stretches = vec![amplitude];
        for _ in 0..frames {
            simulation.advance().unwrap();
            stretches.push(stretch(&mut simulation));
        }
        let crossings: Vec<f64> = stretches
            .windows(2)
            .enumerate()
            .filter(|(_, pair)| pair[0] > 0.0 && pair[1] <= 0.0)
            .map(|(frame, pair)| frame as f64 + pair[0] / (pair[0] - pair[1]))
            .collect();
        let period = (crossings[crossings.len() - 1] - crossings[0]) / (crossings.len() - 1) as f64 / RATE;
        let error = TAU / period / omega - 1.0;
        let widest = stretches[stretches.len() * 9 / 10..].iter().copied().fold(0.0, f64::max) / amplitude;
        println!("n = {n}, m = {m}: frequency off by {error:.1e}, amplitude after 20 periods {widest:.4}");
        assert!(error.abs() < 2e-3, "{error}");
        assert!((widest - 1.0).abs() < 0.02, "{widest}");
    }
}

/// A lone pair that is pulled apart takes its dissociation energy.
#[test]
fn parting_takes_the_dissociation_energy() {
    let mut simulation = placed(Exponents { n: 12, m: 6 }, &[DVec3::ZERO, DVec3::X * SPACING]);
    let separation = simulation.parts().0.solver.separation(0).unwrap();
    simulation.set_stepping(Stepping::Fixed(4));
    // eps = m e; together at `r_0` with more kinetic energy than that they come apart.
    let speed = 1.5 * 2.0_f64.sqrt();
    simulation.parts().1.positions[1] = DVec3::X * separation;
    simulation.parts().1.velocities = vec![-DVec3::X * speed, DVec3::X * speed];
    while simulation.parts().1.positions[1].x - simulation.parts().1.positions[0].x < 4.0 * separation {
        simulation.advance().unwrap();
    }
    let left = simulation.parts().1.velocities[1].x;
    // m v^2 in all, less eps.
    let expected = (speed * speed - 2.0).sqrt();
    println!("speed left {left:.5}, expected {expected:.5} m/s");
    assert!((left / expected - 1.0).abs() < 1e-3);
}

/// Forces keep momentum and angular momentum, and the leapfrog keeps energy to second order in the step.
#[test]
fn bonds_keep_momentum_and_energy() {
    let ball: Vec<DVec3> = {
        let mut simulation = placed(Exponents { n: 12, m: 6 }, &[]);
        let _ = simulation.parts();
        (0..27).map(|i| DVec3::new(f64::from(i / 9), f64::from(i / 3 % 3), f64::from(i % 3)) * 1.1 * SPACING).collect()
    };
    let run = |bin: u8| {
        let mut simulation = placed(Exponents { n: 12, m: 6 }, &ball);
        simulation.set_stepping(Stepping::Fixed(bin));
        let spin = |p: &DVec3| DVec3::new(0.3, 0.5, 1.0).cross(*p);
        simulation.parts().1.velocities = ball.iter().map(spin).collect();
        let state = |simulation: &mut Simulation| {
            let (_, particles) = simulation.parts();
            let pairs = particles.positions.iter().zip(&particles.velocities);
            let (momentum, spin) = pairs.fold((DVec3::ZERO, DVec3::ZERO), |(p, l), (x, v)| (p + *v, l + x.cross(*v)));
            (momentum, spin)
        };
        simulation.advance().unwrap();
        let (momentum, spin) = state(&mut simulation);
        let mut drift = 0.0;
        for _ in 0..400 {
            simulation.advance().unwrap();
            drift += simulation.stats().energy_drift;
        }
        let (after, spun) = state(&mut simulation);
        let unit = 800.0 * SPACING.powi(3) * 2.0;
        let drift = drift / (27.0 * unit);
        println!(
            "bin {bin}: momentum {:.1e}, spin {:.1e}, energy drift {drift:.1e}",
            momentum.distance(after),
            spin.distance(spun)
        );
        assert!(momentum.distance(after) < 1e-5 && spin.distance(spun) < 1e-5);
        drift.abs()
    };
    let (coarse, fine) = (run(1), run(3));
    assert!(coarse < 1e-2 && fine < 1e-3, "{coarse} {fine}");
}
