//! Warnings about settings without effect, which only the filled matter reveals.

use crate::boundary::MovingSurface;
use crate::heat::Track;
use crate::integrator::Integrator;
use crate::material::oriented::Sheet;
use crate::material::{BodyInScene, model};
use crate::particles::{Density, Particles};
use crate::pins::weak;
use dollop_scene::{Dimensions, HeaterEffect, Scene};
use glam::DVec3;

/// The warnings for a scene with its filled matter: one sentence each, with advice.
pub fn of_matter(
    scene: &Scene,
    particles: &Particles,
    integrator: &Integrator,
    sheets: &[Option<Sheet>],
) -> Vec<String> {
    let mut warnings = colliders_off_the_plane(scene, integrator.boundary.colliders());
    let gravity = DVec3::from(scene.gravity);
    let hottest = scene.heat.is_some().then(|| hottest(scene));
    for (number, body) in scene.bodies.iter().enumerate() {
        let law = integrator.solver.law(number as u32);
        let weight = law.weight(Density { total: 1.0, held: 1.0 }).abs();
        warnings.extend(model(&body.material).warnings(&BodyInScene {
            name: &body.name,
            law,
            load: weight * column(particles, number as u32, gravity),
            gravity: gravity.length(),
            spacing: scene.particle_spacing,
            interval: 1.0 / scene.frames.rate,
            hottest,
            solidus: body.heat.solidus,
        }));
    }
    warnings.extend(weak(scene, particles, &integrator.pins, sheets));
    warnings
}

/// Height times gravity of a body, m^2/s^2, from its lowest to its highest particle.
fn column(particles: &Particles, body: u32, gravity: DVec3) -> f64 {
    let own = particles.positions.iter().zip(&particles.sources).filter(|(_, source)| **source == body);
    let depths = own.map(|(position, _)| position.dot(gravity));
    let (low, high) = depths.fold((f64::INFINITY, f64::NEG_INFINITY), |(a, b), d| (a.min(d), b.max(d)));
    (high - low).max(0.0)
}

/// Matter in the plane y = 0 falls past a collider that never meets it.
fn colliders_off_the_plane(scene: &Scene, colliders: &[MovingSurface]) -> Vec<String> {
    if scene.discretization.dimensions == Dimensions::Three {
        return Vec::new();
    }
    let times = (0..=scene.frames.start.abs_diff(scene.frames.end)).map(|n| f64::from(n) / scene.frames.rate);
    let never = |collider: &MovingSurface| !times.clone().any(|time| collider.may_meet_plane(time));
    let off = colliders.iter().zip(&scene.colliders).filter(|(collider, asked)| !asked.inverted && never(collider));
    let warning =
        |name: &str| format!("collider \"{name}\" never meets the plane y = 0, where the matter is; move it there");
    off.map(|(_, asked)| warning(&asked.name)).collect()
}

/// The highest temperature that an object in a scene has or gives in its frames, K; infinite where a heater gives heat.
fn hottest(scene: &Scene) -> f64 {
    let frames = (f64::from(scene.frames.start), f64::from(scene.frames.end));
    let most = |track: Track| track.greatest(frames.0, frames.1);
    let bodies = scene.bodies.iter().filter_map(|body| body.temperature);
    let walls = scene.colliders.iter().filter_map(|wall| Track::of_wall(wall, f64::from).map(most));
    let heaters = scene.heaters.iter().map(|heater| match heater.effect {
        HeaterEffect::Temperature { temperature, .. } => most(Track::new(temperature, &heater.values, f64::from)),
        HeaterEffect::Power { power } if most(Track::new(power, &heater.values, f64::from)) > 0.0 => f64::INFINITY,
        HeaterEffect::Power { .. } => f64::NEG_INFINITY,
    });
    bodies.chain(walls).chain(heaters).fold(scene.ambient.temperature, f64::max)
}
