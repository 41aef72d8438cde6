//! Normals of planes through the neighbours of points, and distances between points.

use super::kd_tree::KdTree;
use glam::DVec3;
use glamx::{DMat3, DSymmetricEigen3};
use rayon::prelude::*;

/// Number of neighbours in a plane fit.
const PLANE_NEIGHBOURS: usize = 9;

/// Number of neighbours around a point on an even surface.
const SPACING_NEIGHBOURS: usize = 6;

/// Distance of neighbours on a hexagonal lattice over the distance of the sixth nearest of equally dense scattered
/// points, between a lattice (1) and random points (0.78).
const SPACING_OVER_SIXTH: f64 = 0.9;

/// A point is an outlier if its distance exceeds this many times the median over this many neighbours; its distance is
/// then capped. Outliers must be fewer than half of those neighbours.
const OUTLIER_NEIGHBOURS: usize = 13;
const MAX_OVER_MEDIAN: f64 = 4.0;

/// Approximate distance of each point to its neighbours along the surface; capped for outliers.
pub(super) fn spacings(positions: &[DVec3], tree: &KdTree) -> Vec<f64> {
    let nearest = |number: u32, count: usize| tree.nearest(positions[number as usize], number, count);
    let sixth = |number: u32| {
        nearest(number, SPACING_NEIGHBOURS).last().map_or(0.0, |(squared, _)| SPACING_OVER_SIXTH * squared.sqrt())
    };
    let all: Vec<f64> = (0..positions.len() as u32).into_par_iter().map(sixth).collect();
    let without_outliers = |number: u32| {
        let mut around: Vec<f64> =
            nearest(number, OUTLIER_NEIGHBOURS).iter().map(|(_, other)| all[*other as usize]).collect();
        around.sort_unstable_by(f64::total_cmp);
        all[number as usize].min(MAX_OVER_MEDIAN * around[around.len() / 2])
    };
    (0..positions.len() as u32).into_par_iter().map(without_outliers).collect()
}

/// The normal of the plane through the neighbourhood of each point, with arbitrary sign.
pub(super) fn normals(positions: &[DVec3], tree: &KdTree) -> Vec<DVec3> {
    let normal = |number: u32| {
        let others = tree.nearest(positions[number as usize], number, PLANE_NEIGHBOURS);
        axes(others.iter().map(|(_, other)| positions[*other as usize]).chain([positions[number as usize]])).1[0]
    };
    (0..positions.len() as u32).into_par_iter().map(normal).collect()
}

/// Variances of points, ascending, and their axes.
pub(super) fn axes(points: impl Iterator<Item = DVec3> + Clone) -> ([f64; 3], [DVec3; 3]) {
    let count = points.clone().count().max(1) as f64;
    let mean = points.clone().sum::<DVec3>() / count;
    let product = |point: DVec3| {
        let off = point - mean;
        DMat3::from_cols_array_2d(&[off * off.x, off * off.y, off * off.z].map(|column| column.to_array()))
    };
    let covariance = points.map(product).fold(DMat3::ZERO, |sum, one| sum + one) * (1.0 / count);
    let eigen = DSymmetricEigen3::new(covariance);
    let axes = eigen.eigenvectors.to_cols_array_2d().map(DVec3::from_array);
    let mut sorted: Vec<(f64, DVec3)> = eigen.eigenvalues.to_array().into_iter().zip(axes).collect();
    sorted.sort_by(|a, b| a.0.total_cmp(&b.0));
    let axis = |k: usize| sorted[k].1.normalize_or(DVec3::AXES[k]);
    ([0, 1, 2].map(|k| sorted[k].0), [0, 1, 2].map(axis))
}
