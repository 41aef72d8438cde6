use super::Surface;
use crate::bounds::Bounds;
use glam::DVec3;

/// The surface of everything below z = 0.
#[derive(Debug, Clone, Copy)]
pub struct PlaneSurface;

impl Surface for PlaneSurface {
    fn distance(&self, place: DVec3, _time: f64) -> f64 {
        place.z
    }

    fn gradient(&self, _place: DVec3, _time: f64) -> Option<DVec3> {
        Some(DVec3::Z)
    }

    fn bounds(&self) -> Bounds {
        Bounds::ALL
    }

    fn is_sampled(&self) -> bool {
        false
    }
}
