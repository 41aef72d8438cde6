//! Sides that two triangles share, turned where a sheet has been drawn out since it was made: what is born lies evenly in the sheet as it is.

use super::lowest_first;
use crate::topology::sides;
use glam::Vec3;
use rustc_hash::FxHashMap;
use std::collections::VecDeque;

/// Sides are turned from where one is seen by angles of a larger sum on: on a plane 180 degrees would make the triangles Delaunay's. So nothing is turned
/// where a sheet has stretched a little.
const WIDEST: f32 = 200.0;

/// Around a side that was turned those are turned that are seen by angles of a larger sum, so that it does not matter which was first.
const WIDEST_BESIDE: f32 = 180.5;

/// Most turns, times the triangles: on surfaces that are not flat they might go on forever.
const MOST_TURNS: usize = 8;

/// Turns sides of triangles, which stay as many, over as many particles, with the same rims. `normals` tell sharp folds, across which no side is turned.
pub fn turn_sides(positions: &[Vec3], normals: &[Vec3], triangles: &mut [[u32; 3]]) {
    if !triangles.iter().any(|corners| widest(positions, *corners) > WIDEST / 2.0) {
        return;
    }
    let mut of_side: FxHashMap<(u32, u32), u32> = FxHashMap::default();
    for (number, &corners) in (0..).zip(triangles.iter()) {
        of_side.extend(sides(corners).map(|side| (side, number)));
    }
    let all = triangles.iter().flat_map(|&corners| sides(corners)).filter(|(a, b)| a < b);
    let mut waiting: VecDeque<((u32, u32), f32)> = all.map(|side| (side, WIDEST)).collect();
    let mut left = MOST_TURNS * triangles.len();
    while let Some(((a, b), widest)) = waiting.pop_front().filter(|_| left > 0) {
        let Some((&one, &two)) = of_side.get(&(a, b)).zip(of_side.get(&(b, a))) else { continue };
        let [c, d] = [(one, a, b), (two, b, a)].map(|(of, a, b)| third(triangles[of as usize], a, b));
        if of_side.contains_key(&(c, d))
            || of_side.contains_key(&(d, c))
            || !gains(positions, normals, [a, b, c, d], widest)
        {
            continue;
        }
        for side in [(a, b), (b, a)] {
            of_side.remove(&side);
        }
        for (number, corners) in [(one, [c, a, d]), (two, [d, b, c])] {
            triangles[number as usize] = corners;
            of_side.extend(sides(corners).map(|side| (side, number)));
        }
        waiting.extend([(a, d), (d, b), (b, c), (c, a)].map(|side| (side, WIDEST_BESIDE)));
        left -= 1;
    }
    for corners in triangles {
        *corners = lowest_first(*corners);
    }
}

/// The corner of a triangle besides two.
fn third(corners: [u32; 3], a: u32, b: u32) -> u32 {
    corners.into_iter().find(|&corner| corner != a && corner != b).unwrap_or(a)
}

/// The widest angle of a triangle, degrees.
fn widest(positions: &[Vec3], [a, b, c]: [u32; 3]) -> f32 {
    [[a, b, c], [b, c, a], [c, a, b]].into_iter().map(|corners| angle(positions, corners)).fold(0.0, f32::max)
}

/// The angle at the first of three corners, degrees.
fn angle(positions: &[Vec3], [at, one, other]: [u32; 3]) -> f32 {
    let [at, one, other] = [at, one, other].map(|corner| positions[corner as usize]);
    let (to_one, to_other) = (one - at, other - at);
    to_one.cross(to_other).length().atan2(to_one.dot(to_other)).to_degrees()
}

/// Whether the side from `a` to `b` of two triangles is better turned to go from `c` to `d`, as angles of a larger sum see it than some, degrees.
fn gains(positions: &[Vec3], normals: &[Vec3], [a, b, c, d]: [u32; 4], widest: f32) -> bool {
    if angle(positions, [c, a, b]) + angle(positions, [d, a, b]) <= widest {
        return false;
    }
    let normal = |corner: u32| normals[corner as usize];
    let across = |[a, b, c]: [u32; 3]| {
        let [a, b, c] = [a, b, c].map(|corner| positions[corner as usize]);
        (b - a).cross(c - a)
    };
    let up = normal(a) + normal(b) + normal(c) + normal(d);
    normal(c).dot(normal(d)) > 0.0 && across([c, a, d]).dot(up) > 0.0 && across([d, b, c]).dot(up) > 0.0
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Topology;
    use crate::sheet::lattice;
    use glam::Mat3;

    /// A lattice drawn out to three times its length gets the triangles that it would have as it is; one that is not keeps its own.
    #[test]
    fn what_is_drawn_out_gets_triangles_that_fit() {
        let rest = lattice(12, 12);
        let made = |points: &[Vec3]| {
            let normals = vec![Vec3::Z; points.len()];
            crate::sheet::triangulate(crate::sheet::SheetPoints { positions: points, normals: &normals }, 1.7)
        };
        let (whole, normals) = (made(&rest), vec![Vec3::Z; 144]);
        let mut same = whole.clone();
        turn_sides(&rest, &normals, &mut same);
        assert_eq!(same, whole);
        for draw in
            [Mat3::from_diagonal(Vec3::new(3.0, 1.0, 1.0)), Mat3::from_cols(Vec3::X, Vec3::new(1.5, 1.0, 0.0), Vec3::Z)]
        {
            let drawn: Vec<Vec3> = rest.iter().map(|place| draw * *place).collect();
            let mut turned = whole.clone();
            turn_sides(&drawn, &normals, &mut turned);
            assert!(turned != whole && turned.len() == whole.len());
            let (before, after) = (Topology::of(&whole), Topology::of(&turned));
            assert!(after.is_manifold() && before.euler_characteristic == after.euler_characteristic);
            let obtuse = |all: &[[u32; 3]]| all.iter().filter(|t| widest(&drawn, **t) > 100.0).count();
            assert!(obtuse(&whole) > 200 && obtuse(&turned) < 40, "{} to {}", obtuse(&whole), obtuse(&turned));
        }
    }
}
