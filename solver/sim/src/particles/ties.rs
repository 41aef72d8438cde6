//! What a particle of a woven sheet is bound to.

// What is not inlined into a task for `dispatch` does not use the machine's vector instructions.
#![allow(clippy::inline_always)]

use serde::{Deserialize, Serialize};

/// Most neighbours that a particle is bound to: where a sheet has grown they lie closer than where it was made.
pub const MOST_TIES: usize = 12;

/// The number of nobody.
const NOBODY: u32 = u32::MAX;

/// What binds a particle to another.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Tie {
    /// Number of the other.
    pub number: u32,
    /// How far it is at rest, over the distance of nearest neighbours.
    pub length: f32,
    /// Curvature at rest, by the distance of nearest neighbours.
    pub curvature: f32,
    /// Skew at rest, over the distance of nearest neighbours; as seen from the other, it has the other sign.
    pub skew: f32,
    /// Whether it joins two bodies.
    pub joins: bool,
    /// Whether a tool made it.
    pub sewn: bool,
}

/// The particles that one is bound to, counter-clockwise as seen from where its normal points when they are.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Ties([Tie; MOST_TIES]);

impl Default for Ties {
    fn default() -> Self {
        Self([Tie { number: NOBODY, length: 1.0, curvature: 0.0, skew: 0.0, joins: false, sewn: false }; MOST_TIES])
    }
}

impl Ties {
    /// In the order in which they are bound.
    #[inline(always)]
    pub fn iter(&self) -> impl Iterator<Item = Tie> + Clone + '_ {
        self.0.iter().copied().take_while(|tie| tie.number != NOBODY)
    }

    /// The same, as they lie in memory.
    #[inline(always)]
    pub fn bound(&self) -> &[Tie] {
        let mut count = 0;
        while count < MOST_TIES && self.0[count].number != NOBODY {
            count += 1;
        }
        &self.0[..count]
    }

    /// Whether it is bound to nothing.
    pub fn is_empty(&self) -> bool {
        self.0[0].number == NOBODY
    }

    /// Whether it can be bound to no more.
    pub fn is_full(&self) -> bool {
        self.0[MOST_TIES - 1].number != NOBODY
    }

    /// Whether it is bound to the one of that number.
    pub fn has(&self, number: u32) -> bool {
        self.iter().any(|tie| tie.number == number)
    }

    /// As many of some as there is room for.
    pub fn of(ties: impl Iterator<Item = Tie>) -> Self {
        let mut all = Self::default();
        all.0.iter_mut().zip(ties).for_each(|(own, tie)| *own = tie);
        all
    }
}
