//! Soft matter: lumps stand, spin and part, and their territories keep their volume.

use crate::common::{advanced, at, floor, scene, simulate, weightless, with, with_any_threads};
use dollop_scene::Scene;
use dollop_sim::{Frame, Simulation};
use glam::DVec3;
use serde_json::{Value, json};
use std::collections::BTreeSet;

const SPACING: f64 = 0.03;

fn ball(name: &str, place: Value, more: Value) -> Value {
    let body = json!({"name": name, "shape": {"type": "sphere", "radius": 0.1}, "transform": place, "material": {"type": "soft"}});
    with(body, &more)
}

fn pieces(frame: &Frame) -> BTreeSet<i32> {
    frame.scalar("piece").unwrap().iter().map(|&piece| piece as i32).collect()
}

/// Linear and angular momentum over mass.
fn momenta(frame: &Frame) -> (DVec3, DVec3) {
    let count = frame.len() as f64;
    let pairs = frame.positions.iter().zip(&frame.velocities).map(|(p, v)| (p.as_dvec3(), v.as_dvec3()));
    let (linear, angular) = pairs.fold((DVec3::ZERO, DVec3::ZERO), |(p, l), (x, v)| (p + v, l + x.cross(v)));
    (linear / count, angular / count)
}

/// A lump that turns and flies keeps doing so with any friction, which acts along the lines between pairs.
#[test]
fn a_lump_turns_on() {
    let spun = json!({"velocity": [0.3, 0, 0], "angular_velocity": [0, 2, 5],
        "material": {"type": "soft", "friction": 20, "viscosity": 10}});
    let scene = weightless(scene(SPACING, json!([ball("lump", at(0.0, 0.0, 0.0), spun)]), json!([])));
    let simulation = simulate(&scene);
    let before = momenta(&simulation.frame());
    let after = momenta(&with_any_threads(|| advanced(simulate(&scene), 12).frame()));
    println!("{before:?} {after:?}");
    assert!(before.0.distance(after.0) < 1e-5);
    assert!(before.1.distance(after.1) < 1e-3 * before.1.length());
}

/// A lump comes to rest on a floor, flatter than it was, and lies still; the energy of its steps is kept.
#[test]
fn a_lump_lies_still() {
    let scene = scene(SPACING, json!([ball("lump", at(0.0, 0.0, 0.13), json!({}))]), json!([floor(0.5)]));
    let mut simulation = simulate(&scene);
    let (mut most, mut drift) = (0.0_f64, 0.0);
    for _ in 0..36 {
        simulation.advance().unwrap();
        most = most.max(simulation.stats().kinetic_energy);
        drift += simulation.stats().energy_drift;
    }
    let frame = simulation.frame();
    let tops = frame.positions.iter().map(|p| p.z);
    let (low, high) = tops.fold((f32::INFINITY, 0.0_f32), |(low, high), z| (low.min(z), high.max(z)));
    let left = simulation.stats().kinetic_energy;
    println!("from {low:.3} to {high:.3} m, {:.1e} of the energy left, drift {:.1e} of it", left / most, drift / most);
    assert!(low > 0.3 * SPACING as f32 && high < 0.2 && high > 0.1);
    assert!(left < 2e-3 * most && drift.abs() < 0.02 * most, "{left} {drift} {most}");
    assert_eq!(pieces(&frame).len(), 1);
}

/// Two lumps that touch are two pieces and roll off each other.
#[test]
fn lumps_do_not_fuse_by_themselves() {
    let bodies = json!([ball("low", at(0.0, 0.0, 0.11), json!({})), ball("high", at(0.04, 0.0, 0.33), json!({}))]);
    let frame = advanced(simulate(&scene(SPACING, bodies, json!([floor(0.2)]))), 24).frame();
    let centre = |body: u32| {
        let own = frame.positions.iter().zip(&frame.sources).filter(|(_, source)| **source == body);
        let own: Vec<DVec3> = own.map(|(p, _)| p.as_dvec3()).collect();
        own.iter().sum::<DVec3>() / own.len() as f64
    };
    let apart = centre(0).distance(centre(1));
    println!("{apart:.3} m apart");
    assert!(pieces(&frame).len() == 2 && apart > 0.15);
}

/// A rod between two sticky plates that move apart is drawn out to two pieces, and each stays on its plate.
#[test]
fn a_rod_is_drawn_apart() {
    let plate = |name: &str, keys: &[(i32, f64)]| {
        let motion: Vec<Value> =
            keys.iter().map(|&(frame, z)| json!({"frame": frame, "transform": at(0.0, 0.0, z)})).collect();
        json!({"name": name, "shape": {"type": "box", "size": [0.4, 0.4, 0.04]}, "motion": motion, "adhesion": 1, "friction": 1})
    };
    let rod = json!([{"name": "rod", "shape": {"type": "cylinder", "radius": 0.07, "height": 0.2}, "transform": at(0.0, 0.0, 0.0),
        "material": {"type": "soft"}}]);
    let plates = |to: f64| json!([plate("low", &[(1, -0.121), (24, -to)]), plate("high", &[(1, 0.121), (24, to)])]);
    let scene: Scene = weightless(scene(0.025, rod, plates(0.35)));
    let frame = advanced(simulate(&scene), 30).frame();
    let of = frame.scalar("piece").unwrap();
    let mut sizes: Vec<usize> =
        pieces(&frame).iter().map(|&piece| of.iter().filter(|&&p| p as i32 == piece).count()).collect();
    sizes.sort_unstable_by(|a, b| b.cmp(a));
    let middle = frame.positions.iter().filter(|p| p.z.abs() < 0.05).count();
    println!("pieces of {sizes:?}, {middle} in the middle");
    assert!(sizes.len() >= 2 && sizes[1] > frame.len() / 8);
    assert!(middle * 20 < frame.len());
}

/// A thin blade that moves down through a bar and up again leaves two pieces, which stay on the table. The blade comes
/// down a little beside the middle, where it would meet a row of particles head on.
#[test]
fn a_knife_cuts() {
    let keys = [(1, 0.25), (12, 0.091), (24, 0.25)];
    let motion: Vec<Value> =
        keys.iter().map(|&(frame, z)| json!({"frame": frame, "transform": at(0.001, 0.0, z)})).collect();
    let knife = json!({"name": "knife", "shape": {"type": "box", "size": [0.006, 0.3, 0.18]}, "motion": motion, "friction": 0.2});
    let bar = json!([{"name": "bar", "shape": {"type": "box", "size": [0.3, 0.1, 0.08]}, "transform": at(0.0, 0.0, 0.04),
        "material": {"type": "soft", "stiffness": 100, "viscosity": 10}}]);
    let scene = scene(0.02, bar, json!([floor(0.5), knife]));
    let frame = advanced(simulate(&scene), 27).frame();
    let of = frame.scalar("piece").unwrap();
    let on = |left: bool| -> BTreeSet<i32> {
        let side = of.iter().zip(&frame.positions).filter(|(_, p)| (p.x < 0.0) == left && p.x.abs() > 0.01);
        side.map(|(&piece, _)| piece as i32).collect()
    };
    let top = frame.positions.iter().map(|p| p.z).fold(0.0, f32::max);
    println!("{:?} and {:?}, up to {top:.3} m", on(true), on(false));
    assert!(on(true).len() == 1 && on(false).len() == 1 && on(true) != on(false));
    assert!(top < 0.12);
}

/// Two lumps that fly at each other.
fn colliding(more: &Value, speed: f64, aside: f64) -> Scene {
    let of = |name: &str, x: f64, y: f64, v: f64| {
        let material = json!({"type": "soft", "stiffness": 100, "friction": 0, "viscosity": 0, "contact_friction": 0, "volume_rate": 0});
        ball(name, at(x, y, 0.0), json!({"velocity": [v, 0, 0], "material": with(material, more)}))
    };
    weightless(scene(SPACING, json!([of("a", -0.13, 0.0, speed), of("b", 0.13, aside, -speed)]), json!([])))
}

/// Action equals reaction, nothing turns by itself, and elastic lumps keep their energy: contact is the gradient of the
/// energy that it stores.
#[test]
fn contact_keeps_momentum_and_energy() {
    keeps_momentum_and_energy(0.0, 2e-3);
    // Volume control moves skins where nothing touches them.
    keeps_momentum_and_energy(10.0, 1e-2);
}

fn keeps_momentum_and_energy(volume_rate: f64, tolerance: f64) {
    let mut simulation = simulate(&colliding(&json!({"volume_rate": volume_rate}), 0.5, 0.05));
    let before = momenta(&simulation.frame());
    let energy = |simulation: &Simulation| simulation.stats().kinetic_energy + simulation.stats().elastic_energy;
    let (first, mut drift, mut most) = (simulation.stats().kinetic_energy, 0.0_f64, 0.0_f64);
    let start = energy(&simulation);
    for _ in 0..24 {
        simulation.advance().unwrap();
        drift += simulation.stats().energy_drift;
        most = most.max((energy(&simulation) - start).abs());
    }
    let after = momenta(&simulation.frame());
    let turned = simulation.frame().velocities.iter().map(|v| f64::from(v.y.abs())).fold(0.0, f64::max);
    println!("{before:?} {after:?}, drift {:.1e}, energy off by {:.1e}", drift / first, most / first);
    assert!(turned > 0.05, "they have met");
    assert!(before.0.distance(after.0) < 1e-6 && before.1.distance(after.1) < 1e-5 * before.1.length());
    assert!(drift.abs() < tolerance * first && most < tolerance * first);
    assert_eq!(pieces(&simulation.frame()).len(), 2);
}

/// Friction between pieces brakes one on the other, and takes no momentum from both.
#[test]
fn pieces_rub_each_other() {
    let moved = |friction: f64| {
        let more = json!({"contact_friction": friction, "viscosity": 5});
        let simulation = advanced(simulate(&colliding(&more, 1.0, 0.12)), 12);
        let (linear, _) = momenta(&simulation.frame());
        assert!(linear.length() < 1e-6);
        let frame = simulation.frame();
        let spin: f64 =
            (0..frame.len()).filter(|&i| frame.sources[i] == 0).map(|i| f64::from(frame.velocities[i].x)).sum();
        spin / frame.len() as f64 * 2.0
    };
    let (smooth, rough) = (moved(0.0), moved(1.0));
    println!("{smooth:.3} m/s without friction, {rough:.3} m/s with");
    assert!(rough < smooth - 0.02);
}

/// Fusion in a collision that takes less than a frame does not depend on the length of frames.
#[test]
fn fusion_does_not_depend_on_frames() {
    let fused = |threshold: f64, rate: f64| {
        let mut scene = colliding(&json!({"fusion_pressure": threshold, "volume_rate": 10}), 1.0, 0.0);
        scene.frames.rate = rate;
        scene.frames.end = 240;
        let frame = advanced(simulate(&scene), (rate * 0.2) as usize).frame();
        frame.scalar("fused").unwrap().iter().filter(|&&fused| fused == 1.0).count()
    };
    for (threshold, expected) in [(5e3, true), (3e4, false)] {
        let [coarse, fine] = [24.0, 240.0].map(|rate| fused(threshold, rate));
        println!("{threshold} Pa: {coarse} or {fine}");
        assert!(coarse == fine && (fine > 8) == expected, "{threshold} Pa: {coarse} {fine}");
    }
}

/// Blocks that land on each other, a millimetre lower, press by several times their weight at first: they fuse where
/// the threshold is below that, and not where it is well above.
#[test]
fn pieces_fuse_under_pressure() {
    let block = |name: &str, z: f64, threshold: f64| {
        json!({"name": name, "shape": {"type": "box", "size": [0.2, 0.2, 0.15]}, "transform": at(0.0, 0.0, z),
            "material": {"type": "soft", "stiffness": 200, "viscosity": 40, "fusion_pressure": threshold}})
    };
    let weight = 1000.0 * 9.81 * 0.15;
    let lumps = |threshold: f64| {
        let bodies = json!([block("low", 0.075, threshold), block("high", 0.226, threshold)]);
        let scene = scene(0.025, bodies, json!([floor(0.5)]));
        let frame = with_any_threads(|| advanced(simulate(&scene), 8).frame());
        let of: BTreeSet<i32> = frame.scalar("lump").unwrap().iter().map(|&lump| lump as i32).collect();
        let fused = frame.scalar("fused").unwrap().iter().filter(|&&fused| fused == 1.0).count();
        let apart = frame.positions.iter().zip(&frame.sources).map(|(p, &source)| p.z * (source as f32 * 2.0 - 1.0));
        (of.len(), fused, apart.sum::<f32>() * 2.0 / frame.len() as f32)
    };
    let (fused, apart) = (lumps(0.7 * weight), lumps(10.0 * weight));
    println!("{fused:?} {apart:?}");
    assert!(fused.0 == 1 && fused.1 > 40);
    assert!((apart.0, apart.1) == (2, 0) && apart.2 > 0.13);
}

/// Matter that a resting lid presses onto the floor has no velocity into it.
#[test]
fn pressed_matter_lies_still() {
    let lid = |frame: i32, z: f64| json!({"frame": frame, "transform": at(0.0, 0.0, z)});
    let lid = json!({"name": "lid", "shape": {"type": "box", "size": [0.6, 0.6, 0.04]},
        "motion": [lid(1, 0.19), lid(9, 0.054)]});
    let ball = json!([{"name": "lump", "shape": {"type": "sphere", "radius": 0.08}, "transform": at(0.0, 0.0, 0.081),
        "material": {"type": "soft", "stiffness": 400, "viscosity": 20}}]);
    let scene = scene(0.025, ball, json!([floor(0.5), lid]));
    let frame = with_any_threads(|| advanced(simulate(&scene), 16).frame());
    let places = frame.positions.iter().zip(&frame.velocities);
    let on_walls: Vec<_> = places.filter(|(p, _)| p.z < 1e-6 || p.z > 0.034 - 1e-6).map(|(_, v)| v.length()).collect();
    let fastest = on_walls.iter().copied().fold(0.0, f32::max);
    println!("{} on walls, {fastest} m/s; all {} m/s", on_walls.len(), frame.stats.max_speed);
    assert!(!on_walls.is_empty() && fastest < 1e-3 && frame.stats.max_speed < 0.05);
}

/// Warnings for matter too soft for its height name the stiffness that is enough, at any size.
#[test]
fn matter_that_sags_is_warned_of() {
    let warnings = |size: f64, stiffness: f64| {
        let ball = json!([{"name": "lump", "shape": {"type": "sphere", "radius": size / 2.0},
            "material": {"type": "soft", "stiffness": stiffness}}]);
        simulate(&scene(size / 8.0, ball, json!([]))).estimate().warnings
    };
    for size in [0.01, 0.3, 10.0] {
        let enough = 50.0 * 9.81 * size;
        assert_eq!(warnings(size, 1.1 * enough), [""; 0]);
        let told = warnings(size, 0.7 * enough);
        assert!(told.len() == 1 && told[0].contains("up to a third of its height as it lands"), "{told:?}");
        let (_, advice) = told[0].rsplit_once("raise it to ").unwrap();
        let advised: f64 = advice.split_once(" or more").unwrap().0.parse().unwrap();
        assert!((0.8..1.1).contains(&(advised / enough)) && warnings(size, advised).is_empty(), "{told:?}");
        assert!(warnings(size, 0.2 * enough)[0].contains("to three quarters"));
    }
}

/// Displacement of a block on another, m, over some frames of a 24th of a second, on a slope of some tangent.
fn slid(friction: f64, tangent: f64, frames: usize) -> f64 {
    let block = |name: &str, size: [f64; 3], z: f64| {
        json!({"name": name, "shape": {"type": "box", "size": size}, "transform": at(0.0, 0.0, z),
            "material": {"type": "soft", "stiffness": 400, "viscosity": 40, "fusion_pressure": 0, "contact_friction": friction}})
    };
    let bodies = json!([block("low", [0.9, 0.25, 0.1], 0.05), block("high", [0.25, 0.2, 0.15], 0.176)]);
    let mut scene = scene(0.025, bodies, json!([floor(3.0)]));
    let along = 9.81 / (1.0 + tangent * tangent).sqrt();
    scene.gravity = [along * tangent, 0.0, -along];
    scene.sleep = false;
    let simulation = simulate(&scene);
    let apart = |frame: &Frame| {
        let centre = |body: u32| {
            let own = frame.positions.iter().zip(&frame.sources).filter(|(_, source)| **source == body);
            let own: Vec<f64> = own.map(|(p, _)| f64::from(p.x)).collect();
            own.iter().sum::<f64>() / own.len() as f64
        };
        centre(1) - centre(0)
    };
    let before = apart(&simulation.frame());
    apart(&advanced(simulation, frames).frame()) - before
}

/// Friction holds a block on a slope that does not overcome it; on a steeper slope it slides, no faster than Coulomb
/// friction lets it. Particles that lie between those of the other block hold it besides.
#[test]
fn friction_of_pieces_holds_on_a_slope() {
    let crept = slid(0.5, 0.2, 10) / 0.025;
    let (way, seconds) = (slid(0.3, 0.8, 6), 6.0 / 24.0_f64);
    let free = 9.81 * (0.8 - 0.3) / (1.0 + 0.8 * 0.8_f64).sqrt() * seconds * seconds / 2.0;
    println!("creeps {crept:.3} spacings; slides {way:.3} m of {free:.3}");
    assert!(crept.abs() < 0.1 && way > 0.4 * free && way < 1.15 * free);
}

/// A stiff body far away does not shorten the steps of soft ones that meet.
#[test]
fn contacts_do_not_hasten_others() {
    let far = || ball("far", at(3.0, 0.0, 0.0), json!({"material": {"type": "soft", "stiffness": 30000}}));
    let evaluations = |meet: bool, stiff: bool| {
        let mut scene = colliding(&json!({}), 1.0, 0.0);
        scene.sleep = false;
        if !meet {
            scene.bodies.clear();
        }
        if stiff {
            scene.bodies.push(serde_json::from_value(far()).unwrap());
        }
        let mut simulation = simulate(&scene);
        let mut count = 0;
        for _ in 0..6 {
            simulation.advance().unwrap();
            count += simulation.stats().force_evaluations;
        }
        count
    };
    let (alone, stiff, all) = (evaluations(true, false), evaluations(false, true), evaluations(true, true));
    println!("{alone} evaluations, {} with a stiff body far away", all - stiff);
    assert!(all - stiff < alone + alone / 20);
}

/// Lumps at several times the speed of sound may pass through each other, with a warning; slower ones do not.
#[test]
fn lumps_too_fast_for_contact_are_warned_of() {
    let remarks = |speed: f64| advanced(simulate(&colliding(&json!({}), speed, 0.0)), 1).remarks();
    let (slow, fast) = (remarks(1.0), remarks(30.0));
    println!("{fast:?}");
    assert!(slow.is_empty() && fast.len() == 1 && fast[0].contains("gone through each other"));
}

/// With any friction, matter settles beside other matter, and takes a bounded number of steps as it lands.
#[test]
fn friction_without_end_costs_steps_with_an_end() {
    for friction in [30.0, 100.0, 1000.0] {
        let soft = |x: f64| {
            json!({"name": "soft", "shape": {"type": "box", "size": [0.12, 0.12, 0.12]}, "transform": at(x, 0.0, 0.1),
                "material": {"type": "soft", "friction": friction}})
        };
        let water = json!({"name": "water", "shape": {"type": "box", "size": [0.12, 0.12, 0.12]}, "transform": at(1.0, 0.0, 0.1)});
        let scene = scene(SPACING, json!([soft(0.0), water]), json!([floor(0.5)]));
        let mut simulation = simulate(&scene);
        simulation.find_steps().unwrap();
        let told = simulation.estimate().steps_per_frame;
        let mut most = 0;
        for _ in 0..8 {
            simulation.advance().unwrap();
            most = most.max(simulation.stats().steps);
        }
        let stats = simulation.stats();
        println!(
            "friction {friction}: {told} steps told, at most {most} taken, pressed by {:.2}",
            stats.max_compression
        );
        assert!(most <= 6 * told && stats.max_compression < 0.5, "{friction}: {told} {most} {}", stats.max_compression);
    }
}

/// A blow needs short steps only while it lasts: with ten times as many frames, in which steps are chosen anew more
/// often, the number of evaluations is about the same.
#[test]
fn steps_grow_again_within_a_frame() {
    let evaluations = |rate: f64| {
        let ball = |name: &str, x: f64, speed: f64| {
            ball(
                name,
                at(x, 0.0, 0.0),
                json!({"velocity": [speed, 0, 0], "material": {"type": "soft", "stiffness": 200, "friction": 2}}),
            )
        };
        let mut scene = weightless(scene(SPACING, json!([ball("a", 0.0, 0.5), ball("b", 0.24, -0.5)]), json!([])));
        (scene.frames.rate, scene.settle) = (rate, false);
        let mut simulation = simulate(&scene);
        let frame = |simulation: &mut Simulation| {
            simulation.advance().unwrap();
            simulation.stats().force_evaluations
        };
        (0..(rate / 4.0) as usize).map(|_| frame(&mut simulation)).sum::<u64>()
    };
    let (seldom, often) = (evaluations(24.0), evaluations(240.0));
    println!("{seldom} evaluations at 24 frames a second, {often} at 240");
    assert!((seldom as f64) < 1.2 * often as f64, "{seldom} {often}");
}
