//! The vertices that are gone, each by a triangle that it is near: so it is known how far the surface has moved.

use super::shape::Shape;
use crate::nearest::nearest_point;
use glam::Vec3;

const NONE: u32 = u32::MAX;

/// Lists of vertices that are gone.
pub(super) struct Gone {
    /// For each triangle the first vertex of its list.
    first: Vec<u32>,
    /// For each vertex the next one of the same list.
    next: Vec<u32>,
    /// How far a vertex may be from its triangle, cells, squared.
    farthest_squared: f32,
}

/// A triangle that is to come about, and its places.
pub(super) type Candidate = (usize, [Vec3; 3]);

impl Gone {
    pub fn new(shape: &Shape, farthest: f32) -> Self {
        Self {
            first: vec![NONE; shape.mesh.triangles()],
            next: vec![NONE; shape.places.len()],
            farthest_squared: farthest * farthest,
        }
    }

    /// The vertices by a triangle.
    pub fn of(&self, triangle: usize) -> impl Iterator<Item = u32> {
        let some = |vertex: u32| (vertex != NONE).then_some(vertex);
        std::iter::successors(some(self.first[triangle]), move |&vertex| some(self.next[vertex as usize]))
    }

    /// Whether a point would be near enough to one of some triangles: the nearest.
    pub fn home(&self, point: Vec3, triangles: &[Candidate]) -> Option<usize> {
        let mut nearest = (self.farthest_squared, None);
        for (triangle, places) in triangles {
            let distance = nearest_point(point, *places).distance_squared(point);
            if distance < nearest.0 || (nearest.1.is_none() && distance <= nearest.0) {
                nearest = (distance, Some(*triangle));
            }
        }
        nearest.1
    }

    /// Empties the lists of some triangles.
    pub fn clear(&mut self, triangles: impl Iterator<Item = usize>) {
        triangles.for_each(|triangle| self.first[triangle] = NONE);
    }

    /// Puts a vertex into the list of a triangle.
    pub fn put(&mut self, vertex: u32, triangle: usize) {
        self.next[vertex as usize] = self.first[triangle];
        self.first[triangle] = vertex;
    }
}
