//! Only matter at rest sleeps, and when it is woken it goes on as if it had been awake.

use crate::common::{advanced, apart, at, centre, floor, scene, simulate, with_any_threads};
use dollop_scene::Scene;
use dollop_sim::{Frame, Simulation};
use serde_json::{Value, json};

const SPACING: f64 = 0.04;

fn body(shape: Value, place: [f64; 3], viscosity: f64) -> Value {
    json!({"name": "body", "shape": shape, "transform": {"translation": place},
        "material": {"type": "smoothed", "viscosity": viscosity}})
}

fn block(size: [f64; 3], place: [f64; 3], viscosity: f64) -> Value {
    body(json!({"type": "box", "size": size}), place, viscosity)
}

fn tank() -> Value {
    json!({"name": "tank", "shape": {"type": "box", "size": [0.4, 0.4, 4.0]}, "transform": at(0.0, 0.0, 2.0),
        "inverted": true})
}

fn water() -> Value {
    block([0.4, 0.4, 0.2], [0.0, 0.0, 0.1], 5.0)
}

/// The matter in a tank, and a collider.
fn pool(collider: Value) -> Scene {
    scene(SPACING, json!([water()]), json!([tank(), collider]))
}

fn sleepless(mut scene: Scene) -> Scene {
    scene.sleep = false;
    scene
}

/// Whether all particles slept through the last frame.
fn sleeps(simulation: &Simulation) -> bool {
    let stats = simulation.stats();
    stats.steps == 1 && stats.force_evaluations == simulation.frame().len() as u64
}

/// Advances until all particles sleep; returns the number of frames.
fn until_asleep(simulation: &mut Simulation, most: usize) -> usize {
    let slept = (1..=most).find(|_| {
        simulation.advance().unwrap();
        sleeps(simulation)
    });
    slept.expect("it must come to rest")
}

#[test]
fn a_pool_at_rest_sleeps_at_one_evaluation_a_frame() {
    let mut simulation = simulate(&pool(floor(0.3)));
    simulation.advance().unwrap();
    let moving = simulation.stats();
    let frames = until_asleep(&mut simulation, 96);
    let asleep = simulation.frame();
    let awake = advanced(simulate(&sleepless(pool(floor(0.3)))), frames + 1).frame();
    let ratio = moving.force_evaluations as f64 / asleep.stats.force_evaluations as f64;
    let pressure = |frame: &Frame| {
        let values = frame.scalar("pressure").unwrap();
        values.iter().map(|&p| f64::from(p)).sum::<f64>() / frame.len() as f64 / (9810.0 * centre(frame).z)
    };
    println!(
        "asleep after {frames} frames, {ratio:.0} times fewer evaluations; pressure {:.4} of what it carries, awake {:.4}; \
         {:.4} spacings off",
        pressure(&asleep),
        pressure(&awake),
        apart(&asleep, &awake) / SPACING
    );
    assert!(ratio > 20.0);
    assert!((pressure(&asleep) / pressure(&awake) - 1.0).abs() < 0.01);
    assert!(apart(&asleep, &awake) < 0.05 * SPACING);
    let stats = asleep.stats;
    assert!((stats.particles_in_bins[0] - asleep.len() as f64).abs() < 1e-9, "all took the longest step");
    assert_eq!((stats.kinetic_energy, stats.max_speed), (0.0, 0.0));
    let weight = asleep.len() as f64 * 1000.0 * SPACING.powi(3) * 9.81;
    assert!(stats.momentum_drift < 1e-4 * weight / 24.0, "{} kg m/s", stats.momentum_drift);
    assert_eq!(advanced(simulation, 5).frame().positions, asleep.positions);
}

/// A ball falls into a pool, which sleeps until then.
#[test]
fn a_sleeping_pool_splashes_as_one_that_was_awake() {
    let mut ball = body(json!({"type": "sphere", "radius": 0.08}), [0.0, 0.0, 3.5], 5.0);
    ball["velocity"] = json!([0.0, 0.0, 7.5]);
    let scene = scene(SPACING, json!([water(), ball]), json!([tank()]));
    let run = |scene: &Scene| {
        let mut simulation = simulate(scene);
        let (mut frames, mut slept) = (Vec::new(), 0.0_f64);
        for _ in 0..60 {
            simulation.advance().unwrap();
            frames.push(simulation.frame());
            slept = slept.max(simulation.stats().particles_in_bins[0]);
        }
        (frames, slept)
    };
    let ((own, slept), (awake, _)) = (run(&scene), run(&sleepless(scene.clone())));
    let energy = |frame: &Frame| {
        let pool = frame.velocities.iter().zip(&frame.sources).filter(|(_, source)| **source == 0);
        pool.map(|(v, _)| f64::from(v.length_squared())).sum::<f64>()
    };
    let most = |frames: &[Frame]| frames.iter().map(energy).fold(0.0, f64::max);
    let heights = |frames: &[Frame]| frames.iter().map(|frame| centre(frame).z).collect::<Vec<_>>();
    let off = heights(&own).iter().zip(heights(&awake)).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
    println!("{slept:.0} slept; energy {:.4} of an awake pool's, centres {:.1e} m off", most(&own) / most(&awake), off);
    assert!(slept > 400.0, "{slept}");
    assert!(most(&awake) > 50.0, "nothing splashed: {}", most(&awake));
    assert!((most(&own) / most(&awake) - 1.0).abs() < 0.05);
    assert!(off < 0.1 * SPACING, "{off}");
}

/// A pool that sleeps and a drop that wakes it in the middle of a long frame.
#[test]
fn the_number_of_threads_does_not_matter_to_sleepers() {
    let mut drop = body(json!({"type": "sphere", "radius": 0.1}), [0.0, 0.0, 30.0], 5.0);
    drop["velocity"] = json!([0.0, 0.0, 15.0]);
    let tank = json!({"name": "tank", "shape": {"type": "box", "size": [0.6, 0.6, 60.0]},
        "transform": at(0.0, 0.0, 30.0), "inverted": true});
    let mut scene = scene(0.1, json!([block([0.6, 0.6, 0.3], [0.0, 0.0, 0.15], 20.0), drop]), json!([tank]));
    scene.frames.rate = 6.0;
    let slept = with_any_threads(|| advanced(simulate(&scene), 27).frame()).stats.particles_in_bins[0];
    println!("{slept:.1} slept on average in the frame of the splash");
    assert!((20.0..80.0).contains(&slept), "{slept}");
}

/// The gate of a tank is lifted long after its water has come to rest.
#[test]
fn matter_wakes_when_its_wall_is_lifted() {
    let gate = json!({"name": "gate", "shape": {"type": "box", "size": [0.2, 2.0, 2.0]}, "motion": [
        {"frame": 1, "transform": at(0.3, 0.0, 0.99)}, {"frame": 70, "transform": at(0.3, 0.0, 0.99)},
        {"frame": 74, "transform": at(0.3, 0.0, 4.0)}]});
    let long = json!({"name": "tank", "shape": {"type": "box", "size": [2.4, 0.4, 4.0]}, "transform": at(1.0, 0.0, 2.0),
        "inverted": true});
    let scene = scene(SPACING, json!([water()]), json!([long, gate]));
    let mut simulation = simulate(&scene);
    let slept = until_asleep(&mut simulation, 68);
    let behind = |frame: &Frame| frame.positions.iter().filter(|p| p.x > 0.3).count() as f64;
    assert_eq!(behind(&simulation.frame()), 0.0);
    let own = behind(&advanced(simulation, 90 - slept).frame());
    let awake = behind(&advanced(simulate(&sleepless(scene)), 90).frame());
    println!("{own} flowed out, {awake} of those that were awake");
    assert!(awake > 50.0 && (own / awake - 1.0).abs() < 0.1, "{own} {awake}");
}

/// Honey that spreads on a floor.
#[test]
fn creeping_matter_is_not_held_up() {
    let honey = block([0.2, 0.2, 0.32], [0.0, 0.0, 0.16], 40.0);
    let scene = scene(SPACING, json!([honey]), json!([floor(0.5)]));
    let run = |scene: &Scene| advanced(simulate(scene), 120);
    let (own, awake) = (run(&scene), run(&sleepless(scene.clone())));
    let width = |frame: &Frame| {
        let squares = frame.positions.iter().map(|p| p.as_dvec3().truncate().length_squared());
        (squares.sum::<f64>() / frame.len() as f64).sqrt()
    };
    let (start, own, awake) = (width(&simulate(&scene).frame()), own.frame(), awake.frame());
    println!("spread from {start:.4} to {:.4} m, awake {:.4} m", width(&own), width(&awake));
    assert!(width(&awake) > start + SPACING, "it must spread");
    assert!((width(&own) - width(&awake)).abs() < 0.1 * SPACING);
}

/// Matter of huge size, in slow motion and in long frames, is released from rest.
#[test]
fn falling_matter_does_not_sleep() {
    // Small particles take many steps a frame.
    let cases = [(SPACING, 24.0, 12), (100.0, 24.0, 12), (SPACING, 5000.0, 12), (1e-4, 24.0, 4), (1000.0, 0.5, 12)];
    for (spacing, rate, frames) in cases {
        let size = spacing * 4.0;
        let ball = body(json!({"type": "box", "size": [size, size, size]}), [0.0; 3], 5.0);
        let mut scene = scene(spacing, json!([ball]), json!([]));
        scene.frames.rate = rate;
        let before = simulate(&scene);
        let fallen = centre(&before.frame()).z - centre(&advanced(before, frames).frame()).z;
        let expected = 9.81 * (frames as f64 / rate).powi(2) / 2.0;
        println!("spacing {spacing} m at {rate} frames a second: fell {:.6} of g t^2 / 2", fallen / expected);
        // Positions in frames are in single precision.
        assert!((fallen - expected).abs() < 1e-3 * expected + 1e-6 * spacing, "{fallen} instead of {expected} m");
    }
}

/// Zero velocity at a frame is no rest: a grain at the top of its throw, and one that buoyancy in air carries almost
/// wholly.
#[test]
fn a_grain_does_not_stay_in_the_air() {
    let grain = |velocity: f64| {
        let mut grain = block([SPACING; 3], [0.0; 3], 5.0);
        grain["velocity"] = json!([0.0, 0.0, velocity]);
        scene(SPACING, json!([grain]), json!([]))
    };
    let mut thrown = grain(1.0);
    (thrown.gravity, thrown.frames.rate) = ([0.0, 0.0, -8.0], 8.0);
    let mut afloat = grain(0.0);
    afloat.ambient.density = 998.0;
    for (scene, frames, expected) in [(thrown, 6, 0.75 - 4.0 * 0.75 * 0.75), (afloat, 48, -0.004 * 9.81)] {
        let before = simulate(&scene);
        let from = centre(&before.frame()).z;
        let way = centre(&advanced(before, frames).frame()).z - from;
        println!("went {way:.4} m, expected {expected:.4} m");
        assert!((way / expected - 1.0).abs() < 0.05, "{way}");
    }
}

/// Water that sloshes in a tank turns back twice a period, and is at rest at neither time.
#[test]
fn a_wave_does_not_sleep_where_it_turns_back() {
    let low = block([0.4, 0.4, 0.2], [-0.2, 0.0, 0.1], 0.5);
    let high = block([0.4, 0.4, 0.28], [0.2, 0.0, 0.14], 0.5);
    let wide = json!({"name": "tank", "shape": {"type": "box", "size": [0.8, 0.4, 4.0]}, "transform": at(0.0, 0.0, 2.0),
        "inverted": true, "friction": 0.0});
    let scene = scene(SPACING, json!([low, high]), json!([wide]));
    let mut simulation = simulate(&scene);
    let mut ways: Vec<f64> = Vec::new();
    let mut slept = None;
    for frame in 0..72 {
        simulation.advance().unwrap();
        ways.push(centre(&simulation.frame()).x);
        if sleeps(&simulation) {
            slept = Some(frame);
            break;
        }
    }
    let last = slept.unwrap_or(ways.len());
    let swing = |ways: &[f64]| ways.iter().fold(0.0_f64, |most, x| most.max((x - ways[ways.len() - 1]).abs()));
    let turns = ways.windows(3).filter(|w| (w[1] - w[0]) * (w[2] - w[1]) < 0.0).count();
    println!(
        "{turns} turns, asleep {slept:?}, swings by {:.1e} m in the last second",
        swing(&ways[last.saturating_sub(24)..last])
    );
    assert!(turns >= 3, "{turns}");
    assert!(slept.is_none() || swing(&ways[last.saturating_sub(24)..last]) < 0.05 * SPACING);
}

/// A bar dips into a pool long after the pool has come to rest.
#[test]
fn a_collider_wakes_the_matter_that_it_meets() {
    let bar = json!({"name": "bar", "shape": {"type": "box", "size": [0.1, 0.1, 0.6]}, "motion": [
        {"frame": 1, "transform": at(0.0, 0.0, 2.0)}, {"frame": 70, "transform": at(0.0, 0.0, 2.0)},
        {"frame": 76, "transform": at(0.0, 0.0, 0.35)}]});
    let mut simulation = simulate(&pool(bar));
    let before = until_asleep(&mut simulation, 68);
    let level = centre(&simulation.frame()).z;
    let after = advanced(simulation, 84 - before).frame();
    let inside = after.positions.iter().filter(|p| p.x.abs().max(p.y.abs()) < 0.049 && p.z > 0.051).count();
    assert_eq!(inside, 0, "{inside} inside the bar");
    assert!(centre(&after).z > level + 2e-4, "what it displaces rises");
}
