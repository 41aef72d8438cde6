#![allow(clippy::unwrap_used, clippy::print_stdout)]

use super::*;
use crate::{MeshLibrary, Simulation};
use dollop_scene::Scene;
use serde_json::json;

/// Two soft bodies in touch, turning, and a plane that nothing reaches.
fn scene(rate: f64, collider_height: f64) -> Scene {
    let body = |x: f64, stiffness: f64, viscosity: f64| {
        json!({"name": "ball", "shape": {"type": "sphere", "radius": 0.3}, "transform": {"translation": [x, 0.0, 0.0]},
            "angular_velocity": [0.0, 1.0, 0.0], "material": {"type": "smoothed", "stiffness": stiffness,
            "viscosity": viscosity, "cohesion": 0.5}})
    };
    let plane = json!({"name": "floor", "shape": {"type": "plane"},
        "transform": {"translation": [0.0, 0.0, collider_height]}});
    serde_json::from_value(json!({
        "version": 1, "frames": {"start": 1, "end": 9, "rate": rate}, "gravity": [0, 0, -1], "particle_spacing": 0.1,
        "settle": false, "bodies": [body(0.0, 2.0, 0.0), body(0.55, 2.0, 0.0)], "colliders": [plane]
    }))
    .unwrap()
}

/// Positions by particle number after some frames whose steps, those of one body four times those of the other, change
/// their lengths at each quarter of a frame.
fn with_changing_steps(rate: f64, frames: usize) -> Vec<DVec3> {
    let mut simulation = Simulation::new(&scene(rate, -9.0), &MeshLibrary::new()).unwrap();
    let (integrator, particles) = simulation.parts();
    for _ in 0..frames {
        integrator.start_frame(particles, 0.0).unwrap();
        let mut tick = 0;
        while tick < TICKS {
            let quarter = (4 * u64::from(tick) / u64::from(TICKS)) as u8;
            let shorter = |source: u32| 2 * u8::from(source == 1) + quarter % 2;
            let bins = integrator.columns.bins.iter_mut().zip(&particles.sources);
            bins.for_each(|(bin, &source)| *bin = 2 + shorter(source));
            let next = integrator.next_tick(tick);
            integrator
                .step(particles, &Instant::Tick { tick: next, start: 0.0, interval: integrator.interval })
                .unwrap();
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

#[test]
fn a_frame_depends_on_positions_and_velocities_alone() {
    let start = || {
        let mut scene = scene(5.0, -0.45);
        scene.bodies[1].velocity = [-4.0, 0.0, 0.0];
        Simulation::new(&scene, &MeshLibrary::new()).unwrap()
    };
    let mut whole = start();
    (0..2).for_each(|_| whole.advance().unwrap());
    let mut cut = start();
    {
        let (_, was) = whole.parts();
        let positions = was.by_number(was.positions.iter().copied());
        let velocities = was.by_number(was.velocities.iter().copied());
        let (_, particles) = cut.parts();
        // In an order of its own, as a bake that goes on from a file may have.
        let numbers = particles.numbers.clone();
        particles.positions = numbers.iter().map(|&n| positions[n as usize]).collect();
        particles.velocities = numbers.iter().map(|&n| velocities[n as usize]).collect();
    }
    for _ in 0..2 {
        whole.advance().unwrap();
        cut.advance().unwrap();
        let (whole, cut) = (whole.frame(), cut.frame());
        assert_eq!(whole.stats, cut.stats);
        assert_eq!((whole.positions, whole.velocities), (cut.positions, cut.velocities));
    }
}
