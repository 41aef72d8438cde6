//! Where matter is and how fast, for the length of a step.

use crate::particles::Particles;
use glam::DVec3;
use rayon::prelude::*;

/// Bounds of positions, and of speeds and accelerations; these are not a number where one of them is not.
#[derive(Debug, Clone, Copy)]
pub struct Extent {
    low: DVec3,
    high: DVec3,
    /// Highest speed, m/s.
    pub fastest: f64,
    /// Strongest acceleration, m/s^2.
    pub strongest: f64,
}

impl Extent {
    const NONE: Self = Self { low: DVec3::INFINITY, high: DVec3::NEG_INFINITY, fastest: 0.0, strongest: 0.0 };

    /// The extent of some matter.
    pub fn of(particles: &Particles) -> Self {
        let columns = particles.positions.par_iter().zip(&particles.velocities).zip(&particles.accelerations);
        let one = |((&p, v), a): ((&DVec3, &DVec3), &DVec3)| Self {
            low: p,
            high: p,
            fastest: v.length_squared(),
            strongest: a.length_squared(),
        };
        let all = columns.map(one).reduce(|| Self::NONE, Self::union);
        Self { fastest: all.fastest.sqrt(), strongest: all.strongest.sqrt(), ..all }
    }

    fn union(self, other: Self) -> Self {
        Self {
            low: self.low.min(other.low),
            high: self.high.max(other.high),
            fastest: greatest(self.fastest, other.fastest),
            strongest: greatest(self.strongest, other.strongest),
        }
    }

    /// Bounds of the places that matter may be at within some seconds, and `margin`, m, more.
    pub fn bounds_after(&self, seconds: f64, margin: f64) -> (DVec3, DVec3) {
        let reach = margin + seconds * (self.fastest + seconds * self.strongest / 2.0);
        (self.low - reach, self.high + reach)
    }
}

/// The smaller number; not a number if either is not.
pub fn least(a: f64, b: f64) -> f64 {
    if a < b || a.is_nan() { a } else { b }
}

/// The larger number; not a number if either is not.
pub fn greatest(a: f64, b: f64) -> f64 {
    if a > b || a.is_nan() { a } else { b }
}
