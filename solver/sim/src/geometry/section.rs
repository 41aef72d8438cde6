//! Filling the cut of a solid by the plane y = 0 with particles on a close-packed lattice.
//!
//! The lattice is hexagonal with one point for each spacing^2 and its rows along x, so that they lie on a level floor.

use super::Solid;
use super::fill::MOST_POINTS;
use super::layers::{LatticeLayers, LatticeRoom, fitting};
use crate::bounds::Bounds;
use crate::lattice::{between_rows, within_row};
use glam::DVec3;

/// Columns along X that measure how much of the cut of a mesh overlaps.
const COLUMNS: u32 = 256;

/// Whether the plane may cut a solid, by its bounds.
pub fn meets_plane(solid: &Solid) -> bool {
    let Bounds { low, high } = solid.bounds();
    low.y <= 0.0 && high.y >= 0.0
}

/// About how many lattice points lie in the cut, by its area; a cut too thin for a row counts as holding one.
pub fn expected_in_section(solid: &Solid, spacing: f64) -> f64 {
    let Bounds { low, high } = solid.bounds();
    let layered = (high - low).max(DVec3::splat(between_rows(spacing)));
    filled_share(solid) * layered.x * layered.z / spacing.powi(2)
}

/// Area of the cut, m^2; parts of a mesh that overlap count once.
pub fn area(solid: &Solid) -> f64 {
    let Bounds { low, high } = solid.bounds();
    let exact = solid.triangles().iter().map(under_cut).sum::<f64>().abs();
    let step = (high.x - low.x) / f64::from(COLUMNS);
    let columns = (0..COLUMNS).map(|i| (low.x + (f64::from(i) + 0.5) * step, 0.0));
    solid.lengths(columns).counted_once(exact, step)
}

/// The signed area between the X axis and the line in which the plane cuts a triangle, m^2. Over a closed mesh these
/// areas add up to the enclosed area.
fn under_cut(corners: &[DVec3; 3]) -> f64 {
    cut(corners).map_or(0.0, |[a, b]| (b.x - a.x) * f64::midpoint(a.z, b.z))
}

/// The ends of the line in which the plane y = 0 cuts a triangle, m.
pub fn cut(corners: &[DVec3; 3]) -> Option<[DVec3; 2]> {
    // Columns use the same rule.
    let is_beyond = |corner: &DVec3| corner.y > 0.0;
    let (mut enters, mut leaves) = (None, None);
    for n in 0..3 {
        let (from, to) = (corners[n], corners[(n + 1) % 3]);
        if is_beyond(&from) != is_beyond(&to) {
            let at = from.lerp(to, from.y / (from.y - to.y));
            *(if is_beyond(&to) { &mut enters } else { &mut leaves }) = Some(at);
        }
    }
    Some([enters?, leaves?])
}

/// The part of the cut's bounds that lies inside the solid.
fn filled_share(solid: &Solid) -> f64 {
    let Bounds { low, high } = solid.bounds();
    let all = (high.x - low.x) * (high.z - low.z);
    if all > 0.0 { (area(solid) / all).min(1.0) } else { 0.0 }
}

/// The lattice points in the cut, by rising x, z: about as many as the target ([`fitting`]), or without one those of
/// the lattice at rest.
///
/// # Errors
/// The number of lattice points in the bounds, when it exceeds 2e9.
pub fn fill_section(solid: &Solid, spacing: f64, target: Option<f64>) -> Result<Vec<DVec3>, f64> {
    let Bounds { low, high } = solid.bounds();
    let room = high - low + spacing;
    let expected = room.x * room.z / spacing.powi(2);
    if expected.is_nan() || expected >= MOST_POINTS {
        return Err(expected);
    }
    // Along Y, where there is nothing to fill, any distance will do.
    let steps = DVec3::new(within_row(spacing) / 2.0, spacing, between_rows(spacing));
    let room = LatticeRoom { bounds: Bounds { low, high }, spacing, steps, is_section: true };
    let points = |layers: &LatticeLayers| points(solid, layers);
    Ok(target.map_or_else(|| points(&room.at_rest()), |target| fitting(&room, target, points)))
}

/// The lattice points of some layers; every other point of a column lies in the next layer.
fn points(solid: &Solid, layers: &LatticeLayers) -> Vec<DVec3> {
    let high = solid.bounds().high;
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
