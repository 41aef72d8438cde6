//! How far particles have gone.

use super::Place;
use glam::DVec3;
use rayon::prelude::*;

/// The box around the ways of some particles, in units of places. Ways that fit into a ball have brought no two
/// particles nearer by more than its diameter.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Ways {
    low: [i32; 3],
    high: [i32; 3],
}

impl Ways {
    /// No particle's.
    pub const NONE: Self = Self { low: [i32::MAX; 3], high: [i32::MIN; 3] };

    /// Those from some places to others.
    pub fn between(from: &[Place], to: &[Place]) -> Self {
        let columns = from.par_iter().zip(to).with_min_len(4096);
        columns.fold(|| Self::NONE, |ways, (from, to)| ways.with(from, to)).reduce(|| Self::NONE, Self::union)
    }

    fn with(mut self, from: &Place, to: &Place) -> Self {
        for axis in 0..3 {
            let way = to[axis].wrapping_sub(from[axis]);
            self.low[axis] = self.low[axis].min(way);
            self.high[axis] = self.high[axis].max(way);
        }
        self
    }

    fn union(mut self, other: Self) -> Self {
        for axis in 0..3 {
            self.low[axis] = self.low[axis].min(other.low[axis]);
            self.high[axis] = self.high[axis].max(other.high[axis]);
        }
        self
    }

    /// Longest distance in the box.
    pub fn diagonal(&self) -> f64 {
        let extent = |axis: usize| f64::from(self.high[axis]) - f64::from(self.low[axis]);
        DVec3::new(extent(0), extent(1), extent(2)).max(DVec3::ZERO).length()
    }
}
