//! The number of a particle's neighbours.

// A function must be inlined into a task for `Arch::dispatch` to use its vector instructions.
#![allow(clippy::inline_always)]

use crate::lanes::{Centre, Eight, LANES, Lanes, SUPPORT_SQUARED, named};
use crate::neighbours::PackedPosition;
use crate::pairs::PairLaw;

/// Counts the neighbours within the support.
pub struct Counts<'a> {
    pub places: &'a [PackedPosition],
}

impl PairLaw for Counts<'_> {
    type Sum = f32;
    type Own<E: Eight> = Centre<E>;
    type Lanes<E: Eight> = Lanes<E>;

    #[inline(always)]
    fn begin<E: Eight>(&self, eight: E, slot: usize) -> (Centre<E>, Lanes<E>) {
        (Centre::new(eight, slot, &self.places[slot]), Lanes::splat(eight, 0.0))
    }

    #[inline(always)]
    fn meet<E: Eight>(&self, eight: E, centre: &Centre<E>, total: &mut Lanes<E>, group: &[u32; LANES]) {
        let offsets = centre.offsets(group, eight.turn_places(named(self.places, group)));
        *total = *total + Lanes::splat(eight, 1.0).keep(offsets.squared.below(Lanes::splat(eight, SUPPORT_SQUARED)));
    }

    #[inline(always)]
    fn end<E: Eight>(&self, total: &Lanes<E>, _slot: usize) -> f32 {
        total.sum()
    }
}
