//! How walls hold solids on a grid: Coulomb's friction along them, adhesion across them.

use crate::common::{
    advanced, assert_same_bits, at, centre, check_sliding, drift, flat, floor, on_slope, period, scene, simulate, with,
};
use dollop_scene::Scene;
use dollop_sim::{Frame, Simulation};
use serde_json::{Value, json};

const DENSITY: f64 = 1000.0;

/// A block of a solid, with its middle at a height, m.
fn block(size: [f64; 3], height: f64, settings: &Value) -> Value {
    let material = with(json!({"type": "continuum", "rest_density": DENSITY, "viscosity": 1.0}), settings);
    json!({"name": "block", "shape": {"type": "box", "size": size}, "transform": at(0.0, 0.0, height),
        "material": material})
}

/// A block of a solid on a slope.
fn sliding_block(spacing: f64, modulus: f64, friction: f64) -> Scene {
    let block = block([0.3, 0.2, 0.1], 0.05, &json!({"shear_modulus": modulus}));
    on_slope(scene(spacing, json!([block]), json!([floor(friction)])))
}

/// A block on a slope slides by Coulomb's law, soft or stiff and at two spacings, and stays where friction holds it.
#[test]
fn a_solid_block_slides_by_its_friction() {
    for (spacing, modulus) in [(0.02, 1e5), (0.014, 3e4)] {
        check_sliding(|friction| sliding_block(spacing, modulus, friction));
        let stays = drift(&advanced(simulate(&sliding_block(spacing, modulus, 0.6)), 12).frame());
        println!("at a friction of 0.6: {:.5} m/s", stays.x);
        assert!(stays.x.abs() < 0.01, "{stays}");
    }
}

/// A body on the slope of a collider that is turned by an angle, and lies at none of the faces of cells. Its middle is
/// at a height above the slope.
fn on_turned_slope(spacing: f64, angle: f64, friction: f64, mut body: Value, height: f64) -> Scene {
    let (sin, cos) = angle.sin_cos();
    let turned = json!([(angle / 2.0).cos(), 0.0, (angle / 2.0).sin(), 0.0]);
    body["transform"] = json!({"translation": [height * sin, 0.0, height * cos], "rotation": turned});
    let mut slope = floor(friction);
    slope["transform"] = json!({"rotation": turned});
    scene(spacing, json!([body]), json!([slope]))
}

/// The acceleration down such a slope over the second quarter of a second.
fn acceleration(scene: &Scene, angle: f64) -> f64 {
    let down = |frame: &Frame| drift(frame).x * angle.cos() - drift(frame).z * angle.sin();
    let early = advanced(simulate(scene), 6);
    let before = down(&early.frame());
    (down(&advanced(early, 6).frame()) - before) / 0.25
}

/// A block slides down a collider that is turned as gravity and friction say, and a stiff one stays where friction
/// holds it.
#[test]
fn a_solid_block_slides_on_colliders_that_are_turned() {
    for (spacing, degrees, modulus, friction) in
        [(0.02, 20.0, 1e5, 0.0), (0.02, 20.0, 1e5, 0.2), (0.014, 20.0, 1e6, 0.2), (0.02, 45.0, 1e4, 0.2)]
    {
        let angle = f64::to_radians(degrees);
        let block = block([0.3, 0.3, 0.15], 0.0, &json!({"shear_modulus": modulus}));
        let found = acceleration(&on_turned_slope(spacing, angle, friction, block, 0.075), angle);
        let exact = 9.81 * (angle.sin() - friction * angle.cos());
        println!(
            "{spacing} m, {degrees} degrees, {modulus} Pa, friction {friction}: {found:.3} m/s^2, exact {exact:.3}"
        );
        assert!((found / exact - 1.0).abs() < 0.05, "{found} instead of {exact}");
    }
    let (angle, stiff) = (f64::to_radians(30.0), block([0.3, 0.3, 0.15], 0.0, &json!({"shear_modulus": 1e6})));
    let scene = on_turned_slope(0.02, angle, 1.0, stiff, 0.075);
    let start = centre(&simulate(&scene).frame());
    let frame = advanced(simulate(&scene), 24).frame();
    println!("at 30 degrees and a friction of 1: {} m on, {} m/s", centre(&frame) - start, drift(&frame));
    assert!((centre(&frame) - start).length() < 2e-3 && drift(&frame).length() < 2e-3);
}

/// Plates of one and two layers of particles slide down a collider that is turned, and none of them is flung off it.
#[test]
fn thin_plates_slide_on_colliders_that_are_turned() {
    let angle = f64::to_radians(20.0);
    for thickness in [0.02, 0.04] {
        let plate = block([0.3, 0.3, thickness], 0.0, &json!({"shear_modulus": 1e5}));
        let scene = on_turned_slope(0.02, angle, 0.2, plate, thickness / 2.0);
        let found = acceleration(&scene, angle);
        let exact = 9.81 * (angle.sin() - 0.2 * angle.cos());
        let frame = advanced(simulate(&scene), 24).frame();
        let own = |v: &glam::Vec3| (v.as_dvec3() - drift(&frame)).length();
        let apart = frame.velocities.iter().map(own).fold(0.0, f64::max);
        println!("{thickness} m: {found:.3} m/s^2, exact {exact:.3}; at most {apart:.4} m/s off the mean");
        assert!((found / exact - 1.0).abs() < 0.05, "{found} instead of {exact}");
        assert!(apart < 0.1, "{apart} m/s off the mean");
    }
}

/// A ball rolls down a slope, where one that only slid would stay. It loses much, as contacts lie in the middles of
/// cells: of 5/7 g sin it gets faster by a third and more.
#[test]
fn a_ball_rolls_down_a_slope() {
    let angle = f64::to_radians(15.0);
    let mut ball = block([0.1; 3], 0.0, &json!({"shear_modulus": 1e6}));
    ball["shape"] = json!({"type": "sphere", "radius": 0.1});
    let found = acceleration(&on_turned_slope(0.0125, angle, 0.5, ball, 0.1), angle);
    let exact = 5.0 / 7.0 * 9.81 * angle.sin();
    println!("a ball rolls by {found:.3} m/s^2, without losses by {exact:.3}");
    assert!((0.33..1.05).contains(&(found / exact)), "{found} instead of {exact}");
}

/// Walls push and do not pull: what lies below a ceiling without adhesion falls as freely as what a floor falls away
/// from.
#[test]
fn walls_do_not_hold_what_leaves_them() {
    let below = |adhesion: Option<f64>| {
        let mut scene = below_a_ceiling(0.02, 0.0, 0.0);
        if adhesion.is_none() {
            scene.colliders.clear();
        }
        centre(&advanced(simulate(&scene), 12).frame()).z
    };
    let (found, free) = (below(Some(0.0)), below(None));
    println!("after half a second at {found:.4} m, without a ceiling at {free:.4} m");
    assert!((found - free).abs() < 2e-3, "{found} {free}");
}

/// A bar below a ceiling that it sticks to, as well as a part of its strength. Its weight over its section is 2 943 Pa.
fn below_a_ceiling(spacing: f64, adhesion: f64, strength: f64) -> Scene {
    let settings = json!({"shear_modulus": 3e4, "strength": strength, "fracture_energy": 20.0});
    let bar = block([0.1, 0.1, 0.3], -0.15, &settings);
    let ceiling = json!({"name": "ceiling", "shape": {"type": "box", "size": [1.0, 1.0, 0.2]},
        "transform": at(0.0, 0.0, 0.1), "friction": 0.5, "adhesion": adhesion});
    scene(spacing, json!([bar]), json!([ceiling]))
}

/// Matter hangs from what it sticks to while the pull is less than adhesion times strength, and comes off otherwise.
/// Set free, it pulls by up to twice its weight.
#[test]
fn matter_hangs_from_what_it_sticks_to() {
    let fallen = |spacing: f64, adhesion: f64, strength: f64| {
        let frame = advanced(simulate(&below_a_ceiling(spacing, adhesion, strength)), 12).frame();
        let fallen = -0.15 - centre(&frame).z;
        println!("spacing {spacing} m, adhesion {adhesion}, strength {strength} Pa: {fallen:.3} m down");
        fallen
    };
    for spacing in [0.02, 0.014] {
        assert!(fallen(spacing, 1.0, 0.0) < 0.02 && fallen(spacing, 0.5, 2e4) < 0.02);
    }
    assert!(fallen(0.02, 0.05, 2e4) > 0.25);
}

/// A beam that sticks to a wall swings about the place where it would hang, at its lowest frequency: 1.5 density g L^4
/// over E h^2 below, at 0.1615 h / L^2 times the root of E over density, with E = 4 G in the
/// plane (Euler and Bernoulli).
#[test]
fn a_beam_that_sticks_to_a_wall_bends_by_its_modulus() {
    const LENGTH: f64 = 0.48;
    const HEIGHT: f64 = 0.08;
    const YOUNG: f64 = 8e5;
    const RATE: f64 = 48.0;
    let mut beam = block([LENGTH, 1.0, HEIGHT], 0.0, &json!({"shear_modulus": YOUNG / 4.0}));
    beam["transform"] = at(LENGTH / 2.0, 0.0, 0.0);
    let wall = json!({"name": "wall", "shape": {"type": "box", "size": [0.2, 2.0, 2.0]},
        "transform": at(-0.1, 0.0, 0.0), "friction": 0.5, "adhesion": 1.0});
    let mut scene = flat(scene(0.005, json!([beam]), json!([wall])));
    scene.gravity = [0.0, 0.0, -1.0];
    (scene.frames.rate, scene.frames.end) = (RATE, 100);
    let mut simulation = simulate(&scene);
    let is_tip: Vec<bool> = simulation.frame().positions.iter().map(|p| f64::from(p.x) > 0.97 * LENGTH).collect();
    let tip = |frame: &Frame| {
        let all: Vec<f64> =
            frame.positions.iter().zip(&is_tip).filter(|(_, is)| **is).map(|(p, _)| f64::from(p.z)).collect();
        all.iter().sum::<f64>() / all.len() as f64
    };
    let heights: Vec<f64> = (0..80)
        .map(|_| {
            simulation.advance().unwrap();
            tip(&simulation.frame())
        })
        .collect();
    let (found, low) = (period(&heights, 1.0 / RATE), -heights.iter().sum::<f64>() / heights.len() as f64);
    let exact = LENGTH * LENGTH / (0.1615 * HEIGHT) * (DENSITY / YOUNG).sqrt();
    let hangs = 1.5 * DENSITY * LENGTH.powi(4) / (YOUNG * HEIGHT * HEIGHT);
    println!("period {found:.4} s, exact {exact:.4}; {low:.5} m down, exact {hangs:.5}");
    assert!((found / exact - 1.0).abs() < 0.12 && (low / hangs - 1.0).abs() < 0.26, "{found} s, {low} m");
}

fn block_that_slides() -> Simulation {
    simulate(&sliding_block(0.03, 1e4, 0.2))
}

/// The same bits for any number of threads, and for a bake that was cut and resumed.
#[test]
fn what_slides_has_the_same_bits_again() {
    assert_same_bits(block_that_slides, 8, "a block that slides");
}
