//! Surface tension of matter on a grid, against closed forms.

use crate::common::{advance_and_resume, advanced, assert_same_bits, centre, flat, floor, scene, simulate, weightless};
use dollop_scene::Scene;
use dollop_sim::{Frame, Simulation};
use glam::{DVec3, Vec3};
use serde_json::{Value, json};
use std::f64::consts::PI;

const DENSITY: f64 = 1000.0;
const TENSION: f64 = 0.072;

fn liquid(viscosity: f64, angle: f64) -> Value {
    json!({"type": "continuum", "rest_density": DENSITY, "viscosity": viscosity, "surface_tension": TENSION,
        "contact_angle": angle})
}

/// A drop of a radius, stretched along the axes, off the lattice.
fn drop_of(radius: f64, scale: [f64; 3], place: [f64; 3], material: Value) -> Value {
    json!({"name": "drop", "shape": {"type": "sphere", "radius": radius}, "material": material,
        "transform": {"scale": scale, "translation": place}})
}

/// Mean squares of places about their mean along each axis.
fn spreads(frame: &Frame) -> DVec3 {
    let middle = centre(frame);
    let squares = frame.positions.iter().map(|p| (p.as_dvec3() - middle).powf(2.0));
    squares.sum::<DVec3>() / frame.len() as f64
}

/// The period of a liquid ball of a radius (Rayleigh 1879, "On the capillary phenomena of jets", Proceedings of the
/// Royal Society 29; Lamb, Hydrodynamics, section 275).
fn period(radius: f64) -> f64 {
    2.0 * PI / (8.0 * TENSION / (DENSITY * radius.powi(3))).sqrt()
}

/// A drawn-out ball of water swings at its period, within 6 %: a swing so large is some per cent slower. It keeps most
/// of its swing, stays where it is and does not begin to turn.
#[test]
fn a_drop_swings_at_its_period() {
    const RADIUS: f64 = 0.012;
    for spacing in [0.002, 0.0012] {
        let drop = drop_of(RADIUS, [0.88, 0.88, 1.29], [3e-4, 2e-4, 1e-4], liquid(1e-3, 90.0));
        let mut scene = weightless(scene(spacing, json!([drop]), json!([])));
        scene.frames.rate = 120.0;
        let mut simulation = simulate(&scene);
        let start = centre(&simulation.frame());
        let long = |frame: &Frame| {
            let spreads = spreads(frame);
            2.0 * spreads.z / (spreads.x + spreads.y) - 1.0
        };
        let mut all = vec![long(&simulation.frame())];
        for _ in 0..72 {
            simulation.advance().unwrap();
            all.push(long(&simulation.frame()));
        }
        let crossed = |n: &usize| all[*n] * all[*n + 1] < 0.0;
        let at = |n: usize| (n as f64 + all[n] / (all[n] - all[n + 1])) / scene.frames.rate;
        let crossings: Vec<f64> = (0..72).filter(crossed).map(at).collect();
        let measured = crossings[2] - crossings[0];
        let [first, later] = [0, (measured * scene.frames.rate).round() as usize].map(|n| all[n]);
        let frame = simulation.frame();
        let drift = (centre(&frame) - start).length();
        let turn = turn(&frame).length();
        let ratio = measured / period(RADIUS);
        println!(
            "spacing {spacing} m: {ratio:.3} of the period, swing {first:.3}, a period later {later:.3}, {drift:.1e} m, {turn:.3}/s"
        );
        assert!((ratio - 1.0).abs() < 0.06, "{ratio}");
        assert!(later > 0.6 * first, "{later} of {first}");
        assert!(drift < 1e-4 && turn < 0.05, "{drift} m, {turn} rad/s");
    }
}

/// The rate at which matter turns about its middle, rad/s.
fn turn(frame: &Frame) -> DVec3 {
    let (middle, mean) =
        (centre(frame), frame.velocities.iter().map(|v| v.as_dvec3()).sum::<DVec3>() / frame.len() as f64);
    let parts = frame.positions.iter().zip(&frame.velocities);
    let momentum = parts.map(|(p, v)| (p.as_dvec3() - middle).cross(v.as_dvec3() - mean)).sum::<DVec3>();
    // That of a ball.
    momentum / (2.0 / 3.0 * spreads(frame).element_sum() * frame.len() as f64)
}

/// The cap of a unit ball that stands at a contact angle on a plane: its volume, mean height and mean square distance
/// from its axis.
fn cap(angle: f64) -> [f64; 3] {
    const PARTS: usize = 4000;
    let height = 1.0 - angle.cos();
    let (mut volume, mut first, mut square) = (0.0, 0.0, 0.0);
    for n in 0..PARTS {
        let z = height * (n as f64 + 0.5) / PARTS as f64;
        let area = PI * (1.0 - (z + angle.cos()).powi(2));
        volume += area * height / PARTS as f64;
        first += z * area * height / PARTS as f64;
        square += area * area / (2.0 * PI) * height / PARTS as f64;
    }
    [volume, first / volume, square / volume]
}

/// The contact angle of a drop on a floor at z = 0: that of the cap whose mean height over its width is that of the
/// particles.
fn angle_of(frame: &Frame) -> f64 {
    let spreads = spreads(frame);
    let flatness = centre(frame).z / (spreads.x + spreads.y).sqrt();
    let of_cap = |degrees: f64| {
        let [_, height, square] = cap(degrees.to_radians());
        height / square.sqrt()
    };
    let found = (20..700).map(|n| f64::from(n) / 4.0).find(|&degrees| of_cap(degrees) > flatness);
    found.unwrap_or(180.0)
}

/// A drop on a floor, without gravity, becomes the cap of a ball that meets the floor at its contact angle, within 8
/// degrees, at a radius of some seven spacings.
#[test]
fn a_drop_meets_a_floor_at_its_angle() {
    for angle in [45.0, 90.0, 130.0] {
        let drop = drop_of(0.008, [1.0; 3], [3e-4, 2e-4, 0.006], liquid(0.05, angle));
        let frame = advanced(simulate(&weightless(scene(0.0012, json!([drop]), json!([floor(0.5)])))), 24).frame();
        let found = angle_of(&frame);
        println!("{angle} degrees: {found}");
        assert!((found - angle).abs() < 8.0, "{angle}: {found}");
    }
}

/// The same drop at another spacing is the same drop, finer: one that lies in its own weight, three to five spacings
/// thick.
#[test]
fn a_drop_lies_alike_at_two_spacings() {
    let shape = |spacing: f64| {
        let drop = drop_of(0.008, [1.0; 3], [3e-4, 2e-4, 0.0082], liquid(0.05, 70.0));
        let frame = advanced(simulate(&scene(spacing, json!([drop]), json!([floor(0.5)]))), 20).frame();
        let spreads = spreads(&frame);
        [centre(&frame).z, (spreads.x + spreads.y).sqrt()]
    };
    let [coarse, fine] = [0.0008, 0.00056].map(shape);
    println!("{coarse:?} {fine:?} m");
    assert!(coarse.iter().zip(fine).all(|(coarse, fine)| (coarse / fine - 1.0).abs() < 0.05), "{coarse:?} {fine:?}");
}

/// A puddle that is about as thick as puddles of water are keeps its edge, with two and with three spacings of height.
#[test]
fn a_puddle_keeps_its_edge() {
    const RADIUS: f64 = 0.02;
    for (spacing, most) in [(0.0016, 1.25), (0.0011, 1.15)] {
        let puddle = json!({"name": "puddle", "shape": {"type": "cylinder", "radius": RADIUS, "height": 0.0032},
            "material": liquid(0.01, 70.0), "transform": {"translation": [2e-4, 1e-4, 0.0016]}});
        let start = simulate(&scene(spacing, json!([puddle]), json!([floor(0.5)])));
        let within = |frame: &Frame| {
            let mut all: Vec<f64> = frame.positions.iter().map(|p| p.as_dvec3().truncate().length()).collect();
            all.sort_by(f64::total_cmp);
            all[all.len() * 19 / 20]
        };
        let before = within(&start.frame());
        let ratio = within(&advanced(start, 20).frame()) / before;
        println!("spacing {spacing} m: {ratio:.3} of the radius");
        assert!((0.95..most).contains(&ratio), "{ratio}");
    }
}

/// No particle rides on a drop: all have others beside them on most sides.
#[test]
fn a_drop_is_smooth() {
    const SPACING: f64 = 0.0005;
    let drop = drop_of(0.004, [1.0; 3], [2e-4, 1e-4, 0.0046], liquid(1e-3, 70.0));
    let frame = advanced(simulate(&scene(SPACING, json!([drop]), json!([floor(0.5)]))), 20).frame();
    let near = |a: Vec3| frame.positions.iter().filter(|b| (a - **b).length() < 2.0 * SPACING as f32).count() - 1;
    let mut counts: Vec<usize> = frame.positions.iter().map(|place| near(*place)).collect();
    counts.sort_unstable();
    println!("neighbours of the loneliest: {:?}", &counts[..8]);
    assert!(counts[0] >= 5, "{:?}", &counts[..8]);
}

/// A ball at rest has the pressure of Young and Laplace, twice the tension over the radius, and stays calm.
#[test]
fn a_ball_has_the_pressure_of_its_surface() {
    const RADIUS: f64 = 0.01;
    let drop = drop_of(RADIUS, [1.0; 3], [3e-4, 2e-4, 1e-4], liquid(0.01, 90.0));
    let frame = advanced(simulate(&weightless(scene(0.0012, json!([drop]), json!([])))), 12).frame();
    let pressures = frame.scalar("pressure").unwrap();
    let middle = centre(&frame);
    let inner = frame.positions.iter().zip(pressures).filter(|(p, _)| (p.as_dvec3() - middle).length() < 0.5 * RADIUS);
    let inner: Vec<f64> = inner.map(|(_, pressure)| f64::from(*pressure)).collect();
    let mean = inner.iter().sum::<f64>() / inner.len() as f64;
    let speeds = frame.velocities.iter().map(|v| f64::from(v.length_squared()));
    let speed = (speeds.sum::<f64>() / frame.len() as f64).sqrt();
    println!("{:.3} of the pressure, {speed:.4} m/s", mean / (2.0 * TENSION / RADIUS));
    assert!((mean / (2.0 * TENSION / RADIUS) - 1.0).abs() < 0.08, "{mean} Pa");
    assert!(speed < 0.004, "{speed} m/s");
}

/// The mean velocity.
fn motion(frame: &Frame) -> DVec3 {
    frame.velocities.iter().map(|v| v.as_dvec3()).sum::<DVec3>() / frame.len() as f64
}

/// A drop of a millimetre falls as gravity says, within 2 %, until it is within a spacing of a floor.
#[test]
fn a_drop_falls_freely_until_it_meets_a_floor() {
    const SPACING: f64 = 5e-5;
    for (friction, angle) in [(1.0, 90.0), (0.0, 60.0)] {
        let drop = drop_of(5e-4, [1.0; 3], [0.0, 0.0, 7e-4], liquid(1e-3, angle));
        let mut scene = scene(SPACING, json!([drop]), json!([floor(friction)]));
        scene.frames.rate = 2000.0;
        let mut simulation = simulate(&scene);
        for frame in 1.. {
            simulation.advance().unwrap();
            let now = simulation.frame();
            let lowest = now.positions.iter().map(|p| f64::from(p.z)).fold(f64::INFINITY, f64::min);
            if lowest < SPACING {
                assert!(frame > 5, "it met the floor in frame {frame}");
                break;
            }
            let (motion, fall) = (motion(&now), DVec3::NEG_Z * 9.81 * f64::from(frame) / scene.frames.rate);
            println!("{lowest:.2e} m up: {motion:.5} of {:.5} m/s", fall.z);
            assert!((motion - fall).length() < 0.02 * fall.length(), "{motion} of {fall} m/s, {lowest} m up");
        }
    }
}

/// How far the matter of a scene moves aside, m, and how fast, m/s, at most in half a second.
fn aside(scene: &Scene) -> [f64; 2] {
    let mut simulation = simulate(scene);
    let start = centre(&simulation.frame());
    (0..12).fold([0.0_f64; 2], |[way, speed], _| {
        simulation.advance().unwrap();
        let frame = simulation.frame();
        let [shift, motion] = [centre(&frame) - start, motion(&frame)].map(|v| v.truncate().length());
        [way.max(shift), speed.max(motion)]
    })
}

/// A drop on a plane without friction stays where it is, wherever it is among the cells.
#[test]
fn a_drop_stays_on_a_slippery_plane() {
    for [x, y] in [[0.0, 0.0], [4.7e-4, 8.3e-4]] {
        let drop = drop_of(0.005, [1.0; 3], [x, y, 0.005], liquid(1e-3, 90.0));
        let [way, speed] = aside(&scene(0.0012, json!([drop]), json!([floor(0.0)])));
        println!("at {x}, {y} m: {way:.1e} m, {speed:.1e} m/s aside");
        assert!(way < 2e-4 && speed < 1e-4, "{way} m, {speed} m/s");
    }
}

/// Liquids of different tension that touch do not drive themselves along a plane.
#[test]
fn two_liquids_do_not_drive_themselves() {
    let block = |name: &str, x: f64, tension: f64| {
        let mut material = liquid(1e-3, 90.0);
        material["surface_tension"] = json!(tension);
        json!({"name": name, "shape": {"type": "box", "size": [0.008, 0.012, 0.006]}, "material": material,
            "transform": {"translation": [x, 0.0, 0.003]}})
    };
    let two = json!([block("strong", -0.004, TENSION), block("weak", 0.004, 0.02)]);
    let [way, speed] = aside(&scene(0.0012, two, json!([floor(0.0)])));
    println!("{way:.1e} m, {speed:.1e} m/s aside");
    assert!(way < 2e-4 && speed < 1e-4, "{way} m, {speed} m/s");
}

/// Two drops of different tension that meet over a floor.
fn two_drops() -> Scene {
    let weak = json!({"type": "continuum", "rest_density": 800.0, "viscosity": 0.01, "surface_tension": 0.02});
    let mut other = drop_of(0.006, [1.0; 3], [0.0, 0.0, 0.017], weak);
    other["name"] = json!("other");
    scene(0.0012, json!([drop_of(0.006, [1.0; 3], [0.0, 0.0, 0.005], liquid(0.01, 60.0)), other]), json!([floor(0.5)]))
}

#[test]
fn surface_tension_has_the_same_bits_again() {
    let start: fn() -> Simulation = || simulate(&two_drops());
    assert_same_bits(start, 4, "two drops");
    let mut simulation = start();
    for _ in 0..3 {
        advance_and_resume(&mut simulation, start, "two drops");
    }
}

/// Matter in the plane rounds as well: a square becomes a disc.
#[test]
fn a_square_in_the_plane_becomes_a_disc() {
    let square = json!({"name": "square", "shape": {"type": "box", "size": [0.02, 0.02, 0.02]},
        "material": liquid(0.1, 90.0)});
    let frame = advanced(simulate(&flat(weightless(scene(0.001, json!([square]), json!([]))))), 24).frame();
    let (middle, radius) = (centre(&frame), 0.02 / PI.sqrt());
    let farthest = frame.positions.iter().map(|p| (p.as_dvec3() - middle).length()).fold(0.0, f64::max);
    println!("{:.3} of the radius", farthest / radius);
    assert!((0.92..1.05).contains(&(farthest / radius)), "{farthest} of {radius} m");
}
