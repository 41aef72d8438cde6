//! Matter on a grid that breaks where its tension passes its strength, against closed forms.

use crate::common::{advanced, assert_same_bits, at, drift, flat, floor, scene, simulate, weightless};
use dollop_scene::Scene;
use dollop_sim::{Frame, Simulation};
use serde_json::{Value, json};

const DENSITY: f64 = 1000.0;

/// The damage of particles.
fn damages(simulation: &Simulation) -> Vec<f64> {
    let state = serde_json::to_value(simulation.state()).unwrap();
    serde_json::from_value(state["particles"]["damages"].clone()).unwrap()
}

/// Sizes of the pieces of a frame, the largest first: particles within two spacings hold together.
fn pieces(frame: &Frame) -> Vec<usize> {
    let reach = 2.0 * frame.spacing as f32;
    let cell = |p: &glam::Vec3| (*p / reach).floor().as_ivec3();
    let mut cells: std::collections::HashMap<glam::IVec3, Vec<usize>> = std::collections::HashMap::new();
    frame.positions.iter().enumerate().for_each(|(n, p)| cells.entry(cell(p)).or_default().push(n));
    let mut is_seen = vec![false; frame.len()];
    let mut sizes = Vec::new();
    for first in 0..frame.len() {
        let (mut next, mut size) = (vec![first], 0);
        while let Some(n) = next.pop() {
            if std::mem::replace(&mut is_seen[n], true) {
                continue;
            }
            size += 1;
            let own = frame.positions[n];
            for by in (0..27).map(|n| glam::IVec3::new(n % 3 - 1, n / 3 % 3 - 1, n / 9 - 1)) {
                let near = cells.get(&(cell(&own) + by)).into_iter().flatten();
                next.extend(near.filter(|&&m| !is_seen[m] && frame.positions[m].distance(own) < reach));
            }
        }
        if size > 0 {
            sizes.push(size);
        }
    }
    sizes.sort_unstable_by(|a, b| b.cmp(a));
    sizes
}

/// The largest pieces of a frame over all of it; none are 0.
fn parts(frame: &Frame) -> [f64; 2] {
    let sizes = pieces(frame);
    [0, 1].map(|n| sizes.get(n).copied().unwrap_or(0) as f64 / frame.len() as f64)
}

fn kinetic(frame: &Frame) -> f64 {
    frame.velocities.iter().map(|v| v.as_dvec3().length_squared()).sum::<f64>() / 2.0
}

/// A free rod in the plane that spins about its middle, with a tension there, rho w^2 L^2 / 8, of so much of its
/// strength.
fn spinning_rod(spacing: f64, ratio: f64, energy: f64) -> Scene {
    let (length, spin) = (0.8, 10.0_f64);
    let tension = DENSITY * spin * spin * length * length / 8.0;
    // It is set in motion at once, so what breaks without energy must not swing.
    let viscosity = if energy > 0.0 { 1000.0 } else { 4000.0 };
    let material = json!({"type": "continuum", "rest_density": DENSITY, "viscosity": viscosity, "shear_modulus": 2e5,
        "strength": tension / ratio, "fracture_energy": energy});
    let rod = json!({"name": "rod", "shape": {"type": "box", "size": [length, 1.0, 0.12]},
        "transform": at(0.0, 0.0, 0.0), "angular_velocity": [0.0, spin, 0.0], "material": material});
    flat(weightless(scene(spacing, json!([rod]), json!([]))))
}

/// A rod that spins breaks in its middle where the tension there passes its strength, at any spacing, and not before.
/// Its halves fly apart, and have no energy that the rod had not.
#[test]
fn a_spinning_rod_breaks_by_its_strength() {
    for (spacing, energy) in [(0.02, 0.0), (0.0142, 0.0), (0.02, 20.0), (0.0142, 20.0)] {
        let [holds, breaks] = [0.8, 1.25].map(|ratio| {
            let mut simulation = simulate(&spinning_rod(spacing, ratio, energy));
            let before = kinetic(&simulation.frame());
            for _ in 0..9 {
                simulation.advance().unwrap();
                assert!(kinetic(&simulation.frame()) < 1.001 * before);
            }
            let (frame, damages) = (simulation.frame(), damages(&simulation));
            let broken = damages.iter().filter(|damage| **damage > 0.5).count() as f64 / damages.len() as f64;
            let parts = parts(&frame);
            println!(
                "spacing {spacing}, {energy} J/m^2, {ratio} of the strength: pieces {parts:.3?}, {broken:.3} broken"
            );
            assert!(drift(&frame).length() < 0.02, "{}", drift(&frame));
            parts
        });
        assert!(holds[0] > 0.999, "{holds:?}");
        assert!(breaks[1] > 0.3 && breaks[0] / breaks[1] < 1.15, "{breaks:?}");
        // The rest are crumbs.
        assert!(breaks[0] + breaks[1] > if energy > 0.0 { 0.99 } else { 0.92 }, "{breaks:?}");
    }
}

/// A bar that hangs, from a wide head on two ledges, by its own weight: with a tension at its neck, rho g L, of so much
/// of its strength.
fn hanging_bar(spacing: f64, ratio: f64) -> Scene {
    let (width, length) = (0.16, 0.8);
    let tension = DENSITY * 9.81 * length;
    let material = json!({"type": "continuum", "rest_density": DENSITY, "viscosity": 1000.0, "shear_modulus": 2e5,
        "strength": tension / ratio, "fracture_energy": 10.0, "fuses": true});
    let part = |name: &str, size: [f64; 3], z: f64| {
        json!({"name": name, "shape": {"type": "box", "size": size}, "transform": at(0.0, 0.0, z),
            "material": material})
    };
    let ledge = |name: &str, x: f64| {
        json!({"name": name, "shape": {"type": "box", "size": [0.4, 1.0, 0.2]}, "transform": at(x, 0.0, -0.1),
            "friction": 0.5})
    };
    let side = width / 2.0 + 0.2;
    let bodies = json!([part("bar", [width, 1.0, length], -length / 2.0), part("head", [0.48, 1.0, 0.32], 0.16)]);
    flat(scene(spacing, bodies, json!([ledge("left", -side), ledge("right", side)])))
}

/// A bar that is too heavy for its strength breaks at the same height at two spacings, below the ledges that hold its
/// head, and its lower part falls freely; a lighter one hangs.
#[test]
fn a_hanging_bar_breaks_by_its_weight() {
    let low = |frame: &Frame| frame.positions.iter().fold(0.0_f32, |low, p| low.min(p.z));
    let [coarse, fine] = [0.02, 0.0142].map(|spacing| {
        let hangs = advanced(simulate(&hanging_bar(spacing, 0.7)), 12).frame();
        let falls = advanced(simulate(&hanging_bar(spacing, 1.4)), 14);
        let before = falls.frame();
        let after = advanced(falls, 2).frame();
        let falls = parts(&after);
        let speed = |frame: &Frame| {
            let falling = frame.velocities.iter().map(|v| f64::from(-v.z));
            falling.fold(0.0, f64::max)
        };
        let gained = (speed(&after) - speed(&before)) / (2.0 / 24.0) / 9.81;
        println!(
            "spacing {spacing}: hangs {:?}, falls {falls:?} at {} m, at {gained:.3} g",
            parts(&hangs),
            low(&after)
        );
        assert!(parts(&hangs)[0] > 0.999 && low(&hangs) > -0.82, "{}", low(&hangs));
        assert!((gained - 1.0).abs() < 0.03, "{gained}");
        falls
    });
    assert!((coarse[1] - fine[1]).abs() < 0.03 && coarse[1] > 0.25, "{coarse:?} {fine:?}");
}

/// A cube of jelly that falls on a blade is halved, with few crumbs. Their number is a matter of chance: it is the mean
/// of three falls.
#[test]
fn a_blade_halves_jelly() {
    for spacing in [0.009, 0.0075] {
        let falls = [0.21, 0.213, 0.216].map(|height| {
            let frame = halved(spacing, height);
            let alone = pieces(&frame).iter().filter(|size| **size < 4).sum::<usize>() as f64 / frame.len() as f64;
            println!("spacing {spacing}, from {height} m: pieces {:.3?}, {alone:.4} alone", parts(&frame));
            assert!(parts(&frame)[1] > 0.4, "{:?}", parts(&frame));
            alone
        });
        let alone = falls.iter().sum::<f64>() / falls.len() as f64;
        assert!(alone < 0.02, "spacing {spacing}: {falls:?} alone");
    }
}

/// A cube of jelly above a blade, and in it.
fn halved(spacing: f64, height: f64) -> Frame {
    let material = json!({"type": "continuum", "rest_density": 1050.0, "viscosity": 1.0, "shear_modulus": 3000.0,
        "strength": 4000.0, "fracture_energy": 5.0});
    let cube = json!({"name": "cube", "shape": {"type": "box", "size": [0.12, 0.12, 0.12]},
        "transform": at(0.004, 0.0, height), "velocity": [0.0, 0.0, -2.0], "material": material});
    let blade = json!({"name": "blade", "shape": {"type": "box", "size": [0.02, 0.4, 0.28]},
        "transform": at(0.0, 0.0, 0.0), "friction": 0.1});
    advanced(simulate(&scene(spacing, json!([cube]), json!([blade]))), 9).frame()
}

/// The simulation after a change of the columns of its particles.
fn changed(scene: &Scene, simulation: &Simulation, change: impl Fn(&mut Value)) -> Simulation {
    let mut state = serde_json::to_value(simulation.state()).unwrap();
    change(&mut state["particles"]);
    let mut resumed = simulate(scene);
    resumed.resume(serde_json::from_value(state).unwrap(), simulation.frame().number).unwrap();
    resumed.find_steps().unwrap();
    resumed
}

/// Gives the halves of a bar a speed, m/s, away from its middle.
fn part_halves(particles: &mut Value, speed: f64) {
    for n in 0..particles["positions"].as_array().unwrap().len() {
        let side = particles["positions"][n][0].as_f64().unwrap().signum();
        particles["velocities"][n] = json!([side * speed, 0.0, 0.0]);
    }
}

/// Halves that are pressed together where they are broken push each other, and come apart again; those of a whole bar
/// do not.
#[test]
fn pieces_that_touch_again_do_not_stick() {
    let material = json!({"type": "continuum", "rest_density": DENSITY, "viscosity": 20.0, "shear_modulus": 1e4,
        "strength": 2000.0, "fracture_energy": 10.0});
    let bar = json!({"name": "bar", "shape": {"type": "box", "size": [0.6, 1.0, 0.12]}, "transform": at(0.0, 0.0, 0.0),
        "material": material});
    let scene = flat(weightless(scene(0.02, json!([bar]), json!([]))));
    let width = |frame: &Frame| frame.positions.iter().map(|p| f64::from(p.x.abs())).sum::<f64>() / frame.len() as f64;
    let [broken, whole] = [1.0, 0.0].map(|damage| {
        let start = changed(&scene, &simulate(&scene), |particles| {
            part_halves(particles, -0.1);
            for n in 0..particles["positions"].as_array().unwrap().len() {
                let is_near = particles["positions"][n][0].as_f64().unwrap().abs() < 0.04;
                particles["damages"][n] = json!(if is_near { damage } else { 0.0 });
            }
        });
        let before = width(&start.frame());
        let pressed = advanced(start, 4);
        println!("damage {damage}: pressed to {:.3} of the width", width(&pressed.frame()) / before);
        assert!(width(&pressed.frame()) / before > 0.93);
        let apart = changed(&scene, &pressed, |particles| part_halves(particles, 0.2));
        let apart = advanced(apart, 14).frame();
        println!("damage {damage}: then apart {:?}, {:.3} of the width", parts(&apart), width(&apart) / before);
        parts(&apart)
    });
    assert!(broken[1] > 0.4 && whole[0] > 0.99, "{broken:?} {whole:?}");
}

/// What melts heals.
#[test]
fn molten_matter_heals() {
    let material = json!({"type": "continuum", "rest_density": DENSITY, "viscosity": 100.0, "shear_modulus": 1e4,
        "strength": 2000.0, "molten": {"viscosity": 10.0}});
    let block = json!({"name": "block", "shape": {"type": "box", "size": [0.3, 1.0, 0.2]},
        "transform": at(0.0, 0.0, 0.1), "temperature": 290.0, "material": material,
        "heat": {"specific_heat": 100.0, "conductivity": 20.0, "solidus": 300.0, "liquidus": 320.0}});
    let mut ground = floor(0.5);
    ground["temperature"] = json!(400.0);
    let mut scene = flat(scene(0.02, json!([block]), json!([ground])));
    scene.heat = Some(serde_json::from_value(json!({"rate": 20})).unwrap());
    let start = changed(&scene, &simulate(&scene), |particles| {
        particles["damages"].as_array_mut().unwrap().iter_mut().for_each(|damage| *damage = json!(1.0));
    });
    let after = advanced(start, 8);
    let (damages, state) = (damages(&after), serde_json::to_value(after.state()).unwrap());
    let melted: Vec<f64> = serde_json::from_value(state["particles"]["melted"].clone()).unwrap();
    let molten = melted.iter().filter(|part| **part > 0.5).count();
    println!("{molten} of {} more than half molten", melted.len());
    assert!(molten > 10 && melted.iter().any(|part| *part <= 0.0));
    assert!(damages.iter().zip(&melted).all(|(damage, melted)| (damage - (1.0 - melted)).abs() < 1e-5));
}

/// A state with a damage beyond its range fits no scene.
#[test]
fn damages_out_of_range_are_refused() {
    let scene = spinning_rod(0.04, 1.0, 0.0);
    let mut state = serde_json::to_value(simulate(&scene).state()).unwrap();
    state["particles"]["damages"][0] = json!(1.5);
    let fault = simulate(&scene).resume(serde_json::from_value(state).unwrap(), 1).unwrap_err();
    assert!(fault.to_string().contains("damages"), "{fault}");
}

/// The same bits for any number of threads, and for a bake that was cut and resumed.
#[test]
fn matter_that_breaks_has_the_same_bits_again() {
    assert_same_bits(|| simulate(&spinning_rod(0.03, 1.25, 0.0)), 8, "a rod that breaks");
}
