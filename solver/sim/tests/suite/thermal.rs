//! Bonded matter: it stands, breaks, melts, sets, and interacts with smoothed matter.

use crate::common::{advanced, apart, at, centre, drift, floor, scene, simulate, weightless, with_any_threads};
use dollop_scene::{HeatFlow, Scene};
use dollop_sim::{Frame, Simulation};
use glam::{DQuat, DVec3};
use serde_json::{Value, json};

const SPACING: f64 = 0.05;
/// Edge of the cube of four particles of the lattice that bodies are filled with.
const CUBE: f64 = SPACING * 1.587_401_052;

fn thermal(energy: f64) -> Value {
    json!({"type": "thermal", "dissociation_energy": energy, "viscosity": 30})
}

fn block(size: [f64; 3], place: [f64; 3], material: Value) -> Value {
    json!({"name": "block", "shape": {"type": "box", "size": size}, "transform": {"translation": place}, "material": material,
        "temperature": 300, "heat": {"specific_heat": 2000, "conductivity": 0, "emissivity": 0, "solidus": 350, "liquidus": 360,
            "latent_heat": 1e5}})
}

/// A scene where heat flows and the air takes none.
fn warm(mut scene: Scene, heaters: Value) -> Scene {
    scene.heat = Some(HeatFlow { rate: 1.0 });
    scene.ambient.convection = 0.0;
    scene.heaters = serde_json::from_value(heaters).unwrap();
    scene
}

/// A heater that brings all matter to a temperature within a few frames.
fn oven(keys: Value) -> Value {
    json!([{"name": "oven", "shape": {"type": "box", "size": [20, 20, 20]},
        "effect": {"type": "temperature", "temperature": 300, "response": 0.1}, "values": keys}])
}

fn places(frame: &Frame) -> Vec<DVec3> {
    frame.positions.iter().map(|p| p.as_dvec3()).collect()
}

/// The largest and the smallest distance in the second frame of particles that were neighbours in the first, over their
/// distance in the first.
fn stretches(before: &Frame, after: &Frame) -> (f64, f64) {
    let (before, after) = (places(before), places(after));
    let (mut least, mut most) = (f64::INFINITY, 0.0_f64);
    for i in 0..before.len() {
        for j in 0..i {
            let was = before[i].distance(before[j]);
            if was < 1.2 * SPACING {
                let ratio = after[i].distance(after[j]) / was;
                (least, most) = (least.min(ratio), most.max(ratio));
            }
        }
    }
    (least, most)
}

/// The first member of the group of a particle.
fn root(group: &mut [usize], mut i: usize) -> usize {
    while group[i] != i {
        group[i] = group[group[i]];
        i = group[i];
    }
    i
}

/// Groups of particles connected by pairs nearer than 1.5 spacings, by size.
fn pieces(frame: &Frame) -> Vec<usize> {
    let places = places(frame);
    let mut group: Vec<usize> = (0..places.len()).collect();
    for i in 0..places.len() {
        for j in 0..i {
            if places[i].distance(places[j]) < 1.5 * frame.spacing {
                let (a, b) = (root(&mut group, i), root(&mut group, j));
                group[a] = b;
            }
        }
    }
    let mut sizes = vec![0; places.len()];
    (0..places.len()).for_each(|i| sizes[root(&mut group, i)] += 1);
    sizes.retain(|&size| size > 0);
    sizes.sort_unstable_by(|a, b| b.cmp(a));
    sizes
}

#[test]
fn a_cold_block_stands_still_and_keeps_its_shape() {
    let edge = 6.0 * CUBE;
    let scene = scene(SPACING, json!([block([edge; 3], [0.0, 0.0, edge / 2.0], thermal(200.0))]), json!([floor(0.5)]));
    let mut simulation = simulate(&scene);
    let start = simulation.frame();
    let mut energies = Vec::new();
    for _ in 0..4 {
        simulation = advanced(simulation, 12);
        energies.push(simulation.stats().kinetic_energy);
    }
    let standing = simulation.frame();
    let later = advanced(simulation, 24).frame();
    let (least, most) = stretches(&start, &later);
    println!(
        "stretched by {least:.3} to {most:.3}; moved {:.1e} m in a second; J: {energies:?}",
        apart(&standing, &later)
    );
    // By its weight it is compressed by rho g H / E, about 1 in 1000; its outermost rows draw in.
    assert!(least > 0.96 && most < 1.03, "{least} {most}");
    // It may have settled so well that it sleeps from the start.
    assert!(energies[3] <= 0.05 * energies[0], "{energies:?}");
    assert!(apart(&standing, &later) < 1e-3 * SPACING);
}

/// A bar that turns is pulled apart in its middle by rho omega^2 L^2 / 8: 2.9 kPa and 180 kPa here. The bonds of the
/// weaker matter, of a modulus of about 900 kPa, break at some per cent of that.
#[test]
fn a_bar_that_turns_fast_enough_breaks() {
    let bar = |energy: f64, turning: f64| {
        let mut bar = block([12.0 * CUBE, 3.0 * CUBE, 3.0 * CUBE], [0.0; 3], thermal(energy));
        bar["angular_velocity"] = json!([0.0, 0.0, turning]);
        advanced(simulate(&weightless(scene(SPACING, json!([bar]), json!([])))), 24).frame()
    };
    let [held, broken, tough] = [bar(20.0, 5.0), bar(20.0, 40.0), bar(800.0, 40.0)].map(|frame| pieces(&frame));
    println!("pieces: {held:?} {broken:?} {tough:?}");
    assert_eq!((held.len(), tough.len()), (1, 1));
    assert!(broken.len() > 1 && broken[1] > held[0] / 8, "{broken:?}");
}

#[test]
fn a_turning_block_keeps_turning_in_shape() {
    let mut body = block([4.0 * CUBE, 8.0 * CUBE, 3.0 * CUBE], [0.3, 0.0, 0.0], thermal(500.0));
    body["angular_velocity"] = json!([0.0, 0.0, 2.0]);
    let mut scene = weightless(scene(SPACING, json!([body]), json!([])));
    scene.settle = true;
    let simulation = simulate(&scene);
    let start = simulation.frame();
    let end = advanced(simulation, 24).frame();
    let turn = DQuat::from_rotation_z(2.0);
    let middle = centre(&start);
    let off: Vec<f64> = places(&start)
        .iter()
        .zip(places(&end))
        .map(|(a, b)| (middle + turn * (*a - middle)).distance(b) / SPACING)
        .collect();
    let mean = off.iter().sum::<f64>() / off.len() as f64;
    println!("off a rigid turn by {mean:.3} spacings, drifts at {:.1e} m/s", drift(&end).length());
    assert!(mean < 0.1 && drift(&end).length() < 1e-3, "{mean}");
}

/// A block is melted and set again between walls: it spreads to a pool, which then holds.
#[test]
fn a_block_melts_to_a_pool_and_sets() {
    let edge = 5.0 * CUBE;
    let tank = json!({"name": "tank", "shape": {"type": "box", "size": [0.8, 0.8, 4.0]}, "transform": at(0.0, 0.0, 2.0),
        "inverted": true, "adhesion": 1, "friction": 0.5});
    let heaters = oven(json!([{"frame": 1, "value": 300}, {"frame": 2, "value": 400}, {"frame": 45, "value": 400},
        {"frame": 60, "value": 300}]));
    let melting = || {
        let body = block([edge; 3], [0.0, 0.0, edge / 2.0], thermal(200.0));
        warm(scene(SPACING, json!([body]), json!([tank])), heaters.clone())
    };
    // Twice the mean, as single drops may hang on the walls.
    let height = |frame: &Frame| 2.0 * centre(frame).z;
    let mut simulation = simulate(&melting());
    let stored = simulation.stats().heat.unwrap().stored;
    let mut taken = 0.0;
    let mut run = |simulation: &mut Simulation, frames: usize| {
        for _ in 0..frames {
            simulation.advance().unwrap();
            taken += simulation.stats().heat.unwrap().heaters;
        }
    };
    let start = simulation.frame();
    let bonds = |simulation: &Simulation| simulation.stats().elastic_energy;
    let at_start = bonds(&simulation);
    run(&mut simulation, 44);
    let (molten, when_molten) = (simulation.frame(), bonds(&simulation) / at_start);
    run(&mut simulation, 45);
    let (set, when_set) = (simulation.frame(), bonds(&simulation) / at_start);
    run(&mut simulation, 15);
    let later = simulation.frame();
    let balance = simulation.stats().heat.unwrap().stored - stored - taken;
    let level = start.len() as f64 * SPACING.powi(3) / 0.64;
    println!(
        "height {:.3} m, molten {:.3}, set {:.3}; a level pool has {level:.3}; moved {:.1e} m; heat off by {:.1e} of what it took",
        height(&start),
        height(&molten),
        height(&set),
        apart(&set, &later),
        balance / stored
    );
    assert!(height(&start) > 0.9 * edge && height(&molten) < 1.4 * level);
    assert!((height(&set) / height(&molten) - 1.0).abs() < 0.2);
    // The set matter is bound again, though not on a lattice.
    println!("bonds: {when_molten:.4} of those at the start, then {when_set:.3}");
    assert!(when_molten.abs() < 0.01 && when_set > 0.7, "{when_molten} {when_set}");
    assert!(apart(&set, &later) < 0.01 * SPACING);
    assert!(balance.abs() < 1e-9 * stored);
}

/// An arm with a heated root sags there and stays straight elsewhere.
#[test]
fn locally_heated_matter_softens_only_there() {
    let arm = block([14.0 * CUBE, 3.0 * CUBE, 3.0 * CUBE], [0.0, 0.0, 1.0], thermal(200.0));
    let holder = json!({"name": "holder", "shape": {"type": "box", "size": [1.2, 1.0, 1.0]},
        "transform": at(-0.64 - 0.2, 0.0, 1.0 - 0.5 - 1.5 * CUBE)});
    let lid = json!({"name": "lid", "shape": {"type": "box", "size": [1.2, 1.0, 1.0]},
        "transform": at(-0.64 - 0.2, 0.0, 1.0 + 0.5 + 1.5 * CUBE)});
    let heater = |on: bool| {
        let size = if on { [0.3, 1.0, 1.0] } else { [0.001; 3] };
        json!([{"name": "torch", "shape": {"type": "box", "size": size}, "transform": at(-0.05, 0.0, 1.0),
            "effect": {"type": "temperature", "temperature": 351.5, "response": 0.05}}])
    };
    let run = |on: bool| {
        let scene = warm(scene(SPACING, json!([arm]), json!([holder, lid])), heater(on));
        let simulation = simulate(&scene);
        let start = simulation.frame();
        (start, advanced(simulation, 24).frame())
    };
    let tip = |frame: &Frame, start: &Frame| {
        let of: Vec<f64> = (0..frame.len())
            .filter(|&i| start.positions[i].x > 0.45)
            .map(|i| f64::from(frame.positions[i].z - start.positions[i].z))
            .collect();
        of.iter().sum::<f64>() / of.len() as f64
    };
    let ((cold_start, cold), (start, hot)) = (run(false), run(true));
    println!("the tip sinks by {:.3} m cold and {:.3} m heated", -tip(&cold, &cold_start), -tip(&hot, &start));
    assert!(tip(&cold, &cold_start) > -0.08, "{}", tip(&cold, &cold_start));
    assert!(tip(&hot, &start) < -0.15, "{}", tip(&hot, &start));
    let melted = hot.temperatures().unwrap().iter().zip(&start.positions).filter(|(t, p)| **t > 350.5 && p.x > 0.3);
    assert_eq!(melted.count(), 0);
}

/// Two balls meet: cold ones bounce off and stay two, molten ones become one and set as one.
#[test]
fn cold_bodies_do_not_weld_and_molten_ones_do() {
    let ball = |x: f64, v: f64| {
        json!({"name": "ball", "shape": {"type": "sphere", "radius": 0.2}, "transform": at(x, 0.0, 0.0),
            "velocity": [v, 0.0, 0.0], "temperature": 300, "material": thermal(100.0), "heat": {"solidus": 350, "liquidus": 360,
            "specific_heat": 2000, "conductivity": 0, "emissivity": 0, "latent_heat": 0}})
    };
    let run = |keys: Value| {
        let bodies = json!([ball(-0.24, 0.4), ball(0.24, -0.4)]);
        let simulation = simulate(&warm(weightless(scene(SPACING, bodies, json!([]))), oven(keys)));
        advanced(simulation, 36).frame()
    };
    let cold = run(json!([{"frame": 1, "value": 300}]));
    let molten = run(json!([{"frame": 1, "value": 400}, {"frame": 20, "value": 400}, {"frame": 22, "value": 300}]));
    println!("pieces: cold {:?}, molten {:?}", pieces(&cold), pieces(&molten));
    assert_eq!(pieces(&cold).len(), 2);
    // A drop may be thrown off where they meet.
    assert!(pieces(&molten)[0] as f64 > 0.99 * molten.positions.len() as f64, "{:?}", pieces(&molten));
}

/// Two undamped bodies that meet keep their energy with any steps of their particles: at some frame rates all take the
/// same, at others particles of the surface take twice as long ones by themselves.
#[test]
fn steps_of_their_own_do_not_feed_bonds() {
    let like = (200, 24, 12);
    for (rate, other) in [(24.0, like), (29.0, like), (40.0, like), (24.0, (20, 12, 6)), (29.0, (20, 12, 6))] {
        let ball = |x: f64, v: f64, (energy, n, m): (i32, i32, i32)| {
            let matter = json!({"type": "thermal", "dissociation_energy": energy, "viscosity": 0, "repulsion_exponent": n,
                "attraction_exponent": m});
            json!({"name": "ball", "shape": {"type": "sphere", "radius": 0.12}, "transform": at(x, 0.0, 0.0),
                "velocity": [v, 0.0, 0.0], "material": matter})
        };
        let balls = json!([ball(-0.2, 1.0, like), ball(0.2, -1.0, other)]);
        let mut scene = weightless(scene(SPACING, balls, json!([])));
        scene.frames.rate = rate;
        let mut simulation = simulate(&scene);
        let before = simulation.stats().kinetic_energy;
        let (mut most, mut strayed) = (0.0_f64, 0.0);
        for _ in 0..12 {
            simulation.advance().unwrap();
            most = most.max(simulation.stats().kinetic_energy);
            strayed += simulation.stats().energy_drift;
        }
        println!(
            "{rate} frames a second, with {other:?}: kinetic energy {before:.3} to at most {most:.3} J, drift {strayed:.1e} J"
        );
        // Surfaces relax by a little at the start.
        assert!(most < 1.04 * before && strayed.abs() < 0.02 * before, "{most} of {before} J, drift {strayed} J");
    }
}

/// A hard fall onto a floor against which bonds press harder than it pushes back: the energy that the floor stops does
/// not count as an error of the steps.
#[test]
fn energy_that_a_floor_stops_is_no_drift() {
    let ball = json!({"name": "ball", "shape": {"type": "sphere", "radius": 0.2}, "transform": at(0.0, 0.0, 0.3),
        "velocity": [0.0, 0.0, -6.0], "material": thermal(400.0)});
    let floor = json!([{"name": "floor", "shape": {"type": "plane"}}]);
    let mut simulation = simulate(&scene(SPACING, json!([ball]), floor));
    let before = simulation.stats().kinetic_energy;
    let mut strayed = 0.0;
    for _ in 0..4 {
        simulation.advance().unwrap();
        strayed += simulation.stats().energy_drift;
    }
    let after = simulation.stats().kinetic_energy;
    println!("kinetic energy {before:.1} to {after:.1} J, drift {strayed:.2} J");
    assert!(after < 0.8 * before && strayed.abs() < 0.01 * before, "{strayed} of {before} J");
}

/// Matter that melts beside a cold body does not pull: its bonds with the body come as it melts.
#[test]
fn melting_matter_is_not_drawn_to_a_cold_body() {
    let ball = |x: f64, temperature: f64| {
        json!({"name": "ball", "shape": {"type": "sphere", "radius": 0.2}, "transform": at(x, 0.0, 0.0), "temperature": temperature,
            "material": thermal(200.0), "heat": {"solidus": 350, "liquidus": 360, "specific_heat": 2000, "conductivity": 0,
            "emissivity": 0, "latent_heat": 1e5}})
    };
    let bodies = json!([ball(-0.2 - 0.5 * SPACING, 349.0), ball(0.2 + 0.5 * SPACING, 300.0)]);
    let heater = json!([{"name": "torch", "shape": {"type": "box", "size": [1, 1, 1]}, "transform": at(-0.5, 0.0, 0.0),
        "effect": {"type": "temperature", "temperature": 380, "response": 0.5}}]);
    let mut simulation = simulate(&warm(weightless(scene(SPACING, bodies, json!([]))), heater));
    let (mut most, mut at_rest) = (0.0_f64, 0.0);
    for frame in 0..48 {
        simulation.advance().unwrap();
        let energy = simulation.stats().kinetic_energy;
        if frame < 4 { at_rest = energy.max(at_rest) } else { most = most.max(energy) }
    }
    let frame = simulation.frame();
    println!("kinetic energy {at_rest:.1e} J at first, then at most {most:.1e} J; pieces: {:?}", pieces(&frame));
    // The energy of both, 66 kg, at 8 cm/s.
    assert!(most < 0.2, "{most} J");
}

/// A melt without any bonds of its own beside solid matter has energies, and sets again.
#[test]
fn a_melt_may_have_no_bonds() {
    let mut matter = thermal(2000.0);
    matter["molten"] = json!({"dissociation_energy": 0, "stiffness": 1000, "viscosity": 5});
    let mut hot = block([0.2; 3], [0.0, 0.0, 0.1], matter.clone());
    hot["temperature"] = json!(400);
    let bodies = json!([hot, block([0.2; 3], [0.0, 0.0, 0.3], matter)]);
    let simulation =
        simulate(&warm(weightless(scene(SPACING, bodies, json!([]))), oven(json!([{"frame": 1, "value": 300}]))));
    let simulation = advanced(simulation, 48);
    let stats = simulation.stats();
    assert!(stats.elastic_energy.is_finite() && stats.kinetic_energy.is_finite(), "{stats:?}");
    let frame = simulation.frame();
    assert!(frame.positions.iter().all(|p| p.is_finite()));
    assert!(frame.temperatures().unwrap().iter().all(|t| *t < 310.0));
}

/// A light block of bonded matter floats in smoothed matter, a heavy one sinks; together they keep their momentum.
#[test]
fn bonded_matter_floats_in_smoothed_matter_or_sinks() {
    let tank = json!({"name": "tank", "shape": {"type": "box", "size": [0.5, 0.5, 4.0]}, "transform": at(0.0, 0.0, 2.0),
        "inverted": true});
    let water = json!({"name": "water", "shape": {"type": "box", "size": [0.5, 0.5, 0.4]}, "transform": at(0.0, 0.0, 0.2),
        "material": {"type": "smoothed", "viscosity": 2}});
    let height = |density: f64| {
        let mut cube = block([3.0 * CUBE; 3], [0.0, 0.0, 0.4 + 2.0 * CUBE], thermal(20.0));
        cube["material"]["rest_density"] = json!(density);
        let simulation = simulate(&scene(SPACING, json!([water, cube]), json!([tank])));
        let frame = advanced(simulation, 40).frame();
        let own: Vec<f64> =
            (0..frame.len()).filter(|&i| frame.sources[i] == 1).map(|i| f64::from(frame.positions[i].z)).collect();
        own.iter().sum::<f64>() / own.len() as f64
    };
    let [light, heavy] = [height(500.0), height(2000.0)];
    println!("centres at {light:.3} and {heavy:.3} m");
    // Half under water: the level rises to 0.4 + 0.5 (0.24)^3 / 0.25.
    assert!((light - 0.428).abs() < 0.05, "{light}");
    // A film of water stays below.
    assert!((heavy - 1.5 * CUBE).abs() < 2.0 * SPACING, "{heavy}");
}

#[test]
fn the_number_of_threads_does_not_matter() {
    let bodies = json!([
        block([4.0 * CUBE; 3], [0.0, 0.0, 0.5], thermal(100.0)),
        block([3.0 * CUBE; 3], [0.1, 0.1, 0.9],
            json!({"type": "thermal", "dissociation_energy": 50, "repulsion_exponent": 8, "attraction_exponent": 4})),
        {"name": "drop", "shape": {"type": "sphere", "radius": 0.2}, "transform": at(0.4, 0.0, 0.3),
            "material": {"type": "smoothed"}},
    ]);
    let keys = json!([{"frame": 1, "value": 300}, {"frame": 4, "value": 380}]);
    let scene = warm(scene(SPACING, bodies, json!([floor(0.2)])), oven(keys));
    let frame = with_any_threads(|| advanced(simulate(&scene), 8).frame());
    assert!(frame.stats.momentum_drift < 1e-2 * frame.stats.momentum);
}

/// A melt that is bound too firmly for its height gets a warning with the energy at which it flows, if any heat melts
/// it.
#[test]
fn a_melt_that_will_stand_is_told() {
    let told = |size: f64, energy: f64, keys: Option<Value>| {
        let material = json!({"type": "thermal", "dissociation_energy": 500.0 * size, "viscosity": 30,
            "molten": {"dissociation_energy": energy, "stiffness": 1000.0 * size, "viscosity": 5}});
        let mut scene = scene(size / 8.0, json!([block([size; 3], [0.0, 0.0, size], material)]), json!([]));
        if let Some(keys) = keys {
            scene = warm(scene, oven(keys));
        }
        let warnings = simulate(&scene).estimate().warnings;
        warnings.into_iter().filter(|warning| warning.contains("will stand when it has melted")).collect::<Vec<_>>()
    };
    let oven_at = |temperature: f64| Some(json!([{"frame": 1, "value": temperature}]));
    let never =
        || Some(json!([{"frame": 1, "value": 300}, {"frame": 9000, "value": 300}, {"frame": 9001, "value": 400}]));
    for size in [0.01, 0.3, 10.0] {
        let standing = 0.12 * 9.81 * size;
        let warnings = told(size, standing, oven_at(400.0));
        assert_eq!(warnings.len(), 1);
        let (_, advice) = warnings[0].rsplit_once("lower it to ").unwrap();
        let advised: f64 = advice.split_once(" or less").unwrap().0.parse().unwrap();
        assert!((0.8..1.2).contains(&(advised / (0.01 * 9.81 * size))), "{warnings:?}");
        let flows = [(advised, oven_at(400.0)), (0.08 * 9.81 * size, oven_at(400.0))];
        let stays_solid = [(standing, oven_at(340.0)), (standing, None), (standing, never())];
        for (energy, keys) in flows.into_iter().chain(stays_solid) {
            assert_eq!(told(size, energy, keys.clone()), [""; 0], "{size} {energy} {keys:?}");
        }
    }
}
