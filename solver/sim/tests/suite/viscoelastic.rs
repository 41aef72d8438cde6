//! Matter on a grid that keeps its shape up to a yield stress, against closed forms.

use crate::common::{advanced, assert_same_bits, at, flat, floor, period, scene, simulate, spread, weightless, with};
use dollop_scene::Scene;
use dollop_sim::{Frame, Simulation};
use serde_json::{Value, json};

const DENSITY: f64 = 1000.0;
const GRAVITY: f64 = 9.81;

/// A material with these settings.
fn matter(settings: &Value) -> Value {
    with(json!({"type": "continuum", "rest_density": DENSITY, "viscosity": 0.0}), settings)
}

/// A block that stands on the ground, at a height of it.
fn block(size: [f64; 3], ground: f64, settings: &Value) -> Value {
    json!({"name": "block", "shape": {"type": "box", "size": size}, "transform": at(0.0, 0.0, ground + size[2] / 2.0),
        "material": matter(settings)})
}

fn mean(values: impl Iterator<Item = f32>) -> f64 {
    let all: Vec<f64> = values.map(f64::from).collect();
    all.iter().sum::<f64>() / all.len() as f64
}

/// The same scene at other spacings is the same shot: a block with a yield stress slumps as far within 5 %, and stands.
#[test]
fn a_block_with_a_yield_stress_slumps_alike_and_stands() {
    let slump = |spacing: f64| {
        let block = block([0.5, 0.5, 0.4], 0.0, &json!({"yield_stress": 400, "viscosity": 10}));
        let mut simulation = advanced(simulate(&scene(spacing, json!([block]), json!([floor(0.5)]))), 24);
        let after = spread(&simulation.frame());
        simulation = advanced(simulation, 24);
        let last = spread(&simulation.frame());
        println!("spacing {spacing} m: {after:.4} m after a second, {last:.4} m after two");
        assert!((last / after - 1.0).abs() < 0.003, "{after} {last}");
        last
    };
    let [coarse, middle, fine] = [0.04, 0.028, 0.02].map(slump);
    assert!((coarse / fine - 1.0).abs() < 0.05 && (middle / fine - 1.0).abs() < 0.05, "{coarse} {middle} {fine}");
}

/// The mean velocity of the middle of a layer, m/s, after a second on a slope of 30 degrees, with a yield stress over
/// the shear stress at its bottom.
fn layer_on_a_slope(ratio: f64, shift: f64) -> f64 {
    let (depth, length, slope) = (0.2, 3.2, 30.0_f64.to_radians());
    let bottom = DENSITY * GRAVITY * depth * slope.sin();
    let settings = json!({"yield_stress": ratio * bottom, "viscosity": 100.0});
    let ground =
        json!({"name": "ground", "shape": {"type": "plane"}, "transform": at(0.0, 0.0, shift), "friction": 0.5});
    let mut scene = flat(scene(0.02, json!([block([length, 1.0, depth], shift, &settings)]), json!([ground])));
    scene.gravity = [GRAVITY * slope.sin(), 0.0, -GRAVITY * slope.cos()];
    let frame = advanced(simulate(&scene), 24).frame();
    let is_inner = |p: &glam::Vec3| f64::from(p.x.abs()) < 0.1 * length;
    mean(frame.positions.iter().zip(&frame.velocities).filter(|(p, _)| is_inner(p)).map(|(_, v)| v.x))
}

/// A layer stands on a slope while the stress at its bottom is less than its yield stress, wherever the wall lies
/// among the cells. Where it is more, the part of its depth in which that is so shears as a viscous film does, and the
/// rest rides on it (Bingham).
#[test]
fn a_layer_stands_on_a_slope_up_to_its_yield_stress() {
    for shift in [0.0, 0.013] {
        let [stands, flows] = [1.05, 0.7].map(|ratio| layer_on_a_slope(ratio, shift));
        let sheared = 0.3 * 0.2;
        let exact = DENSITY * GRAVITY * 0.5 * sheared * sheared / (2.0 * 100.0) * (1.0 - 0.3 / 3.0);
        println!(
            "wall at {shift} m: {stands:.5} m/s at 1.05 of the stress; {:.3} of the exact velocity at 0.7",
            flows / exact
        );
        assert!(stands.abs() < 2e-3, "{stands} m/s");
        assert!((flows / exact - 1.0).abs() < 0.17, "{flows} m/s");
    }
}

/// Frames of a simulation at a rate, 1/s, each as a number.
fn series(scene: &mut Scene, rate: f64, frames: usize, value: impl Fn(&Frame) -> f64) -> Vec<f64> {
    scene.frames.rate = rate;
    scene.frames.end = frames as i32 + 1;
    let mut simulation = simulate(scene);
    let mut one = || {
        simulation.advance().unwrap();
        value(&simulation.frame())
    };
    (0..frames).map(|_| one()).collect()
}

/// A slab that sticks to the floor and is pushed sideways swings as a string with a free end does: at a period of four
/// times its height over the speed of shear waves. Of cells, eight lie across its height, and then four.
#[test]
fn a_slab_swings_at_the_period_of_shear_waves() {
    let height = 0.16;
    for (spacing, modulus, tolerance) in [(0.01, 3000.0, 0.05), (0.01, 300.0, 0.05), (0.0199, 3000.0, 0.13)] {
        let slab = block([2.4, 1.0, height], 0.0, &json!({"shear_modulus": modulus}));
        let mut ground = floor(0.5);
        ground["adhesion"] = json!(1.0);
        let mut scene = flat(weightless(scene(spacing, json!([slab]), json!([ground]))));
        scene.bodies[0].velocity = [0.05, 0.0, 0.0];
        let exact = 4.0 * height / (modulus / DENSITY).sqrt();
        let rate = 32.0 / exact;
        let speeds = series(&mut scene, rate, 128, |frame| {
            mean(frame.positions.iter().zip(&frame.velocities).filter(|(p, _)| p.x.abs() < 0.4).map(|(_, v)| v.x))
        });
        let swing = |part: &[f64]| part.iter().fold(0.0_f64, |most, v| most.max(v.abs()));
        let (found, first, last) = (period(&speeds, 1.0 / rate), swing(&speeds[..32]), swing(&speeds[96..]));
        println!(
            "{spacing} m, {modulus} Pa: {:.3} of the period, {:.2} of the swing after three",
            found / exact,
            last / first
        );
        assert!((found / exact - 1.0).abs() < tolerance, "{found} s, not {exact}");
        assert!(last / first > 0.3 && last / first < 1.05, "{first} {last}");
    }
}

/// A cube of jelly that is let go on a floor wobbles at the same period at three spacings.
#[test]
fn a_cube_of_jelly_wobbles_alike_at_three_spacings() {
    let wobble = |spacing: f64| {
        let cube = block([0.2; 3], 0.0, &json!({"shear_modulus": 3000}));
        let mut scene = scene(spacing, json!([cube]), json!([floor(0.5)]));
        let heights = series(&mut scene, 96.0, 96, |frame| mean(frame.positions.iter().map(|p| p.z)));
        let found = period(&heights, 1.0 / 96.0);
        println!("spacing {spacing} m: {found:.4} s, sunk by {:.4} m", 0.1 - heights.iter().sum::<f64>() / 96.0);
        found
    };
    let [coarse, middle, fine] = [0.02, 0.014, 0.01].map(wobble);
    assert!((coarse / fine - 1.0).abs() < 0.05 && (middle / fine - 1.0).abs() < 0.05, "{coarse} {middle} {fine}");
}

fn drop_of_dough() -> Simulation {
    let settings = json!({"shear_modulus": 5000, "yield_stress": 300, "consistency": 500, "flow_index": 0.5});
    simulate(&scene(0.03, json!([block([0.3; 3], 0.1, &settings)]), json!([floor(0.5)])))
}

/// The same bits for any number of threads, and for a bake that was cut and resumed.
#[test]
fn matter_that_keeps_its_shape_has_the_same_bits_again() {
    assert_same_bits(drop_of_dough, 8, "dough that falls");
}

/// Matter that is stiff for its step gains nothing as it falls on a floor, comes to rest on it and stays whole.
#[test]
fn stiff_matter_that_falls_gains_no_energy() {
    for (modulus, friction) in [(3e5, 0.5), (1e6, 0.5), (1e8, 0.5)] {
        let mut bar = block([0.3, 0.1, 0.1], 0.07, &json!({"shear_modulus": modulus, "viscosity": 10}));
        bar["velocity"] = json!([0.0, 0.0, -0.3]);
        let mut simulation = simulate(&scene(0.01, json!([bar]), json!([floor(friction)])));
        let energy = |frame: &Frame| {
            let of = |(p, v): (&glam::Vec3, &glam::Vec3)| v.length_squared() / 2.0 + GRAVITY as f32 * p.z;
            mean(frame.positions.iter().zip(&frame.velocities).map(of))
        };
        let before = energy(&simulation.frame());
        for _ in 0..12 {
            simulation.advance().unwrap();
            let now = energy(&simulation.frame());
            assert!(now < 1.01 * before, "G {modulus}, friction {friction}: {before} to {now} J/kg");
        }
        let frame = simulation.frame();
        let speed = mean(frame.velocities.iter().map(|v| v.length()));
        let height = mean(frame.positions.iter().map(|p| p.z));
        println!("G {modulus} Pa, friction {friction}: at {speed:.4} m/s {height:.4} m high");
        assert!(speed < 0.02 && (0.048..0.058).contains(&height), "{speed} m/s, {height} m");
    }
}

/// A free plate of one or two layers of particles turns on and gains no energy.
#[test]
fn thin_plates_gain_no_energy() {
    for layers in [1.0, 2.0] {
        let mut plate = block([0.4, 0.3, 0.02 * layers], 0.0, &json!({"shear_modulus": 1e5, "viscosity": 1}));
        plate["angular_velocity"] = json!([1.0, 1.5, 0.5]);
        let mut simulation = simulate(&weightless(scene(0.02, json!([plate]), json!([]))));
        let fastest = |frame: &Frame| frame.velocities.iter().fold(0.0, |most: f32, v| most.max(v.length()));
        let before = fastest(&simulation.frame());
        let mut most = 0.0_f32;
        for _ in 0..24 {
            simulation.advance().unwrap();
            most = most.max(fastest(&simulation.frame()));
        }
        println!("{layers} layers: at most {most:.3} m/s, {before:.3} m/s at the start");
        assert!(most < 1.1 * before, "{most} m/s from {before} m/s");
    }
}

/// A stiff bar on two supports sags as a beam does, whose ends may turn or not: 5 and 1 times
/// density g L^4 / (32 E h^2), with E = 3 G (Euler and Bernoulli). It is as stiff as it says at any spacing.
#[test]
fn a_stiff_bar_hardly_sags() {
    const SPAN: f64 = 0.1;
    const HEIGHT: f64 = 0.016;
    const MODULUS: f64 = 1e6;
    let clamped = DENSITY * GRAVITY * SPAN.powi(4) / (32.0 * 3.0 * MODULUS * HEIGHT * HEIGHT);
    for spacing in [0.004, 0.0028] {
        let bar = block([0.16, 0.06, HEIGHT], 0.04, &json!({"shear_modulus": MODULUS, "viscosity": 10}));
        let support = |name: &str, x: f64| {
            json!({"name": name, "shape": {"type": "box", "size": [0.02, 0.08, 0.04]}, "transform": at(x, 0.0, 0.02),
                "friction": 0.5})
        };
        let supports = json!([support("left", -0.06), support("right", 0.06)]);
        let simulation = simulate(&scene(spacing, json!([bar]), supports));
        let middle = |frame: &Frame| mean(frame.positions.iter().filter(|p| p.x.abs() < 0.01).map(|p| p.z));
        let before = middle(&simulation.frame());
        let sag = before - middle(&advanced(simulation, 15).frame());
        println!(
            "spacing {spacing} m: sags by {:.3} mm, beams by {:.3} to {:.3}",
            1e3 * sag,
            1e3 * clamped,
            5e3 * clamped
        );
        assert!((0.5 * clamped..7.0 * clamped).contains(&sag), "{sag} m");
    }
}
