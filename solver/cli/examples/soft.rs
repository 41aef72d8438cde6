//! Prints the duration of a frame of 5,000 soft particles, and the share of each stage. The scene: two lumps that are
//! pressed together on a floor.
//!
//!     cargo run --release -p dollop --example soft

#![allow(clippy::print_stdout)]

use dollop_scene::{Material, Scene};
use dollop_sim::{Frame, MeshLibrary, Simulation};
use dollop_surface::{SurfaceOptions, extract_surface};
use std::error::Error;
use std::time::Instant;

const SPACING: f64 = 0.011;
const FRAMES: usize = 12;
const ROUNDS: usize = 3;

/// Two lumps that fly at each other, or past each other if they are apart by some distance, m.
fn scene(apart: f64, controls: bool) -> Result<Scene, Box<dyn Error>> {
    let lump = |name: &str, x: f64, y: f64, velocity: f64| {
        format!(
            r#"{{"name": "{name}", "shape": {{"type": "sphere", "radius": 0.092}}, "transform": {{"translation": [{x}, {y}, 0.095]}},
            "velocity": [{velocity}, 0, 0], "material": {{"type": "soft", "stiffness": 100, "viscosity": 10, "friction": 5}}}}"#
        )
    };
    let (left, right) = (lump("left", -0.093, 0.0, 0.4), lump("right", 0.093, apart, -0.4));
    let mut scene: Scene = serde_json::from_str(&format!(
        r#"{{"version": 1, "frames": {{"start": 1, "end": {FRAMES}, "rate": 24}}, "particle_spacing": {SPACING},
        "bodies": [{left}, {right}], "colliders": [{{"name": "floor", "shape": {{"type": "plane"}}}}]}}"#
    ))?;
    for body in &mut scene.bodies {
        if let (Material::Soft(soft), false) = (&mut body.material, controls) {
            soft.volume_rate = 0.0;
        }
    }
    Ok(scene)
}

/// A run of all frames.
struct Run {
    /// Mean seconds per frame to simulate, over all frames but the first two.
    simulated: f64,
    /// The same to mesh.
    meshed: f64,
    /// The last frame.
    frame: Frame,
}

fn run(apart: f64, controls: bool) -> Result<Run, Box<dyn Error>> {
    let mut simulation = Simulation::new(&scene(apart, controls)?, &MeshLibrary::new())?;
    simulation.settle(|_| ())?;
    let options = SurfaceOptions { smoothing: 6.0 * SPACING, ..SurfaceOptions::new(0.5 * SPACING) };
    let (mut simulated, mut meshed) = (0.0, 0.0);
    for frame in 0..FRAMES {
        let before = Instant::now();
        simulation.advance()?;
        let between = Instant::now();
        let mesh = extract_surface(&simulation.frame(), &options);
        assert!(!mesh.triangles.is_empty(), "a surface");
        if frame > 1 {
            simulated += (between - before).as_secs_f64();
            meshed += between.elapsed().as_secs_f64();
        }
    }
    let frames = (FRAMES - 2) as f64;
    println!("  {:.0} steps a frame, {:.0} neighbours", simulation.stats().steps, simulation.stats().neighbours);
    Ok(Run { simulated: simulated / frames, meshed: meshed / frames, frame: simulation.frame() })
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}

fn main() -> Result<(), Box<dyn Error>> {
    let (mut all, mut apart, mut free, mut mesh, mut count) = (vec![], vec![], vec![], vec![], 0);
    for _ in 0..ROUNDS {
        let Run { simulated, meshed, frame } = run(0.0, true)?;
        (all, mesh, count) = (with(all, simulated), with(mesh, meshed), frame.len());
        apart = with(apart, run(0.5, true)?.simulated);
        free = with(free, run(0.0, false)?.simulated);
    }
    let (all, apart, free, mesh) = (median(all), median(apart), median(free), median(mesh));
    let whole = all + mesh;
    println!(
        "{count} particles, two lumps pressed together: {:.2} s a frame, {:.0} frames a minute",
        whole,
        60.0 / whole
    );
    let row = |name: &str, seconds: f64| println!("{name:28} {seconds:.3} s  {:3.0} %", 100.0 * seconds / whole);
    row("contact (of those apart less)", (all - apart).max(0.0));
    row("territories and volumes", all - free);
    row("pairs, neighbours, walls", all - (all - apart).max(0.0) - (all - free));
    row("mesh", mesh);
    Ok(())
}

fn with(mut values: Vec<f64>, value: f64) -> Vec<f64> {
    values.push(value);
    values
}
