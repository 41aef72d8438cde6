//! Incompressible matter on a grid, against closed forms.

use crate::common::{
    advanced, assert_same_bits, at, flat, floor, quantile, scene, simulate, spread, volume, weightless, with,
};
use dollop_scene::Scene;
use dollop_sim::{Frame, Simulation};
use glam::DVec3;
use serde_json::{Value, json};
use std::f64::consts::PI;

const DENSITY: f64 = 1000.0;
const GRAVITY: f64 = 9.81;

fn fluid(viscosity: f64) -> Value {
    json!({"type": "continuum", "rest_density": DENSITY, "viscosity": viscosity})
}

fn block(name: &str, size: [f64; 3], place: [f64; 3], viscosity: f64) -> Value {
    let [x, y, z] = place;
    json!({"name": name, "shape": {"type": "box", "size": size}, "transform": at(x, y, z), "material": fluid(viscosity)})
}

/// Nothing favours a side: a cube that drops on a floor spreads around its middle.
#[test]
fn a_cube_spreads_alike_to_all_sides() {
    let cube = block("cube", [0.2; 3], [0.0, 0.0, 0.1], 10.0);
    let frame = advanced(simulate(&scene(0.02, json!([cube]), json!([floor(0.5)]))), 24).frame();
    let mean = frame.positions.iter().map(|p| p.as_dvec3()).sum::<DVec3>() / frame.positions.len() as f64;
    println!("{:.5}, {:.5} m off its middle", mean.x, mean.y);
    assert!(mean.x.abs().max(mean.y.abs()) < 5e-4, "{mean}");
}

/// Matter that goes farther in a step than a plate is thick stays on its side.
#[test]
fn fast_matter_does_not_pass_a_plate() {
    for thickness in [0.005, 0.02, 0.03] {
        let plate = json!({"name": "plate", "shape": {"type": "box", "size": [1.0, 1.0, thickness]}, "friction": 0.5});
        let ball = json!({"name": "ball", "shape": {"type": "sphere", "radius": 0.07}, "transform": at(0.0, 0.0, 0.1),
            "velocity": [0.0, 0.0, -8.0], "material": fluid(0.001)});
        let mut simulation = simulate(&scene(0.01, json!([ball]), json!([plate])));
        for _ in 0..2 {
            simulation.advance().unwrap();
            let frame = simulation.frame();
            let below = frame.positions.iter().filter(|p| p.z < 0.0 && p.x.abs().max(p.y.abs()) < 0.49).count();
            assert!(below == 0, "{below} of {} below a plate of {thickness} m", frame.positions.len());
        }
    }
}

/// A block of half a metre that stands on a floor.
fn slump(spacing: f64, viscosity: f64) -> Scene {
    let block = block("block", [0.5, 0.5, 0.4], [0.0, 0.0, 0.2], viscosity);
    scene(spacing, json!([block]), json!([floor(0.5)]))
}

fn mean_height(frame: &Frame) -> f64 {
    frame.positions.iter().map(|p| f64::from(p.z)).sum::<f64>() / frame.positions.len() as f64
}

/// Root of the mean square of all speeds, m/s.
fn typical_speed(frame: &Frame) -> f64 {
    let squares = frame.velocities.iter().map(|v| f64::from(v.length_squared()));
    (squares.sum::<f64>() / frame.velocities.len() as f64).sqrt()
}

/// The same scene at other spacings is the same shot: a block spreads as far within 5 %.
#[test]
fn a_block_slumps_alike_at_three_spacings() {
    for viscosity in [20.0, 2000.0] {
        let spread_at = |spacing: f64| spread(&advanced(simulate(&slump(spacing, viscosity)), 24).frame());
        let [coarse, middle, fine] = [0.04, 0.028, 0.02].map(spread_at);
        println!("{viscosity} Pa s: {coarse:.4}, {middle:.4}, {fine:.4} m");
        assert!((coarse / fine - 1.0).abs() < 0.05 && (middle / fine - 1.0).abs() < 0.05, "{coarse} {middle} {fine}");
    }
}

/// The mean velocity of a film that has run down a slope from rest for some seconds (Batchelor 1967, section 4.3,
/// with a free surface).
fn film_velocity(seconds: f64, depth: f64, viscosity: f64, along: f64) -> f64 {
    let kinematic = viscosity / DENSITY;
    let steady = along * depth * depth / (3.0 * kinematic);
    let decaying = (0..200).map(|n| {
        let wave = (f64::from(n) + 0.5) * PI / depth;
        2.0 * along / (kinematic * wave.powi(4) * depth * depth) * (-kinematic * wave * wave * seconds).exp()
    });
    steady - decaying.sum::<f64>()
}

/// The mean velocity over the exact one of a film of a depth, m, in the plane, that has run down a slope at a height,
/// m, whose surface is tilted across the plane by an angle.
fn film_ratio(depth: f64, shift: f64, tilt: f64) -> f64 {
    const SPACING: f64 = 0.02;
    let slope = 30.0_f64.to_radians();
    let length = 2.0_f64.max(16.0 * depth);
    let film = block("film", [length, 1.0, depth], [0.0, 0.0, depth / 2.0 + shift], 10.0);
    let half = tilt / 2.0;
    let tilted = json!({"translation": [0.0, 0.0, shift], "rotation": [half.cos(), half.sin(), 0.0, 0.0]});
    let ground = json!({"name": "ground", "shape": {"type": "plane"}, "transform": tilted, "friction": 0.5});
    let mut scene = flat(scene(SPACING, json!([film]), json!([ground])));
    scene.gravity = [GRAVITY * slope.sin(), 0.0, -GRAVITY * slope.cos()];
    let frame = advanced(simulate(&scene), 10).frame();
    let middle = quantile(frame.positions.iter().map(|p| f64::from(p.x)), 0.5);
    let is_inner = |p: &glam::Vec3| (f64::from(p.x) - middle).abs() < 0.1 * length;
    let inner = frame.positions.iter().zip(&frame.velocities).filter(|(p, _)| is_inner(p));
    let inner: Vec<f64> = inner.map(|(_, v)| f64::from(v.x)).collect();
    inner.iter().sum::<f64>() / inner.len() as f64 / film_velocity(10.0 / 24.0, depth, 10.0, GRAVITY * slope.sin())
}

/// Films of five cells to half of one run down a slope as the exact solution says,
/// wherever the wall lies among the cells.
#[test]
fn films_run_down_a_slope_at_their_speed() {
    for (depth, tolerance) in [(0.2, 0.04), (0.08, 0.1), (0.04, 0.1), (0.02, 0.15)] {
        for shift in [0.0, 0.013] {
            let ratio = film_ratio(depth, shift, 0.0);
            println!("{depth} m, wall at {shift} m: {ratio:.3} of the exact velocity");
            assert!((ratio - 1.0).abs() < tolerance, "{depth} {shift}: {ratio}");
        }
    }
}

/// Matter in the plane meets walls that stand at a slant to it where they cut it.
#[test]
fn a_slope_tilted_across_the_plane_acts_by_its_cut() {
    for (depth, tolerance) in [(0.2, 0.04), (0.04, 0.1)] {
        let ratio = film_ratio(depth, 0.0, PI / 4.0);
        println!("{depth} m: {ratio:.3} of the exact velocity");
        assert!((ratio - 1.0).abs() < tolerance, "{depth}: {ratio}");
    }
}

/// A pool that fills a tank from wall to wall.
fn pool(viscosity: f64, shift: f64) -> Scene {
    let size = [0.96, 0.64, 0.4];
    let tank = json!({"name": "tank", "shape": {"type": "box", "size": [size[0], size[1], 4.0]}, "inverted": true,
        "transform": at(shift, 0.7 * shift, 2.0 + 0.4 * shift), "friction": 0.5});
    scene(0.04, json!([block("pool", size, [shift, 0.7 * shift, 0.2 + 0.4 * shift], viscosity)]), json!([tank]))
}

/// Matter at rest stays at rest, wherever the walls lie among the cells, and the tank bears its weight.
#[test]
fn a_pool_stays_calm_and_weighs_what_it_weighs() {
    for (viscosity, speed) in [(1e-3, 0.08), (10.0, 0.02)] {
        for shift in [0.0, 0.027] {
            let mut simulation = advanced(simulate(&pool(viscosity, shift)), 48);
            let mut force = DVec3::ZERO;
            for _ in 0..24 {
                simulation.advance().unwrap();
                force += simulation.frame().reactions[0].force / 24.0;
            }
            let frame = simulation.frame();
            let volume = volume(&frame);
            let weight = -volume * DENSITY * GRAVITY;
            let even = 0.4 * shift + volume / (0.96 * 0.64) / 2.0;
            let (rising, typical) = (mean_height(&frame) - even, typical_speed(&frame));
            println!(
                "{viscosity} Pa s, {shift} m: {:.4} of the weight, {typical:.4} m/s, risen by {rising:.4} m",
                force.z / weight
            );
            assert!((force.z / weight - 1.0).abs() < 0.002, "{force} N, not {weight}");
            assert!(force.truncate().length() < 0.02 * weight.abs(), "{force} N");
            assert!(typical < speed, "{typical} m/s");
            assert!(rising.abs() < 0.004, "{rising} m");
        }
    }
}

/// Water in a tank comes to rest and keeps its depth, wherever the floor and the surface lie among the cells, which are
/// 4 cm wide.
#[test]
fn a_pool_keeps_its_depth_and_comes_to_rest() {
    for (depth, floors, most) in [(0.084, 10, 0.004), (0.2, 5, 0.008)] {
        for low in (0..floors).map(|n| -0.04 * f64::from(n) / f64::from(floors)) {
            let water = block("water", [0.5, 0.5, depth], [0.0, 0.0, low + depth / 2.0], 1e-3);
            let tank = json!({"name": "tank", "shape": {"type": "box", "size": [0.5, 0.5, 2.0]}, "inverted": true,
                "transform": at(0.0, 0.0, 1.0 + low), "friction": 0.5});
            let mut simulation = advanced(simulate(&scene(0.02, json!([water]), json!([tank]))), 72);
            let mut speed = 0.0;
            for _ in 0..24 {
                simulation.advance().unwrap();
                speed += quantile(simulation.frame().velocities.iter().map(|v| f64::from(v.length())), 0.5) / 24.0;
            }
            let found = 2.0 * (mean_height(&simulation.frame()) - low);
            println!("floor at {low:.3} m: {found:.4} of {depth} m deep, half is slower than {speed:.4} m/s");
            assert!((found / depth - 1.0).abs() < 0.04, "floor at {low} m: {found} m deep");
            assert!(speed < most, "floor at {low} m: {speed} m/s");
        }
    }
}

/// A block of honey in the corner of a tank, which it flows out into.
fn broken_dam(spacing: f64) -> Simulation {
    let block = block("honey", [0.8, 1.0, 1.0], [-0.61, -0.25, 0.5], 10.0);
    let tank = json!({"name": "tank", "shape": {"type": "box", "size": [2.02, 1.52, 4.0]}, "inverted": true,
        "transform": at(0.0, 0.0, 2.0), "friction": 0.5});
    simulate(&scene(spacing, json!([block]), json!([tank])))
}

/// A block that collapses under a lid, with room between as wide as some spacings, falls as without the lid, however
/// thick it is.
#[test]
fn a_block_falls_from_a_lid_that_it_does_not_touch() {
    let collapsed = |viscosity: f64, frames: usize, lid: f64| {
        let block = block("honey", [0.4, 0.48, 0.48], [-0.3, 0.0, 0.24], viscosity);
        let tank = json!({"name": "tank", "shape": {"type": "box", "size": [1.0, 0.48, lid]}, "inverted": true,
            "transform": at(0.0, 0.0, lid / 2.0), "friction": 0.5});
        advanced(simulate(&scene(0.02, json!([block]), json!([tank]))), frames).frame()
    };
    for (viscosity, frames) in [(20.0, 6), (2000.0, 24)] {
        let freely = mean_height(&collapsed(viscosity, frames, 4.0));
        for gap in [0.01, 0.02, 0.03] {
            let frame = collapsed(viscosity, frames, 0.48 + gap);
            let (height, highest) = (mean_height(&frame), frame.positions.iter().fold(0.0, |most, p| p.z.max(most)));
            println!(
                "{viscosity} Pa s, lid {gap} m above: mean height {:.4} of that without, highest {highest:.3} m",
                height / freely
            );
            assert!((height / freely - 1.0).abs() < 0.01, "{gap} m: {height} m, not {freely}");
            assert!(highest < 0.48, "{highest} m");
        }
    }
}

/// Slivers of cells in the corners of walls, which no particle reaches, do not make the matter fly apart.
#[test]
fn honey_flows_past_corners_at_any_spacing() {
    for spacing in [0.06, 0.07, 0.083] {
        let frame = advanced(broken_dam(spacing), 16).frame();
        assert!(frame.positions.iter().all(|p| p.x.abs() < 1.02 && p.y.abs() < 0.77 && p.z > -0.01), "{spacing}");
    }
}

/// Honey that sloshes in a tank keeps its volume.
#[test]
fn honey_keeps_its_volume() {
    let spacing = 0.05;
    let frame = advanced(broken_dam(spacing), 144).frame();
    // Some honey hangs on the walls.
    let inner = |p: &&glam::Vec3| p.x.abs() < 0.8 && p.y.abs() < 0.55;
    let heights: Vec<f64> = frame.positions.iter().filter(inner).map(|p| f64::from(p.z)).collect();
    let depth = heights.len() as f64 * spacing.powi(3) / (1.6 * 1.1);
    let ratio = heights.iter().sum::<f64>() / heights.len() as f64 / (depth / 2.0);
    println!("mean height over that of an even pool: {ratio:.4}, {:.4} m/s", typical_speed(&frame));
    assert!((ratio - 1.0).abs() < 0.03, "{ratio}");
    assert!(typical_speed(&frame) < 0.05, "{}", typical_speed(&frame));
}

/// The velocity around the axis of a liquid in a drum that began to turn, by finite differences of
/// `dv/dt = nu (v'' + v' / r - v / r^2)`, at a part of its radius.
fn spun_up(part: f64, seconds: f64, kinematic: f64, radius: f64, rate: f64) -> f64 {
    const COUNT: usize = 200;
    let width = radius / COUNT as f64;
    let mut v = vec![0.0; COUNT + 1];
    v[COUNT] = rate * radius;
    let step = 0.2 * width * width / kinematic;
    let count = (seconds / step).ceil() as usize;
    for _ in 0..count {
        let before = v.clone();
        for n in 1..COUNT {
            let r = n as f64 * width;
            let second = (before[n - 1] - 2.0 * before[n] + before[n + 1]) / (width * width);
            let first = (before[n + 1] - before[n - 1]) / (2.0 * width);
            v[n] += seconds / count as f64 * kinematic * (second + first / r - before[n] / (r * r));
        }
    }
    v[(part * COUNT as f64) as usize]
}

/// A drum that turns takes its liquid along, by viscosity alone, at the exact rate.
#[test]
fn a_turning_drum_spins_its_liquid_up() {
    const RADIUS: f64 = 0.25;
    const RATE: f64 = 2.0;
    let mut drum = json!({"name": "drum", "inverted": true, "friction": 0.5,
        "shape": {"type": "cylinder", "radius": RADIUS, "height": 2.0},
        "transform": {"rotation": [0.5_f64.sqrt(), 0.5_f64.sqrt(), 0.0, 0.0]}});
    let lying = |frame: i32| {
        // The cylinder's axis lies along y, about which it turns.
        let quarter = glam::DQuat::from_rotation_x(PI / 2.0);
        let turn = glam::DQuat::from_rotation_y(RATE * f64::from(frame - 1) / 24.0) * quarter;
        json!({"frame": frame, "transform": {"rotation": [turn.w, turn.x, turn.y, turn.z]}})
    };
    drum["motion"] = json!((1..=20).map(lying).collect::<Vec<_>>());
    let liquid = json!({"name": "liquid", "shape": {"type": "cylinder", "radius": RADIUS, "height": 1.0},
        "transform": {"rotation": [0.5_f64.sqrt(), 0.5_f64.sqrt(), 0.0, 0.0]}, "material": fluid(50.0)});
    let scene = weightless(flat(scene(0.01, json!([liquid]), json!([drum]))));
    let frames = 7;
    let frame = advanced(simulate(&scene), frames).frame();
    for part in [0.5, 0.75] {
        let ring = frame.positions.iter().zip(&frame.velocities).filter_map(|(p, v)| {
            let (p, v) = (p.as_dvec3(), v.as_dvec3());
            let around = DVec3::Y.cross(p);
            ((p.length() / RADIUS - part).abs() < 0.03).then(|| v.dot(around) / around.length())
        });
        let ring: Vec<f64> = ring.collect();
        let (found, exact) =
            (ring.iter().sum::<f64>() / ring.len() as f64, spun_up(part, frames as f64 / 24.0, 0.05, RADIUS, RATE));
        println!("at {part} of the radius: {found:.4} m/s, exactly {exact:.4}");
        assert!((found / exact - 1.0).abs() < 0.04, "{part}: {found}, not {exact}");
    }
}

fn ball(name: &str, place: [f64; 3], more: &Value) -> Value {
    let [x, y, z] = place;
    let ball = json!({"name": name, "shape": {"type": "sphere", "radius": 0.15}, "transform": at(x, y, z),
        "material": fluid(20.0)});
    with(ball, more)
}

/// A ball that flies and turns keeps its momentum, and nearly all that it turns by.
#[test]
fn a_flying_ball_keeps_on_turning() {
    let ball = ball("ball", [0.0; 3], &json!({"velocity": [1.0, 0.5, 0.0], "angular_velocity": [0.0, 3.0, 1.0]}));
    let start = simulate(&weightless(scene(0.025, json!([ball]), json!([]))));
    let sums = |frame: &Frame| {
        let count = frame.positions.len() as f64;
        let middle: DVec3 = frame.positions.iter().map(|p| p.as_dvec3()).sum::<DVec3>() / count;
        let both = || frame.positions.iter().zip(&frame.velocities);
        let flow: DVec3 = both().map(|(_, v)| v.as_dvec3()).sum::<DVec3>() / count;
        let turn: DVec3 =
            both().map(|(p, v)| (p.as_dvec3() - middle).cross(v.as_dvec3() - flow)).sum::<DVec3>() / count;
        (flow, turn)
    };
    let before = sums(&start.frame());
    let after = sums(&advanced(start, 24).frame());
    println!("{before:?} {after:?}");
    assert!((after.0 - before.0).length() < 1e-3, "{} {}", before.0, after.0);
    assert!((after.1 - before.1).length() < 0.1 * before.1.length(), "{} {}", before.1, after.1);
}

/// Matter that lies apart does not feel each other: it moves to the same bits as alone.
#[test]
fn islands_move_as_if_alone() {
    let [left, right] = [-2.0, 2.0].map(|x| ball("ball", [x, 0.0, 0.2], &json!({"velocity": [0.3, 0.0, 0.0]})));
    let alone = |ball: &Value| advanced(simulate(&scene(0.05, json!([ball]), json!([floor(0.5)]))), 12).frame();
    let both = advanced(simulate(&scene(0.05, json!([left, right]), json!([floor(0.5)]))), 12).frame();
    let apart = [alone(&left), alone(&right)];
    let positions: Vec<_> = apart.iter().flat_map(|frame| frame.positions.clone()).collect();
    // Steps are common, so they are as many as the faster needs; both are alike here but for the place.
    let far = both.positions.iter().zip(&positions).map(|(a, b)| (*a - *b).length()).fold(0.0, f32::max);
    assert!(far < 1e-4, "{far} m");
}

fn splash() -> Simulation {
    let balls = [
        ball("one", [-0.2, 0.0, 0.35], &json!({"velocity": [2.0, 0.0, 0.0]})),
        ball("two", [0.4, 0.1, 0.2], &json!({})),
    ];
    simulate(&scene(0.03, json!(balls), json!([floor(0.5)])))
}

/// The same bits for any number of threads, and for a bake that was cut and resumed.
#[test]
fn matter_on_a_grid_has_the_same_bits_again() {
    assert_same_bits(splash, 6, "two balls that meet");
}

/// Matter of two densities beside walls many cells thick, one of them off a ledge: what stands keeps its height, and
/// what flows its volume.
#[test]
fn matter_of_two_densities_is_held_by_thick_walls() {
    let ledge = json!({"name": "ledge", "shape": {"type": "box", "size": [0.3, 0.6, 0.1]}, "transform": at(-0.3, 0.0, 0.05),
        "friction": 0.8});
    let solid = json!({"type": "continuum", "rest_density": 900, "viscosity": 3, "shear_modulus": 2e5});
    let tar = json!({"type": "continuum", "rest_density": 900, "viscosity": 1e4});
    for (name, material) in [("wax", solid), ("tar", tar)] {
        let dense = json!({"material": {"type": "continuum", "rest_density": 2600, "viscosity": 10}});
        let lava = with(block("lava", [0.15, 0.2, 0.15], [-0.22, 0.0, 0.19], 10.0), &dense);
        let stands = with(block(name, [0.12; 3], [0.0, 0.0, 0.061], 0.0), &json!({"material": material}));
        let mut simulation = simulate(&scene(0.012, json!([lava, stands]), json!([floor(0.8), ledge])));
        let height = |frame: &Frame| {
            let own = frame.positions.iter().zip(&frame.sources).filter(|(_, source)| **source == 1);
            quantile(own.map(|(place, _)| f64::from(place.z)), 0.98)
        };
        let before = height(&simulation.frame());
        simulation = advanced(simulation, 9);
        let after = height(&simulation.frame());
        println!("{name}: {before:.4} m high, then {after:.4} m");
        assert!(after > 0.92 * before, "{name}: {before} m, then {after} m");
    }
}
