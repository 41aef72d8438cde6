//! Pistons drive matter through tubes.

use crate::common::{advanced, scene, simulate, turned_at, weightless};
use dollop_scene::Scene;
use glam::{DQuat, DVec3, Vec3};
use serde_json::{Value, json};

/// Inner edge of the square tube, how far its walls and what fills it reach up, and how deep the piston goes at once
/// into the walls beside it, m.
const TUBE: f64 = 0.1;
const WALLS: f64 = 0.3;
const FILLED: f64 = 0.2;
const OVERLAP: f64 = 0.01;
/// Speed of the piston, m/s.
const SPEED: f64 = 0.3;

/// A tube of four boxes along z, turned about it, with a piston that comes down on honey, all without gravity and
/// friction: the piston pushes all out at its own speed.
fn piston(spacing: f64, turn: f64) -> Scene {
    let rotation = DQuat::from_rotation_z(turn);
    let placed = |place: DVec3| turned_at(rotation * place, rotation);
    let thickness = 0.03;
    let (away, outer) = (f64::midpoint(TUBE, thickness), TUBE + 2.0 * thickness);
    let wall = |number: usize, x: f64, y: f64, size: [f64; 2]| {
        json!({"name": format!("wall {number}"), "shape": {"type": "box", "size": [size[0], size[1], WALLS]},
            "transform": placed(DVec3::new(x, y, WALLS / 2.0)), "friction": 0.0})
    };
    let key = |frame: i32| {
        let low = FILLED - SPEED * f64::from(frame - 1) / 24.0;
        json!({"frame": frame, "transform": placed(DVec3::new(0.0, 0.0, low + WALLS / 2.0))})
    };
    let edge = TUBE + 2.0 * OVERLAP;
    let colliders: Vec<Value> = vec![
        wall(0, away, 0.0, [thickness, outer]),
        wall(1, -away, 0.0, [thickness, outer]),
        wall(2, 0.0, away, [TUBE, thickness]),
        wall(3, 0.0, -away, [TUBE, thickness]),
        json!({"name": "piston", "shape": {"type": "box", "size": [edge, edge, WALLS]}, "friction": 0.0,
            "motion": [key(1), key(13)]}),
    ];
    let material = json!({"type": "continuum", "rest_density": 1300.0, "viscosity": 5.0});
    let body = json!({"name": "honey", "shape": {"type": "box", "size": [TUBE, TUBE, FILLED]},
        "transform": placed(DVec3::new(0.0, 0.0, FILLED / 2.0)), "material": material});
    weightless(scene(spacing, json!([body]), json!(colliders)))
}

/// Wherever the tube's walls and the piston cut cells, nothing is shot out, and next to nothing is left behind. The
/// first frame, in which the matter begins to move, does not count.
#[test]
fn a_piston_pushes_all_before_it_at_its_speed() {
    for (spacing, turn) in [(0.0093, 0.3), (0.007, 0.5)] {
        let mut simulation = simulate(&piston(spacing, turn));
        let (mut fastest, mut behind) = (0.0f64, 0);
        for frame in 2..=12 {
            simulation = advanced(simulation, 1);
            let low = FILLED - SPEED * f64::from(frame - 1) / 24.0;
            let found = simulation.frame();
            if frame > 2 {
                let is_behind = |place: &&Vec3| f64::from(place.z) > low + 0.1 * spacing;
                behind = behind.max(found.positions.iter().filter(is_behind).count());
                let speeds = found.velocities.iter().map(|v| f64::from(v.length()) / SPEED);
                fastest = speeds.fold(fastest, f64::max);
            }
        }
        let count = simulation.frame().positions.len();
        println!("{spacing} m: at most {fastest:.3} of the piston's speed, {behind} of {count} behind");
        assert!(fastest < 1.1, "{spacing} m: {fastest} of the piston's speed");
        assert!(behind * 200 < count, "{spacing} m: {behind} of {count} behind");
    }
}
