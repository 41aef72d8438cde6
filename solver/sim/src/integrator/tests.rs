#![allow(clippy::unwrap_used, clippy::print_stdout)]

use super::*;
use crate::timeline::TICKS;
use crate::{FrameStats, MeshLibrary, Simulation};
use dollop_scene::Scene;
use serde_json::json;

/// Two soft bodies in touch, turning, and a plane out of reach.
fn scene(rate: f64, collider_height: f64) -> Scene {
    strong_scene(rate, collider_height, 0.0)
}

/// The same with a yield stress, Pa.
fn strong_scene(rate: f64, collider_height: f64, yield_stress: f64) -> Scene {
    let body = |x: f64, stiffness: f64, viscosity: f64| {
        json!({"name": "ball", "shape": {"type": "sphere", "radius": 0.3}, "transform": {"translation": [x, 0.0, 0.0]},
            "angular_velocity": [0.0, 1.0, 0.0], "material": {"type": "smoothed", "stiffness": stiffness,
            "viscosity": viscosity, "cohesion": 0.5, "yield_stress": yield_stress}})
    };
    let plane = json!({"name": "floor", "shape": {"type": "plane"},
        "transform": {"translation": [0.0, 0.0, collider_height]}});
    serde_json::from_value(json!({
        "version": 1, "frames": {"start": 1, "end": 9, "rate": rate}, "gravity": [0, 0, -1], "particle_spacing": 0.1,
        "settle": false, "bodies": [body(0.0, 2.0, 0.0), body(0.55, 2.0, 0.0)], "colliders": [plane]
    }))
    .unwrap()
}

/// Starts a frame without stages.
fn start_frame(integrator: &mut Integrator, particles: &mut Particles, start: f64) {
    let instant = integrator.begin(start);
    integrator.refresh(particles, &instant).unwrap();
}

/// Positions by particle number after some frames. The steps of one body are four times those of the other, and all
/// change their lengths at each quarter of a frame.
fn with_changing_steps(rate: f64, frames: usize) -> Vec<DVec3> {
    let mut simulation = Simulation::new(&scene(rate, -9.0), &MeshLibrary::new()).unwrap();
    let (integrator, particles) = simulation.parts();
    for _ in 0..frames {
        start_frame(integrator, particles, 0.0);
        // The same at all rates.
        integrator.timeline = Timeline::HALVES;
        let mut tick = 0;
        while tick < TICKS {
            let quarter = (4 * u64::from(tick) / u64::from(TICKS)) as u8;
            let shorter = |source: u32| 2 * u8::from(source == 1) + quarter % 2;
            let bins = integrator.columns.bins.iter_mut().zip(&particles.sources);
            bins.for_each(|(bin, &source)| *bin = 2 + shorter(source));
            let next = integrator.next_tick(tick);
            integrator.step(particles, &Instant::at(next, 0.0, integrator.interval, integrator.timeline)).unwrap();
            tick = next;
        }
    }
    particles.by_number(particles.positions.iter().copied())
}

#[test]
fn steps_of_changing_and_unequal_lengths_are_second_order() {
    let [coarse, middle, fine] = [1, 2, 4].map(|n| with_changing_steps(10.0 * f64::from(n), 4 * n as usize));
    let apart = |a: &[DVec3], b: &[DVec3]| {
        (a.iter().zip(b).map(|(a, b)| a.distance_squared(*b)).sum::<f64>() / a.len() as f64).sqrt()
    };
    let (long, short) = (apart(&coarse, &middle), apart(&middle, &fine));
    println!("apart by {long:.2e} and {short:.2e} m, ratio {:.2}", long / short);
    assert!((3.2..8.0).contains(&(long / short)), "{long} {short}");
}

/// Checks that simulations of a scene that run through some frames, or start from their state, then agree in all.
fn check_that_frames_depend_on_the_state_alone(scene: &Scene, frames: u32) -> FrameStats {
    let start = || Simulation::new(scene, &MeshLibrary::new()).unwrap();
    let mut whole = start();
    (0..frames).for_each(|_| whole.advance().unwrap());
    let mut cut = start();
    cut.set_elapsed(frames);
    {
        let (_, was) = whole.parts();
        let positions = was.by_number(was.positions.iter().copied());
        let velocities = was.by_number(was.velocities.iter().copied());
        let stresses = was.by_number(was.stresses.iter().copied());
        let (_, particles) = cut.parts();
        // In a different order, as a bake continued from a file may have.
        let numbers = particles.numbers.clone();
        particles.positions = numbers.iter().map(|&n| positions[n as usize]).collect();
        particles.velocities = numbers.iter().map(|&n| velocities[n as usize]).collect();
        let with_strength = numbers.iter().filter(|_| !stresses.is_empty());
        particles.stresses = with_strength.map(|&n| stresses[n as usize]).collect();
    }
    for _ in 0..2 {
        whole.advance().unwrap();
        cut.advance().unwrap();
        let (whole, cut) = (whole.frame(), cut.frame());
        assert_eq!(whole.stats, cut.stats);
        assert_eq!((whole.positions, whole.velocities), (cut.positions, cut.velocities));
    }
    whole.frame().stats
}

#[test]
fn a_frame_depends_on_positions_and_velocities_alone() {
    let mut scene = scene(5.0, -0.45);
    scene.bodies[1].velocity = [-4.0, 0.0, 0.0];
    check_that_frames_depend_on_the_state_alone(&scene, 2);
}

/// Matter with strength also has to keep its stresses.
#[test]
fn a_frame_of_strong_matter_depends_on_its_stresses_too() {
    let mut scene = strong_scene(5.0, -0.45, 40.0);
    scene.bodies[1].velocity = [-4.0, 0.0, 0.0];
    check_that_frames_depend_on_the_state_alone(&scene, 2);
}

/// A blade that moves into resting matter, and two grains that fly past it with shorter steps.
#[test]
fn a_frame_of_few_depends_on_positions_and_velocities_alone() {
    let body = |place: [f64; 3], radius: f64, velocity: [f64; 3], stiffness: f64| {
        json!({"name": "ball", "shape": {"type": "sphere", "radius": radius}, "transform": {"translation": place},
            "velocity": velocity,
            "material": {"type": "smoothed", "stiffness": stiffness, "viscosity": 0.5, "cohesion": 0.3}})
    };
    let key = |frame: i32, x: f64| json!({"frame": frame, "transform": {"translation": [x, 0.0, 0.0]}});
    let scene: Scene = serde_json::from_value(json!({
        "version": 1, "frames": {"start": 1, "end": 9, "rate": 8}, "gravity": [0, 0, -2], "particle_spacing": 0.08,
        "settle": false,
        "bodies": [body([0.0; 3], 0.6, [0.0; 3], 5.0), body([-1.2, 0.1, 0.3], 0.08, [9.0, 0.0, 0.0], 500.0),
            body([0.5, 1.2, 0.3], 0.08, [-9.0, -1.0, 0.0], 50.0)],
        "colliders": [
            {"name": "blade", "shape": {"type": "box", "size": [0.2, 1.0, 1.0]}, "motion": [key(1, -2.0), key(6, 1.0)]},
            {"name": "floor", "shape": {"type": "plane"}, "transform": {"translation": [0.0, 0.0, -0.75]}},
            {"name": "bowl", "shape": {"type": "sphere", "radius": 3.0}, "inverted": true}]
    }))
    .unwrap();
    for frames in [1, 3] {
        let stats = check_that_frames_depend_on_the_state_alone(&scene, frames);
        assert!(3 * stats.force_evaluations < 2 * stats.global_force_evaluations, "{stats:?}");
    }
}

/// A pool of some edge and depth in a high tank, and a drop of some radius at a height, which flies up.
fn pool_and_drop(rate: f64, edge: f64, depth: f64, radius: f64, height: f64, speed: f64) -> Scene {
    let water = json!({"name": "water", "shape": {"type": "box", "size": [edge, edge, depth]},
        "transform": {"translation": [0.0, 0.0, depth / 2.0]}, "material": {"type": "smoothed", "viscosity": 20.0}});
    let drop = json!({"name": "drop", "shape": {"type": "sphere", "radius": radius},
        "transform": {"translation": [0.0, 0.0, height]}, "velocity": [0.0, 0.0, speed],
        "material": {"type": "smoothed"}});
    let tank = json!({"name": "tank", "shape": {"type": "box", "size": [edge, edge, 4.0 * height]},
        "transform": {"translation": [0.0, 0.0, 2.0 * height]}, "inverted": true});
    serde_json::from_value(json!({
        "version": 1, "frames": {"start": 1, "end": 99, "rate": rate}, "particle_spacing": 0.1,
        "bodies": [water, drop], "colliders": [tank]
    }))
    .unwrap()
}

/// A pool that has come to rest, and a drop that falls into it within a long frame.
#[test]
fn a_frame_of_sleepers_depends_on_positions_and_velocities_alone() {
    let scene = pool_and_drop(6.0, 0.6, 0.3, 0.1, 30.0, 15.0);
    // The drop meets the water 4.4 s after the start.
    let slept: Vec<f64> = (24..27)
        .map(|frames| check_that_frames_depend_on_the_state_alone(&scene, frames).particles_in_bins[0])
        .collect();
    println!("{slept:.1?} slept in the frames around the splash");
    assert!(slept[0] > 90.0 && slept[1] > 20.0 && slept[1] < 80.0, "{slept:?}");
}

/// A sleeping pool, far below a drop.
fn sleeping_pool(rate: f64, radius: f64) -> Simulation {
    let scene = pool_and_drop(rate, 1.6, 0.4, radius, 500.0, 0.0);
    let mut simulation = Simulation::new(&scene, &MeshLibrary::new()).unwrap();
    simulation.settle(|_| ()).unwrap();
    let asleep = |simulation: &Simulation| simulation.stats().particles_in_bins[0] > 700.0;
    let frames = (0..200).take_while(|_| {
        simulation.advance().unwrap();
        !asleep(&simulation)
    });
    assert!(frames.count() < 200, "the pool must come to rest");
    simulation
}

fn set_drop(particles: &mut Particles, place: DVec3, velocity: DVec3) {
    let of_drop = |slot: &usize| particles.sources[*slot] == 1;
    let slots: Vec<usize> = (0..particles.len()).filter(of_drop).collect();
    let centre = slots.iter().map(|&slot| particles.positions[slot]).sum::<DVec3>() / slots.len() as f64;
    for slot in slots {
        particles.positions[slot] += place - centre;
        particles.velocities[slot] = velocity;
    }
}

/// Neighbours of the active particles that their lists lack.
fn missing(integrator: &Integrator, particles: &Particles, instant: &Instant) -> usize {
    let matter = integrator.expectation(particles);
    let now: Vec<DVec3> = (0..particles.len())
        .map(|slot| {
            let (asleep, s) = (integrator.columns.asleep[slot], instant.since(integrator.columns.began[slot]));
            let displacement = if asleep { DVec3::ZERO } else { matter.half_kicked(slot, s) * s };
            particles.positions[slot] + displacement
        })
        .collect();
    let reach = 0.999 * integrator.solver.support();
    let lacks = |slot: usize| {
        let list = integrator.neighbours.of(slot);
        let near = (0..now.len()).filter(|&other| other != slot && now[other].distance(now[slot]) < reach);
        near.filter(|&other| !list.contains(&(other as u32))).count()
    };
    integrator.active.slots().iter().map(|&slot| lacks(slot as usize)).sum()
}

#[test]
fn moving_matter_finds_sleepers_at_any_time() {
    for (rate, radius, speed, heights) in [(6.0, 0.12, 15.0, 1.3..1.7), (24.0, 0.06, 12.0, 0.86..1.02)] {
        let mut simulation = sleeping_pool(rate, radius);
        let (integrator, rested) = simulation.parts();
        let (start, interval, rested) = (100.0, integrator.interval, rested.clone());
        for n in 0..9 {
            let height = heights.start + (heights.end - heights.start) * f64::from(n) / 8.0;
            let particles = &mut rested.clone();
            set_drop(particles, DVec3::new(0.0, 0.0, height), DVec3::new(0.0, 0.0, -speed));
            start_frame(integrator, particles, start);
            let asleep = |integrator: &Integrator| integrator.columns.asleep.iter().filter(|asleep| **asleep).count();
            let slept = asleep(integrator);
            let (mut tick, mut lacking) = (0, 0);
            while tick < TICKS {
                tick = integrator.next_tick(tick);
                let instant = Instant::at(tick, start, interval, integrator.timeline);
                integrator.step(particles, &instant).unwrap();
                lacking += missing(integrator, particles, &instant);
            }
            let still = asleep(integrator);
            integrator.come_to_rest(particles, &Instant::at(tick, start, interval, integrator.timeline));
            println!("from {height} m: {slept} slept, {still} at the end, {lacking} neighbours missing");
            assert!(slept > 700, "{slept}");
            assert_eq!(lacking, 0);
        }
    }
}

/// Steps that go on after a step of heat are watched.
#[test]
fn steps_that_go_on_after_a_step_of_heat_are_watched() {
    let mut scene = scene(5.0, -9.0);
    scene.heat = Some(serde_json::from_value(json!({})).unwrap());
    for body in &mut scene.bodies {
        body.velocity = [-3.0, 0.0, 0.0];
    }
    let mut simulation = Simulation::new(&scene, &MeshLibrary::new()).unwrap();
    simulation.start_part(0.0).unwrap();
    let start = simulation.parts().0.instant(0, 0.0);
    simulation.act(&start, |_| true).unwrap();
    assert!(simulation.next_act(0) < TICKS);
    let (integrator, _) = simulation.parts();
    let soon = 1e-3;
    let gone = |batch: &Velocities| batch.gone(soon).low.x;
    let least = integrator.velocities.iter().map(gone).fold(f64::NEG_INFINITY, f64::max);
    assert!(least < -2.0 * soon, "{least} m");
}

/// Blocks with a yield stress on a floor, each out of reach of the others, after settling: the shear stress of each
/// particle, Pa, by the places of its block and its own within it.
fn settled_stresses(blocks: &[serde_json::Value]) -> Vec<Vec<f64>> {
    let floor = json!({"name": "floor", "shape": {"type": "plane"}});
    let scene = serde_json::from_value(json!({
        "version": 1, "frames": {"start": 1, "end": 9, "rate": 24.0}, "particle_spacing": 0.05, "bodies": blocks, "colliders": [floor]
    }));
    let mut simulation = Simulation::new(&scene.unwrap(), &MeshLibrary::new()).unwrap();
    simulation.settle(|_| ()).unwrap();
    let (_, particles) = simulation.parts();
    let sizes = particles.by_number(particles.stresses.iter().map(|stress| stress.size_squared().sqrt()));
    let sources = particles.by_number(particles.sources.iter().copied());
    let of = |body: usize| sizes.iter().zip(&sources).filter(move |(_, source)| **source as usize == body);
    (0..blocks.len()).map(|body| of(body).map(|(size, _)| *size).collect()).collect()
}

#[test]
fn standing_matter_is_stressed_by_its_weight_alone() {
    let block = |at: f64, rise: f64, height: f64, yield_stress: f64| {
        json!({"name": "block", "shape": {"type": "box", "size": [0.3, 0.3, height]},
            "transform": {"translation": [at, 0.0, rise + height / 2.0]},
            "material": {"type": "smoothed", "stiffness": 1600.0, "yield_stress": yield_stress}})
    };
    let low = block(0.0, 0.0, 0.2, 4000.0);
    let rms = |sizes: &[f64]| (sizes.iter().map(|size| size * size).sum::<f64>() / sizes.len() as f64).sqrt();
    let alone = rms(&settled_stresses(std::slice::from_ref(&low))[0]);
    let all = settled_stresses(&[
        low,
        block(1.0, 0.0, 1.0, 4000.0),
        block(2.0, 0.0, 1.0, 50.0),
        block(3.0, 0.5, 0.2, 4000.0),
    ]);
    let [beside, tall, flows, hangs] = [0, 1, 2, 3].map(|body| rms(&all[body]));
    println!("{alone:.1} Pa alone, {beside:.1} Pa beside others, which have {tall:.1}, {flows} and {hangs} Pa");
    // A column of a height H is sheared by up to density g H / sqrt(3) at its foot, and by a rest of its initial
    // stress.
    assert!(alone > 600.0 && alone < 2500.0 && tall > 1.4 * alone, "{alone} {tall}");
    assert!((beside / alone - 1.0).abs() < 0.02, "{alone} {beside}");
    assert!(flows == 0.0 && hangs == 0.0, "{flows} {hangs}");
}

/// A simulation stops at a place that is not finite.
#[test]
fn a_place_that_is_not_finite_is_an_error() {
    let mut simulation = Simulation::new(&scene(24.0, -9.0), &MeshLibrary::new()).unwrap();
    let (_, particles) = simulation.parts();
    particles.positions[5].y = f64::NAN;
    let error = simulation.advance().unwrap_err();
    assert!(error.to_string().contains("has no place any more"), "{error}");
}
