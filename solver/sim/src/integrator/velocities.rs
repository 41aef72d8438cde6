//! How fast particles may have gone against each other.

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
    /// The velocities of a particle that is accelerated evenly for some seconds.
    pub fn of(velocity: DVec3, acceleration: DVec3, seconds: f64) -> Self {
        let later = velocity + acceleration * seconds;
        Self { low: velocity.min(later), high: velocity.max(later) }
    }

    /// The box around both.
    pub fn union(self, other: Self) -> Self {
        Self { low: self.low.min(other.low), high: self.high.max(other.high) }
    }
}

/// The velocities that particles have had since some time.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Velocities {
    range: Option<Range>,
    /// Since when, s.
    since: f64,
    /// How far particles may have come nearer besides, m, as walls and friction took them off their ways.
    pub strayed: f64,
}

impl Velocities {
    /// No particle's yet.
    pub fn since(time: f64) -> Self {
        Self { range: None, since: time, strayed: 0.0 }
    }

    /// Adds those of some particles; those of all where none is in yet.
    pub fn add(&mut self, some: impl Iterator<Item = Range>, all: impl FnOnce() -> Range) {
        self.range = Some(match self.range {
            Some(range) => some.fold(range, Range::union),
            None => all(),
        });
    }

    /// How far two of the particles may have moved against each other until a time, s, in m.
    pub fn apart_after(&self, time: f64) -> f64 {
        let spread = self.range.map_or(f64::INFINITY, |range| (range.high - range.low).length());
        spread * (time - self.since) + self.strayed
    }
}
