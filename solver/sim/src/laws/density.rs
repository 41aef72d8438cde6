//! The density of a particle, DG96 (3), as a sum over the other particles.

// A function must be inlined into a task for `Arch::dispatch` to use its vector instructions.
#![allow(clippy::inline_always)]

use crate::kernel::KernelShape;
use crate::lanes::{Centre, Eight, LANES, Lanes, named};
use crate::neighbours::PackedPosition;
use crate::pairs::PairLaw;
use std::marker::PhantomData;

/// Sums the kernel's shape.
pub struct Densities<'a, S> {
    pub places: &'a [PackedPosition],
    pub shape: PhantomData<S>,
}

impl<S: KernelShape> PairLaw for Densities<'_, S> {
    type Sum = f32;
    type Own<E: Eight> = Centre<E>;
    type Lanes<E: Eight> = Lanes<E>;

    const LAST: bool = true;

    #[inline(always)]
    fn begin<E: Eight>(&self, eight: E, slot: usize) -> (Centre<E>, Lanes<E>) {
        (Centre::new(eight, slot, &self.places[slot]), Lanes::splat(eight, 0.0))
    }

    #[inline(always)]
    fn meet<E: Eight>(&self, eight: E, centre: &Centre<E>, total: &mut Lanes<E>, group: &[u32; LANES]) {
        let [x, y, z, _] = eight.turn_places(named(self.places, group));
        *total = *total + S::value(centre.offsets_to([x, y, z]).squared.sqrt());
    }

    #[inline(always)]
    fn meet_last<E: Eight>(&self, eight: E, centre: &Centre<E>, total: &mut Lanes<E>, group: &[u32; LANES]) {
        let offsets = centre.offsets(group, eight.turn_places(named(self.places, group)));
        *total = *total + S::value(offsets.squared.sqrt());
    }

    #[inline(always)]
    fn end<E: Eight>(&self, total: &Lanes<E>, _slot: usize) -> f32 {
        total.sum()
    }
}
