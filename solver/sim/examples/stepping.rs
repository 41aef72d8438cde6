//! What individual steps save: wall time, force evaluations and errors of scenes that are stepped individually, by one
//! global adaptive step, and by one fixed step as short as the global one ever had to be.
//!
//! `cargo run --release -p dollop-sim --example stepping -- [--frames N] [--coarser F] SCENE.json ...` prints a Markdown
//! table for each scene, with F times its particle spacing. Scenes may have no meshes.

#![allow(clippy::unwrap_used, clippy::print_stdout)]

use dollop_scene::Scene;
use dollop_sim::{Frame, FrameStats, MeshLibrary, Simulation, Stepping};
use std::time::Instant;

/// Runs of each stepping, of which the fastest counts: other work on the machine only ever makes one slower.
const RUNS: usize = 3;

/// A bake without files.
struct Run {
    seconds: f64,
    evaluations: u64,
    smallest_step: f64,
    energy_drift: f64,
    momentum_drift: f64,
    last: Frame,
}

fn run(scene: &Scene, frames: usize, stepping: Stepping) -> Run {
    let mut simulation = Simulation::new(scene, &MeshLibrary::new()).unwrap();
    simulation.settle(|_| ());
    simulation.set_stepping(stepping);
    let clock = Instant::now();
    let stats: Vec<FrameStats> = (0..frames)
        .map(|_| {
            simulation.advance().unwrap();
            simulation.stats()
        })
        .collect();
    let energy = stats.iter().map(|s| s.kinetic_energy + s.elastic_energy).fold(0.0, f64::max);
    let momentum = stats.iter().map(|s| s.momentum).fold(0.0, f64::max);
    Run {
        seconds: clock.elapsed().as_secs_f64(),
        evaluations: stats.iter().map(|s| s.force_evaluations).sum(),
        smallest_step: stats.iter().map(|s| s.smallest_step).fold(f64::INFINITY, f64::min),
        energy_drift: stats.iter().map(|s| s.energy_drift).sum::<f64>() / energy,
        momentum_drift: stats.iter().map(|s| s.momentum_drift).sum::<f64>() / momentum,
        last: simulation.frame(),
    }
}

/// The fastest of some runs, which are all alike but for the time.
fn fastest(scene: &Scene, frames: usize, stepping: Stepping) -> Run {
    let runs = (0..RUNS).map(|_| run(scene, frames, stepping));
    runs.min_by(|a, b| a.seconds.total_cmp(&b.seconds)).unwrap()
}

/// Root of the mean square distance of particles between two frames, m.
fn apart(a: &Frame, b: &Frame) -> f64 {
    let squares = a.positions.iter().zip(&b.positions).map(|(a, b)| f64::from(a.distance_squared(*b)));
    (squares.sum::<f64>() / a.len() as f64).sqrt()
}

fn row(name: &str, run: &Run, individual: &Run, spacing: f64, reference: &Frame) {
    println!(
        "| {name} | {:.2} | {:.2} | {:.1} | {:.2} | {:+.1e} | {:.1e} | {:.3} |",
        run.seconds,
        run.seconds / individual.seconds,
        run.evaluations as f64 / 1e6,
        run.evaluations as f64 / individual.evaluations as f64,
        run.energy_drift,
        run.momentum_drift,
        apart(&run.last, reference) / spacing
    );
}

fn compare(path: &str, frames: Option<usize>, coarser: f64) {
    let mut scene: Scene = serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap();
    scene.particle_spacing *= coarser;
    if let Err(error) = Simulation::new(&scene, &MeshLibrary::new()) {
        println!("\n{path} is left out: {error}");
        return;
    }
    let frames = frames.unwrap_or((scene.frames.end - scene.frames.start) as usize);
    let individual = fastest(&scene, frames, Stepping::Individual);
    let global = fastest(&scene, frames, Stepping::Global);
    let interval = 1.0 / scene.frames.rate;
    let bin = (interval / global.smallest_step).log2().round() as u8;
    let fixed = fastest(&scene, frames, Stepping::Fixed(bin));
    let reference = run(&scene, frames, Stepping::Fixed(bin + 2)).last;
    println!(
        "\n{path}: {} particles, {:.0} neighbours, {frames} frames, {} threads\n",
        fixed.last.len(),
        fixed.last.stats.neighbours,
        rayon::current_num_threads()
    );
    println!(
        "| steps | wall time, s | over individual | million force evaluations | over individual | energy drift | momentum drift | \
         off the reference, spacings |\n|---|---|---|---|---|---|---|---|"
    );
    for (name, run) in [("individual", &individual), ("global", &global), ("fixed", &fixed)] {
        row(name, run, &individual, scene.particle_spacing, &reference);
    }
    let stats = &individual.last.stats;
    let bins = stats.particles_in_bins.iter().enumerate().filter(|(_, n)| **n > 0.5);
    println!("\nlast frame: {}", bins.map(|(bin, n)| format!("2^-{bin}: {n:.0}")).collect::<Vec<_>>().join(", "));
}

fn main() {
    let mut arguments = std::env::args().skip(1);
    let (mut frames, mut coarser) = (None, 1.0);
    while let Some(argument) = arguments.next() {
        match argument.as_str() {
            "--frames" => frames = arguments.next().map(|n| n.parse().unwrap()),
            "--coarser" => coarser = arguments.next().unwrap().parse().unwrap(),
            path => compare(path, frames, coarser),
        }
    }
}
