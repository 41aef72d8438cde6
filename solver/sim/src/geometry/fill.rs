//! Filling a solid with particles on a close-packed lattice.
//!
//! The lattice is face-centred cubic with one point for each spacing^3, so its nearest neighbours are 2^(1/6) spacings
//! apart. Pressed particles settle in this lattice, so a filled body does not rearrange itself when it is released.

use super::Solid;
use super::layers::{LatticeLayers, LatticeRoom, fitting};
use crate::bounds::Bounds;
use crate::lattice::edge;
use glam::DVec3;
use rayon::prelude::*;

/// Lattice points in the bounds of a solid beyond which it is refused; a guard against a spacing that is far too small.
pub(super) const MOST_POINTS: f64 = 2.0e9;

/// About how many lattice points lie inside a solid, by its volume; a solid too thin for a layer counts as holding one.
pub fn expected_points(solid: &Solid, spacing: f64) -> f64 {
    let Bounds { low, high } = solid.bounds();
    let extent = high - low;
    let share = (solid.volume() / extent.element_product()).min(1.0);
    let layered = extent.max(DVec3::splat(edge(spacing) / 2.0)).element_product();
    share * layered / spacing.powi(3)
}

/// The lattice points inside a solid, or the number of lattice points in its bounds when that is beyond reason.
///
/// With a target there are about that many points ([`fitting`]), and the outermost layers of a box lie 0.35 to 0.65
/// spacings from its faces. Without one the lattice is as at rest, the outermost layers lie 0.25 to 0.65 spacings from
/// the faces, and the number of points follows.
///
/// # Errors
/// The number of lattice points in the solid's bounds, when it exceeds 2e9.
pub fn fill(solid: &Solid, spacing: f64, target: Option<f64>) -> Result<Vec<DVec3>, f64> {
    let Bounds { low, high } = solid.bounds();
    let expected = (high - low + spacing).element_product() / spacing.powi(3);
    if expected.is_nan() || expected >= MOST_POINTS {
        return Err(expected);
    }
    let room = LatticeRoom {
        bounds: Bounds { low, high },
        spacing,
        steps: DVec3::splat(edge(spacing) / 2.0),
        is_section: false,
    };
    let points = |layers: &LatticeLayers| points(solid, layers);
    Ok(target.map_or_else(|| points(&room.at_rest()), |target| fitting(&room, target, points)))
}

/// The lattice points of some layers, by rising y, x, z: places whose numbers have an even sum.
fn points(solid: &Solid, layers: &LatticeLayers) -> Vec<DVec3> {
    let high = solid.bounds().high;
    // A whole cell below, so that rounding leaves no gap at the lower side.
    let origin = layers.first - 2.0 * layers.steps;
    let count = |axis: usize, step: f64| ((high - origin)[axis] / step).max(0.0) as u32 + 1;
    let steps = layers.steps;
    let (columns_x, columns_y, levels) = (count(0, steps.x), count(1, steps.y), count(2, 2.0 * steps.z));
    (0..columns_y)
        .into_par_iter()
        .flat_map_iter(|j| {
            let mut inside = Vec::new();
            let mut scratch = Vec::new();
            for i in 0..columns_x {
                let (x, y) = (origin.x + f64::from(i) * steps.x, origin.y + f64::from(j) * steps.y);
                // Columns of odd i + j hold the points of the layers between.
                let heights = (0..levels).map(|k| origin.z + f64::from(2 * k + (i + j) % 2) * steps.z);
                solid.column(x, y, heights, &mut scratch, |z| inside.push(DVec3::new(x, y, z)));
            }
            inside
        })
        .collect()
}
