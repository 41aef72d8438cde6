//! Matter that outflows remove.

use crate::common::{advance_and_resume, at, flat, floor, is_same, scene, simulate, weightless};
use crate::oriented::rectangle;
use dollop_scene::{Outflow, Scene};
use dollop_sim::{Frame, MeshLibrary, Simulation};
use glam::Vec3;
use serde_json::{Value, json};
use std::collections::BTreeMap;

const SPACING: f64 = 0.02;

fn outflows(of: Value) -> Vec<Outflow> {
    serde_json::from_value(of).unwrap()
}

/// A weightless block of a material that sinks at 2 m/s through a region below.
fn sinking(material: Value) -> Scene {
    let block = json!({"name": "block", "shape": {"type": "box", "size": [0.1, 0.1, 0.1]}, "material": material,
        "velocity": [0, 0, -2], "temperature": 350});
    let mut scene = weightless(scene(SPACING, json!([block]), json!([])));
    scene.heat = Some(serde_json::from_value(json!({})).unwrap());
    scene.settle = false;
    scene.outflows = outflows(json!([
        {"name": "drain", "shape": {"type": "box", "size": [1, 1, 1]}, "transform": at(0.0, 0.0, -0.7)}
    ]));
    scene
}

/// Every model, with its special features.
pub fn materials() -> [(&'static str, Value); 8] {
    [
        ("honey", json!({"type": "continuum"})),
        ("liquid", json!({"type": "smoothed"})),
        ("clay", json!({"type": "smoothed", "yield_stress": 500})),
        ("wax", json!({"type": "thermal"})),
        ("dough", json!({"type": "soft"})),
        ("dough that keeps its volume", json!({"type": "soft", "volume_rate": 5})),
        ("cloth", json!({"type": "oriented"})),
        ("toffee", json!({"type": "oriented", "growth": 4, "viscosity": 5})),
    ]
}

fn by_id(frame: &Frame) -> BTreeMap<u32, Vec3> {
    frame.ids.iter().copied().zip(frame.positions.iter().copied()).collect()
}

/// A frame later exactly the particles in a region are gone. The others keep their identities.
fn check_removal(before: &Frame, after: &Frame, is_in: impl Fn(Vec3) -> bool) {
    let (was, is) = (by_id(before), by_id(after));
    assert_eq!(is.len(), after.len(), "an id of two particles");
    let speed = after.velocities.iter().chain(&before.velocities).map(|v| v.length()).fold(0.0, f32::max);
    for (id, &place) in &was {
        match is.get(id) {
            None => assert!(is_in(place), "{id} at {place} is gone"),
            Some(now) => {
                assert!(!is_in(place), "{id} at {place} is still there");
                assert!(now.distance(place) < 2.0 * speed * before.interval as f32, "{id} went from {place} to {now}");
            }
        }
    }
}

/// Matter of any model that moves through a region is removed to the last particle; the remaining particles keep their
/// ids, and an interrupted bake has the same bits.
#[test]
fn all_matter_can_be_removed() {
    let warm = materials().into_iter().map(|(name, material)| (name, sinking(material)));
    let cold = materials().into_iter().map(|(name, material)| (name, Scene { heat: None, ..sinking(material) }));
    for (name, scene) in warm.chain(cold) {
        let start = || Simulation::new(&scene, &MeshLibrary::new()).unwrap();
        let mut whole = start();
        let mut frames = vec![whole.frame()];
        let mut cut = None;
        let mut before = whole.stats().heat.map(|heat| heat.stored);
        for _ in 0..8 {
            whole.advance().unwrap();
            let stats = whole.stats();
            assert!(stats.max_compression.is_finite(), "{name}");
            if let (Some(heat), Some(before)) = (stats.heat, &mut before) {
                let off = heat.stored - *before - (heat.walls + heat.air + heat.heaters + heat.outflows);
                assert!(off.abs() <= 1e-9 * *before, "{name}: {off} J of {before}");
                *before = heat.stored;
            }
            if whole.frame().len() < frames[0].len() && cut.is_none() {
                cut = Some((frames.len(), whole.state()));
            }
            frames.push(whole.frame());
        }
        let counts: Vec<usize> = frames.iter().map(Frame::len).collect();
        println!("{name}: {counts:?}");
        assert!(counts[8] == 0 && counts.iter().any(|count| (1..counts[0]).contains(count)), "{name}: {counts:?}");
        for pair in frames.windows(2) {
            // A rounded place may lie on the other side of the border.
            check_removal(&pair[0], &pair[1], |place| place.z < -0.2);
        }
        let (at, state) = cut.unwrap();
        let mut resumed = start();
        resumed.resume(state, frames[at].number).unwrap();
        for frame in &frames[at + 1..] {
            resumed.advance().unwrap();
            assert!(is_same(&resumed.frame(), frame), "{name}");
        }
    }
}

/// Nothing passes an outflow between two frames: matter that falls through a thin one, nor what one passes that leaps.
/// A bake that goes on from any frame removes the same.
#[test]
fn nothing_passes_an_outflow_between_frames() {
    let slab = json!({"type": "box", "size": [1, 1, 1e-6]});
    let leap = |frame: i32, x: f64| json!({"frame": frame, "transform": at(x, 0.0, 0.0)});
    for (what, speed, outflow) in [
        ("thin", -5.0, json!({"name": "drain", "shape": slab, "transform": at(0.0, 0.0, -0.3)})),
        (
            "turned",
            -5.0,
            json!({"name": "drain", "shape": slab,
            "transform": {"translation": [0, 0, -0.3], "rotation": [0.924, 0.383, 0, 0]}}),
        ),
        (
            "fast",
            0.0,
            json!({"name": "broom", "shape": {"type": "box", "size": [0.1, 1, 1]},
            "motion": [leap(3, -2.0), leap(4, 3.0)]}),
        ),
    ] {
        let mut scene = sinking(json!({"type": "smoothed"}));
        scene.bodies[0].velocity = [0.0, 0.0, speed];
        scene.outflows = outflows(json!([outflow, {"name": "idle", "shape": slab, "transform": at(9.0, 0.0, 0.0)}]));
        let start = || Simulation::new(&scene, &MeshLibrary::new()).unwrap();
        let mut whole = start();
        let mut counts = vec![whole.frame().len()];
        for _ in 0..6 {
            advance_and_resume(&mut whole, start, what);
            counts.push(whole.frame().len());
        }
        println!("{what}: {counts:?}");
        assert!(counts[0] > 100 && counts[6] == 0, "{what}: {counts:?}");
        let remarks = whole.remarks();
        assert!(remarks.len() == 1 && remarks[0].contains("\"idle\" has removed nothing"), "{remarks:?}");
    }
}

/// In the plane, inverted: all matter that leaves a box is removed.
#[test]
fn matter_that_leaves_a_box_can_be_removed() {
    let drop = json!({"name": "drop", "shape": {"type": "sphere", "radius": 0.1}, "transform": at(0.0, 0.0, 0.1),
        "material": {"type": "smoothed"}});
    let mut scene = flat(scene(SPACING, json!([drop]), json!([floor(0.0)])));
    scene.outflows =
        outflows(json!([{"name": "table", "shape": {"type": "box", "size": [0.4, 1, 2]}, "inverted": true}]));
    let mut simulation = simulate(&scene);
    let all = simulation.frame().len();
    let mut before = simulation.frame();
    for _ in 0..24 {
        simulation.advance().unwrap();
        let after = simulation.frame();
        check_removal(&before, &after, |place| place.x.abs() > 0.2);
        before = after;
    }
    println!("{} of {all} are left", before.len());
    assert!((all / 4..all).contains(&before.len()));
}

/// Pins go on to hold the same particles when removals have changed the numbers.
#[test]
fn pins_hold_the_same_particles_after_removals() {
    let sheet = json!({"name": "sheet", "shape": {"type": "mesh", "path": "sheet"}, "material": {"type": "oriented"},
        "pins": [{"name": "end", "vertices": [[0.2, -0.1, 0], [0.2, 0.1, 0]]}]});
    let mut scene = scene(SPACING, json!([sheet]), json!([]));
    scene.outflows = outflows(json!([
        {"name": "left", "shape": {"type": "box", "size": [0.2, 1, 1]}, "transform": at(-0.2, 0.0, 0.0)}
    ]));
    let meshes = rectangle(0.4, 0.2);
    let mut simulation = Simulation::new(&scene, &meshes).unwrap();
    let start = simulation.frame();
    let held = |frame: &Frame| -> BTreeMap<u32, Vec3> {
        let at_rest = frame.vector("rest_position").unwrap();
        let own = (0..frame.len()).filter(|&n| at_rest[n].x > 0.199 - 0.5 * SPACING as f32);
        own.map(|n| (frame.ids[n], frame.positions[n])).collect()
    };
    for _ in 0..6 {
        simulation.advance().unwrap();
    }
    let now = simulation.frame();
    println!("{} of {} are left, {} held", now.len(), start.len(), held(&now).len());
    assert!(now.len() < start.len() * 4 / 5 && !held(&now).is_empty());
    assert_eq!(held(&now), held(&start));
}

/// Lumps of soft matter that touch as they are filled in lose particles, and a bake goes on from any frame to the same
/// bits: it remembers no contact of particles that were there at the start.
#[test]
fn touching_lumps_lose_particles() {
    let lump = |name: &str, z: f64| {
        json!({"name": name, "shape": {"type": "sphere", "radius": 0.06}, "transform": at(0.0, 0.0, z),
            "material": {"type": "soft", "fusion_pressure": 2000}, "velocity": [0, 0, -2], "temperature": 350})
    };
    let mut scene = Scene { bodies: Vec::new(), ..sinking(json!({"type": "soft"})) };
    scene.bodies = serde_json::from_value(json!([lump("low", 0.0), lump("high", 0.11)])).unwrap();
    let start = || Simulation::new(&scene, &MeshLibrary::new()).unwrap();
    let mut whole = start();
    let mut counts = vec![whole.frame().len()];
    for _ in 0..8 {
        advance_and_resume(&mut whole, start, "lumps");
        counts.push(whole.frame().len());
    }
    println!("{counts:?}");
    assert!(counts[8] < counts[0] / 2 && counts.iter().any(|count| (1..counts[0]).contains(count)), "{counts:?}");
}

/// What outflows remove elsewhere changes nothing of where matter on a grid meets walls, nor do the bits of a resumed
/// bake differ.
#[test]
fn matter_on_a_grid_meets_walls_as_well_after_a_removal() {
    let start = || {
        let material = json!({"type": "continuum", "viscosity": 1.0});
        let block = |name: &str, x: f64, z: f64, size: f64| {
            json!({"name": name, "shape": {"type": "box", "size": [size, size, size]}, "transform": at(x, 0.0, z),
                "velocity": [0, 0, -4], "material": material})
        };
        let ball = json!({"name": "ball", "shape": {"type": "sphere", "radius": 0.06}, "transform": at(0.0, 0.0, 0.0)});
        let bodies = json!([block("far", 2.0, 0.0, 0.3), block("near", 0.0, 0.75, 0.24)]);
        let mut scene = scene(0.03, bodies, json!([ball]));
        scene.outflows = outflows(json!([
            {"name": "drain", "shape": {"type": "box", "size": [1, 1, 1]}, "transform": at(2.0, 0.0, -0.9)}
        ]));
        simulate(&scene)
    };
    let mut whole = start();
    let (all, mut closest) = (whole.frame().len(), f32::INFINITY);
    for frame in 0..6 {
        if frame == 3 {
            advance_and_resume(&mut whole, start, "matter on a grid with an outflow");
        } else {
            whole.advance().unwrap();
        }
        closest = whole.frame().positions.iter().fold(closest, |closest, place| closest.min(place.length()));
    }
    assert!(whole.frame().len() < all, "nothing was removed");
    assert!(closest > 0.058, "{closest} m from the middle of a ball of 0.06 m");
}
