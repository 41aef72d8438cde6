//! A subset of the slots.

use super::BATCH;
use rayon::prelude::*;

/// Some of the slots, in rising order, by batch.
#[derive(Debug, Default)]
pub struct Active {
    slots: Vec<u32>,
    /// Where each batch's slots end.
    ends: Vec<u32>,
}

impl Active {
    /// Takes those of `count` slots for which `chosen` holds.
    pub fn choose(&mut self, count: usize, chosen: impl Fn(usize) -> bool + Sync) {
        self.slots.clear();
        let slots = (0..count as u32).into_par_iter().with_min_len(4096);
        self.slots.par_extend(slots.filter(|&slot| chosen(slot as usize)));
        let end = |batch: usize| self.slots.partition_point(|&slot| (slot as usize) < (batch + 1) * BATCH) as u32;
        (0..count.div_ceil(BATCH)).into_par_iter().map(end).collect_into_vec(&mut self.ends);
    }

    /// Number of slots.
    pub fn len(&self) -> usize {
        self.slots.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.slots.is_empty()
    }

    /// The slots.
    pub fn slots(&self) -> &[u32] {
        &self.slots
    }

    /// Where the slots of a batch stand among [`slots`](Self::slots).
    pub fn range(&self, batch: usize) -> std::ops::Range<usize> {
        let start = if batch == 0 { 0 } else { self.ends[batch - 1] };
        start as usize..self.ends[batch] as usize
    }

    /// The slots of a batch.
    pub fn of(&self, batch: usize) -> &[u32] {
        &self.slots[self.range(batch)]
    }

    /// Memory, bytes.
    pub fn memory(&self) -> usize {
        (self.slots.capacity() + self.ends.capacity()) * size_of::<u32>()
    }
}
