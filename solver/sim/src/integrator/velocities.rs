//! Bounds of the displacement of particles since they were last taken.

use crate::bounds::Bounds;
use glam::DVec3;

/// A box around some velocities, m/s.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Range {
    low: DVec3,
    high: DVec3,
}

impl Default for Range {
    fn default() -> Self {
        Self { low: DVec3::INFINITY, high: DVec3::NEG_INFINITY }
    }
}

impl Range {
    /// The velocities of a particle under constant acceleration for some seconds.
    pub fn of(velocity: DVec3, acceleration: DVec3, seconds: f64) -> Self {
        let later = velocity + acceleration * seconds;
        Self { low: velocity.min(later), high: velocity.max(later) }
    }

    /// The box, wider by some speed, m/s, on all sides.
    #[must_use]
    pub fn wider(self, speed: f64) -> Self {
        Self { low: self.low - speed, high: self.high + speed }
    }

    /// The box around two boxes.
    pub fn union(self, other: Self) -> Self {
        Self { low: self.low.min(other.low), high: self.high.max(other.high) }
    }
}

/// The velocities that the particles of a batch have had since some time.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Velocities {
    /// Velocities of all particles that were not evaluated at that time, and of all evaluated since.
    pub range: Range,
    /// Start of that time, s.
    pub since: f64,
    /// Extra displacement of a particle, m, as walls put it back.
    pub put_back: f64,
}

impl Velocities {
    /// The displacements of the particles until a time, s.
    pub fn gone(&self, time: f64) -> Bounds {
        let (seconds, put_back) = (time - self.since, DVec3::splat(self.put_back));
        if seconds > 0.0 {
            Bounds { low: self.range.low * seconds - put_back, high: self.range.high * seconds + put_back }
        } else {
            Bounds { low: -put_back, high: put_back }
        }
    }
}
