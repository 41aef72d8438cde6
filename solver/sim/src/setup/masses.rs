//! Masses of bodies that whole rows of particles do not fit.

use crate::geometry::FILLED;
use crate::material::model;
use dollop_scene::{Body, Scene};

/// Least mass of a particle over that of its volume at rest; one over this is the most.
const LEAST_RATIO: f64 = 0.5;

/// Mass of a body's particles over that of their volume at rest: it makes up for fewer or more particles than the
/// body's volume asks for.
pub fn mass_ratio(found: usize, expected: f64) -> f64 {
    (expected / found as f64).clamp(LEAST_RATIO, 1.0 / LEAST_RATIO)
}

/// A scene with the density of each body multiplied by a ratio.
pub fn with_masses(scene: &Scene, ratios: &[f64]) -> Scene {
    let mut scene = scene.clone();
    for (body, ratio) in scene.bodies.iter_mut().zip(ratios) {
        body.material = model(&body.material).denser(*ratio);
    }
    scene
}

/// Warns that a body is too thin or too small to hold as many particles as its volume asks for; with by how much.
pub fn coarsely_filled(name: &str, found: f64, expected: f64) -> Option<(f64, String)> {
    let off = found / expected - 1.0;
    // A difference of one particle cannot be avoided.
    let is_off = off.abs() > FILLED && (found - expected).abs() > 1.0;
    is_off.then(|| {
        let (percent, more) = (off.abs() * 100.0, if off > 0.0 { "more" } else { "less" });
        let message = format!(
            "body \"{name}\" is filled with {percent:.0} % {more} matter than its volume, as it is too thin or too small for whole rows of particles; a smaller particle_spacing fills it better"
        );
        (percent, message)
    })
}

/// A body of which so many times too much or too little is filled is not the body that was asked for ...
const MOST_OFF: f64 = 2.0;
/// ... unless it is so few particles that its shape is lost anyway.
const FEW_OFF: f64 = 10.0;

/// Refuses a body that is so thin for the spacing, m, that its mass would be another; `found` and `expected` as for
/// [the warning](coarsely_filled).
pub fn of_another_mass(name: &str, found: f64, expected: f64, spacing: f64) -> Option<String> {
    let off = found / expected;
    let is_another = off.max(off.recip()) > MOST_OFF && (found - expected).abs() > FEW_OFF;
    is_another.then(|| {
        let (percent, more) = ((off - 1.0).abs() * 100.0, if off > 1.0 { "more" } else { "less" });
        format!(
            "\"{name}\" would be filled with {percent:.0} % {more} matter than its volume, as it is too thin for a \
             particle_spacing of {spacing} m; use one of at most twice its thickness, or make it thicker"
        )
    })
}

/// No warning about bodies that float or sink by less than this part of their density.
const ALIKE: f64 = 0.01;

/// Warns of bodies that float in a liquid instead of sinking, or sink instead of floating, because of the mass that
/// their particles get.
pub fn wrongly_floating(scene: &Scene, ratios: &[f64]) -> Vec<String> {
    let asked: Vec<f64> = scene.bodies.iter().map(|body| model(&body.material).rest_density()).collect();
    let given: Vec<f64> = asked.iter().zip(ratios).map(|(asked, ratio)| asked * ratio).collect();
    let is_liquid = |number: &usize| model(&scene.bodies[*number].material).is_liquid(scene.heat.is_some());
    let mut liquids: Vec<usize> = (0..asked.len()).filter(is_liquid).collect();
    liquids.sort_by(|&a, &b| given[a].total_cmp(&given[b]));
    let of_body = |(number, body): (usize, &Body)| {
        let (asked_for, given_to) = (asked[number], given[number]);
        let (low, high) = (asked_for.min(given_to) * (1.0 + ALIKE), asked_for.max(given_to) * (1.0 - ALIKE));
        let first = liquids.partition_point(|&other| given[other] <= low);
        let other = *liquids[first..].first().filter(|&&other| given[other] < high)?;
        let sinks = given_to > asked_for;
        // The liquid's own density may also differ from the one asked for.
        let turned = if sinks { asked_for < asked[other] } else { asked_for > asked[other] };
        let (name, way, other) = (&body.name, if sinks { "sinks" } else { "floats" }, &scene.bodies[other].name);
        turned.then(|| {
            format!(
                "body \"{name}\" {way} in \"{other}\", as whole rows of particles do not fit it and its particles get the mass that is \
                 missing: its matter has {given_to:.0} kg/m^3 instead of {asked_for:.0}; change its size by half a particle_spacing, or \
                 lower that"
            )
        })
    };
    scene.bodies.iter().enumerate().filter_map(of_body).collect()
}
