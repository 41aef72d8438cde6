//! Flips edges of triangles where a sheet has been stretched since it was made, as particles are added evenly in its
//! current shape.

use super::lowest_first;
use crate::mesh::topology::sides;
use glam::Vec3;
use rustc_hash::FxHashMap;
use std::collections::VecDeque;

/// An edge flips if its opposite angles sum to more than this, degrees. In a plane 180 degrees would give the Delaunay
/// triangulation. The larger limit leaves sheets with little stretch unchanged.
const MAX_ANGLE_SUM: f32 = 200.0;

/// The limit for edges around a flipped one, degrees, so that the order of flips does not matter.
const MAX_ANGLE_SUM_NEARBY: f32 = 180.5;

/// Largest number of flips per triangle: on curved surfaces they might never end.
const MAX_FLIPS_PER_TRIANGLE: usize = 8;

/// Flips edges of triangles. The number of triangles, the particles and the boundaries stay. `normals` reveal sharp
/// folds, across which no edge flips.
pub fn flip_edges(positions: &[Vec3], normals: &[Vec3], triangles: &mut [[u32; 3]]) {
    if !triangles.iter().any(|corners| max_angle(positions, *corners) > MAX_ANGLE_SUM / 2.0) {
        return;
    }
    let mut of_side: FxHashMap<(u32, u32), u32> = FxHashMap::default();
    for (number, &corners) in (0..).zip(triangles.iter()) {
        of_side.extend(sides(corners).map(|side| (side, number)));
    }
    let all = triangles.iter().flat_map(|&corners| sides(corners)).filter(|(a, b)| a < b);
    let mut queue: VecDeque<((u32, u32), f32)> = all.map(|side| (side, MAX_ANGLE_SUM)).collect();
    let mut flips_left = MAX_FLIPS_PER_TRIANGLE * triangles.len();
    while let Some(((a, b), max_angle_sum)) = queue.pop_front().filter(|_| flips_left > 0) {
        let Some((&one, &two)) = of_side.get(&(a, b)).zip(of_side.get(&(b, a))) else { continue };
        let [c, d] = [(one, a, b), (two, b, a)].map(|(of, a, b)| opposite_corner(triangles[of as usize], a, b));
        if of_side.contains_key(&(c, d))
            || of_side.contains_key(&(d, c))
            || !is_better_flipped(positions, normals, [a, b, c, d], max_angle_sum)
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
        queue.extend([(a, d), (d, b), (b, c), (c, a)].map(|side| (side, MAX_ANGLE_SUM_NEARBY)));
        flips_left -= 1;
    }
    for corners in triangles {
        *corners = lowest_first(*corners);
    }
}

/// The third corner of a triangle.
fn opposite_corner(corners: [u32; 3], a: u32, b: u32) -> u32 {
    corners.into_iter().find(|&corner| corner != a && corner != b).unwrap_or(a)
}

/// The widest angle of a triangle, degrees.
fn max_angle(positions: &[Vec3], [a, b, c]: [u32; 3]) -> f32 {
    [[a, b, c], [b, c, a], [c, a, b]].into_iter().map(|corners| angle(positions, corners)).fold(0.0, f32::max)
}

/// The angle at the first of three corners, degrees.
fn angle(positions: &[Vec3], [at, one, other]: [u32; 3]) -> f32 {
    let [at, one, other] = [at, one, other].map(|corner| positions[corner as usize]);
    let (to_one, to_other) = (one - at, other - at);
    to_one.cross(to_other).length().atan2(to_one.dot(to_other)).to_degrees()
}

/// Whether the edge from `a` to `b` of two triangles should flip to connect `c` and `d`: its opposite angles sum to
/// more than `max_angle_sum`, degrees.
fn is_better_flipped(positions: &[Vec3], normals: &[Vec3], [a, b, c, d]: [u32; 4], max_angle_sum: f32) -> bool {
    if angle(positions, [c, a, b]) + angle(positions, [d, a, b]) <= max_angle_sum {
        return false;
    }
    let normal = |corner: u32| normals[corner as usize];
    let normal_of = |[a, b, c]: [u32; 3]| {
        let [a, b, c] = [a, b, c].map(|corner| positions[corner as usize]);
        (b - a).cross(c - a)
    };
    let up = normal(a) + normal(b) + normal(c) + normal(d);
    normal(c).dot(normal(d)) > 0.0 && normal_of([c, a, d]).dot(up) > 0.0 && normal_of([d, b, c]).dot(up) > 0.0
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mesh::topology::Topology;
    use crate::sheet::lattice;
    use glam::Mat3;

    /// A lattice stretched to three times its length gets the triangles of its current shape; an unstretched one keeps
    /// its own.
    #[test]
    fn stretched_lattices_get_new_triangles() {
        let rest = lattice(12, 12);
        let made = |points: &[Vec3]| {
            let normals = vec![Vec3::Z; points.len()];
            crate::sheet::triangulate(crate::sheet::SheetPoints { positions: points, normals: &normals }, 1.7)
        };
        let (whole, normals) = (made(&rest), vec![Vec3::Z; 144]);
        let mut same = whole.clone();
        flip_edges(&rest, &normals, &mut same);
        assert_eq!(same, whole);
        for draw in
            [Mat3::from_diagonal(Vec3::new(3.0, 1.0, 1.0)), Mat3::from_cols(Vec3::X, Vec3::new(1.5, 1.0, 0.0), Vec3::Z)]
        {
            let drawn: Vec<Vec3> = rest.iter().map(|position| draw * *position).collect();
            let mut flipped = whole.clone();
            flip_edges(&drawn, &normals, &mut flipped);
            assert!(flipped != whole && flipped.len() == whole.len());
            let (before, after) = (Topology::of(&whole), Topology::of(&flipped));
            assert!(after.is_manifold() && before.euler_characteristic == after.euler_characteristic);
            let obtuse = |all: &[[u32; 3]]| all.iter().filter(|t| max_angle(&drawn, **t) > 100.0).count();
            assert!(obtuse(&whole) > 200 && obtuse(&flipped) < 40, "{} to {}", obtuse(&whole), obtuse(&flipped));
        }
    }
}
