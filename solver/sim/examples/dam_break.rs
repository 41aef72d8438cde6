//! Throughput on a dam break for comparison with other programs: a block of 0.8 x 1 x 1 m at one wall of a tank of 2.02
//! x 1.52 x 1.02 m.
//!
//! `cargo run --release -p dollop-sim --example dam_break -- [--particles 100000] [--support 2.0] [--seconds 0.1]
//! [--start 0.3] [--rate 100] [--sound 31.6] [--stepping global|individual]` prints one line: particle-steps a second
//! are particles times steps over wall time, with one step for all; with individual steps evaluations count. The
//! support is in particle spacings, the rate in frames a second, the speed of sound in m/s: steps are as short as it
//! asks for, so compare seconds a simulated second at the same one.

#![allow(clippy::unwrap_used, clippy::print_stdout)]

use dollop_scene::Scene;
use dollop_sim::{MeshLibrary, Simulation, Stepping};
use serde_json::json;
use std::time::Instant;

fn scene(particles: f64, support: f64, rate: f64, sound: f64) -> Scene {
    let block = json!({"name": "water", "shape": {"type": "box", "size": [0.8, 1.0, 1.0]},
        "transform": {"translation": [-0.61, -0.26, 0.5]}, "material": {"type": "smoothed", "viscosity": 1.0, "stiffness": sound * sound}});
    let tank = json!({"name": "tank", "shape": {"type": "box", "size": [2.02, 1.52, 1.02]},
        "transform": {"translation": [0.0, 0.0, 0.51]}, "inverted": true, "friction": 0.0});
    serde_json::from_value(json!({
        "version": 1, "frames": {"start": 0, "end": 100_000, "rate": rate}, "settle": false,
        "particle_spacing": (0.8 / particles).cbrt(), "discretization": {"smoothing_length": support / 2.0},
        "bodies": [block], "colliders": [tank],
    }))
    .unwrap()
}

/// The number after an option on the command line.
fn option(name: &str, default: f64) -> f64 {
    let mut arguments = std::env::args();
    arguments.find(|argument| argument == name).map_or(default, |_| arguments.next().unwrap().parse().unwrap())
}

/// Peak of the memory of this process, MB; where the system tells.
fn peak_memory() -> Option<f64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find(|line| line.starts_with("VmHWM"))?;
    line.split_whitespace().nth(1)?.parse::<f64>().ok().map(|kilobytes| kilobytes / 1024.0)
}

fn main() {
    let support = option("--support", 2.0);
    let rate = option("--rate", 100.0);
    let sound = option("--sound", 1000_f64.sqrt());
    let scene = scene(option("--particles", 1e5), support, rate, sound);
    let mut simulation = Simulation::new(&scene, &MeshLibrary::new()).unwrap();
    if !std::env::args().any(|argument| argument == "individual") {
        simulation.set_stepping(Stepping::Global);
    }
    let frames = |name, default| (option(name, default) * rate).round() as usize;
    (0..frames("--start", 0.3)).for_each(|_| simulation.advance().unwrap());
    let clock = Instant::now();
    let (mut steps, mut evaluations, mut simulated) = (0, 0, 0.0);
    for _ in 0..frames("--seconds", 0.1) {
        simulation.advance().unwrap();
        let stats = simulation.stats();
        (steps, evaluations) = (steps + stats.steps, evaluations + stats.force_evaluations);
        simulated += 1.0 / rate;
    }
    let (seconds, stats) = (clock.elapsed().as_secs_f64(), simulation.stats());
    println!(
        "{} particles, support {support} spacings, sound {sound:.1} m/s, {:.1} neighbours, {} threads: {:.2} M particle-steps/s, {:.3} us each, \
         {:.0} steps and {:.1} s a simulated second, peak {:.0} MB",
        simulation.frame().len(),
        stats.neighbours,
        rayon::current_num_threads(),
        evaluations as f64 / seconds / 1e6,
        seconds / evaluations as f64 * 1e6,
        steps as f64 / simulated,
        seconds / simulated,
        peak_memory().unwrap_or(f64::NAN)
    );
}
