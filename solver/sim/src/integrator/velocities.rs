//! How fast particles may have gone against each other.

use glam::DVec3;

/// The velocities that particles have had since some time, as a box around them all.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Velocities {
    low: DVec3,
    high: DVec3,
    /// Since when, s.
    pub since: f64,
    /// Whether no particle's is in yet.
    pub fresh: bool,
}

impl Velocities {
    /// No particle's yet.
    pub fn since(time: f64) -> Self {
        Self { low: DVec3::INFINITY, high: DVec3::NEG_INFINITY, since: time, fresh: true }
    }

    /// With those of others since the same time.
    pub fn with(self, low: DVec3, high: DVec3) -> Self {
        Self { low: self.low.min(low), high: self.high.max(high), fresh: false, ..self }
    }

    /// The fastest that two of the particles may have moved against each other, m/s.
    pub fn spread(&self) -> f64 {
        if self.fresh { f64::INFINITY } else { (self.high - self.low).length() }
    }
}
