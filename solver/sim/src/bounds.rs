//! Boxes along the axes, around points or displacements.

use glam::DVec3;

/// A box around points or displacements, m.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Bounds {
    /// Lowest corner.
    pub low: DVec3,
    /// Highest corner.
    pub high: DVec3,
}

impl Bounds {
    /// The empty box.
    pub const NONE: Self = Self { low: DVec3::INFINITY, high: DVec3::NEG_INFINITY };
    /// The box of the origin alone.
    pub const STILL: Self = Self { low: DVec3::ZERO, high: DVec3::ZERO };
    /// The box around all space.
    pub const ALL: Self = Self { low: DVec3::NEG_INFINITY, high: DVec3::INFINITY };

    /// The smallest box around some points.
    pub fn of(points: impl IntoIterator<Item = DVec3>) -> Self {
        points.into_iter().fold(Self::NONE, Self::with)
    }

    /// The box around two boxes.
    #[must_use]
    pub fn union(self, other: Self) -> Self {
        Self { low: self.low.min(other.low), high: self.high.max(other.high) }
    }

    /// The box around this one and a point.
    #[must_use]
    pub fn with(self, point: DVec3) -> Self {
        self.union(Self { low: point, high: point })
    }

    /// The box after further displacements within another box; the whole space where that is empty, and so unknown.
    #[must_use]
    pub fn and(self, other: Self) -> Self {
        if other.low.cmple(other.high).all() {
            Self { low: self.low + other.low, high: self.high + other.high }
        } else {
            Self::ALL
        }
    }

    /// The box wider by a margin, m, on all sides.
    #[must_use]
    pub fn wider(self, margin: f64) -> Self {
        Self { low: self.low - margin, high: self.high + margin }
    }

    /// Its corners, m.
    pub fn corners(&self) -> [DVec3; 8] {
        std::array::from_fn(|n| {
            let pick = |axis: usize| if n >> axis & 1 == 0 { self.low[axis] } else { self.high[axis] };
            DVec3::new(pick(0), pick(1), pick(2))
        })
    }

    /// The largest distance of two points within, m.
    pub fn extent(&self) -> f64 {
        (self.high - self.low).max(DVec3::ZERO).length()
    }

    /// Whether it meets another box.
    pub fn meets(&self, other: &Self) -> bool {
        self.low.cmple(other.high).all() && self.high.cmpge(other.low).all()
    }

    /// Whether a point lies within.
    pub fn contains(&self, point: DVec3) -> bool {
        point.cmpge(self.low).all() && point.cmple(self.high).all()
    }

    /// The least distance from another box, m.
    pub fn gap(&self, other: &Self) -> f64 {
        (self.low - other.high).max(other.low - self.high).max(DVec3::ZERO).length()
    }

    /// Distance from a point, m.
    pub fn distance(&self, point: DVec3) -> f64 {
        (self.low - point).max(point - self.high).max(DVec3::ZERO).length()
    }
}
