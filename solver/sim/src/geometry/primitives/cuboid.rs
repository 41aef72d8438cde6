use super::Primitive;
use crate::geometry::TriangleMesh;
use glam::DVec3;
use std::sync::Arc;

/// A box along the axes.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Cuboid {
    /// Full edge lengths, m.
    pub size: DVec3,
}

impl Primitive for Cuboid {
    fn half_extent(&self) -> DVec3 {
        self.size / 2.0
    }

    fn volume(&self) -> f64 {
        self.size.x * self.size.y * self.size.z
    }

    fn contains(&self, place: DVec3) -> bool {
        place.abs().cmple(self.half_extent()).all()
    }

    fn distance(&self, place: DVec3) -> f64 {
        let beyond = place.abs() - self.half_extent();
        beyond.max(DVec3::ZERO).length() + beyond.max_element().min(0.0)
    }

    fn mesh(&self) -> TriangleMesh {
        let corner = |i: u32| DVec3::new(f64::from(i & 1), f64::from(i >> 1 & 1), f64::from(i >> 2 & 1)) - 0.5;
        let quads = [[0, 2, 3, 1], [4, 5, 7, 6], [0, 1, 5, 4], [2, 6, 7, 3], [0, 4, 6, 2], [1, 3, 7, 5]];
        TriangleMesh {
            positions: (0..8).map(|i| corner(i) * self.size).collect(),
            triangles: quads.into_iter().flat_map(|[a, b, c, d]| [[a, b, c], [a, c, d]]).collect(),
        }
    }

    fn scaled(&self, factors: DVec3) -> Option<Arc<dyn Primitive>> {
        Some(Arc::new(Self { size: self.size * factors }))
    }

    fn thickness(&self) -> f64 {
        self.size.min_element()
    }
}
