//! Removed vertices, each listed at a triangle near it: they bound how far the surface has moved.

use super::geometry::MeshGeometry;
use crate::mesh::closest_point::closest_point;
use glam::Vec3;

const NONE: u32 = u32::MAX;

/// Linked lists of removed vertices, one per triangle.
pub(super) struct RemovedVertices {
    /// For each triangle, the first vertex of its list.
    first: Vec<u32>,
    /// For each vertex, the next vertex of the same list.
    next: Vec<u32>,
    /// Square of the largest distance of a vertex from its triangle, cells^2.
    max_distance_squared: f32,
}

/// A triangle after a change: its number and positions.
pub(super) type NewTriangle = (usize, [Vec3; 3]);

impl RemovedVertices {
    pub fn new(geometry: &MeshGeometry, max_distance: f32) -> Self {
        Self {
            first: vec![NONE; geometry.mesh.triangles()],
            next: vec![NONE; geometry.positions.len()],
            max_distance_squared: max_distance * max_distance,
        }
    }

    /// The removed vertices at a triangle.
    pub fn of(&self, triangle: usize) -> impl Iterator<Item = u32> {
        let listed = |vertex: u32| (vertex != NONE).then_some(vertex);
        std::iter::successors(listed(self.first[triangle]), move |&vertex| listed(self.next[vertex as usize]))
    }

    /// The closest of some triangles, if one is near enough.
    pub fn nearest_triangle(&self, point: Vec3, triangles: &[NewTriangle]) -> Option<usize> {
        let mut nearest = (self.max_distance_squared, None);
        for (triangle, positions) in triangles {
            let distance = closest_point(point, *positions).distance_squared(point);
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

    /// Adds a vertex to the list of a triangle.
    pub fn insert(&mut self, vertex: u32, triangle: usize) {
        self.next[vertex as usize] = self.first[triangle];
        self.first[triangle] = vertex;
    }
}
