//! The mass of bodies that whole rows of particles do not fit.

use crate::geometry::FILLED;
use crate::material::model;
use dollop_scene::{Body, Scene};

/// No particle gets less mass than this part of that of its volume at rest, nor more than one over it.
const LEAST_RATIO: f64 = 0.5;

/// Mass of a body's particles over that of their volume at rest, where its volume asks for more or fewer than were found.
pub fn mass_ratio(found: usize, expected: f64) -> f64 {
    (expected / found as f64).clamp(LEAST_RATIO, 1.0 / LEAST_RATIO)
}

/// A scene whose bodies are denser by some ratios each.
pub fn with_masses(scene: &Scene, ratios: &[f64]) -> Scene {
    let mut scene = scene.clone();
    for (body, ratio) in scene.bodies.iter_mut().zip(ratios) {
        body.material = model(&body.material).denser(*ratio);
    }
    scene
}

/// Warns that a body is too thin or too small for as many particles as its volume asks for.
pub fn coarsely_filled(name: &str, found: f64, expected: f64) -> Option<String> {
    let off = found / expected - 1.0;
    // One particle is as near as there is.
    let is_off = off.abs() > FILLED && (found - expected).abs() > 1.0;
    is_off.then(|| {
        let (percent, more) = (off.abs() * 100.0, if off > 0.0 { "more" } else { "less" });
        format!(
            "body \"{name}\" is filled with {percent:.0} % {more} matter than its volume, as it is too thin or too small for whole rows of particles; a smaller particle_spacing fills it better"
        )
    })
}

/// Warns of what lies on the other side of something's density for the mass that its particles get.
pub fn wrongly_floating(scene: &Scene, ratios: &[f64]) -> Vec<String> {
    let asked = |number: usize| model(&scene.bodies[number].material).rest_density();
    let given = |number: usize| asked(number) * ratios[number];
    let is_sheet = |number: usize| model(&scene.bodies[number].material).thickness().is_some();
    let mut by_density: Vec<usize> = (0..scene.bodies.len()).filter(|&number| !is_sheet(number)).collect();
    by_density.sort_by(|&a, &b| given(a).total_cmp(&given(b)));
    let of_body = |(number, body): (usize, &Body)| {
        let (asked, given_to) = (asked(number), given(number));
        let first = by_density.partition_point(|&other| given(other) <= asked.min(given_to));
        let other = by_density[first..].first().filter(|&&other| given(other) < asked.max(given_to))?;
        let other = &scene.bodies[*other].name;
        let (name, way) = (&body.name, if given_to > asked { "sinks" } else { "floats" });
        Some(format!(
            "body \"{name}\" {way} in \"{other}\", as whole rows of particles do not fit it and its particles get the mass that is \
             missing: its matter has {given_to:.0} kg/m^3 instead of {asked:.0}; change its size by half a particle_spacing, or lower that"
        ))
    };
    scene.bodies.iter().enumerate().filter_map(of_body).collect()
}
