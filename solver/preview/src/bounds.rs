//! The bounding box of the matter.

use crate::outliers::range_without_outliers;
use dollop_sim::Frame;
use glam::DVec3;

/// An axis-aligned box, m.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct BoundingBox {
    /// Lowest coordinates.
    pub low: DVec3,
    /// Highest coordinates.
    pub high: DVec3,
}

impl BoundingBox {
    /// The box around the particles of a frame, grown by `margin` spacings, along the axes that `turn` maps vectors to.
    /// None if no particle has a finite position. Outliers are ignored.
    pub fn of(frame: &Frame, margin: f64, turn: impl Fn(DVec3) -> DVec3) -> Option<Self> {
        let positions: Vec<DVec3> = frame.positions.iter().map(|p| turn(p.as_dvec3())).collect();
        let along = |axis: usize| range_without_outliers(positions.iter().map(|position| position[axis]));
        let [x, y, z] = [along(0)?, along(1)?, along(2)?];
        let margin = DVec3::splat(frame.spacing * margin);
        Some(Self { low: DVec3::new(x[0], y[0], z[0]) - margin, high: DVec3::new(x[1], y[1], z[1]) + margin })
    }

    /// The box around two boxes.
    #[must_use]
    pub fn union(self, other: Self) -> Self {
        Self { low: self.low.min(other.low), high: self.high.max(other.high) }
    }

    /// Whether the box holds a point, or the point is no further away than `margin` along any axis.
    pub fn contains(&self, point: DVec3, margin: f64) -> bool {
        let (low, high) = (self.low - margin, self.high + margin);
        point.cmpge(low).all() && point.cmple(high).all()
    }

    /// The centre of the box.
    pub fn centre(&self) -> DVec3 {
        (self.low + self.high) / 2.0
    }

    /// The corners of the box.
    #[cfg(test)]
    pub fn corners(&self) -> [DVec3; 8] {
        std::array::from_fn(|n| {
            let pick = |axis: usize| if n >> axis & 1 == 1 { self.high[axis] } else { self.low[axis] };
            DVec3::new(pick(0), pick(1), pick(2))
        })
    }
}

/// Whether all particles of a frame lie in the plane y = 0, as in planar scenes.
pub(crate) fn is_flat(frame: &Frame) -> bool {
    frame.positions.iter().all(|p| p.y == 0.0)
}
