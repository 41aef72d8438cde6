//! The gain by individual steps: wall time, force evaluations and errors of scenes that are stepped individually, by
//! one global adaptive step, and by one fixed step as short as the shortest global one. Errors are relative to a fixed
//! step at most a quarter of that.
//!
//! `cargo run --release -p dollop-sim --example stepping -- [--frames N] [--coarser F] [--runs N] SCENE.json ...`
//! prints a Markdown table for each scene, with F times its particle spacing.

#![allow(clippy::unwrap_used, clippy::print_stdout)]

use dollop_scene::Scene;
use dollop_sim::{Frame, FrameStats, MeshLibrary, Simulation, Stepping, TriangleMesh};
use glam::DVec3;
use serde_json::Value;
use std::path::Path;
use std::time::Instant;

/// A scene and its meshes.
struct Loaded {
    scene: Scene,
    meshes: MeshLibrary,
}

impl Loaded {
    fn new(path: &str, coarser: f64) -> Self {
        let text = std::fs::read_to_string(path).unwrap();
        let mut scene: Scene = serde_json::from_str(&text).unwrap();
        scene.particle_spacing *= coarser;
        let mut meshes = MeshLibrary::new();
        load_meshes(&serde_json::from_str(&text).unwrap(), Path::new(path).parent().unwrap(), &mut meshes);
        Self { scene, meshes }
    }

    fn simulation(&self) -> Simulation {
        Simulation::new(&self.scene, &self.meshes).unwrap()
    }
}

/// Reads all mesh files of a part of a scene.
fn load_meshes(part: &Value, folder: &Path, meshes: &mut MeshLibrary) {
    match part {
        Value::Object(members) => {
            if let Some(Value::String(path)) = members.get("path") {
                meshes.insert(path.clone(), mesh(&folder.join(path)));
            }
            members.values().for_each(|member| load_meshes(member, folder, meshes));
        }
        Value::Array(parts) => parts.iter().for_each(|part| load_meshes(part, folder, meshes)),
        _ => {}
    }
}

fn mesh(path: &Path) -> TriangleMesh {
    let options = tobj::LoadOptions { triangulate: true, ..tobj::LoadOptions::default() };
    let (models, _) = tobj::load_obj(path, &options).unwrap();
    let mut joined = TriangleMesh::default();
    for tobj::Model { mesh, .. } in models {
        let first = joined.positions.len() as u32;
        joined.positions.extend(mesh.positions.as_chunks::<3>().0.iter().copied().map(DVec3::from_array));
        let triangles = mesh.indices.as_chunks::<3>().0.iter();
        joined.triangles.extend(triangles.map(|corners| corners.map(|corner| first + corner)));
    }
    joined
}

/// A bake without files.
struct Run {
    seconds: f64,
    evaluations: u64,
    smallest_step: f64,
    energy_drift: f64,
    momentum_drift: f64,
    last: Frame,
}

fn run(loaded: &Loaded, frames: usize, stepping: Stepping) -> Run {
    let mut simulation = loaded.simulation();
    simulation.settle(|_| ()).unwrap();
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

/// The options of the command line.
struct Asked {
    frames: Option<usize>,
    coarser: f64,
    runs: usize,
}

/// The fastest of some runs, which differ only in time: other work on the machine can only slow a run down.
fn fastest(loaded: &Loaded, frames: usize, stepping: Stepping, runs: usize) -> Run {
    let runs = (0..runs).map(|_| run(loaded, frames, stepping));
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

fn compare(path: &str, asked: &Asked) {
    let loaded = Loaded::new(path, asked.coarser);
    let scene = &loaded.scene;
    let frames = asked.frames.unwrap_or((scene.frames.end - scene.frames.start) as usize);
    let fastest = |stepping| fastest(&loaded, frames, stepping, asked.runs);
    let (individual, global) = (fastest(Stepping::Individual), fastest(Stepping::Global));
    let bin = (1.0 / scene.frames.rate / global.smallest_step).log2().ceil() as u8;
    let fixed = fastest(Stepping::Fixed(bin));
    let reference = run(&loaded, frames, Stepping::Fixed(bin + 2)).last;
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
    let mut asked = Asked { frames: None, coarser: 1.0, runs: 3 };
    while let Some(argument) = arguments.next() {
        let mut number = || arguments.next().unwrap();
        match argument.as_str() {
            "--frames" => asked.frames = Some(number().parse().unwrap()),
            "--coarser" => asked.coarser = number().parse().unwrap(),
            "--runs" => asked.runs = number().parse().unwrap(),
            path => compare(path, &asked),
        }
    }
}
