//! Filling the cut of a solid by the plane y = 0 with particles on a close-packed lattice.
//!
//! The lattice is hexagonal with one point for each spacing^2 and its rows along x, so that they lie on a level floor.

use super::Solid;
use super::fill::MOST_POINTS;
use super::layers::{Layers, Room, fitting};
use crate::lattice::{between_rows, within_row};
use glam::DVec3;

/// Samples along each side of the cut's bounds that its area is told by.
const SAMPLES: u32 = 256;

/// Whether the plane may cut a solid, by its bounds.
pub fn meets_plane(solid: &Solid) -> bool {
    let (low, high) = solid.bounds();
    low.y <= 0.0 && high.y >= 0.0
}

/// About how many lattice points lie in the cut, by its area; one too thin for a row is taken to hold one.
pub fn expected_in_section(solid: &Solid, spacing: f64) -> f64 {
    let (low, high) = solid.bounds();
    let layered = (high - low).max(DVec3::splat(between_rows(spacing)));
    filled_share(solid) * layered.x * layered.z / spacing.powi(2)
}

/// Area of the cut, m^2.
pub fn area(solid: &Solid) -> f64 {
    let (low, high) = solid.bounds();
    filled_share(solid) * (high.x - low.x) * (high.z - low.z)
}

/// The part of the cut's bounds that lies inside the solid.
fn filled_share(solid: &Solid) -> f64 {
    let (low, high) = solid.bounds();
    let step = (high - low) / f64::from(SAMPLES);
    let (mut inside, mut scratch) = (0_u32, Vec::new());
    let middle = |i: u32| f64::from(i) + 0.5;
    for i in 0..SAMPLES {
        let heights = (0..SAMPLES).map(|k| low.z + middle(k) * step.z);
        solid.column(low.x + middle(i) * step.x, 0.0, heights, &mut scratch, |_| inside += 1);
    }
    f64::from(inside) / f64::from(SAMPLES * SAMPLES)
}

/// The lattice points in the cut, about as many as it should take ([`fitting`]), or those of the lattice at rest, by rising x, z.
///
/// # Errors
/// The number of lattice points in the bounds, when it exceeds 2e9.
pub fn fill_section(solid: &Solid, spacing: f64, target: Option<f64>) -> Result<Vec<DVec3>, f64> {
    let (low, high) = solid.bounds();
    let room = high - low + spacing;
    let expected = room.x * room.z / spacing.powi(2);
    if expected.is_nan() || expected >= MOST_POINTS {
        return Err(expected);
    }
    // Any distance does along Y, where there is nothing to fill.
    let steps = DVec3::new(within_row(spacing) / 2.0, spacing, between_rows(spacing));
    let room = Room { bounds: (low, high), spacing, steps, is_section: true };
    let points = |layers: &Layers| points(solid, layers);
    Ok(target.map_or_else(|| points(&room.at_rest()), |target| fitting(&room, target, points)))
}

/// The points of the lattice with such layers; every other point of a column is in the next.
fn points(solid: &Solid, layers: &Layers) -> Vec<DVec3> {
    let (_, high) = solid.bounds();
    let steps = layers.steps;
    // A whole cell below, so that rounding leaves no gap at the lower side.
    let origin = layers.first - 2.0 * steps;
    let count = |length: f64, step: f64| (length / step).max(0.0) as u32 + 1;
    let (columns, levels) = (count(high.x - origin.x, steps.x), count(high.z - origin.z, 2.0 * steps.z));
    let (mut inside, mut scratch) = (Vec::new(), Vec::new());
    for i in 0..columns {
        let x = origin.x + f64::from(i) * steps.x;
        let heights = (0..levels).map(|k| origin.z + f64::from(2 * k + i % 2) * steps.z);
        solid.column(x, 0.0, heights, &mut scratch, |z| inside.push(DVec3::new(x, 0.0, z)));
    }
    inside
}
