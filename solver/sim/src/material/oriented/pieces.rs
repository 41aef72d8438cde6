//! Connected pieces of sheets.

use crate::particles::{Particles, slots};
use crate::union::Union;
use rustc_hash::FxHashMap;

/// The piece of each particle, by particle number. In a chosen body a piece holds all particles that ties connect; any
/// other body is one piece. Pieces are counted in the order of their first particles.
pub fn pieces(particles: &Particles, chosen: impl Fn(u32) -> bool) -> Vec<u32> {
    let slots = slots(particles);
    let mut union = Union::new(particles.len());
    let mut of_bodies = FxHashMap::default();
    for (number, &slot) in (0..).zip(&slots) {
        let slot = slot as usize;
        let body = particles.sources[slot];
        if !chosen(body) {
            union.unite(number, *of_bodies.entry(body).or_insert(number));
        } else if let Some(ties) = particles.ties.get(slot) {
            ties.iter().for_each(|tie| union.unite(number, tie.number));
        }
    }
    union.numbered()
}
