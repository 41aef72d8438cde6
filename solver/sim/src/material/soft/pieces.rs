//! Who blends with whom, DG95 section 4.
//!
//! The influence graph joins particles whose spheres of influence meet; offsets, which come and go, do not count. What it has parted is two pieces from then on, which neither blend nor attract each other
//! when they meet again. A blending list then is all of one's piece, and no list has to be kept.

use super::territory::Coat;
use crate::cells::Cells;
use crate::union::Union;

/// What a particle of soft matter belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Kinship {
    /// Its piece, by the number of its least particle.
    pub piece: u32,
    /// Its lump, pieces that have fused, by the number of its least particle.
    pub lump: u32,
    /// Whether it blends with all of its lump, and not with its piece alone.
    pub fused: bool,
}

impl Kinship {
    /// That of what is not soft.
    pub const NONE: Self = Self { piece: u32::MAX, lump: u32::MAX, fused: false };

    /// That of a piece by itself.
    pub fn of(piece: u32) -> Self {
        Self { piece, lump: piece, fused: false }
    }

    /// Whether the fields of two blend.
    pub fn blends(&self, other: &Self) -> bool {
        self.piece == other.piece || self.lump == other.lump && self.fused && other.fused
    }

    /// The number of a piece or a lump as files have it.
    pub fn told(number: u32) -> f32 {
        if number == u32::MAX { -1.0 } else { number as f32 }
    }
}

/// Divides pieces into those parts whose influence hangs together, or whose pairs still attract each other within a support, m; each is known by its
/// least particle.
pub fn divide(coats: &mut [Coat], support: f64) {
    let widest = coats.iter().map(|coat| coat.skin.reach).fold(0.0, f64::max);
    let cells = Cells::new(support.max(2.0 * widest), coats.iter().map(|coat| coat.place));
    let mut union = Union::new(coats.len());
    for (at, coat) in coats.iter().enumerate() {
        for other in cells.around(coat.place).filter(|&other| (other as usize) < at) {
            let near = &coats[other as usize];
            let touch = support.max(coat.skin.reach + near.skin.reach);
            if near.kinship.piece == coat.kinship.piece && near.place.distance_squared(coat.place) < touch * touch {
                union.unite(other, at as u32);
            }
        }
    }
    for at in 0..coats.len() {
        coats[at].kinship = Kinship::of(coats[union.least(at as u32) as usize].number);
    }
}
