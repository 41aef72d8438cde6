//! Who blends with whom, DG95 section 4.
//!
//! The influence graph joins particles whose spheres of influence meet; offsets, which come and go, do not count. What it has parted is two pieces from then on, which neither blend nor attract each other
//! when they meet again. A blending list then is all of one's piece, and no list has to be kept.

use super::territory::Coat;
use crate::cells::Cells;
use crate::union::Union;

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
            if near.piece == coat.piece && near.place.distance_squared(coat.place) < touch * touch {
                union.unite(other, at as u32);
            }
        }
    }
    for at in 0..coats.len() {
        coats[at].piece = coats[union.least(at as u32) as usize].number;
    }
}
