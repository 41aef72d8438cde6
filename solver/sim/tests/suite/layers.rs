//! Layers of matter of different density, stiffness and viscosity.

use crate::common::{GRAVITY, advanced, at, close_packed, evaluate, pressure_and_weight, scene, simulate, weightless};
use dollop_scene::{Ambient, Scene, StateEquation};
use dollop_sim::boundary::Wall;
use dollop_sim::kernel::Kernel;
use dollop_sim::lattice::edge;
use dollop_sim::material::pressure::{PressureForces, PressureLaw};
use dollop_sim::{Frame, SmoothingKernel, Stepping};
use glam::DVec3;
use serde_json::json;

const SPACING: f64 = 0.05;

/// Two layers of 0.3 m in a tank of 0.5 by 0.5 m, the lower one first, with rest densities in kg/m^3.
fn layers([lower, upper]: [f64; 2], viscosity: f64) -> Scene {
    let layer = |z: f64, density: f64, stiffness: f64| {
        json!({"name": "layer", "shape": {"type": "box", "size": [0.5, 0.5, 0.3]}, "transform": at(0.0, 0.0, z),
            "material": {"type": "smoothed", "rest_density": density, "stiffness": stiffness, "viscosity": viscosity}})
    };
    let tank = json!({"name": "tank", "shape": {"type": "box", "size": [0.5, 0.5, 2.0]}, "transform": at(0.0, 0.0, 1.0),
        "inverted": true, "friction": 0.0});
    scene(SPACING, json!([layer(0.15, lower, 1000.0), layer(0.45, upper, 2000.0)]), json!([tank]))
}

fn mean_height(frame: &Frame, source: u32) -> f64 {
    let own = frame.positions.iter().zip(&frame.sources).filter(|(_, s)| **s == source).map(|(p, _)| f64::from(p.z));
    own.clone().sum::<f64>() / own.count() as f64
}

#[test]
fn layers_at_rest_have_hydrostatic_pressure_and_no_gap() {
    for densities in [[1000.0, 250.0], [1000.0, 1000.0]] {
        let mut simulation = advanced(simulate(&layers(densities, 10.0)), 24);
        let frames = 12_u32;
        let bins = [0.1, 0.2, 0.3, 0.4];
        let (mut told, mut carried) = ([0.0; 4], [0.0; 4]);
        for _ in 0..frames {
            simulation = advanced(simulation, 1);
            let frame = simulation.frame();
            for (bin, &z) in bins.iter().enumerate() {
                let (pressure, weight) = pressure_and_weight(&frame, &densities, 0.5 * 0.5, z);
                told[bin] += pressure / f64::from(frames);
                carried[bin] += weight / f64::from(frames);
            }
        }
        println!("layers {densities:?}: pressure {told:.0?} Pa, weight above {carried:.0?} Pa");
        for (told, carried) in told.into_iter().zip(carried) {
            // Within 2 % of the pressure at the foot.
            assert!((told - carried).abs() < 0.02 * (densities[0] + densities[1]) * 0.3 * GRAVITY, "{told} {carried}");
        }
        let frame = simulation.frame();
        let nearest = |i: usize| {
            let others = (0..frame.len()).filter(|&j| frame.sources[j] != frame.sources[i]);
            others.map(|j| frame.positions[i].distance(frame.positions[j])).fold(f32::INFINITY, f32::min)
        };
        let mut gaps: Vec<f32> = (0..frame.len()).map(|i| nearest(i) / SPACING as f32).collect();
        gaps.sort_by(f32::total_cmp);
        // The nearest pair of all, and the nearest except for a few.
        let (nearest_of_all, gap) = (gaps[0], gaps[8]);
        // Matter at the interface is as densely packed as elsewhere.
        let density = frame.scalar("density").unwrap();
        let touching = (0..frame.len()).filter(|&i| nearest(i) < 1.3 * SPACING as f32);
        let over_rest: Vec<f64> =
            touching.map(|i| f64::from(density[i]) / densities[frame.sources[i] as usize]).collect();
        let mean = over_rest.iter().sum::<f64>() / over_rest.len() as f64;
        println!(
            "  nearest of the two {nearest_of_all:.3} and {gap:.3} spacings, {} touch, density {mean:.4} of rest",
            over_rest.len()
        );
        assert!(nearest_of_all > 0.5 && (0.7..1.13).contains(&gap), "{nearest_of_all} {gap}");
        assert!(over_rest.len() > 100 && (mean - 1.0).abs() < 0.02, "{} {mean}", over_rest.len());
        assert!(mean_height(&frame, 0) < 0.2 && mean_height(&frame, 1) > 0.35);
        assert!(frame.stats.max_speed < 0.2, "{:?}", frame.stats);
    }
}

#[test]
fn heavy_over_light_overturns() {
    let start = layers([250.0, 1000.0], 0.5);
    let mut simulation = simulate(&start);
    let before = simulation.frame();
    assert!(mean_height(&before, 1) > mean_height(&before, 0) + 0.2);
    let mut apart = 0.0;
    for _ in 0..60 {
        simulation = advanced(simulation, 1);
        let frame = simulation.frame();
        apart = mean_height(&frame, 0) - mean_height(&frame, 1);
        if apart > 0.15 {
            break;
        }
    }
    println!("the light lies {apart:.3} m over the heavy after {:.1} s", simulation.frame().time);
    assert!(apart > 0.15, "{apart}");
}

fn law(rest_density: f64, stiffness: f64, viscosity: f64) -> PressureLaw {
    let law = PressureLaw::new(rest_density, stiffness, viscosity, StateEquation::Linear, &Ambient::default());
    PressureLaw { cohesion: 1.0, ..law }
}

/// A ball of the close-packed lattice whose matter changes at x = 0.
struct Lattice {
    positions: Vec<DVec3>,
    sources: Vec<u32>,
    accelerations: Vec<DVec3>,
}

fn lattice(laws: [PressureLaw; 2], velocity: impl Fn(DVec3) -> DVec3) -> Lattice {
    let kernel = SmoothingKernel::new(Kernel::Spiky, 1.25 * SPACING);
    let positions = close_packed(8, edge(SPACING) / 2.0);
    let sources: Vec<u32> = positions.iter().map(|p| u32::from(p.x > 0.0)).collect();
    let velocities: Vec<DVec3> = positions.iter().map(|&p| velocity(p)).collect();
    let pressure = PressureForces::new(kernel, SPACING, laws.to_vec());
    let walls = vec![Wall::default(); positions.len()];
    let (_, accelerations) = evaluate(&pressure, &positions, &velocities, &sources, &walls);
    Lattice { positions, sources, accelerations }
}

#[test]
fn nothing_acts_where_matter_at_rest_changes() {
    let laws = [law(1000.0, 1000.0, 5.0), law(20.0, 300.0, 50.0)];
    let Lattice { positions, accelerations, .. } = lattice(laws, |_| DVec3::ZERO);
    let inner = positions.iter().zip(&accelerations).filter(|(p, _)| p.abs().max_element() < SPACING);
    let worst = inner.clone().map(|(_, a)| a.length()).fold(0.0, f64::max);
    // In units of stiffness over smoothing length, the acceleration by unequal pressure; 1e-6 is the rounding of a
    // density.
    let unit = 1000.0 / (1.25 * SPACING) * 1000.0 / 20.0;
    println!("where matter changes, {} particles have at most {:.2e} of k / h", inner.count(), worst / unit);
    assert!(worst < 1e-5 * unit, "{worst} m/s^2");
}

#[test]
fn drag_between_unequal_matter_keeps_momentum() {
    let laws = [law(1000.0, 1000.0, 5.0), law(10.0, 300.0, 80.0)];
    let Lattice { sources, accelerations: still, .. } = lattice(laws, |_| DVec3::ZERO);
    let moving = lattice(laws, |p| if p.x > 0.0 { DVec3::new(-3.0, 1.0, 0.0) } else { DVec3::Z }).accelerations;
    let mass = |source: u32| [1000.0, 10.0][source as usize];
    let drags =
        still.iter().zip(&moving).zip(&sources).map(|((still, moving), &source)| (*moving - *still) * mass(source));
    let (sum, size) = drags.fold((DVec3::ZERO, 0.0), |(sum, size), drag| (sum + drag, size + drag.length()));
    println!("drags add up to {:.2e} of their size", sum.length() / size);
    assert!(size > 1.0 && sum.length() < 1e-6 * size, "{sum} of {size}");
}

#[test]
fn unequal_bodies_that_collide_keep_momentum() {
    let ball = |x: f64, speed: f64, density: f64, equation: &str| {
        json!({"name": "ball", "shape": {"type": "sphere", "radius": 0.2}, "transform": at(x, 0.05, 0.0),
            "velocity": [speed, 0.0, 0.0], "material": {"type": "smoothed", "rest_density": density,
            "state_equation": equation, "viscosity": density / 100.0, "stiffness": 500.0}})
    };
    for equation in ["linear", "tait", "ideal-gas"] {
        let scene = weightless(scene(
            SPACING,
            json!([ball(-0.22, 3.0, 1000.0, "linear"), ball(0.22, -2.0, 100.0, equation)]),
            json!([]),
        ));
        let momentum = |frame: &Frame| {
            let terms = frame.velocities.iter().zip(&frame.sources);
            terms.fold((DVec3::ZERO, 0.0), |(sum, size), (v, &source)| {
                let term = v.as_dvec3() * [10.0, 1.0][source as usize];
                (sum + term, size + term.length())
            })
        };
        let mut start = simulate(&scene);
        start.set_stepping(Stepping::Global);
        let (before, size) = momentum(&start.frame());
        let (after, _) = momentum(&advanced(start, 6).frame());
        println!("{equation}: momentum changed by {:.2e}", (after - before).length() / size);
        assert!((after - before).length() < 2e-6 * size, "{before} {after}");
    }
}
