use super::revolve::revolve;
use super::{Primitive, SEGMENTS, is_round};
use crate::geometry::TriangleMesh;
use glam::{DVec2, DVec3};
use std::f64::consts::PI;
use std::sync::Arc;

/// A cylinder along Z.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Cylinder {
    /// Radius, m.
    pub radius: f64,
    /// Full height, m.
    pub height: f64,
}

impl Cylinder {
    /// A mesh with rings of `segments` points.
    pub fn mesh_of(&self, segments: u32) -> TriangleMesh {
        let (low, high) = (-self.height / 2.0, self.height / 2.0);
        revolve(vec![(self.radius, low), (self.radius, high)], (low, high), segments)
    }
}

impl Primitive for Cylinder {
    fn half_extent(&self) -> DVec3 {
        DVec3::new(self.radius, self.radius, self.height / 2.0)
    }

    fn volume(&self) -> f64 {
        PI * self.radius * self.radius * self.height
    }

    fn contains(&self, place: DVec3) -> bool {
        place.truncate().length_squared() <= self.radius * self.radius && place.z.abs() <= self.height / 2.0
    }

    fn distance(&self, place: DVec3) -> f64 {
        let beyond = DVec2::new(place.truncate().length() - self.radius, place.z.abs() - self.height / 2.0);
        beyond.max(DVec2::ZERO).length() + beyond.max_element().min(0.0)
    }

    fn mesh(&self) -> TriangleMesh {
        self.mesh_of(SEGMENTS)
    }

    fn scaled(&self, factors: DVec3) -> Option<Arc<dyn Primitive>> {
        let scaled = || Self { radius: self.radius * factors.x, height: self.height * factors.z };
        is_round(factors.x, factors.y).then(|| Arc::new(scaled()) as Arc<dyn Primitive>)
    }

    fn thickness(&self) -> f64 {
        self.radius.min(self.height)
    }
}
