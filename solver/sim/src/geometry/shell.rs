//! The surface of a solid, and tests for lines that pass through it.

use crate::bounds::Bounds;
use glam::DVec3;
use parry3d_f64::bounding_volume::Aabb;
use parry3d_f64::math::Vector;
use parry3d_f64::partitioning::{Bvh, BvhBuildStrategy};

/// How far beyond a triangle's edges a line still passes through the triangle, over the length of the edges, so that no
/// line slips through between two triangles.
const RIM: f64 = 1e-9;

/// A line whose angle to a triangle is less than this lies in its plane.
const ALONG: f64 = 1e-13;

/// The triangles of a surface.
pub struct Shell {
    triangles: Vec<[DVec3; 3]>,
    tree: Bvh,
}

impl Shell {
    /// A shell of some triangles.
    pub fn new(triangles: Vec<[DVec3; 3]>) -> Self {
        let around = |corners: &[DVec3; 3]| {
            let Bounds { low, high } = Bounds::of(*corners);
            Aabb::new(Vector::from(low.to_array()), Vector::from(high.to_array()))
        };
        let boxes: Vec<Aabb> = triangles.iter().map(around).collect();
        Self { tree: Bvh::from_leaves(BvhBuildStrategy::Binned, &boxes), triangles }
    }

    /// Whether the straight line between two ends passes through the surface.
    pub fn parts(&self, ends: [DVec3; 2]) -> bool {
        self.near(&ends).any(|triangle| pierces(ends, triangle))
    }

    /// Whether the straight line between two ends passes through the surface while the ends move straight to other
    /// places.
    pub fn meets(&self, [a, b]: [DVec3; 2], [to_a, to_b]: [DVec3; 2]) -> bool {
        [[a, b, to_b], [a, to_b, to_a]].into_iter().any(|half| self.near(&half).any(|triangle| cross(half, triangle)))
    }

    /// The triangles whose boxes meet the convex hull of some points.
    fn near(&self, points: &[DVec3]) -> impl Iterator<Item = [DVec3; 3]> {
        let corner = |corner: Vector| DVec3::from(corner.to_array());
        let around = move |low: Vector, high: Vector| Bounds { low: corner(low), high: corner(high) };
        let found = self.tree.leaves(move |node| !misses(points, around(node.mins(), node.maxs())));
        found.map(|number| self.triangles[number as usize])
    }
}

impl std::fmt::Debug for Shell {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Shell({} triangles)", self.triangles.len())
    }
}

/// Whether two triangles pass through each other.
fn cross(one: [DVec3; 3], other: [DVec3; 3]) -> bool {
    let sides = |[a, b, c]: [DVec3; 3]| [[a, b], [b, c], [c, a]];
    sides(one).into_iter().any(|side| pierces(side, other)) || sides(other).into_iter().any(|side| pierces(side, one))
}

/// Whether a line, by its ends, passes through a triangle (Möller and Trumbore 1997).
fn pierces([from, to]: [DVec3; 2], [a, b, c]: [DVec3; 3]) -> bool {
    let (along, left, right) = (to - from, b - a, c - a);
    let across = along.cross(right);
    let volume = left.dot(across);
    if volume.abs() <= ALONG * along.length() * left.length() * right.length() {
        return false;
    }
    let offset = from - a;
    let turned = offset.cross(left);
    let (u, v, part) = (offset.dot(across) / volume, along.dot(turned) / volume, right.dot(turned) / volume);
    u >= -RIM && v >= -RIM && u + v <= 1.0 + RIM && (-RIM..=1.0 + RIM).contains(&part)
}

/// Whether a plane separates the convex hull of two or three points from a box. Otherwise they meet (Akenine-Möller
/// 2001).
fn misses(points: &[DVec3], Bounds { low, high }: Bounds) -> bool {
    let (centre, half) = (low.midpoint(high), (high - low) / 2.0);
    let parts = |axis: DVec3| {
        let along = points.iter().map(|&point| axis.dot(point - centre));
        let (least, most) = along.fold((f64::INFINITY, f64::NEG_INFINITY), |(a, b), x| (a.min(x), b.max(x)));
        let reach = axis.abs().dot(half) * (1.0 + RIM);
        least > reach || most < -reach
    };
    let edges = || points.iter().zip(points.iter().cycle().skip(1)).map(|(from, to)| *to - *from);
    let normal = || (points[1] - points[0]).cross(points[points.len() - 1] - points[0]);
    DVec3::AXES.into_iter().any(parts)
        || parts(normal())
        || edges().any(|edge| DVec3::AXES.into_iter().any(|axis| parts(edge.cross(axis))))
}
