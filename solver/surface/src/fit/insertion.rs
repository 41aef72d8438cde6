//! Inserts a particle between neighbours that are too far apart (Szeliski and Tonnesen 1992, section 4.1), on the arc
//! that fits their normals.

use super::cloud::{Cloud, CloudNeighbours, mirrored};
use super::kd_tree::KdTree;
use glam::DVec3;
use rayon::prelude::*;

/// Distance of neighbours above which a particle is inserted.
const MAX_STRETCH: f64 = 1.4;

/// Reach of an inserted particle: at least this, or this many times the distance of the neighbours that it is inserted
/// between.
pub(super) const REACH: f64 = 4.0;
const REACH_OF_STRETCH: f64 = 1.5;

/// Least distance of an inserted particle from all others.
const MIN_DISTANCE: f64 = 0.68;

/// A third particle lies between a pair if it is this far inside the ball over the pair, as a fraction of the squared
/// radius.
const BETWEEN: f64 = 0.9;

/// A particle to insert.
struct Insertion {
    stretch: f64,
    position: DVec3,
    normal: DVec3,
    reach: f64,
}

/// Inserts particles between all neighbours that are too far apart, the closest pairs first; returns their number.
pub(super) fn insert(cloud: &mut Cloud, neighbours: &CloudNeighbours) -> usize {
    let of = |one: usize| {
        let others = neighbours.of(one).iter().map(|other| *other as usize).filter(move |other| *other > one);
        others.filter_map(|other| insertion(cloud, neighbours, one, other)).collect::<Vec<_>>()
    };
    let mut insertions: Vec<Insertion> = (0..cloud.len()).into_par_iter().flat_map_iter(of).collect();
    insertions.sort_by(|a, b| a.stretch.total_cmp(&b.stretch));
    let inserted = without_conflicts(cloud, insertions);
    let positions: Vec<DVec3> = inserted.iter().map(|insertion| insertion.position).collect();
    for insertion in KdTree::new(&positions).order().map(|number| &inserted[number]) {
        cloud.add(insertion.position, insertion.normal, insertion.reach);
    }
    inserted.len()
}

fn insertion(cloud: &Cloud, neighbours: &CloudNeighbours, one: usize, other: usize) -> Option<Insertion> {
    let (a, b) = (cloud.positions[one], cloud.positions[other]);
    let stretch = a.distance(b);
    let is_between = |third: &u32| {
        let third = *third as usize;
        third != one
            && third != other
            && (cloud.positions[third] - a).dot(cloud.positions[third] - b) < (BETWEEN - 1.0) * stretch * stretch / 4.0
    };
    if stretch < MAX_STRETCH || neighbours.of(one).iter().chain(neighbours.of(other)).any(is_between) {
        return None;
    }
    let (position, normal) = arc_midpoint([a, b], [cloud.normals[one], cloud.normals[other]]);
    Some(Insertion { stretch, position, normal, reach: REACH.max(stretch * REACH_OF_STRETCH) })
}

/// The midpoint of the cubic between two points that is perpendicular to both normals, and the normal there.
fn arc_midpoint([a, b]: [DVec3; 2], [n, m]: [DVec3; 2]) -> (DVec3, DVec3) {
    let chord = b - a;
    let rise = m * chord.dot(m) - n * chord.dot(n);
    let sum = n + m;
    ((a + b) / 2.0 + rise / 8.0, mirrored(sum, chord).normalize_or(sum.normalize_or(n)))
}

/// The insertions that keep the least distance, also from earlier ones.
fn without_conflicts(cloud: &Cloud, insertions: Vec<Insertion>) -> Vec<Insertion> {
    let tree = KdTree::new(&cloud.positions);
    let is_far_enough = |insertion: &Insertion| {
        let others = tree.within(insertion.position, MIN_DISTANCE);
        !others.iter().any(|(_, other)| cloud.normals[*other as usize].dot(insertion.normal) > 0.0)
    };
    let insertions: Vec<Insertion> = insertions.into_par_iter().filter(is_far_enough).collect();
    let positions: Vec<DVec3> = insertions.iter().map(|insertion| insertion.position).collect();
    let tree_of_new = KdTree::new(&positions);
    let close_pairs: Vec<_> =
        positions.par_iter().map(|position| tree_of_new.within(*position, MIN_DISTANCE)).collect();
    let mut is_inserted = vec![false; insertions.len()];
    for number in 0..insertions.len() {
        let conflicts_with = |&(_, other): &(f64, u32)| {
            is_inserted[other as usize] && insertions[other as usize].normal.dot(insertions[number].normal) > 0.0
        };
        let is_free = !close_pairs[number].iter().any(conflicts_with);
        is_inserted[number] = is_free;
    }
    insertions
        .into_iter()
        .zip(is_inserted)
        .filter_map(|(insertion, is_inserted)| is_inserted.then_some(insertion))
        .collect()
}
