//! What matter leaves on walls that it sticks to, and that it does not come off them.

use crate::common::{advanced, at, centre, continuum, scene, simulate, turned_at, weightless, whipped_cream, with};
use dollop_scene::Scene;
use dollop_sim::Frame;
use glam::{DQuat, DVec3};
use serde_json::{Value, json};

const RATE: f64 = 24.0;

fn sticky(name: &str, shape: Value, motion: Value) -> Value {
    json!({"name": name, "shape": shape, "friction": 1.0, "adhesion": 1.0, "motion": motion})
}

fn honey() -> Value {
    continuum(1420.0, json!({"viscosity": 10.0}))
}

fn toothpaste() -> Value {
    let settings = json!({"viscosity": 1.0, "yield_stress": 200.0, "consistency": 100.0, "flow_index": 0.3});
    continuum(1300.0, settings)
}

fn dough() -> Value {
    let settings = json!({"viscosity": 50.0, "shear_modulus": 5000.0, "yield_stress": 500.0, "consistency": 4000.0,
        "flow_index": 0.5});
    continuum(1100.0, settings)
}

/// Radius of a ball that dips into matter, and the frames in which it gets there, begins to rise, and ends, m.
const BALL: f64 = 0.012;
const DIPPED: i32 = 4;
const RISES: i32 = 6;
const LAST: i32 = 16;
/// Speed of what is drawn away, m/s.
const SPEED: f64 = 0.1;

/// The height of the ball's middle in a frame, m: it dips 8 mm into 20 mm of matter.
fn ball_at(frame: i32) -> f64 {
    let low = 0.02 + BALL - 0.008;
    let away = f64::from((DIPPED - frame).max(frame - RISES).max(0));
    low + SPEED * away / RATE
}

fn dip(spacing: f64, material: Value) -> Scene {
    let key = |frame: i32| json!({"frame": frame, "transform": at(0.0, 0.0, ball_at(frame))});
    let body = json!({"name": "matter", "shape": {"type": "cylinder", "radius": 0.024, "height": 0.02},
        "transform": at(0.0, 0.0, 0.01), "material": material});
    let motion = json!([key(1), key(DIPPED), key(RISES), key(LAST)]);
    let colliders = json!([
        sticky("floor", json!({"type": "plane"}), json!([])),
        sticky("ball", json!({"type": "sphere", "radius": BALL}), motion)
    ]);
    scene(spacing, json!([body]), colliders)
}

/// A ball that is dipped into a paste is drawn out coated, and the coat stays as it is.
#[test]
fn a_ball_is_drawn_out_of_matter_coated() {
    for (name, material) in [("whipped cream", whipped_cream()), ("toothpaste", toothpaste())] {
        let spacing = 0.001_f64;
        let coat = |frame: &Frame, number: i32| {
            let middle = DVec3::Z * ball_at(number);
            let lies = frame.positions.iter().filter(|place| place.as_dvec3().distance(middle) < BALL + 0.004);
            lies.count() as f64 * spacing.powi(3)
        };
        let simulation = advanced(simulate(&dip(spacing, material)), 11);
        let before = coat(&simulation.frame(), 12);
        let after = coat(&advanced(simulation, 4).frame(), LAST);
        println!("{name}: {:.0} mm^3 on the ball, a sixth of a second later {:.0}", before * 1e9, after * 1e9);
        assert!(after > 3e-7, "{name}: {after} m^3");
        assert!(after > 0.85 * before, "{name}: {before} m^3, then {after}");
    }
}

/// A film of one and two layers of honey runs down a wall that it sticks to at the mean velocity of Nusselt's film,
/// g h^2 / (3 nu).
#[test]
fn a_film_runs_down_a_wall_as_its_thickness_says() {
    let spacing = 0.002_f64;
    for layers in [1.0, 2.0] {
        let thickness = layers * spacing;
        let body = json!({"name": "honey", "shape": {"type": "box", "size": [thickness, 0.06, 0.06]},
            "transform": at(thickness / 2.0, 0.0, 0.0), "material": honey()});
        let wall = sticky("wall", json!({"type": "box", "size": [0.02, 0.3, 0.5]}), json!([]));
        let wall = with(wall, &json!({"transform": at(-0.01, 0.0, 0.0)}));
        let early = advanced(simulate(&scene(spacing, json!([body]), json!([wall]))), 4);
        let before = centre(&early.frame());
        let after = centre(&advanced(early, 6).frame());
        let (found, exact) = ((before.z - after.z) / (6.0 / RATE), 1420.0 * 9.81 * thickness.powi(2) / 30.0);
        println!("{layers} layers: {:.2} mm/s, exact {:.2}", found * 1e3, exact * 1e3);
        assert!((found / exact - 1.0).abs() < 0.12, "{found} m/s instead of {exact}");
    }
}

/// Radius and height of a cylinder between two plates, m.
const RADIUS: f64 = 0.02;

/// Plates that dough sticks to and that are drawn apart, tilted by an angle, without gravity.
fn drawn_apart(spacing: f64, turn: DQuat, material: Value) -> Scene {
    let placed = |height: f64| turned_at(turn * DVec3::Z * height, turn);
    let key = |frame: i32, height: f64| json!({"frame": frame, "transform": placed(height)});
    let plate = json!({"type": "box", "size": [0.1, 0.1, 0.02]});
    let far = RADIUS + 0.01 + 0.05 * f64::from(LAST - 2) / RATE;
    let lid = json!([key(1, RADIUS + 0.01), key(2, RADIUS + 0.01), key(LAST, far)]);
    let colliders = json!([sticky("floor", plate.clone(), json!([key(1, -0.01)])), sticky("lid", plate, lid)]);
    let body = json!({"name": "dough", "shape": {"type": "cylinder", "radius": RADIUS, "height": RADIUS},
        "transform": placed(RADIUS / 2.0), "material": material});
    weightless(scene(spacing, json!([body]), colliders))
}

/// Dough that is drawn apart gets a waist, and stays on both plates: what has no strength never comes off.
#[test]
fn what_never_breaks_does_not_come_off() {
    for (spacing, tilt) in [(0.002, 0.0), (0.002, 0.35), (0.0014, 0.0)] {
        let turn = DQuat::from_rotation_y(tilt);
        let mut simulation = simulate(&drawn_apart(spacing, turn, dough()));
        let near = |frame: &Frame, height: f64| {
            let off = |place: &&glam::Vec3| (place.as_dvec3().dot(turn * DVec3::Z) - height).abs() < spacing;
            frame.positions.iter().filter(off).count() as f64
        };
        let start = simulation.frame();
        simulation = advanced(simulation, 11);
        let end = simulation.frame();
        let height = RADIUS + 0.05 * 10.0 / RATE;
        let [floor, lid] =
            [(0.0, 0.0), (RADIUS, height)].map(|(before, after)| near(&end, after) / near(&start, before));
        let waist = near(&end, height / 2.0) / near(&start, RADIUS / 2.0);
        println!("{spacing} m, tilted {tilt}: {floor:.3} and {lid:.3} of it on the plates, {waist:.3} at the waist");
        assert!(floor > 0.95 && lid > 0.95, "{floor} and {lid} on the plates");
        assert!(waist < 0.65, "{waist} at the waist");
    }
}

/// Matter without any viscosity comes to rest on a sticky floor: a single grain, and a heap.
#[test]
fn what_has_no_viscosity_comes_to_rest_on_sticky_walls() {
    let spacing = 0.02;
    let sand = continuum(1600.0, json!({"viscosity": 0.0, "friction_angle": 34.0}));
    for width in [spacing, 0.2] {
        let body = json!({"name": "sand", "shape": {"type": "box", "size": [width, width, width]},
            "transform": at(0.003, 0.001, width / 2.0 + 0.05), "material": sand});
        let floor = sticky("floor", json!({"type": "plane"}), json!([]));
        let end = advanced(simulate(&scene(spacing, json!([body]), json!([floor]))), 24).frame();
        let fastest = end.velocities.iter().map(|velocity| velocity.length()).fold(0.0, f32::max);
        println!("{width} m: {} particles, at most {fastest} m/s", end.positions.len());
        assert!(end.positions.iter().all(|place| place.is_finite() && place.z > -0.01 && place.z < 0.25));
        assert!(fastest < 0.05, "{fastest} m/s");
    }
}
