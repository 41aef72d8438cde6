//! The ties between particles of woven sheets.

// Only code that is inlined into a task for `dispatch` uses the machine's vector instructions.
#![allow(clippy::inline_always)]

use super::NOBODY;
use serde::{Deserialize, Serialize};

/// Most ties of a particle: where a sheet has grown, particles lie closer together than in a new sheet.
pub const MOST_TIES: usize = 12;

/// A tie of one particle to another.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Tie {
    /// Number of the other particle.
    pub number: u32,
    /// Length at rest, over the distance of nearest neighbours.
    pub length: f32,
    /// Curvature at rest, times the distance of nearest neighbours.
    pub curvature: f32,
    /// Skew at rest, over the distance of nearest neighbours; with the other sign for the other particle.
    pub skew: f32,
    /// Whether it joins two bodies.
    pub joins: bool,
    /// Whether a tool made it.
    pub sewn: bool,
}

/// The ties of a particle, counter-clockwise around its normal at the time of binding.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Ties([Tie; MOST_TIES]);

impl Default for Ties {
    fn default() -> Self {
        Self([Tie { number: NOBODY, length: 1.0, curvature: 0.0, skew: 0.0, joins: false, sewn: false }; MOST_TIES])
    }
}

impl Ties {
    /// The ties in the order in which they were made.
    #[inline(always)]
    pub fn iter(&self) -> impl Iterator<Item = Tie> + Clone + '_ {
        self.bound().iter().copied()
    }

    /// The same, as a slice.
    #[inline(always)]
    pub fn bound(&self) -> &[Tie] {
        let mut count = 0;
        while count < MOST_TIES && self.0[count].number != NOBODY {
            count += 1;
        }
        &self.0[..count]
    }

    /// Whether the particle has no tie.
    pub fn is_empty(&self) -> bool {
        self.0[0].number == NOBODY
    }

    /// Whether there is no room for another tie.
    pub fn is_full(&self) -> bool {
        self.0[MOST_TIES - 1].number != NOBODY
    }

    /// Whether there is a tie to the particle of a number.
    pub fn has(&self, number: u32) -> bool {
        self.iter().any(|tie| tie.number == number)
    }

    /// The first of some ties, as many as there is room for.
    pub fn of(ties: impl Iterator<Item = Tie>) -> Self {
        let mut all = Self::default();
        all.0.iter_mut().zip(ties).for_each(|(own, tie)| *own = tie);
        all
    }
}
