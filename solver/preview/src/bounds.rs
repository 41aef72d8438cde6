//! The box of the matter.

use crate::typical::typical;
use dollop_sim::Frame;
use glam::DVec3;

/// A box, m.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Bounds {
    /// Lowest coordinates.
    pub low: DVec3,
    /// Highest coordinates.
    pub high: DVec3,
}

impl Bounds {
    /// The box around the particles of a frame with some spacings of room, along axes that `turn` takes vectors to; none
    /// where there are no particles at finite places. Stray ones do not count.
    pub fn of(frame: &Frame, room: f64, turn: impl Fn(DVec3) -> DVec3) -> Option<Self> {
        let places: Vec<DVec3> = frame.positions.iter().map(|p| turn(p.as_dvec3())).collect();
        let along = |axis: usize| typical(places.iter().map(|place| place[axis]));
        let [x, y, z] = [along(0)?, along(1)?, along(2)?];
        let room = DVec3::splat(frame.spacing * room);
        Some(Self { low: DVec3::new(x[0], y[0], z[0]) - room, high: DVec3::new(x[1], y[1], z[1]) + room })
    }

    /// The box around both.
    #[must_use]
    pub fn union(self, other: Self) -> Self {
        Self { low: self.low.min(other.low), high: self.high.max(other.high) }
    }

    /// Whether a point is in it or no further from it than `room` along any axis.
    pub fn holds(&self, point: DVec3, room: f64) -> bool {
        let (low, high) = (self.low - room, self.high + room);
        point.cmpge(low).all() && point.cmple(high).all()
    }

    /// Its middle.
    pub fn centre(&self) -> DVec3 {
        (self.low + self.high) / 2.0
    }

    /// Its corners.
    #[cfg(test)]
    pub fn corners(&self) -> [DVec3; 8] {
        std::array::from_fn(|n| {
            let pick = |axis: usize| if n >> axis & 1 == 1 { self.high[axis] } else { self.low[axis] };
            DVec3::new(pick(0), pick(1), pick(2))
        })
    }
}

/// Whether all particles of a frame lie in the plane y = 0, as those of scenes in a plane do.
pub(crate) fn is_flat(frame: &Frame) -> bool {
    frame.positions.iter().all(|p| p.y == 0.0)
}
