//! Surfaces that matter collides with.

mod mesh;
mod plane;
mod primitive;

pub use mesh::MeshDistance;
pub use plane::PlaneSurface;
pub use primitive::PrimitiveSurface;

use super::Sample;
use crate::bounds::Bounds;
use glam::DVec3;
use std::fmt::Debug;

/// The surface of a solid, in coordinates that move with it as a rigid body. Distances are negative inside the solid.
pub trait Surface: Debug + Send + Sync {
    /// Signed distance of a place at a time, s, in m.
    fn distance(&self, place: DVec3, time: f64) -> f64;

    /// Gradient of the distance, of unit length; none where it is to be found by differences.
    fn gradient(&self, _place: DVec3, _time: f64) -> Option<DVec3> {
        None
    }

    /// The box around all places that the surface ever reaches; infinite where it has no bounds.
    fn bounds(&self) -> Bounds;

    /// Whether it keeps its shape. One that changes it must not be [sampled](Self::is_sampled), and tells its
    /// [velocity](Self::velocity) and [largest speed](Self::max_speed).
    fn is_rigid(&self) -> bool {
        true
    }

    /// Velocity of the surface next to a place at a time, s, in its own coordinates, m/s: zero for a rigid surface.
    fn velocity(&self, _place: DVec3, _time: f64) -> DVec3 {
        DVec3::ZERO
    }

    /// An upper bound for that speed from one time to another, s.
    fn max_speed(&self, _from: f64, _to: f64) -> f64 {
        0.0
    }

    /// Whether distances are to be sampled once and interpolated; a surface that is simple or changes its shape is
    /// evaluated each time.
    fn is_sampled(&self) -> bool {
        self.is_rigid()
    }

    /// Whether it encloses a solid, so that places have a side of it.
    fn is_closed(&self) -> bool {
        true
    }

    /// Distances at rest on a cube of 8^3 nodes from `origin`, `spacing` apart, m, z fastest.
    fn distances(&self, origin: DVec3, spacing: f64) -> Vec<f64> {
        let node = |x: i32, y: i32, z: i32| origin + DVec3::new(f64::from(x), f64::from(y), f64::from(z)) * spacing;
        let mut values = Vec::with_capacity(512);
        for (x, y) in (0..8).flat_map(|x| (0..8).map(move |y| (x, y))) {
            values.extend((0..8).map(|z| self.distance(node(x, y, z), 0.0)));
        }
        values
    }

    /// Whether the solid is thinner than `limit`, m, at the surface next to a place, which may lie inside or outside.
    fn is_thin_at(&self, _place: DVec3, _is_inside: bool, _limit: f64) -> bool {
        false
    }

    /// The unsigned distance, where samples are too coarse to tell the two sides apart; none where they never are.
    fn unsigned(&self, _place: DVec3, _time: f64) -> Option<Sample> {
        None
    }

    /// The first point where a straight path meets the surface: the share of the path's length, and the normal there;
    /// none where samples are never too coarse, or where the path meets nothing.
    fn first_hit(&self, _from: DVec3, _to: DVec3, _time: f64) -> Option<(f64, DVec3)> {
        None
    }
}
