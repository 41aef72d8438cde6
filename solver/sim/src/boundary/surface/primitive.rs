use super::Surface;
use crate::bounds::Bounds;
use crate::geometry::Primitive;
use glam::DVec3;
use std::sync::Arc;

/// The surface of a shape that is given by formulas.
#[derive(Debug, Clone)]
pub struct PrimitiveSurface(pub Arc<dyn Primitive>);

impl Surface for PrimitiveSurface {
    fn distance(&self, place: DVec3, _time: f64) -> f64 {
        self.0.distance(place)
    }

    fn bounds(&self) -> Bounds {
        let half = self.0.half_extent();
        Bounds { low: -half, high: half }
    }
}
