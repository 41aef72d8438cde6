//! The loop over pairs, one for all that acts between a particle and its neighbours, and the rows that it reads.
//!
//! The loop gathers: a particle adds up what its neighbours do to it and writes its own slot alone. So nothing is
//! locked, and a result has the same bits for any number of threads.

// What is not inlined into a task for `dispatch` does not use the machine's vector instructions.
#![allow(clippy::inline_always)]

mod rows;
mod tags;

pub use rows::take_rows;
pub use tags::Tags;

use crate::lanes::{Eight, LANES, Task, dispatch};
use crate::neighbours::{BATCH, BatchLists};
use pulp::Arch;

/// What acts between a particle and its neighbours, eight of these at a time. All functions have to be
/// `#[inline(always)]`.
pub trait PairLaw {
    /// What all neighbours of a slot add up to; the default where it acts on none.
    type Sum: Copy + Default;
    /// What is known of a slot, in lanes.
    type Own<E: Eight>;
    /// The sums over the neighbours met so far, in lanes. By themselves, so that they stay in registers whatever is
    /// known of the slot.
    type Lanes<E: Eight>;

    /// Whether the last group of a list, which is filled up with the slot itself, is met [by itself](Self::meet_last).
    const LAST: bool = false;

    /// Whether it acts on a slot.
    #[inline(always)]
    fn acts_on(&self, _slot: usize) -> bool {
        true
    }

    /// A slot that has met nobody yet.
    fn begin<E: Eight>(&self, eight: E, slot: usize) -> (Self::Own<E>, Self::Lanes<E>);

    /// Adds what a group of neighbours does to it. A slot that meets itself must add nothing.
    fn meet<E: Eight>(&self, eight: E, own: &Self::Own<E>, lanes: &mut Self::Lanes<E>, group: &[u32; LANES]);

    /// The same of the last group, where [that is asked for](Self::LAST); in others the slot does not meet itself then.
    #[inline(always)]
    fn meet_last<E: Eight>(&self, eight: E, own: &Self::Own<E>, lanes: &mut Self::Lanes<E>, group: &[u32; LANES]) {
        self.meet(eight, own, lanes, group);
    }

    /// What it all adds up to.
    fn end<E: Eight>(&self, lanes: &Self::Lanes<E>, slot: usize) -> Self::Sum;
}

/// The sums of a law over the neighbours of some slots of a batch, the first of them first.
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
