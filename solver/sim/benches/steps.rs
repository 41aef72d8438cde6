//! Time per particle and step, for blocks of matter that fall on a floor: lists of neighbours, densities, forces,
//! walls, and the leapfrog, for supports of 2 and 2.5 spacings. Flat over the sizes means that the cost is linear. With
//! `DOLLOP_BENCH_LARGE` set there are 4 million particles too. Then the cost of a few particles that fly fast above as
//! many at rest: with and without them a frame should take about as long. Then the cost of matter at rest, awake and
//! asleep.

#![allow(missing_docs, clippy::unwrap_used)]

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use dollop_scene::Scene;
use dollop_sim::{MeshLibrary, Simulation};
use serde_json::json;

/// A cube of about `particles` particles, at rest density, that falls on a floor in frames of some tens of steps.
fn block(particles: f64, support: f64) -> Simulation {
    let edge: f64 = 0.5;
    let spacing = edge / particles.cbrt();
    // Sound travels at 31.6 m/s; in a step it covers about a fifth of a smoothing length.
    let rate = 31.6 / (0.2 * support / 2.0 * spacing) / 16.0;
    started(json!({
        "version": 1,
        "frames": {"start": 1, "end": 1000, "rate": rate},
        "particle_spacing": spacing,
        "discretization": {"smoothing_length": support / 2.0},
        "settle": false,
        "bodies": [{"name": "block", "shape": {"type": "box", "size": [edge, edge, edge]},
            "transform": {"translation": [0.0, 0.0, edge / 2.0]}, "velocity": [0.0, 0.0, -1.0]}],
        "colliders": [{"name": "floor", "shape": {"type": "plane"}}],
    }))
}

/// A scene after its first frame.
fn started(scene: serde_json::Value) -> Simulation {
    let scene: Scene = serde_json::from_value(scene).unwrap();
    let mut simulation = Simulation::new(&scene, &MeshLibrary::new()).unwrap();
    simulation.advance().unwrap();
    simulation
}

fn frames(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("a frame");
    group.sample_size(10);
    let mut sizes = vec![1e4, 1e5, 1e6];
    if std::env::var_os("DOLLOP_BENCH_LARGE").is_some() {
        sizes.push(4e6);
    }
    for (support, &particles) in
        [2.0, 2.5].into_iter().flat_map(|support| sizes.iter().map(move |size| (support, size)))
    {
        let mut simulation = block(particles, support);
        simulation.advance().unwrap();
        let frame = simulation.frame();
        group.throughput(Throughput::Elements(frame.len() as u64 * frame.stats.steps));
        let (steps, neighbours) = (frame.stats.steps, frame.stats.neighbours);
        let name = format!("support {support}, {steps} steps, {neighbours:.0} neighbours");
        group.bench_function(BenchmarkId::new(name, frame.len()), |bencher| {
            bencher.iter(|| simulation.advance().unwrap());
        });
    }
    group.finish();
}

/// A pool at rest in a high tank, and perhaps a drop that flies up in it with shorter steps.
fn pool(drop: bool) -> Simulation {
    let body = |name: &str, shape: serde_json::Value, height: f64, speed: f64| {
        json!({"name": name, "shape": shape, "transform": {"translation": [0.1, 0.1, height]},
            "velocity": [0.0, 0.0, speed], "material": {"type": "smoothed", "stiffness": 100.0, "viscosity": 2.0}})
    };
    let mut bodies = vec![body("pool", json!({"type": "box", "size": [1.0, 1.0, 1.0]}), 0.5, 0.0)];
    if drop {
        bodies.push(body("drop", json!({"type": "sphere", "radius": 0.025}), 1.6, 60.0));
    }
    started(json!({
        "version": 1, "frames": {"start": 1, "end": 1000, "rate": 480}, "particle_spacing": 0.02,
        "settle": false, "sleep": false,
        "bodies": bodies,
        "colliders": [{"name": "tank", "shape": {"type": "box", "size": [1.0, 1.0, 100.0]},
            "transform": {"translation": [0.1, 0.1, 50.0]}, "inverted": true}],
    }))
}

fn droplets(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("a frame of 125,000 at rest");
    group.sample_size(10);
    for (name, drop) in [("alone", false), ("and a fast drop", true)] {
        let mut simulation = pool(drop);
        group.bench_function(name, |bencher| bencher.iter(|| simulation.advance().unwrap()));
    }
    group.finish();
}

/// A pool that has come to rest.
fn sleepers(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("a frame of 3,750 that came to rest");
    group.sample_size(10);
    for sleep in [false, true] {
        let mut simulation = started(json!({
            "version": 1, "frames": {"start": 1, "end": 1000, "rate": 24}, "particle_spacing": 0.02, "sleep": sleep,
            "bodies": [{"name": "pool", "shape": {"type": "box", "size": [0.4, 0.4, 0.2]},
                "transform": {"translation": [0.0, 0.0, 0.1]}}],
            "colliders": [{"name": "tank", "shape": {"type": "box", "size": [0.4, 0.4, 1.0]},
                "transform": {"translation": [0.0, 0.0, 0.5]}, "inverted": true}],
        }));
        (0..72).for_each(|_| simulation.advance().unwrap());
        assert_eq!(simulation.stats().max_speed == 0.0, sleep);
        let name = if sleep { "asleep" } else { "awake" };
        group.bench_function(name, |bencher| bencher.iter(|| simulation.advance().unwrap()));
    }
    group.finish();
}

criterion_group!(benches, frames, droplets, sleepers);
criterion_main!(benches);
