//! The loop over pairs, shared by all laws between a particle and its neighbours, and the rows that it reads.
//!
//! The loop gathers: a particle adds up the effects of its neighbours and writes only its own slot. So nothing is
//! locked, and a result has the same bits for any number of threads.

// Only code that is inlined into a task for `dispatch` uses the machine's vector instructions.
#![allow(clippy::inline_always)]

mod rows;
mod tags;

pub use rows::take_rows;
pub use tags::Tags;

use crate::lanes::{Eight, LANES, Task, dispatch};
use crate::neighbours::{BATCH, BatchLists};
use pulp::Arch;

/// A law between a particle and its neighbours, eight neighbours at a time. All functions have to be
/// `#[inline(always)]`.
pub trait PairLaw {
    /// The sum over all neighbours of a slot; the default where the law does not act on the slot.
    type Sum: Copy + Default;
    /// The data of a slot itself, in lanes.
    type Own<E: Eight>;
    /// The sums over the neighbours met so far, in lanes. They are separate from the slot's own data, so that they stay
    /// in registers however large the data are.
    type Lanes<E: Eight>;

    /// Whether the last group of a list, which is filled up with the slot itself, is met [separately](Self::meet_last).
    const LAST: bool = false;

    /// Whether the law acts on a slot.
    #[inline(always)]
    fn acts_on(&self, _slot: usize) -> bool {
        true
    }

    /// The state of a slot that has met no neighbour yet.
    fn begin<E: Eight>(&self, eight: E, slot: usize) -> (Self::Own<E>, Self::Lanes<E>);

    /// Adds the effect of a group of neighbours. A slot that meets itself must add nothing.
    fn meet<E: Eight>(&self, eight: E, own: &Self::Own<E>, lanes: &mut Self::Lanes<E>, group: &[u32; LANES]);

    /// The same for the last group, if the law [asks for that](Self::LAST); then the slot does not meet itself in other
    /// groups.
    #[inline(always)]
    fn meet_last<E: Eight>(&self, eight: E, own: &Self::Own<E>, lanes: &mut Self::Lanes<E>, group: &[u32; LANES]) {
        self.meet(eight, own, lanes, group);
    }

    /// The sum at the end.
    fn end<E: Eight>(&self, lanes: &Self::Lanes<E>, slot: usize) -> Self::Sum;
}

/// The sums of a law over the neighbours of some slots of a batch, the first slot first.
pub fn gather<L: PairLaw>(arch: Arch, law: &L, lists: &BatchLists, slots: &[u32]) -> [L::Sum; BATCH] {
    dispatch(arch, Gather { law, lists, slots })
}

struct Gather<'a, L> {
    law: &'a L,
    lists: &'a BatchLists,
    slots: &'a [u32],
}

impl<L: PairLaw> Task for Gather<'_, L> {
    type Output = [L::Sum; BATCH];

    #[inline(always)]
    fn run<E: Eight>(self, eight: E) -> Self::Output {
        let Self { law, lists, slots } = self;
        let mut sums = [L::Sum::default(); BATCH];
        for (&slot, sum) in slots.iter().zip(&mut sums) {
            let slot = slot as usize;
            if !law.acts_on(slot) {
                continue;
            }
            let ((own, mut lanes), groups) = (law.begin(eight, slot), lists.of(slot - lists.first));
            if L::LAST {
                if let Some((last, whole)) = groups.split_last() {
                    for group in whole {
                        law.meet(eight, &own, &mut lanes, group);
                    }
                    law.meet_last(eight, &own, &mut lanes, last);
                }
            } else {
                for group in groups {
                    law.meet(eight, &own, &mut lanes, group);
                }
            }
            *sum = law.end(&lanes, slot);
        }
        sums
    }
}
