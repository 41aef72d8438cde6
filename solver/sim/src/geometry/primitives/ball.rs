use super::revolve::revolve;
use super::{Primitive, SEGMENTS, is_round};
use crate::geometry::TriangleMesh;
use glam::DVec3;
use std::f64::consts::PI;
use std::sync::Arc;

/// A ball.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Ball {
    /// Radius, m.
    pub radius: f64,
}

impl Ball {
    /// A mesh with rings of `segments` points.
    pub fn mesh_of(&self, segments: u32) -> TriangleMesh {
        let rings = segments / 2;
        let profile = |ring: u32| {
            let angle = PI * f64::from(ring) / f64::from(rings);
            (self.radius * angle.sin(), -self.radius * angle.cos())
        };
        revolve((1..rings).map(profile).collect(), (-self.radius, self.radius), segments)
    }
}

impl Primitive for Ball {
    fn half_extent(&self) -> DVec3 {
        DVec3::splat(self.radius)
    }

    fn volume(&self) -> f64 {
        4.0 / 3.0 * PI * self.radius.powi(3)
    }

    fn contains(&self, place: DVec3) -> bool {
        place.length_squared() <= self.radius * self.radius
    }

    fn distance(&self, place: DVec3) -> f64 {
        place.length() - self.radius
    }

    fn mesh(&self) -> TriangleMesh {
        self.mesh_of(SEGMENTS)
    }

    fn scaled(&self, factors: DVec3) -> Option<Arc<dyn Primitive>> {
        let round = is_round(factors.x, factors.y) && is_round(factors.x, factors.z);
        round.then(|| Arc::new(Self { radius: self.radius * factors.x }) as Arc<dyn Primitive>)
    }

    fn thickness(&self) -> f64 {
        self.radius
    }
}
