//! Pieces and lumps of soft matter.

use super::NOBODY;
use serde::{Deserialize, Serialize};

/// The piece and the lump of soft matter that a particle belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Membership {
    /// Its piece, by the least number of the piece's particles.
    pub piece: u32,
    /// Its lump, which is several pieces that have fused, by the least number of the lump's particles.
    pub lump: u32,
    /// Whether it blends with all of its lump, or with its piece alone.
    pub fused: bool,
}

impl Default for Membership {
    fn default() -> Self {
        Self::NONE
    }
}

impl Membership {
    /// The membership of a particle of any other matter.
    pub const NONE: Self = Self { piece: NOBODY, lump: NOBODY, fused: false };

    /// The membership of a piece by itself.
    pub fn of(piece: u32) -> Self {
        Self { piece, lump: piece, fused: false }
    }

    /// Whether two particles attract each other and do not collide.
    pub fn blends(&self, other: &Self) -> bool {
        self.piece == other.piece || self.fused && other.fused && self.lump == other.lump
    }

    /// Whether the field of another particle adds to that of this one's piece.
    pub fn feels(&self, other: &Self) -> bool {
        self.piece == other.piece || other.fused && self.lump == other.lump
    }
}
