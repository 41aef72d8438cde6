//! What each part of a frame of `continuum` matter takes: a block of 0.8 x 1 x 1 m collapses in the corner of a tank
//! for a second at 24 frames a second, and gets a mesh in each frame. A case runs in a process of its own, for its
//! memory, which is that of the mesh too.
//!
//! ```text
//! cargo bench -p dollop-sim --bench parts [-- NAME ...]
//! ```
//!
//! prints a table of seconds of the clock a frame, with all threads (`RAYON_NUM_THREADS`), of the cases whose names
//! begin with one of the given. The last columns tell how fast the transfers move the least that they must, place,
//! velocity and its gradient of each particle once, over how fast this machine copies memory.

#![allow(missing_docs, clippy::unwrap_used, clippy::print_stdout)]

use dollop_scene::Scene;
use dollop_sim::{MeshLibrary, Simulation};
use dollop_surface::{SurfaceOptions, extract_surface};
use rayon::prelude::*;
use serde_json::{Value, json};
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::hint::black_box;
use std::process::Command;
use std::sync::{Arc, Mutex};
use std::time::Instant;
use tracing::field::{Field, Visit};
use tracing::span::Id;
use tracing::{Event, Subscriber};
use tracing_subscriber::layer::{Context, SubscriberExt};
use tracing_subscriber::registry::LookupSpan;
use tracing_subscriber::{Layer, Registry};

const FRAMES: i32 = 24;
/// The parts in the order of a step, then what is in none of them.
const PARTS: [&str; 12] = [
    "sort",
    "walls",
    "heat",
    "assembly",
    "to the grid",
    "stress",
    "contacts",
    "solve",
    "to particles",
    "crowding",
    "move",
    "mesh",
];
/// Place, velocity and its gradient, in bytes.
const LEAST_MOVED: f64 = 4.0 * 15.0;
/// Set to the name of the case in its own process.
const CASE: &str = "DOLLOP_BENCH_CASE";

/// Seconds by part, and iterations.
#[derive(Default)]
struct Spent {
    seconds: BTreeMap<&'static str, f64>,
    iterations: u64,
}

/// Times spans, each without those within it.
struct Timer(Arc<Mutex<Spent>>);

thread_local! {
    /// The spans that a thread is in, from when on, and the seconds of those within each.
    static OPEN: RefCell<Vec<(Instant, f64)>> = const { RefCell::new(Vec::new()) };
}

impl<S: Subscriber + for<'a> LookupSpan<'a>> Layer<S> for Timer {
    fn on_enter(&self, _id: &Id, _context: Context<'_, S>) {
        OPEN.with_borrow_mut(|open| open.push((Instant::now(), 0.0)));
    }

    fn on_exit(&self, id: &Id, context: Context<'_, S>) {
        let (start, within) = OPEN.with_borrow_mut(|open| open.pop().unwrap());
        let seconds = start.elapsed().as_secs_f64();
        OPEN.with_borrow_mut(|open| {
            if let Some((_, within)) = open.last_mut() {
                *within += seconds;
            }
        });
        let name = context.span(id).unwrap().name();
        *self.0.lock().unwrap().seconds.entry(name).or_default() += seconds - within;
    }

    fn on_event(&self, event: &Event<'_>, _context: Context<'_, S>) {
        event.record(&mut Iterations(&mut self.0.lock().unwrap()));
    }
}

struct Iterations<'a>(&'a mut Spent);

impl Visit for Iterations<'_> {
    fn record_u64(&mut self, field: &Field, value: u64) {
        if field.name() == "iterations" {
            self.0.iterations += value;
        }
    }

    fn record_debug(&mut self, _field: &Field, _value: &dyn std::fmt::Debug) {}
}

/// The cases: name, particles, material, and whether heat flows.
fn cases() -> Vec<(String, f64, Value, bool)> {
    let liquid = |viscosity: f64| json!({"type": "continuum", "rest_density": 1000, "viscosity": viscosity});
    let mut all = Vec::new();
    for (size, particles) in [("12k", 12_500.0), ("100k", 1e5), ("400k", 4e5)] {
        for viscosity in [1e-3, 1.0, 20.0, 2000.0, 1e5] {
            all.push((format!("{size} {viscosity} Pa s"), particles, liquid(viscosity), false));
        }
    }
    let with = |more: Value| {
        let mut material = liquid(20.0);
        material.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        material
    };
    all.push(("100k jelly".into(), 1e5, with(json!({"shear_modulus": 3000})), false));
    all.push(("100k mud".into(), 1e5, with(json!({"yield_stress": 400})), false));
    all.push((
        "100k dough".into(),
        1e5,
        with(json!({"shear_modulus": 5000, "yield_stress": 500, "consistency": 4000, "flow_index": 0.5})),
        false,
    ));
    all.push(("100k heat".into(), 1e5, liquid(20.0), true));
    all
}

fn scene(particles: f64, material: &Value, heat: bool) -> Scene {
    let spacing = (0.8 / particles).cbrt();
    let mut scene = json!({
        "version": 1,
        "frames": {"start": 1, "end": FRAMES, "rate": 24},
        "particle_spacing": spacing,
        "settle": false,
        "bodies": [{"name": "block", "shape": {"type": "box", "size": [0.8, 1.0, 1.0]},
            "transform": {"translation": [-0.61, -0.26, 0.5]}, "material": material}],
        "colliders": [{"name": "tank", "shape": {"type": "box", "size": [2.02, 1.52, 1.02]},
            "transform": {"translation": [0.0, 0.0, 0.51]}, "inverted": true, "friction": 0.3,
            "adhesion": 1.0}],
    });
    if heat {
        scene["heat"] = json!({});
        scene["bodies"][0]["temperature"] = json!(350.0);
        scene["colliders"][0]["temperature"] = json!(290.0);
    }
    serde_json::from_value(scene).unwrap()
}

/// Bytes a second that all threads together read and write as they copy memory.
fn copied_a_second() -> f64 {
    const LEN: usize = 1 << 26;
    let from = vec![1.0_f32; LEN];
    let mut to = vec![0.0_f32; LEN];
    let mut copy = || {
        let start = Instant::now();
        to.par_chunks_mut(1 << 16).zip(from.par_chunks(1 << 16)).for_each(|(to, from)| to.copy_from_slice(from));
        black_box(&to);
        (2 * size_of::<f32>() * LEN) as f64 / start.elapsed().as_secs_f64()
    };
    (0..5).map(|_| copy()).fold(0.0, f64::max)
}

/// The most memory that the process took, bytes; zero where the system does not tell.
fn most_memory() -> f64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    line.and_then(|line| line.split_whitespace().next()?.parse::<f64>().ok()).unwrap_or(0.0) * 1024.0
}

/// Runs a case, and prints its row.
fn run(name: &str, particles: f64, material: &Value, heat: bool) {
    let spent = Arc::new(Mutex::new(Spent::default()));
    tracing::subscriber::set_global_default(Registry::default().with(Timer(spent.clone()))).unwrap();
    let copied = copied_a_second();
    let before = most_memory_reset();
    let mut simulation = Simulation::new(&scene(particles, material, heat), &MeshLibrary::new()).unwrap();
    let (mut steps, mut of_mesh) = (0, 0.0);
    let start = Instant::now();
    for _ in 0..FRAMES {
        simulation.advance().unwrap();
        let frame = simulation.frame();
        steps += frame.stats.steps;
        let meshing = Instant::now();
        black_box(extract_surface(&frame, &SurfaceOptions::new(0.5 * frame.spacing)));
        of_mesh += meshing.elapsed().as_secs_f64();
    }
    let all = start.elapsed().as_secs_f64();
    let count = simulation.frame().len() as f64;
    let memory = (most_memory() - before) / count;
    let mut spent = std::mem::take(&mut *spent.lock().unwrap());
    spent.seconds.insert("mesh", of_mesh);
    let a_frame = |seconds: f64| seconds / f64::from(FRAMES);
    let part = |part: &str| spent.seconds.get(part).copied().unwrap_or(0.0);
    let rest = all - PARTS.iter().map(|name| part(name)).sum::<f64>();
    print!("{name:<16}{count:>9}{:>8.3}", a_frame(all));
    for name in PARTS {
        print!("{:>9.3}", a_frame(part(name)));
    }
    let (steps, iterations) = (steps as f64, spent.iterations as f64);
    print!("{:>8.3}{:>8.1}{:>8.1}{memory:>8.0}", a_frame(rest), a_frame(steps), iterations / steps);
    for name in ["to the grid", "to particles"] {
        let share = LEAST_MOVED * count * steps / part(name) / copied;
        print!("{:>7.1}%", 100.0 * share);
    }
    println!();
}

/// Forgets the most memory that the process took before, where the system lets it. Returns what it takes now, bytes.
fn most_memory_reset() -> f64 {
    let _ = std::fs::write("/proc/self/clear_refs", "5");
    most_memory()
}

fn main() {
    if let Ok(chosen) = std::env::var(CASE) {
        let all = cases();
        let (name, particles, material, heat) = all.iter().find(|(name, ..)| *name == chosen).unwrap();
        return run(name, *particles, material, *heat);
    }
    let wanted: Vec<String> = std::env::args().skip(1).filter(|argument| !argument.starts_with("--")).collect();
    let is_wanted = |name: &str| wanted.is_empty() || wanted.iter().any(|wanted| name.starts_with(wanted.as_str()));
    println!("{} threads, single precision on the grid; seconds a frame\n", rayon::current_num_threads());
    print!("{:<16}{:>9}{:>8}", "", "count", "all");
    let short = |name: &str| name.replace("to the grid", "to grid").replace("to particles", "to parts");
    for name in PARTS {
        print!("{:>9}", short(name));
    }
    println!("{:>8}{:>8}{:>8}{:>8}{:>8}{:>8}", "rest", "steps", "iter", "B/part", "grid", "part");
    for (name, ..) in cases().iter().filter(|(name, ..)| is_wanted(name)) {
        Command::new(std::env::current_exe().unwrap()).env(CASE, name).status().unwrap();
    }
}
