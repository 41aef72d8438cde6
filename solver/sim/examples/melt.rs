//! Throughput of bonds on a melt for comparison with LAMMPS: a face-centred lattice of Lennard-Jones particles at a
//! reduced density of 0.8442 and a kinetic temperature of 1.44, cut off at 2.5 sigma, in steps of 0.005 tau; in a
//! closed box.
//!
//! `cargo run --release -p dollop-sim --example melt -- [--cells 20] [--steps 128]` takes the steps, a power of two, in
//! which the lattice melts, and as many again. It prints one line: particles, four a cell, times the latter steps over
//! wall time and over the time that all cores worked; and the state of the matter before and after these. Energies are
//! by particle, in dissociation energies.

#![allow(clippy::unwrap_used, clippy::print_stdout)]

use dollop_scene::{Kernel, Scene};
use dollop_sim::lattice::edge;
use dollop_sim::well::{Exponents, Well};
use dollop_sim::{MeshLibrary, Simulation, SmoothingKernel, Stepping};
use glam::DVec3;
use serde_json::json;
use std::time::Instant;

const DENSITY: f64 = 0.8442;
const TEMPERATURE: f64 = 1.44;
const CUT_OFF: f64 = 2.5;
const STEP: f64 = 0.005;

const SPACING: f64 = 0.1;
const REST_DENSITY: f64 = 1000.0;
/// Dissociation energy, J/kg.
const ENERGY: f64 = 200.0;

/// The distance at which the potential of a pair is zero, m, for matter that is cut off at a fixed multiple of it.
fn sigma() -> f64 {
    let zero = |sigma: f64| {
        let kernel = SmoothingKernel::new(Kernel::Spiky, CUT_OFF / 2.0 * sigma);
        Well::new(Exponents { n: 12, m: 6 }, &kernel, SPACING).separation / 2.0_f64.powf(1.0 / 6.0)
    };
    (0..40).fold(SPACING, |sigma, _| zero(sigma))
}

/// `cells` cells along each edge of a box, at the density at rest, within a box for the density asked for.
fn scene(cells: u32, steps: u32, sigma: f64) -> Scene {
    let cells = f64::from(cells);
    let block = (cells - 0.25) * edge(SPACING) + SPACING / 2.0;
    let tank = cells * lattice(sigma);
    let tau = sigma / ENERGY.sqrt();
    serde_json::from_value(json!({
        "version": 1, "frames": {"start": 0, "end": 100_000, "rate": 1.0 / (f64::from(steps) * STEP * tau)},
        "gravity": [0, 0, 0], "settle": false, "sleep": false,
        "particle_spacing": SPACING, "discretization": {"smoothing_length": CUT_OFF / 2.0 * sigma / SPACING},
        "bodies": [{"name": "matter", "shape": {"type": "box", "size": [block, block, block]},
            "material": {"type": "thermal", "rest_density": REST_DENSITY, "dissociation_energy": ENERGY, "viscosity": 0,
                "repulsion_exponent": 12, "attraction_exponent": 6}}],
        "colliders": [{"name": "box", "shape": {"type": "box", "size": [tank, tank, tank]}, "inverted": true, "friction": 0}],
    }))
    .unwrap()
}

/// Edge of the cube that holds four particles, m.
fn lattice(sigma: f64) -> f64 {
    (4.0 / DENSITY).cbrt() * sigma
}

/// Velocities without a mean, m/s, at the temperature asked for.
fn velocities(count: usize) -> Vec<DVec3> {
    let mut state = 87287_u64;
    let mut random = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as f64 / f64::from(1_u32 << 31) - 0.5
    };
    let drawn: Vec<DVec3> = (0..count).map(|_| DVec3::new(random(), random(), random())).collect();
    let mean = drawn.iter().sum::<DVec3>() / count as f64;
    let square = drawn.iter().map(|v| (v - mean).length_squared()).sum::<f64>() / count as f64;
    let factor = (3.0 * TEMPERATURE * ENERGY / square).sqrt();
    drawn.into_iter().map(|v| (v - mean) * factor).collect()
}

/// Energies by particle, in dissociation energies.
struct Energies {
    /// Kinetic temperature.
    temperature: f64,
    /// Energy of bonds.
    potential: f64,
    /// Drift of energy over the last frame.
    drift: f64,
}

fn energies(simulation: &Simulation, count: usize) -> Energies {
    let unit = REST_DENSITY * SPACING.powi(3) * ENERGY * count as f64;
    let stats = simulation.stats();
    Energies {
        temperature: stats.kinetic_energy / unit / 1.5,
        potential: stats.elastic_energy / unit,
        drift: stats.energy_drift / unit,
    }
}

/// The number after an option on the command line.
fn option(name: &str, default: u32) -> u32 {
    let mut arguments = std::env::args();
    arguments.find(|argument| argument == name).map_or(default, |_| arguments.next().unwrap().parse().unwrap())
}

/// Seconds that this process has worked on all cores together; where the system tells, in ticks of a hundredth.
fn worked() -> Option<f64> {
    let stat = std::fs::read_to_string("/proc/self/stat").ok()?;
    let times = stat.rsplit_once(')')?.1.split_whitespace().skip(11).take(2);
    times.map(|ticks| ticks.parse::<f64>().ok()).sum::<Option<f64>>().map(|ticks| ticks / 100.0)
}

fn main() {
    let (cells, steps, sigma) = (option("--cells", 20), option("--steps", 128), sigma());
    let mut simulation = Simulation::new(&scene(cells, steps, sigma), &MeshLibrary::new()).unwrap();
    let filled = simulation.frame().positions;
    let factor = lattice(sigma) / edge(SPACING);
    let positions: Vec<DVec3> = filled.iter().map(|p| p.as_dvec3() * factor).collect();
    simulation.place(&positions, &velocities(positions.len()));
    simulation.set_stepping(Stepping::Fixed(steps.ilog2() as u8));
    // The lattice melts.
    simulation.advance().unwrap();
    let before = energies(&simulation, positions.len());
    let (clock, idle) = (Instant::now(), worked());
    simulation.advance().unwrap();
    let seconds = clock.elapsed().as_secs_f64();
    let worked = worked().zip(idle).map_or(f64::NAN, |(now, before)| now - before);
    let particle_steps = positions.len() as f64 * f64::from(steps) / 1e6;
    let (after, stats) = (energies(&simulation, positions.len()), simulation.stats());
    assert_eq!(stats.steps, u64::from(steps));
    println!(
        "{} particles, {:.1} neighbours, {} threads: {:.3} M particle-steps/s, {:.3} M by second of \
         work, temperature {:.4} to {:.4}, potential {:.4} to {:.4}, drift {:.1e}",
        positions.len(),
        stats.neighbours,
        rayon::current_num_threads(),
        particle_steps / seconds,
        particle_steps / worked,
        before.temperature,
        after.temperature,
        before.potential,
        after.potential,
        after.drift
    );
}
