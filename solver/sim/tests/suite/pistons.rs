//! Pistons drive matter through tubes, and plates press it out of gaps.

use crate::common::{advanced, flat, scene, simulate, turned_at, weightless};
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

/// How a tube of four boxes along its z stands, with a piston that comes down on honey, all without gravity and
/// friction: the piston pushes all out at its own speed.
struct Syringe {
    spacing: f64,
    /// Its turn about its axis and its tilt about y, radians.
    turn: f64,
    tilt: f64,
    /// The speed along x at which all of it is carried, m/s.
    carried: f64,
    /// The most that matter may go at, seen from the tube, over the piston's speed.
    fastest: f64,
}

fn piston(&Syringe { spacing, turn, tilt, carried, .. }: &Syringe) -> Scene {
    let rotation = rotation(turn, tilt);
    let carry = DVec3::X * carried;
    let motion = |place: DVec3, velocity: DVec3| {
        let key = |frame: i32| {
            let place = rotation * place + velocity * f64::from(frame - 1) / 24.0;
            json!({"frame": frame, "transform": turned_at(place, rotation)})
        };
        json!([key(1), key(13)])
    };
    let thickness = 0.03;
    let (away, outer) = (f64::midpoint(TUBE, thickness), TUBE + 2.0 * thickness);
    let wall = |number: usize, x: f64, y: f64, size: [f64; 2]| {
        json!({"name": format!("wall {number}"), "shape": {"type": "box", "size": [size[0], size[1], WALLS]},
            "motion": motion(DVec3::new(x, y, WALLS / 2.0), carry), "friction": 0.0})
    };
    let edge = TUBE + 2.0 * OVERLAP;
    let colliders: Vec<Value> = vec![
        wall(0, away, 0.0, [thickness, outer]),
        wall(1, -away, 0.0, [thickness, outer]),
        wall(2, 0.0, away, [outer, thickness]),
        wall(3, 0.0, -away, [outer, thickness]),
        json!({"name": "piston", "shape": {"type": "box", "size": [edge, edge, WALLS]}, "friction": 0.0,
            "motion": motion(DVec3::Z * (FILLED + WALLS / 2.0), carry - rotation * DVec3::Z * SPEED)}),
    ];
    let material = json!({"type": "continuum", "rest_density": 1300.0, "viscosity": 5.0});
    let body = json!({"name": "honey", "shape": {"type": "box", "size": [TUBE, TUBE, FILLED]},
        "transform": turned_at(rotation * DVec3::Z * FILLED / 2.0, rotation), "velocity": carry.to_array(),
        "material": material});
    weightless(scene(spacing, json!([body]), json!(colliders)))
}

fn rotation(turn: f64, tilt: f64) -> DQuat {
    DQuat::from_rotation_y(tilt) * DQuat::from_rotation_z(turn)
}

/// Wherever the tube's walls and the piston cut cells, nothing is shot out, and next to nothing is left behind. The
/// first frame, in which the matter begins to move, does not count.
#[test]
fn a_piston_pushes_all_before_it_at_its_speed() {
    let upright = Syringe { spacing: 0.0093, turn: 0.3, tilt: 0.0, carried: 0.0, fastest: 1.15 };
    for syringe in [
        Syringe { spacing: 0.007, turn: 0.5, fastest: 1.1, ..upright },
        Syringe { turn: 0.0, carried: 0.2, ..upright },
        Syringe { carried: 0.2, ..upright },
        Syringe { tilt: 0.6, fastest: 1.1, ..upright },
        Syringe { tilt: 0.6, carried: 0.2, fastest: 1.3, ..upright },
        Syringe { spacing: 0.007, turn: 0.5, tilt: 0.785, fastest: 1.1, ..upright },
        upright,
    ] {
        let Syringe { spacing, turn, tilt, carried, .. } = syringe;
        let mut simulation = simulate(&piston(&syringe));
        let axis = rotation(turn, tilt) * DVec3::Z;
        let (mut fastest, mut behind) = (0.0f64, 0);
        for frame in 2..=12 {
            simulation = advanced(simulation, 1);
            let after = f64::from(frame - 1) / 24.0;
            let found = simulation.frame();
            if frame > 2 {
                let carry = DVec3::X * carried;
                let above = |place: &Vec3| (place.as_dvec3() - carry * after).dot(axis) - (FILLED - SPEED * after);
                let all = found.positions.iter().zip(&found.velocities);
                let (left, before): (Vec<_>, Vec<_>) = all.partition(|(place, _)| above(place) > 0.1 * spacing);
                behind = behind.max(left.len());
                let speeds = before.into_iter().map(|(_, v)| (v.as_dvec3() - carry).length() / SPEED);
                fastest = speeds.fold(fastest, f64::max);
            }
        }
        let count = simulation.frame().positions.len();
        let found = format!("{fastest:.3} of the piston's speed, {behind} of {count} behind");
        let case = format!("{spacing} m, turned {turn}, tilted {tilt}, carried at {carried} m/s");
        println!("{case}: {found}");
        assert!(fastest < syringe.fastest, "{case}: {found}");
        assert!(behind * 200 < count, "{case}: {found}");
    }
}

/// Width and height of a block of honey in the plane, m, the spacing, and how narrow a plate makes its gap, in
/// spacings.
const BLOCK: [f64; 2] = [0.12, 0.06];
const FINE: f64 = 0.01;
const NARROW: f64 = 1.6;

/// A plate comes on honey until the gap is less than a cell of the grid, in 15 of 20 frames, without gravity. The other
/// plate is so far from the origin, m; both face along z, or along x.
fn press(off: f64, is_upright: bool) -> Scene {
    let turn = if is_upright { DQuat::from_rotation_y(std::f64::consts::FRAC_PI_2) } else { DQuat::IDENTITY };
    let placed = |height: f64| turned_at(turn * DVec3::Z * (off + height), turn);
    let key = |frame: i32, gap: f64| json!({"frame": frame, "transform": placed(gap + 0.05)});
    let plate = |name: &str, motion: Value| json!({"name": name, "shape": {"type": "box", "size": [1.2, 1.0, 0.1]}, "friction": 1.0, "motion": motion});
    let honey = json!({"name": "honey", "shape": {"type": "box", "size": [BLOCK[0], 1.0, BLOCK[1]]},
        "transform": placed(BLOCK[1] / 2.0),
        "material": {"type": "continuum", "rest_density": 1300.0, "viscosity": 10.0}});
    let standing = plate("standing", json!([key(1, -0.1)]));
    let moving = plate("moving", json!([key(1, BLOCK[1] + 0.002), key(16, NARROW * FINE), key(20, NARROW * FINE)]));
    flat(weightless(scene(FINE, json!([honey]), json!([standing, moving]))))
}

/// However the plates cut cells, what they hold is nearly as wide as its volume asks.
#[test]
fn plates_press_a_liquid_out_of_a_gap_narrower_than_a_cell() {
    let wide = BLOCK[0] * BLOCK[1] / (NARROW * FINE);
    for (off, is_upright) in [0.0, 0.0031, 0.0131, 0.0071].into_iter().flat_map(|off| [(off, false), (off, true)]) {
        let found = advanced(simulate(&press(off, is_upright)), 19).frame().positions;
        let along = |place: &Vec3| f64::from(if is_upright { place.z } else { place.x }).abs();
        let part = 4.0 * found.iter().map(along).sum::<f64>() / found.len() as f64 / wide;
        println!("off {off} m, upright {is_upright}: {part:.3} of its width");
        assert!((0.75..1.1).contains(&part), "off {off} m, upright {is_upright}: {part} of its width");
    }
}
