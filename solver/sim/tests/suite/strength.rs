//! Matter with a yield stress: it stands, flows and comes to rest.

use crate::common::{GRAVITY, advance_and_resume, advanced, apart, at, flat, floor, scene, simulate, weightless};
use dollop_scene::HeatFlow;
use dollop_sim::{Frame, MeshLibrary, Simulation, Stepping};
use glam::{DVec3, Vec3};
use serde_json::{Value, json};
use std::f64::consts::{PI, TAU};

fn material(stiffness: f64, viscosity: f64, cohesion: f64, yield_stress: f64) -> Value {
    json!({"type": "smoothed", "stiffness": stiffness, "viscosity": viscosity, "cohesion": cohesion,
        "yield_stress": yield_stress})
}

fn sleeps(simulation: &Simulation) -> bool {
    simulation.stats().force_evaluations == simulation.frame().len() as u64
}

/// Mean over some of the particles.
fn mean(of: impl Iterator<Item = f64> + Clone) -> f64 {
    of.clone().sum::<f64>() / of.count() as f64
}

/// A layer of some height on a floor that is tilted by an angle. The lattice is not tilted, as its rows along the floor
/// would have to climb over each other.
fn layer(height: f64, angle: f64, yield_stress: f64) -> Simulation {
    let turn = json!([(angle / 2.0).cos(), 0.0, (angle / 2.0).sin(), 0.0]);
    let rise = height / 2.0 + 1e-3;
    let body = json!([{"name": "layer", "shape": {"type": "box", "size": [1.8, 1.0, height]},
        "transform": {"rotation": turn, "translation": [rise * angle.sin(), 0.0, rise * angle.cos()]},
        "material": material(100.0, 2.0, 0.0, yield_stress)}]);
    let mut floor = floor(0.5);
    floor["transform"] = json!({"rotation": turn});
    simulate(&flat(scene(0.02, body, json!([floor]))))
}

/// The weight of a layer shears its foot by rho g H sin a.
#[test]
fn a_layer_stands_on_a_slope_below_its_yield_stress_and_flows_above() {
    let (height, angle) = (0.3, 0.3_f64);
    let threshold = 1000.0 * GRAVITY * height * angle.sin();
    let speed_at = |part: f64| {
        let simulation = layer(height, angle, threshold * part);
        let middle: Vec<bool> = simulation.frame().positions.iter().map(|p| p.x.abs() < 0.5).collect();
        let after = advanced(simulation, 30);
        let frame = after.frame();
        let speeds = frame.velocities.iter().zip(&middle).filter(|(_, middle)| **middle).map(|(v, _)| f64::from(v.x));
        let speed = mean(speeds);
        println!("yield stress {part} of rho g H sin a: {speed:.4} m/s after 30 frames, asleep: {}", sleeps(&after));
        speed
    };
    // Of fifteen rows the lowest two stick to the floor, and the layer spreads a little at its ends.
    let [stands, flows] = [1.0, 0.65].map(speed_at);
    assert!(stands.abs() < 0.01 && flows > 0.05, "{stands} {flows}");
}

/// A standing block has taken up its weight when time begins, also the part that shears it; a hanging block falls as it
/// would without strength.
#[test]
fn a_block_starts_borne_by_its_strength() {
    for spacing in [0.06, 0.04] {
        let block = |name: &str, z: f64| {
            json!({"name": name, "shape": {"type": "box", "size": [0.48, 0.48, 0.48]}, "transform": at(0.0, 0.0, z),
                "material": material(1600.0, 0.5, 0.05, 3000.0)})
        };
        let bodies = json!([block("stands", 0.24), block("hangs", 1.3)]);
        let before = simulate(&scene(spacing, bodies, json!([floor(0.5)])));
        let height = |frame: &Frame, body: u32| {
            let own = frame.positions.iter().zip(&frame.sources).filter(|(_, source)| **source == body);
            mean(own.map(|(place, _)| f64::from(place.z)))
        };
        let (start, frames) = (before.frame(), 8);
        let after = advanced(before, frames).frame();
        let [stands, hangs] = [0, 1].map(|body| height(&start, body) - height(&after, body));
        let fallen = GRAVITY * (frames as f64 / 24.0).powi(2) / 2.0;
        println!("spacing {spacing}: the block that stands sank by {:.2} %", 100.0 * stands / height(&start, 0));
        assert!(stands.abs() < 0.005 * height(&start, 0), "{stands}");
        assert!((hangs / fallen - 1.0).abs() < 0.01, "{hangs} {fallen}");
    }
}

/// The profile of matter that has slumped from a wall on a rough floor: its weight no longer shears its foot, nor draws
/// it apart, rho g h^2 / 2 - pi / 2 tau h = tau (L - x) (Dubash, Balmforth, Slim and Cochard 2009, What is the final
/// shape of a viscoplastic slump?, (3.12) to its second order; without the second term Liu and Mei 1989).
struct Slump {
    /// 2 tau / (rho g), m.
    scale: f64,
    length: f64,
}

impl Slump {
    /// A slump of some area, m^2.
    fn new(area: f64, tau: f64) -> Self {
        let scale = 2.0 * tau / (1000.0 * GRAVITY);
        let of = |length: f64| Self { scale, length };
        let (mut low, mut high) = (0.0, 100.0);
        for _ in 0..60 {
            let middle = f64::midpoint(low, high);
            if of(middle).integral(|_, h| h) < area { low = middle } else { high = middle }
        }
        of(low)
    }

    fn height(&self, x: f64) -> f64 {
        let toe = PI / 4.0 * self.scale;
        toe + (toe * toe + self.scale * (self.length - x)).sqrt()
    }

    /// Integral over the length of a function of place and height.
    fn integral(&self, value: impl Fn(f64, f64) -> f64) -> f64 {
        let step = self.length / 1000.0;
        (0..1000).map(|n| (f64::from(n) + 0.5) * step).map(|x| value(x, self.height(x)) * step).sum()
    }
}

#[test]
fn a_slump_comes_to_rest_with_the_profile_of_its_yield_stress() {
    let (spacing, length, height, tau) = (0.015, 0.8, 0.24, 100.0);
    let body = json!([{"name": "heap", "shape": {"type": "box", "size": [length, 1.0, height]},
        "transform": at(length / 2.0, 0.0, height / 2.0), "material": material(300.0, 2.0, 0.0, tau)}]);
    let wall = json!({"name": "wall", "shape": {"type": "box", "size": [1.0, 1.0, 4.0]},
        "transform": at(-0.5, 0.0, 1.0), "friction": 0});
    let mut simulation = simulate(&flat(scene(spacing, body, json!([floor(1.0), wall]))));
    let area = simulation.frame().len() as f64 * spacing * spacing;
    let exact = Slump::new(area, tau);
    let frames = (1..240).find(|_| {
        simulation.advance().unwrap();
        sleeps(&simulation)
    });
    let frame = simulation.frame();
    let reach = frame.positions.iter().map(|p| f64::from(p.x)).fold(0.0, f64::max);
    let place = mean(frame.positions.iter().map(|p| f64::from(p.x)));
    let level = mean(frame.positions.iter().map(|p| f64::from(p.z)));
    let [place_off, level_off, reach_off] = [
        place / (exact.integral(|x, h| x * h) / area),
        level / (exact.integral(|_, h| h * h / 2.0) / area),
        reach / exact.length,
    ]
    .map(|ratio| ratio - 1.0);
    println!(
        "{} particles at rest after {frames:?} frames: length {reach:.3} m, {reach_off:.3} off; mean place {place_off:.3}, mean \
         height {level_off:.3} off",
        frame.len()
    );
    assert!(frames.is_some(), "at rest");
    assert!(place_off.abs() < 0.1 && level_off.abs() < 0.1 && reach_off.abs() < 0.12);
    let later = advanced(simulation, 24).frame();
    assert!(apart(&frame, &later) == 0.0, "what sleeps stays");
}

/// A bar of several parts of length 0.25 m with these stiffnesses, so strong that it never yields.
fn bar(stiffnesses: &[f64]) -> Simulation {
    let length = 0.5 / stiffnesses.len() as f64;
    let part = |(n, &stiffness): (usize, &f64)| {
        json!({"name": "bar", "shape": {"type": "cylinder", "radius": 0.1, "height": length},
            "transform": at(0.0, 0.0, (n as f64 + 0.5) * length - 0.25), "material": material(stiffness, 0.0, 0.3, 1e5)})
    };
    let bodies: Vec<Value> = stiffnesses.iter().enumerate().map(part).collect();
    let mut scene = weightless(scene(0.025, json!(bodies), json!([])));
    scene.frames.rate = 200.0;
    simulate(&scene)
}

/// The lowest torsional mode of a bar with free ends.
fn twist(p: Vec3) -> DVec3 {
    let p = p.as_dvec3();
    DVec3::new(-p.y, p.x, 0.0) * (PI / 0.5 * p.z).sin()
}

fn twisted(mut simulation: Simulation) -> Simulation {
    let frame = simulation.frame();
    let positions: Vec<DVec3> = frame.positions.iter().map(|p| p.as_dvec3()).collect();
    let velocities: Vec<DVec3> = frame.positions.iter().map(|&p| twist(p) * 3.0).collect();
    simulation.place(&positions, &velocities);
    simulation
}

/// A free cylinder that is twisted swings at pi / L sqrt(G / rho), whatever its thickness.
#[test]
fn a_twisted_bar_swings_by_its_shear_modulus() {
    let stiffness = 400.0;
    let mut simulation = twisted(bar(&[stiffness]));
    let swing = |frame: &Frame| {
        frame.velocities.iter().zip(&frame.positions).map(|(v, &p)| v.as_dvec3().dot(twist(p))).sum::<f64>()
    };
    let mut swings = vec![swing(&simulation.frame())];
    for _ in 0..110 {
        simulation.advance().unwrap();
        swings.push(swing(&simulation.frame()));
    }
    let crossings: Vec<f64> = swings
        .windows(2)
        .enumerate()
        .filter(|(_, pair)| (pair[0] > 0.0) != (pair[1] > 0.0))
        .map(|(frame, pair)| frame as f64 + pair[0] / (pair[0] - pair[1]))
        .collect();
    let period = 2.0 * (crossings[crossings.len() - 1] - crossings[0]) / (crossings.len() - 1) as f64 / 200.0;
    let expected = PI / 0.5 * (stiffness / 4.0_f64).sqrt();
    println!("{} particles: {:.3} of {expected:.3} rad/s", simulation.frame().len(), TAU / period);
    assert!((TAU / period / expected - 1.0).abs() < 0.07, "{}", TAU / period);
}

/// Shear waves keep their energy where steps differ.
#[test]
fn shear_waves_about_keep_their_energy_where_steps_differ() {
    for (stepping, part) in [(Stepping::Global, 0.03), (Stepping::Individual, 0.05)] {
        let mut simulation = twisted(bar(&[100.0, 3000.0]));
        simulation.set_stepping(stepping);
        let energy = simulation.stats().kinetic_energy;
        let (mut drift, mut bins) = (0.0, 0);
        for _ in 0..60 {
            simulation.advance().unwrap();
            drift += simulation.stats().energy_drift;
            bins = bins.max(simulation.stats().particles_in_bins.iter().filter(|&&n| n > 1.0).count());
        }
        println!("{stepping:?}: steps in {bins} bins, energy drifts by {:.2e} of {energy:.2e} J", drift / energy);
        assert!(drift.abs() < part * energy, "{drift}");
        assert!(stepping == Stepping::Global || bins > 1);
    }
}

/// A block that turns as a whole keeps its shape.
#[test]
fn a_block_turns_without_false_stress() {
    let body = json!([{"name": "block", "shape": {"type": "box", "size": [0.16, 0.12, 0.24]},
        "angular_velocity": [1.0, 2.0, 0.6], "material": material(100.0, 2.0, 1.0, 1e4)}]);
    let scene = weightless(scene(0.02, body, json!([])));
    // Its surface draws in at first.
    let simulation = advanced(simulate(&scene), 36);
    let start = simulation.frame();
    let frame = advanced(simulation, 60).frame();
    let far = |&(i, j): &(usize, usize)| start.positions[i].distance(start.positions[j]) > 0.1;
    let pairs = (0..start.len()).step_by(7).flat_map(|i| (0..start.len()).step_by(11).map(move |j| (i, j))).filter(far);
    let stretch = |(i, j): (usize, usize)| {
        let distance = |frame: &Frame| frame.positions[i].distance(frame.positions[j]);
        (distance(&frame) / distance(&start) - 1.0).abs()
    };
    let worst = pairs.map(stretch).fold(0.0, f32::max);
    let kept = frame.stats.kinetic_energy / start.stats.kinetic_energy;
    println!("after 5.8 rad distances changed by {worst:.2e} at most, the kinetic energy by {:.2e}", kept - 1.0);
    assert!(worst < 0.02 && (kept - 1.0).abs() < 0.02, "{worst} {kept}");
}

/// A block on a floor in a heater with a temperature at a frame.
fn heated(values: Value) -> Simulation {
    let body = json!([{"name": "block", "shape": {"type": "box", "size": [0.24, 0.24, 0.24]}, "transform": at(0.0, 0.0, 0.121),
        "temperature": 300, "heat": {"specific_heat": 1000, "conductivity": 1, "solidus": 350, "liquidus": 400, "latent_heat": 1e4},
        "material": {"type": "smoothed", "stiffness": 100, "viscosity": 6, "cohesion": 0.05, "yield_stress": 2000,
            "molten": {"stiffness": 100, "viscosity": 1, "cohesion": 0.05}}}]);
    let mut scene = scene(0.03, body, json!([floor(0.5)]));
    scene.ambient.convection = 0.0;
    scene.heat = Some(HeatFlow::default());
    scene.heaters = serde_json::from_value(json!([{"name": "oven", "shape": {"type": "box", "size": [4, 4, 4]},
        "effect": {"type": "temperature", "temperature": 300, "response": 0.1}, "values": values}]))
    .unwrap();
    simulate(&scene)
}

#[test]
fn matter_loses_its_strength_as_it_melts_and_regains_it_as_it_sets() {
    let height = |frame: &Frame| 2.0 * mean(frame.positions.iter().map(|p| f64::from(p.z)));
    let cold = advanced(heated(json!([{"frame": 1, "value": 300}])), 72);
    let hot = json!([{"frame": 12, "value": 300}, {"frame": 13, "value": 460}]);
    let molten = advanced(heated(hot), 60).frame();
    let quenched = json!([{"frame": 12, "value": 300}, {"frame": 13, "value": 460}, {"frame": 16, "value": 460}, {"frame": 17, "value": 200}]);
    let set = advanced(heated(quenched), 24);
    let first = height(&set.frame());
    let set = advanced(set, 50);
    println!(
        "cold {:.4}, {:.1e} m/s, asleep {}; molten {:.4}; set {first:.4} and {:.4} m, speed {:.1e}",
        height(&cold.frame()),
        cold.stats().max_speed,
        sleeps(&cold),
        height(&molten),
        height(&set.frame()),
        set.stats().max_speed
    );
    assert!(height(&cold.frame()) > 0.21 && sleeps(&cold), "{}", height(&cold.frame()));
    assert!(height(&molten) < 0.09, "{}", height(&molten));
    assert!((height(&set.frame()) / first - 1.0).abs() < 0.01 && first > 1.3 * height(&molten), "{first}");
}

/// A bake goes on to the same bits from any frame, though a resumed one looks for its first steps once more: matter
/// that yields rounds its stress each time it is evaluated.
#[test]
fn a_resumed_bake_of_yielding_matter_has_the_same_bits() {
    let ball = json!([{"name": "ball", "shape": {"type": "sphere", "radius": 0.1}, "transform": at(0.0, 0.0, 0.11),
        "velocity": [0, 0, -2], "material": material(100.0, 6.0, 0.05, 150.0)}]);
    let scene = scene(0.02, ball, json!([floor(0.5)]));
    let start = || Simulation::new(&scene, &MeshLibrary::new()).unwrap();
    let mut whole = start();
    let before = whole.frame();
    for _ in 0..5 {
        advance_and_resume(&mut whole, start, "ball");
    }
    // It is no longer round, so it has yielded.
    let top = |frame: &Frame| frame.positions.iter().map(|p| p.z).fold(f32::MIN, f32::max);
    assert!(top(&whole.frame()) < 0.8 * top(&before), "{} {}", top(&whole.frame()), top(&before));
}
