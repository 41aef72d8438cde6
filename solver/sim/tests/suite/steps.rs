//! Individual time steps give the same results as one step for all, with less work.

use crate::common::{advanced, apart, at, floor, on_slope, scene, simulate, smoothed, weightless};
use dollop_scene::Scene;
use dollop_sim::timeline::COURANT;
use dollop_sim::{Cause, Frame, FrameStats, Simulation, Stepping};
use glam::DVec3;
use serde_json::{Value, json};

const SPACING: f64 = 0.1;

fn ball(x: f64, radius: f64, velocity: f64, stiffness: f64) -> Value {
    json!({"name": "ball", "shape": {"type": "sphere", "radius": radius}, "transform": at(x, 0.0, 0.0),
        "velocity": [velocity, 0.0, 0.0],
        "material": {"type": "smoothed", "stiffness": stiffness, "viscosity": 2.0, "cohesion": 0.3}})
}

/// A small stiff ball that flies into a large soft one.
fn mixed(speed: f64) -> Scene {
    weightless(scene(SPACING, json!([ball(0.0, 0.6, 0.0, 20.0), ball(-1.1, 0.25, speed, 5000.0)]), json!([])))
}

fn with(scene: &Scene, stepping: Stepping) -> Simulation {
    let mut simulation = simulate(scene);
    simulation.set_stepping(stepping);
    simulation
}

/// Frames of a run, and the sums of evaluations.
fn frames(mut simulation: Simulation, count: usize) -> Vec<Frame> {
    (0..count)
        .map(|_| {
            simulation.advance().unwrap();
            simulation.frame()
        })
        .collect()
}

fn mean_velocity(frame: &Frame, source: u32) -> DVec3 {
    let own = frame.velocities.iter().zip(&frame.sources).filter(|(_, s)| **s == source).map(|(v, _)| v.as_dvec3());
    own.clone().sum::<DVec3>() / own.count() as f64
}

#[test]
fn individual_steps_agree_with_the_global_one_for_a_fraction_of_the_work() {
    let run = |stepping| frames(with(&mixed(3.0), stepping), 10);
    let (own, global) = (run(Stepping::Individual), run(Stepping::Global));
    let evaluations = |frames: &[Frame]| frames.iter().map(|f| f.stats.force_evaluations).sum::<u64>();
    let saved = evaluations(&global) as f64 / evaluations(&own) as f64;
    let moved = apart(&own[9], &own[0]);
    let differ = apart(&own[9], &global[9]);
    println!("{saved:.1} times fewer evaluations; moved by {moved:.3} m, apart by {differ:.2e} m");
    assert!(moved > 1.5 * SPACING, "nothing happened: {moved}");
    assert!(saved > 3.0, "{saved}");
    assert!(differ < 0.03 * SPACING, "{differ}");
}

#[test]
fn momentum_and_energy_drift_stay_small() {
    let stats: Vec<FrameStats> =
        frames(with(&mixed(3.0), Stepping::Individual), 10).iter().map(|frame| frame.stats).collect();
    let momentum = stats.iter().map(|s| s.momentum_drift).sum::<f64>() / stats[0].momentum;
    let energy =
        stats.iter().map(|s| s.energy_drift).sum::<f64>() / (stats[0].kinetic_energy + stats[0].elastic_energy);
    println!("momentum drifts by {momentum:.1e}, energy by {energy:.1e} in all");
    assert!(momentum > 0.0 && momentum < 1e-3, "{momentum}");
    assert!(energy.abs() < 5e-3, "{energy}");
}

#[test]
fn drifts_are_reported() {
    // Only errors move the matter: errors of steps far too long for the stiff ball, then of the steps that it needs.
    let energy = |stats: &FrameStats| stats.kinetic_energy + stats.elastic_energy;
    let [(gained, told), (_, fine)] = [Stepping::Fixed(4), Stepping::Individual].map(|stepping| {
        let mut simulation = with(&mixed(0.0), stepping);
        let before = energy(&simulation.stats());
        simulation.advance().unwrap();
        (energy(&simulation.stats()) - before, simulation.stats().energy_drift)
    });
    println!("gained {gained:.3e} J, told {told:.3e} J; with steps as asked for {fine:.1e} J");
    assert!(told >= gained, "viscosity takes, only the steps can give");
    assert!(told.abs() > 50.0 * fine.abs());
}

#[test]
fn friction_is_no_drift() {
    let block = json!({"name": "block", "shape": {"type": "box", "size": [0.6, 0.6, 0.3]}, "transform": at(0.0, 0.0, 0.19),
        "material": {"type": "smoothed", "stiffness": 2000.0, "viscosity": 50.0}});
    let scene = on_slope(scene(SPACING, json!([block]), json!([floor(2.0)])));
    let stats: Vec<FrameStats> = frames(with(&scene, Stepping::Individual), 24).iter().map(|f| f.stats).collect();
    let drift = stats[12..].iter().map(|s| s.energy_drift).sum::<f64>();
    println!("a block held on a slope drifts by {drift:.1e} J in half a second");
    // A block of 108 kg; energy taken by friction would amount to joules.
    assert!(drift.abs() < 0.02, "{drift}");
}

#[test]
fn every_particle_sits_in_a_bin_all_the_time() {
    let simulation = advanced(with(&mixed(3.0), Stepping::Individual), 3);
    let stats = simulation.stats();
    let bins = stats.particles_in_bins;
    let count = simulation.frame().len() as f64;
    assert!((bins.iter().sum::<f64>() - count).abs() < 1e-6 * count);
    let shortest = bins.iter().rposition(|&n| n > 0.0).unwrap();
    // Bin n has from 2^n to 2^(n + 1) - 1 steps a frame.
    let steps = 1.0 / 24.0 / stats.smallest_step;
    assert!((steps - steps.round()).abs() < 1e-9 && steps.round().log2() as usize == shortest, "{steps} {bins:?}");
    let soft = bins.iter().position(|&n| n > 0.0).unwrap();
    assert!(shortest - soft >= 3, "{bins:?}");
    assert!(stats.force_evaluations < stats.global_force_evaluations / 3, "{stats:?}");
}

/// A soft ball at rest in a frame of a second; a small fast one comes by in the middle of it.
#[test]
fn resting_matter_wakes_when_it_is_hit() {
    let mut scene =
        weightless(scene(SPACING, json!([ball(0.0, 0.5, 0.0, 0.01), ball(-6.0, 0.25, 10.0, 0.01)]), json!([])));
    for body in 0..scene.bodies.len() {
        let material = smoothed(&mut scene, body);
        (material.viscosity, material.cohesion) = (0.01, 0.0);
    }
    scene.frames.rate = 1.0;
    let run = |stepping| frames(with(&scene, stepping), 1).remove(0);
    let (own, global) = (run(Stepping::Individual), run(Stepping::Global));
    let given = |frame: &Frame| mean_velocity(frame, 0).x;
    println!("the ball got {:.4} m/s, by one step for all {:.4} m/s", given(&own), given(&global));
    assert!(given(&global) > 0.1, "they must meet");
    assert!((given(&own) / given(&global) - 1.0).abs() < 5e-3);
    assert!(own.stats.particles_in_bins[..4].iter().sum::<f64>() > 200.0, "{:?}", own.stats.particles_in_bins);
}

/// A bar sweeps through a resting pool within one long frame.
#[test]
fn resting_matter_wakes_when_a_collider_comes() {
    let bar = json!({"name": "bar", "shape": {"type": "box", "size": [0.3, 2.0, 2.0]}, "motion": [
        {"frame": 1, "transform": at(-3.0, 0.0, 0.0)}, {"frame": 2, "transform": at(0.0, 0.0, 0.0)}]});
    let mut scene = weightless(scene(SPACING, json!([ball(0.0, 0.5, 0.0, 0.01)]), json!([bar])));
    scene.frames.rate = 1.0;
    let frame = frames(with(&scene, Stepping::Individual), 1).remove(0);
    let inside = frame.positions.iter().filter(|p| p.x < 0.15 - 1e-3).count();
    assert_eq!(inside, 0, "the bar swallowed {inside} of {}", frame.len());
    assert!(mean_velocity(&frame, 0).x > 1.0);
}

/// Only matter in the path of a fast plane feels it.
#[test]
fn a_plane_that_moves_far_off_costs_nothing() {
    let run = |from: f64, to: f64| {
        let plane = json!({"name": "plane", "shape": {"type": "plane"}, "motion": [
            {"frame": 1, "transform": at(0.0, 0.0, from)}, {"frame": 2, "transform": at(0.0, 0.0, to)}]});
        let mut scene = weightless(scene(SPACING, json!([ball(0.0, 0.5, 0.0, 0.01)]), json!([plane])));
        let material = smoothed(&mut scene, 0);
        material.viscosity = 0.01;
        scene.frames.rate = 1.0;
        frames(with(&scene, Stepping::Individual), 1).remove(0)
    };
    let (none, far, lifted) = (run(-9.0, -9.0), run(-9.0, -3.0), run(-3.0, 0.0));
    assert_eq!(none.stats.force_evaluations, far.stats.force_evaluations);
    assert_eq!(none.positions, far.positions);
    let low = lifted.positions.iter().map(|p| p.z).fold(f32::INFINITY, f32::min);
    assert!(low > -1e-3, "matter at {low} m below the plane");
    assert!(mean_velocity(&lifted, 0).z > 1.0);
}

/// Halfway between two walls their gradients cancel, but neither approaches faster than it moves.
#[test]
fn a_press_asks_for_no_shorter_steps_than_its_speed_does() {
    let block = json!([{"name": "block", "shape": {"type": "box", "size": [0.4, 0.4, 0.4]},
        "transform": at(0.0, 0.0, 0.22)}]);
    let plate = json!({"name": "plate", "shape": {"type": "box", "size": [2.0, 2.0, 0.2]}, "motion": [
        {"frame": 2, "transform": at(0.0, 0.0, 0.6)}, {"frame": 6, "transform": at(0.0, 0.0, 0.25)}]});
    let late = frames(with(&scene(0.05, block, json!([plate, floor(0.3)])), Stepping::Individual), 8);
    let most = late.iter().map(|frame| frame.stats.steps).max().unwrap();
    let outside = late.iter().flat_map(|frame| &frame.positions).filter(|p| p.z < -1e-3).count();
    println!("at most {most} steps a frame");
    assert!(most <= 256, "{most} steps");
    assert_eq!(outside, 0);
}

#[test]
fn a_pool_at_rest_stays_at_rest() {
    let pool = json!({"name": "pool", "shape": {"type": "box", "size": [0.8, 0.8, 0.5]},
        "transform": at(0.0, 0.0, 0.25), "material": {"type": "smoothed"}});
    let tank = json!({"name": "tank", "shape": {"type": "box", "size": [0.8, 0.8, 4.0]}, "transform": at(0.0, 0.0, 2.0),
        "inverted": true});
    let mut scene = scene(SPACING, json!([pool]), json!([tank, floor(0.3)]));
    scene.sleep = false;
    let late = frames(with(&scene, Stepping::Individual), 60).pop().unwrap();
    let energy = late.stats.kinetic_energy / late.len() as f64;
    println!("{energy:.2e} J a particle, bins {:?}", late.stats.particles_in_bins);
    // A particle of 1 kg that falls by a thousandth of a spacing has 1e-3 J.
    assert!(energy < 1e-4, "{energy}");
    // Sound travels at 31.6 m/s: it alone limits the steps, and a frame has 4 to 7 times a power of two of them.
    let longest = COURANT * 1.25 * SPACING / (1.6 * 31.7);
    let wanted = 1.1 / 24.0 / longest;
    let unit = 2.0_f64.powf(wanted.log2().floor() - 2.0);
    assert_eq!(late.stats.steps as f64, (wanted / unit).ceil() * unit);
    let bin = late.stats.steps.ilog2() as usize;
    assert!(late.stats.particles_in_bins[bin] > 0.999 * late.len() as f64, "{:?}", late.stats.particles_in_bins);
}

/// The cause of the shortest steps is reported, also where matter meets other matter.
#[test]
fn the_cause_of_the_shortest_steps_is_reported() {
    let cause = |viscosity: f64, speed: f64| {
        let half = |name: &str, side: f64| {
            json!({"name": name, "shape": {"type": "box", "size": [0.4, 0.4, 0.4]}, "transform": at(side * 0.2, 0.0, 0.0),
                "velocity": [-side * speed, 0, 0], "material": {"type": "smoothed", "viscosity": viscosity}})
        };
        let scene = scene(SPACING, json!([half("a", -1.0), half("b", 1.0)]), json!([]));
        simulate(&scene).estimate().limit.unwrap().cause
    };
    // Sound travels at 31.6 m/s, and viscosity may go twice as far in a step.
    for speed in [0.0, 2.0] {
        assert_eq!(cause(5.0, speed), Cause::Stiffness);
        assert_eq!(cause(60.0, speed), Cause::Stiffness);
        assert_eq!(cause(70.0, speed), Cause::Viscosity);
    }
    assert_eq!(cause(5.0, 100.0), Cause::Acceleration);
    assert_eq!(cause(5.0, -100.0), Cause::Speed);
}
