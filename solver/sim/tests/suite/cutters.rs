//! Sheets that fall or are drawn through standing cutters.

use crate::common::{at, scene, with_any_threads};
use crate::oriented::{SPACING, rectangle, sheet};
use dollop_scene::{Pin, Scene};
use dollop_sim::{Frame, Simulation};
use glam::Vec3;
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// A sheet at a place with a velocity, m/s, and a standing region that cuts.
fn standing(transform: Value, velocity: [f64; 3], shape: Value, place: [f64; 3]) -> Scene {
    let mut body = sheet("sheet", transform, json!({"viscosity": 5}));
    body["velocity"] = json!(velocity);
    let mut scene = scene(SPACING, json!([body]), json!([]));
    scene.settle = false;
    let [x, y, z] = place;
    let tools = json!([{"name": "cutter", "action": "cut", "shape": shape, "transform": at(x, y, z)}]);
    scene.tools = serde_json::from_value(tools).unwrap();
    scene
}

/// Numbers of the pieces of a sheet that was cut.
#[derive(Debug, PartialEq)]
struct Pieces {
    /// Pieces of at least three particles.
    large: usize,
    /// Particles in smaller pieces.
    alone: usize,
    /// Particles of the two largest pieces that lie on the other side of a line than most of their piece.
    wrong: usize,
}

/// Two pieces and nothing else.
const TWO: Pieces = Pieces { large: 2, alone: 0, wrong: 0 };

fn pieces(name: &str, frame: &Frame, is_in: impl Fn(Vec3) -> bool) -> Pieces {
    let mut members: BTreeMap<u32, Vec<Vec3>> = BTreeMap::new();
    let rest = frame.vector("rest_position").unwrap();
    for (piece, place) in frame.scalar("sheet").unwrap().iter().zip(rest) {
        members.entry(*piece as u32).or_default().push(*place);
    }
    let mut all: Vec<Vec<Vec3>> = members.into_values().collect();
    all.sort_by_key(|piece| std::cmp::Reverse(piece.len()));
    let sides = |piece: &Vec<Vec3>| {
        let within = piece.iter().filter(|place| is_in(**place)).count();
        within.min(piece.len() - within)
    };
    let wrong = all.iter().take(2).map(sides).sum();
    println!("{name}: {:?}, {wrong} on the other side", all.iter().map(Vec::len).collect::<Vec<_>>());
    let large = all.iter().take_while(|piece| piece.len() >= 3).count();
    Pieces { large, alone: all.iter().skip(large).map(Vec::len).sum(), wrong }
}

fn after(scene: &Scene, frames: usize) -> Frame {
    let mut simulation = Simulation::new(scene, &rectangle(0.4, 0.4)).unwrap();
    (0..frames).for_each(|_| simulation.advance().unwrap());
    simulation.frame()
}

fn tube(height: f64) -> Value {
    json!({"type": "cylinder", "radius": 0.1, "height": height})
}

/// A standing biscuit cutter cuts a biscuit out of a sheet that falls through it, flat or tilted, or that falls whole
/// through its lower end.
#[test]
fn a_standing_cutter_cuts_out_one_piece() {
    for (height, speed) in [(0.3, 0.0), (0.002, 0.5)] {
        let scene = standing(at(0.0, 0.0, 0.0), [0.0, 0.0, -speed], tube(height), [0.0, 0.0, -0.02 - height / 2.0]);
        let frame = if height > 0.1 { with_any_threads(|| after(&scene, 12)) } else { after(&scene, 12) };
        let found = pieces(&format!("flat, {height} m, {speed} m/s"), &frame, |p| p.x.hypot(p.y) < 0.1);
        assert_eq!(found, TWO, "{height} {speed}");
    }
    let (sin, cos) = 0.25_f64.sin_cos();
    let turned = json!({"translation": [0, 0, 0.1], "rotation": [cos, 0, sin, 0]});
    let scene = standing(turned, [0.0; 3], tube(0.3), [0.0, 0.0, -0.17]);
    let found = pieces("tilted", &after(&scene, 14), |p| p.x.hypot(p.y) < 0.1);
    assert!(found.large == 2 && found.alone == 0 && found.wrong <= 2);
}

/// A sheet hangs from its rim in a standing region: the region cuts out the part within it, however the sheet trembles
/// and sags.
#[test]
fn a_region_that_stands_around_a_part_cuts_it_out() {
    let mut scene = standing(at(0.0, 0.0, 0.0), [0.0; 3], tube(0.3), [0.0, 0.013, 0.0]);
    let mut body = sheet("sheet", at(0.0, 0.0, 0.0), json!({"viscosity": 5, "stretch_stiffness": 500}));
    let rim = json!([[-0.2, -0.2, 0.0], [0.2, -0.2, 0.0], [0.2, 0.2, 0.0], [-0.2, 0.2, 0.0]]);
    body["pins"] = json!([{"name": "rim", "vertices": rim}]);
    scene.bodies = serde_json::from_value(json!([body])).unwrap();
    let mut simulation = Simulation::new(&scene, &rectangle(0.4, 0.4)).unwrap();
    for frame in 0..=30 {
        if frame % 10 == 0 {
            let found = pieces(&format!("frame {frame}"), &simulation.frame(), |p| p.x.hypot(p.y - 0.013) < 0.1);
            assert_eq!(found, TWO, "frame {frame}");
        }
        simulation.advance().unwrap();
    }
}

/// A sheet that moves slanted through a standing region parts from the piece that the region passes, and neither along
/// its front nor within.
#[test]
fn a_sheet_that_moves_slanted_through_a_region_stays_whole() {
    for (sideways, down) in [(0.05, 1.0), (1.0, 1.0), (1.0, 0.0)] {
        let shape = json!({"type": "cylinder", "radius": 0.05, "height": 0.2});
        let scene = standing(at(-0.1, 0.0, 0.0), [sideways, 0.0, -down], shape, [0.0, 0.0, -0.12]);
        let name = format!("slanted, {sideways} and {down} m/s");
        let Pieces { large, alone, .. } = pieces(&name, &after(&scene, 14), |_| true);
        assert!(large == 2 && alone <= 2, "{name}");
    }
}

/// A standing blade cuts a line into a sheet that falls onto its edge, and into one that is drawn along it.
#[test]
fn a_standing_blade_cuts_a_line() {
    let blade = json!({"type": "box", "size": [1.0, 0.001, 0.2]});
    let scene = standing(at(0.0, 0.0, 0.0), [0.0, 0.0, -0.5], blade, [0.0, 0.013, -0.12]);
    assert_eq!(pieces("fallen onto a blade", &after(&scene, 14), |p| p.y > 0.013), TWO);
    let blade = json!({"type": "box", "size": [0.001, 0.1, 0.3]});
    let mut scene = standing(at(0.0, 0.0, 0.0), [0.0; 3], blade, [0.013, 0.3, 0.0]);
    let edge = |side: f64| json!([[side * 0.2, -0.2, 0.0], [side * 0.2, 0.2, 0.0]]);
    let keys = json!([{"frame": 1, "transform": at(0.0, 0.0, 0.0)}, {"frame": 21, "transform": at(0.0, 0.6, 0.0)}]);
    let pin = |name: &str, side: f64| json!({"name": name, "vertices": edge(side), "motion": keys});
    scene.bodies[0].pins = serde_json::from_value::<Vec<Pin>>(json!([pin("left", -1.0), pin("right", 1.0)])).unwrap();
    let found = pieces("drawn along a blade", &after(&scene, 22), |p| p.x > 0.013);
    assert!(found.large == 2 && found.alone == 0 && found.wrong <= 2);
}
