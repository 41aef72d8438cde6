//! Soft matter: lumps stand, spin and part, and their territories keep their volume.

use crate::common::{advanced, at, floor, scene, simulate, weightless, with_any_threads};
use dollop_scene::Scene;
use dollop_sim::Frame;
use glam::DVec3;
use serde_json::{Value, json};
use std::collections::BTreeSet;

const SPACING: f64 = 0.03;

fn ball(name: &str, place: Value, more: Value) -> Value {
    let mut body = json!({"name": name, "shape": {"type": "sphere", "radius": 0.1}, "transform": place, "material": {"type": "soft"}});
    body.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    body
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

/// A lump that turns and flies keeps doing so, whatever its friction: that acts along the lines between pairs.
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

/// A rod between two sticky plates that part is drawn out to two pieces, of which each stays on its plate.
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
