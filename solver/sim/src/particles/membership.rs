//! What of soft matter a particle belongs to.

use serde::{Deserialize, Serialize};

/// What a particle of soft matter belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Membership {
    /// Its piece, by the number of its least particle.
    pub piece: u32,
    /// Its lump, pieces that have fused, by the number of its least particle.
    pub lump: u32,
    /// Whether it blends with all of its lump, and not with its piece alone.
    pub fused: bool,
}

impl Default for Membership {
    fn default() -> Self {
        Self::NONE
    }
}

impl Membership {
    /// That of what is not soft.
    pub const NONE: Self = Self { piece: u32::MAX, lump: u32::MAX, fused: false };

    /// That of a piece by itself.
    pub fn of(piece: u32) -> Self {
        Self { piece, lump: piece, fused: false }
    }

    /// Whether two attract each other and do not collide.
    pub fn blends(&self, other: &Self) -> bool {
        self.piece == other.piece || self.fused && other.fused && self.lump == other.lump
    }

    /// Whether the field of another adds to that of its piece.
    pub fn feels(&self, other: &Self) -> bool {
        self.piece == other.piece || other.fused && self.lump == other.lump
    }

    /// The number of a piece or a lump as files have it.
    pub fn told(number: u32) -> f32 {
        if number == u32::MAX { -1.0 } else { number as f32 }
    }
}
