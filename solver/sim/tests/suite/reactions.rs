//! Forces of matter on colliders.

use crate::common::{advanced, at, scene, simulate, volume, weightless, with_any_threads};
use crate::oriented::rectangle;
use crate::removal::materials;
use dollop_scene::Scene;
use dollop_sim::frame::Reaction;
use dollop_sim::{Frame, MeshLibrary, Simulation};
use glam::DVec3;
use serde_json::{Value, json};

const SPACING: f64 = 0.02;
const DENSITY: f64 = 1000.0;

/// The force on a collider, N, and its torque, N m.
fn on(frame: &Frame, collider: u32) -> (DVec3, DVec3) {
    let own = frame.reactions.iter().find(|reaction| reaction.collider == collider);
    own.map_or((DVec3::ZERO, DVec3::ZERO), |&Reaction { force, torque, .. }| (force, torque))
}

fn mass(frame: &Frame) -> f64 {
    volume(frame) * DENSITY
}

/// Sum of the velocities by volume, m^4/s.
fn flow(frame: &Frame) -> DVec3 {
    frame.velocities.iter().zip(&frame.rest_volumes).map(|(v, &volume)| v.as_dvec3() * f64::from(volume)).sum()
}

/// Mass of a particle over its volume at rest, kg/m^3, by the kinetic energy: solids have the mass of their model,
/// whatever rows of particles fit in.
fn mass_by_volume(frame: &Frame) -> f64 {
    let squares = frame
        .velocities
        .iter()
        .zip(&frame.rest_volumes)
        .map(|(v, &volume)| v.as_dvec3().length_squared() * f64::from(volume));
    frame.stats.kinetic_energy / (0.5 * squares.sum::<f64>())
}

/// A block that is dropped off the middle of a scale, a plate on the floor.
fn on_a_scale(material: Value) -> Scene {
    let block = json!({"name": "block", "shape": {"type": "box", "size": [0.16, 0.16, 0.1]},
        "transform": at(0.1, 0.0, 0.2), "material": material, "temperature": 290});
    let floor = json!({"name": "floor", "shape": {"type": "plane"}, "friction": 0.5});
    let plate = json!({"name": "scale", "shape": {"type": "box", "size": [0.6, 0.6, 0.1]}, "transform": at(0.0, 0.0, 0.05),
        "friction": 0.5});
    scene(SPACING, json!([block]), json!([floor, plate]))
}

/// A scale reads the weight of a block of any matter that was dropped on it, within 2 % as soon as it rests. Until then
/// the means over frames add up to all momentum that gravity gave. The torque on the scale is that of the block's
/// lever.
#[test]
fn a_scale_reads_the_weight_of_a_dropped_block() {
    let solid = [
        ("clay", json!({"type": "smoothed", "yield_stress": 3000, "rest_density": DENSITY})),
        ("wax", json!({"type": "thermal", "rest_density": DENSITY})),
        ("dough", json!({"type": "soft", "rest_density": DENSITY})),
    ];
    for (name, material) in solid {
        let mut simulation = simulate(&on_a_scale(material.clone()));
        // While it falls.
        let falling = advanced(simulate(&on_a_scale(material.clone())), 1).frame();
        let by_volume = mass_by_volume(&falling);
        let weight = volume(&falling) * by_volume * 9.81;
        let (mut given, mut last) = (DVec3::ZERO, Vec::new());
        for frame in 0..48 {
            simulation.advance().unwrap();
            let now = simulation.frame();
            given += on(&now, 1).0 / 24.0;
            assert_eq!(on(&now, 0).0, DVec3::ZERO, "the floor is touched");
            if frame >= 24 {
                last.push(on(&now, 1));
            }
        }
        let mean = last.iter().map(|(force, _)| *force).sum::<DVec3>() / last.len() as f64;
        let torque = last.iter().map(|(_, torque)| *torque).sum::<DVec3>() / last.len() as f64;
        let expected = DVec3::NEG_Z * weight * 2.0 - flow(&simulation.frame()) * by_volume;
        let place =
            simulation.frame().positions.iter().map(|p| f64::from(p.x)).sum::<f64>() / simulation.frame().len() as f64;
        println!(
            "{name}: {mean:.3} N of {weight:.3} N, by the model 25.114 N, {given:.3} of {expected:.3} N s, {torque:.4} N m"
        );
        assert!((mean.z / -weight - 1.0).abs() < 0.02 && mean.truncate().length() < 0.02 * weight, "{name}: {mean}");
        assert!((given - expected).length() < 0.02 * expected.length(), "{name}: {given} {expected}");
        assert!((torque.y / (place * weight) - 1.0).abs() < 0.05, "{name}: {torque}");
    }
}

/// A sheet that falls on a plate presses with its weight.
#[test]
fn a_scale_reads_the_weight_of_a_sheet() {
    let sheet = json!({"name": "sheet", "shape": {"type": "mesh", "path": "sheet"}, "transform": at(0.0, 0.0, 0.05),
        "material": {"type": "oriented", "rest_density": DENSITY}});
    let scene = scene(SPACING, json!([sheet]), json!([{"name": "floor", "shape": {"type": "plane"}}]));
    let mut simulation = Simulation::new(&scene, &rectangle(0.4, 0.4)).unwrap();
    simulation.settle(|_| ()).unwrap();
    let kinetic = |simulation: &Simulation| simulation.stats().kinetic_energy;
    let mut mean = 0.0;
    for frame in 0..36 {
        simulation.advance().unwrap();
        mean += if frame >= 24 { on(&simulation.frame(), 0).0.z / 12.0 } else { 0.0 };
    }
    let weight = mass(&simulation.frame()) * 9.81;
    println!("sheet: {mean:.4} N of {weight:.4} N, still moving with {:.1e} J", kinetic(&simulation));
    assert!((mean / -weight - 1.0).abs() < 0.03, "{mean} {weight}");
}

/// Liquid in a tank of five walls presses on each as its depth asks for: the floor bears the weight, a side rho g d^2 w
/// / 2.
#[test]
fn a_tank_is_pressed_as_hydrostatics_ask() {
    let wall = |name: &str, size: [f64; 3], x: f64, y: f64, z: f64| json!({"name": name, "shape": {"type": "box", "size": size}, "transform": at(x, y, z), "friction": 0});
    let walls = json!([
        wall("floor", [0.5, 0.5, 0.2], 0.0, 0.0, -0.1),
        wall("left", [0.2, 0.5, 1.0], -0.25, 0.0, 0.5),
        wall("right", [0.2, 0.5, 1.0], 0.25, 0.0, 0.5),
        wall("front", [0.5, 0.2, 1.0], 0.0, -0.25, 0.5),
        wall("back", [0.5, 0.2, 1.0], 0.0, 0.25, 0.5),
    ]);
    let water = json!({"name": "water", "shape": {"type": "box", "size": [0.3, 0.3, 0.3]}, "transform": at(0.0, 0.0, 0.15),
        "material": {"type": "smoothed", "rest_density": DENSITY}});
    let mut simulation = simulate(&scene(SPACING, json!([water]), walls));
    let mut means = [DVec3::ZERO; 5];
    for _ in 0..12 {
        simulation.advance().unwrap();
        let frame = simulation.frame();
        (0..).zip(&mut means).for_each(|(wall, mean)| *mean += on(&frame, wall).0 / 12.0);
    }
    let weight = mass(&simulation.frame()) * 9.81;
    let depth = mass(&simulation.frame()) / (DENSITY * 0.3 * 0.3);
    let side = DENSITY * 9.81 * depth * depth * 0.3 / 2.0;
    println!("tank: {means:.3?}; weight {weight:.3} N, a side {side:.3} N");
    assert!((means[0].z / -weight - 1.0).abs() < 0.02, "{means:?}");
    for (wall, out) in [(1, DVec3::NEG_X), (2, DVec3::X), (3, DVec3::NEG_Y), (4, DVec3::Y)] {
        // The depth of matter whose surface lies half a spacing above its particles is known to half a spacing.
        assert!((means[wall].dot(out) / side - 1.0).abs() < 0.08, "{means:?}");
        assert!((means[wall] - out * means[wall].dot(out)).length() < 0.03 * weight, "{means:?}");
    }
    let all: DVec3 = means.iter().sum();
    assert!((all - DVec3::NEG_Z * weight).length() < 0.01 * weight, "{all}");
}

/// A body of any matter that is thrown against a wall gives the wall all the momentum that it loses, with the same
/// result for any number of threads.
#[test]
fn a_wall_takes_the_momentum_of_a_thrown_body() {
    for (name, mut material) in materials() {
        material["rest_density"] = DENSITY.into();
        let block = json!({"name": "block", "shape": {"type": "box", "size": [0.1, 0.1, 0.1]}, "material": material,
            "velocity": [0.5, 0, -1], "temperature": 290});
        let wall =
            json!({"name": "wall", "shape": {"type": "plane"}, "transform": at(0.0, 0.0, -0.08), "friction": 0.4});
        let mut scene = weightless(scene(SPACING, json!([block]), json!([wall])));
        scene.settle = false;
        scene.ambient.density = 0.0;
        let run = |frames: usize| {
            let mut simulation = Simulation::new(&scene, &MeshLibrary::new()).unwrap();
            let mut told = vec![simulation.frame()];
            for _ in 0..frames {
                simulation.advance().unwrap();
                told.push(simulation.frame());
            }
            told
        };
        let frames = run(6);
        let given: DVec3 = frames.iter().map(|frame| on(frame, 0).0 / 24.0).sum();
        let lost = (flow(&frames[0]) - flow(&frames[6])) * mass_by_volume(&frames[0]);
        println!("{name}: {given:.4} N s of {lost:.4} N s");
        assert!(lost.z < -0.3 * mass(&frames[0]), "{name}: it did not stop");
        assert!((given - lost).length() < 0.01 * lost.length(), "{name}: {given} {lost}");
        with_any_threads(|| run(4).pop().unwrap());
    }
}

/// Two plates that press a thin layer from both sides bear the same force, in opposite directions, though the layer
/// feels no net force.
#[test]
fn plates_on_both_sides_bear_the_same() {
    let layer = json!({"name": "layer", "shape": {"type": "box", "size": [0.2, 0.2, 0.04]},
        "material": {"type": "smoothed", "rest_density": DENSITY}});
    let plate = |name: &str, from: f64, to: f64| {
        json!({"name": name, "shape": {"type": "box", "size": [1, 1, 0.2]}, "motion": [
            {"frame": 1, "transform": at(0.0, 0.0, from)}, {"frame": 13, "transform": at(0.0, 0.0, to)}]})
    };
    let scene =
        weightless(scene(SPACING, json!([layer]), json!([plate("low", -0.121, -0.115), plate("high", 0.121, 0.115)])));
    let mut simulation = Simulation::new(&scene, &MeshLibrary::new()).unwrap();
    let mut told = Vec::new();
    for _ in 0..12 {
        simulation.advance().unwrap();
        let frame = simulation.frame();
        told.push((on(&frame, 0).0, on(&frame, 1).0));
    }
    let [low, high] =
        [0, 1].map(|n| told.iter().map(|both| if n == 0 { both.0.z } else { both.1.z }).sum::<f64>() / 12.0);
    println!("between plates: {low:.2} N and {high:.2} N");
    assert!(high > 1.0 && (high + low).abs() < 0.02 * high, "{low} {high}");
}
