//! Who blends with whom, DG95 sections 4 and 5.2.
//!
//! The influence graph joins particles whose spheres of influence meet; offsets, which come and go, do not count. What it has parted is two pieces from then on, which neither blend nor attract each other
//! when they meet again. A blending list then is all of one's piece, and no list has to be kept.
//!
//! Where pieces are pressed together hard enough, those that press each other are fused: they blend with all of the lump, as pieces that have fused are called, while others go on to
//! blend with their own piece alone and collide. So fusion goes on from place to place, and a lump that is drawn apart at its seams is pieces again.

use super::territory::Coat;
use crate::cells::Cells;
use crate::union::Union;
use rustc_hash::FxHashMap;

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

/// Fuses pairs of particles, by their numbers.
pub fn fuse(coats: &mut [Coat], pairs: &[[u32; 2]]) {
    if pairs.is_empty() {
        return;
    }
    let places: FxHashMap<u32, usize> = coats.iter().enumerate().map(|(at, coat)| (coat.number, at)).collect();
    let mut lumps = Union::new(coats.iter().map(|coat| coat.kinship.lump as usize + 1).max().unwrap_or(0));
    for pair in pairs {
        let [Some(&a), Some(&b)] = pair.map(|number| places.get(&number)) else { continue };
        lumps.unite(coats[a].kinship.lump, coats[b].kinship.lump);
        for at in [a, b] {
            coats[at].kinship.fused = true;
        }
    }
    for coat in coats {
        coat.kinship.lump = lumps.least(coat.kinship.lump);
    }
}

/// Divides pieces into those parts whose influence hangs together, or whose pairs still attract each other within a support, m, and lumps into those whose
/// fused particles do; each is known by its least particle.
pub fn divide(coats: &mut [Coat], support: f64) {
    let widest = coats.iter().map(|coat| coat.skin.reach).fold(0.0, f64::max);
    let cells = Cells::new(support.max(2.0 * widest), coats.iter().map(|coat| coat.place));
    let (mut pieces, mut seams) = (Union::new(coats.len()), Vec::new());
    for (at, coat) in coats.iter().enumerate() {
        for other in cells.around(coat.place).filter(|&other| (other as usize) < at) {
            let near = &coats[other as usize];
            let touch = support.max(coat.skin.reach + near.skin.reach);
            if !near.kinship.blends(&coat.kinship) || near.place.distance_squared(coat.place) >= touch * touch {
                continue;
            }
            if near.kinship.piece == coat.kinship.piece {
                pieces.unite(other, at as u32);
            } else {
                seams.push((other, at as u32));
            }
        }
    }
    let (mut lumps, mut fused) = (pieces.clone(), vec![false; coats.len()]);
    for (a, b) in seams {
        lumps.unite(a, b);
        (fused[a as usize], fused[b as usize]) = (true, true);
    }
    for at in 0..coats.len() {
        let [piece, lump] = [&mut pieces, &mut lumps].map(|of| coats[of.least(at as u32) as usize].number);
        coats[at].kinship = Kinship { piece, lump, fused: fused[at] };
    }
}
