#![allow(clippy::unwrap_used, clippy::print_stdout)]

use super::{DistanceField, Surface};
use crate::bounds::Bounds;
use crate::{Frame, MeshLibrary, Simulation, SmoothingKernel};
use dollop_scene::Scene;
use glam::DVec3;
use serde_json::{Value, json};

const SPACING: f64 = 0.04;
/// Speed of a floor, m/s.
const RISE: f64 = 0.3;

/// A floor that rises by its shape, while its object stands.
#[derive(Debug)]
struct Rising;

impl Surface for Rising {
    fn distance(&self, place: DVec3, time: f64) -> f64 {
        place.z - RISE * time
    }

    fn gradient(&self, _place: DVec3, _time: f64) -> Option<DVec3> {
        Some(DVec3::Z)
    }

    fn bounds(&self) -> Bounds {
        Bounds::ALL
    }

    fn is_rigid(&self) -> bool {
        false
    }

    fn velocity(&self, _place: DVec3, _time: f64) -> DVec3 {
        DVec3::Z * RISE
    }

    fn max_speed(&self, _from: f64, _to: f64) -> f64 {
        RISE
    }
}

/// A ball that swells.
#[derive(Debug)]
struct Swelling;

impl Swelling {
    fn radius(time: f64) -> f64 {
        0.06 + RISE * time
    }
}

impl Surface for Swelling {
    fn distance(&self, place: DVec3, time: f64) -> f64 {
        place.length() - Self::radius(time)
    }

    fn bounds(&self) -> Bounds {
        Bounds { low: DVec3::splat(-1.0), high: DVec3::ONE }
    }

    fn is_rigid(&self) -> bool {
        false
    }

    fn velocity(&self, place: DVec3, _time: f64) -> DVec3 {
        place.normalize_or_zero() * RISE
    }

    fn max_speed(&self, _from: f64, _to: f64) -> f64 {
        RISE
    }
}

fn scene(body: &Value, collider: &Value, gravity: f64) -> Scene {
    serde_json::from_value(
        json!({"version": 1, "frames": {"start": 1, "end": 24, "rate": 24}, "particle_spacing": SPACING,
        "gravity": [0, 0, -gravity], "settle": false, "bodies": [body], "colliders": [collider]}),
    )
    .unwrap()
}

/// A simulation in which another surface takes the place of the collider's.
fn with_surface(scene: &Scene, surface: impl Surface + 'static) -> Simulation {
    let mut simulation = Simulation::new(scene, &MeshLibrary::new()).unwrap();
    let kernel = SmoothingKernel::of(scene);
    let field = DistanceField::new(Box::new(surface), false, &kernel, SPACING, 1.0);
    simulation.parts().0.boundary.colliders_mut()[0].field = field;
    simulation
}

fn advanced(mut simulation: Simulation, frames: usize) -> Frame {
    for _ in 0..frames {
        simulation.advance().unwrap();
    }
    simulation.frame()
}

/// A floor lifts a block the same whether its object or its shape rises, and bears the same.
#[test]
fn a_surface_that_deforms_pushes_as_one_that_moves() {
    let block = json!({"name": "block", "shape": {"type": "box", "size": [0.24, 0.24, 0.24]},
        "transform": {"translation": [0, 0, 0.15]}, "material": {"type": "smoothed", "yield_stress": 1000, "viscosity": 5}});
    let key = |frame: i32, z: f64| json!({"frame": frame, "transform": {"translation": [0, 0, z]}});
    let moving = json!({"name": "floor", "shape": {"type": "plane"}, "friction": 0.5,
        "motion": [key(1, 0.0), key(49, 2.0 * RISE)]});
    let standing = json!({"name": "floor", "shape": {"type": "plane"}, "friction": 0.5});
    let moved = Simulation::new(&scene(&block, &moving, 9.81), &MeshLibrary::new()).unwrap();
    let [moved, deformed] = [moved, with_surface(&scene(&block, &standing, 9.81), Rising)].map(|s| advanced(s, 12));
    let places = moved.positions.iter().zip(&deformed.positions);
    let apart = places.map(|(a, b)| a.distance(*b)).fold(0.0, f32::max);
    let [a, b] = [&moved, &deformed].map(|frame| frame.reactions[0].force.z);
    println!("apart by {:.1e} spacings; {a:.4} and {b:.4} N", f64::from(apart) / SPACING);
    // The linear keys of an object and the product of a speed and a time round differently.
    assert!(f64::from(apart) < 1e-3 * SPACING && (a / b - 1.0).abs() < 1e-3, "{apart} {a} {b}");
    assert!(moved.positions.iter().all(|p| p.z > RISE as f32 * 0.5));
}

/// Matter all around a ball that swells keeps out of it.
#[test]
fn matter_keeps_out_of_a_surface_that_swells() {
    let block = json!({"name": "block", "shape": {"type": "box", "size": [0.6, 0.6, 0.6]},
        "material": {"type": "smoothed", "viscosity": 2, "cohesion": 0}});
    let ball = json!({"name": "ball", "shape": {"type": "sphere", "radius": Swelling::radius(0.0)}});
    let frame = advanced(with_surface(&scene(&block, &ball, 0.0), Swelling), 12);
    let radius = Swelling::radius(0.5);
    let nearest = frame.positions.iter().map(|p| f64::from(p.length())).fold(f64::INFINITY, f64::min);
    let outward = frame.velocities.iter().zip(&frame.positions).map(|(v, p)| v.dot(p.normalize_or_zero()));
    println!("nearest {nearest:.4} of {radius:.4} m");
    assert!(nearest > radius - 0.05 * SPACING && nearest < radius + SPACING, "{nearest} {radius}");
    assert!(outward.sum::<f32>() / frame.len() as f32 > 0.01);
}
