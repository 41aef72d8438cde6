//! What of sheets hangs together.

use super::ties::slots;
use crate::particles::Particles;
use rustc_hash::FxHashMap;

/// The piece that each particle is of, by particle number: all that ties lead to of bodies that are chosen by their number, or the whole of
/// another. Pieces are counted in the order of their first particles.
pub fn pieces(particles: &Particles, chosen: impl Fn(u32) -> bool) -> Vec<u32> {
    let slots = slots(particles);
    let mut first: Vec<u32> = (0..particles.len() as u32).collect();
    let mut of_bodies = FxHashMap::default();
    for (number, &slot) in (0..).zip(&slots) {
        let slot = slot as usize;
        let body = particles.sources[slot];
        if !chosen(body) {
            unite(&mut first, number, *of_bodies.entry(body).or_insert(number));
        } else if let Some(ties) = particles.ties.get(slot) {
            ties.iter().for_each(|tie| unite(&mut first, number, tie.number));
        }
    }
    let mut pieces = vec![0; first.len()];
    let mut count = 0;
    for number in 0..first.len() as u32 {
        let root = root(&mut first, number);
        if root == number {
            pieces[number as usize] = count;
            count += 1;
        } else {
            pieces[number as usize] = pieces[root as usize];
        }
    }
    pieces
}

/// The first of the piece of one.
fn root(first: &mut [u32], mut number: u32) -> u32 {
    while first[number as usize] != number {
        first[number as usize] = first[first[number as usize] as usize];
        number = first[number as usize];
    }
    number
}

fn unite(first: &mut [u32], a: u32, b: u32) {
    let (a, b) = (root(first, a), root(first, b));
    first[a.max(b) as usize] = a.min(b);
}
