//! Normals of planes through the neighbours of points, and how far apart points are.

use super::near::Near;
use glam::DVec3;
use glamx::{DMat3, DSymmetricEigen3};
use rayon::prelude::*;

/// Neighbours whose plane is taken.
const PLANE: usize = 9;

/// Beside so many neighbours a point lies on an even surface.
const AROUND: usize = 6;

/// The distance of neighbours on a hexagonal lattice over that to the sixth nearest of points strewn as evenly, between a lattice
/// (1) and chance (0.78).
const OF_SIXTH: f64 = 0.9;

/// Who is much further from all than these are from theirs, the middle one of so many, is a stray: what is around may reach it from so
/// many times its own distance. More than the half would have to be strays.
const CROWD: usize = 13;
const STRAY: f64 = 4.0;

/// About how far each point is from its neighbours along the surface; of strays, no more than concerns these.
pub(super) fn spacings(places: &[DVec3], near: &Near) -> Vec<f64> {
    let nearest = |number: u32, count: usize| near.nearest(places[number as usize], number, count);
    let sixth = |number: u32| nearest(number, AROUND).last().map_or(0.0, |(squared, _)| OF_SIXTH * squared.sqrt());
    let all: Vec<f64> = (0..places.len() as u32).into_par_iter().map(sixth).collect();
    let without_strays = |number: u32| {
        let mut around: Vec<f64> = nearest(number, CROWD).iter().map(|(_, other)| all[*other as usize]).collect();
        around.sort_unstable_by(f64::total_cmp);
        all[number as usize].min(STRAY * around[around.len() / 2])
    };
    (0..places.len() as u32).into_par_iter().map(without_strays).collect()
}

/// The normal of a plane through each point's neighbourhood, towards either side, and how flat that is: the least variance over the middle one.
pub(super) fn normals(places: &[DVec3], near: &Near) -> Vec<DVec3> {
    let normal = |number: u32| {
        let others = near.nearest(places[number as usize], number, PLANE);
        axes(others.iter().map(|(_, other)| places[*other as usize]).chain([places[number as usize]])).1[0]
    };
    (0..places.len() as u32).into_par_iter().map(normal).collect()
}

/// Variances of points, ascending, and along which axes.
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
