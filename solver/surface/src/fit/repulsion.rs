//! Spreads inserted particles evenly: they repel each other and are repelled by seeds, along the surface.

use super::cloud::{Cloud, CloudNeighbours};
use glam::DVec3;
use rayon::prelude::*;

/// Range of repulsion.
const PUSH_RANGE: f64 = 1.15;

/// Fraction of the repulsion applied as displacement.
const PUSH_FRACTION: f64 = 0.3;

/// Range of neighbours in the boundary test.
const BOUNDARY_NEIGHBOUR_RANGE: f64 = 1.8;

/// Largest angle between neighbours inside a sheet: 2 pi / 3.
const MAX_ANGLE: f64 = 2.1;

/// Largest displacement per call.
const MAX_STEP: f64 = 0.15;

/// Displaces inserted particles once.
pub(super) fn repel(cloud: &mut Cloud, neighbours: &CloudNeighbours) {
    let displacement = |particle: usize| {
        let pushes = neighbours.of(particle).iter().map(|&other| push(cloud, particle, other as usize));
        let displacement = PUSH_FRACTION * pushes.sum::<DVec3>().reject_from_normalized(cloud.normals[particle]);
        if is_on_boundary(cloud, neighbours, particle) { DVec3::ZERO } else { displacement.clamp_length_max(MAX_STEP) }
    };
    let displacements: Vec<DVec3> = (cloud.seeds..cloud.len()).into_par_iter().map(displacement).collect();
    cloud.positions[cloud.seeds..]
        .iter_mut()
        .zip(displacements)
        .for_each(|(position, displacement)| *position += displacement);
}

fn push(cloud: &Cloud, particle: usize, other: usize) -> DVec3 {
    let offset = cloud.positions[particle] - cloud.positions[other];
    let length = offset.length();
    offset.normalize_or_zero() * (PUSH_RANGE - length).max(0.0)
}

/// Whether a particle has no neighbours on one side.
fn is_on_boundary(cloud: &Cloud, neighbours: &CloudNeighbours, particle: usize) -> bool {
    let normal = cloud.normals[particle];
    let (x, y) = normal.any_orthonormal_pair();
    let angle = |&other: &u32| {
        let offset = cloud.positions[other as usize] - cloud.positions[particle];
        (offset.length_squared() < BOUNDARY_NEIGHBOUR_RANGE * BOUNDARY_NEIGHBOUR_RANGE)
            .then(|| offset.dot(y).atan2(offset.dot(x)))
    };
    let mut angles: Vec<f64> = neighbours.of(particle).iter().filter_map(angle).collect();
    angles.sort_unstable_by(f64::total_cmp);
    let Some(first) = angles.first().copied() else { return true };
    angles.push(first + std::f64::consts::TAU);
    angles.windows(2).any(|pair| pair[1] - pair[0] > MAX_ANGLE)
}
