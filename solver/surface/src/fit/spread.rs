//! Born particles push each other and keep off seeds, along the surface, so that all lie evenly.

use super::cloud::{Cloud, Lists};
use glam::DVec3;
use rayon::prelude::*;

/// Who is nearer pushes.
const PUSHES: f64 = 1.15;

/// What part of a push is given way to.
const GIVES: f64 = 0.3;

/// Who is further away is no neighbour beside a particle.
const NEIGHBOURS: f64 = 1.8;

/// The widest angle between neighbours within a sheet: 2 pi / 3.
const WIDEST: f64 = 2.1;

/// The longest way at once.
const FARTHEST: f64 = 0.15;

/// Lets born particles give way once.
pub(super) fn spread(cloud: &mut Cloud, lists: &Lists) {
    let way = |particle: usize| {
        let pushes = lists.of(particle).iter().map(|&other| push(cloud, particle, other as usize));
        let way = GIVES * pushes.sum::<DVec3>().reject_from_normalized(cloud.normals[particle]);
        if is_on_rim(cloud, lists, particle) { DVec3::ZERO } else { way.clamp_length_max(FARTHEST) }
    };
    let ways: Vec<DVec3> = (cloud.seeds..cloud.len()).into_par_iter().map(way).collect();
    cloud.places[cloud.seeds..].iter_mut().zip(ways).for_each(|(place, way)| *place += way);
}

fn push(cloud: &Cloud, particle: usize, other: usize) -> DVec3 {
    let way = cloud.places[particle] - cloud.places[other];
    let length = way.length();
    way.normalize_or_zero() * (PUSHES - length).max(0.0)
}

/// Whether there is no neighbour to one side.
fn is_on_rim(cloud: &Cloud, lists: &Lists, particle: usize) -> bool {
    let normal = cloud.normals[particle];
    let (x, y) = normal.any_orthonormal_pair();
    let angle = |&other: &u32| {
        let way = cloud.places[other as usize] - cloud.places[particle];
        (way.length_squared() < NEIGHBOURS * NEIGHBOURS).then(|| way.dot(y).atan2(way.dot(x)))
    };
    let mut angles: Vec<f64> = lists.of(particle).iter().filter_map(angle).collect();
    angles.sort_unstable_by(f64::total_cmp);
    let Some(first) = angles.first().copied() else { return true };
    angles.push(first + std::f64::consts::TAU);
    angles.windows(2).any(|pair| pair[1] - pair[0] > WIDEST)
}
