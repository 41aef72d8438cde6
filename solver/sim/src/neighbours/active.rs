//! A subset of the slots.

use super::BATCH;
use rayon::prelude::*;

/// Some of the slots, in rising order, by batch.
#[derive(Debug, Default)]
pub struct Active {
    slots: Vec<u32>,
    /// The batches that hold one of them, and the end of their slots.
    batches: Vec<(u32, u32)>,
}

impl Active {
    /// Takes the slots whose bin is no less than `least`.
    pub fn choose(&mut self, bins: &[u8], least: u8) {
        self.slots.clear();
        self.batches.clear();
        for (batch, bins) in bins.chunks(BATCH).enumerate() {
            // Most batches are skipped, or taken, as a whole.
            let first = batch as u32 * BATCH as u32;
            if bins.iter().fold(u8::MAX, |low, &bin| low.min(bin)) >= least {
                self.slots.extend(first..first + bins.len() as u32);
            } else if bins.iter().fold(0, |high, &bin| high.max(bin)) >= least {
                let slots = (first..).zip(bins).filter(|&(_, &bin)| bin >= least);
                self.slots.extend(slots.map(|(slot, _)| slot));
            } else {
                continue;
            }
            self.batches.push((batch as u32, self.slots.len() as u32));
        }
    }

    /// Takes all of `count` slots.
    pub fn choose_all(&mut self, count: usize) {
        self.slots.clear();
        self.slots.extend(0..count as u32);
        self.batches.clear();
        let end = |batch: usize| (batch as u32, count.min((batch + 1) * BATCH) as u32);
        self.batches.extend((0..count.div_ceil(BATCH)).map(end));
    }

    /// Takes some slots, in rising order.
    pub fn choose_these(&mut self, slots: impl Iterator<Item = u32>) {
        self.slots.clear();
        self.slots.extend(slots);
        let parts = self.slots.chunk_by(|a, b| *a as usize / BATCH == *b as usize / BATCH);
        let mut end = 0;
        self.batches = parts
            .map(|part| {
                end += part.len() as u32;
                (part[0] / BATCH as u32, end)
            })
            .collect();
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

    /// The batches that hold one of the slots.
    pub fn batches(&self) -> impl ExactSizeIterator<Item = u32> {
        self.batches.iter().map(|&(batch, _)| batch)
    }

    /// For each of the [`batches`](Self::batches) the position of its slots among [`slots`](Self::slots), and its
    /// slots.
    pub fn parts(&self) -> impl IndexedParallelIterator<Item = (usize, &[u32])> {
        (0..self.batches.len()).into_par_iter().map(|n| {
            let start = if n == 0 { 0 } else { self.batches[n - 1].1 as usize };
            (start, &self.slots[start..self.batches[n].1 as usize])
        })
    }

    /// The parts of a column that belong to the [`batches`](Self::batches).
    pub fn of<'a, T>(&self, column: &'a mut [T]) -> Vec<&'a mut [T]> {
        parts_of(column, self.batches())
    }

    /// The same for a column that may not be kept: then each part is empty.
    pub fn of_kept<'a, T>(&self, column: &'a mut [T]) -> Vec<&'a mut [T]> {
        if column.is_empty() { self.batches().map(|_| Default::default()).collect() } else { self.of(column) }
    }

    /// The items of the [`batches`](Self::batches) in a column of one item per batch, with the batches' numbers.
    pub fn of_batches<'a, T>(&self, column: &'a mut [T]) -> Vec<(usize, &'a mut T)> {
        self.batches().map(|batch| batch as usize).zip(items_of(column, self.batches())).collect()
    }

    /// Memory, bytes.
    pub fn memory(&self) -> usize {
        self.slots.capacity() * size_of::<u32>() + self.batches.capacity() * size_of::<(u32, u32)>()
    }
}

/// The items of some batches, in rising order, in a column of one item per batch.
pub fn items_of<T>(column: &mut [T], batches: impl Iterator<Item = u32>) -> Vec<&mut T> {
    let (mut rest, mut at) = (column, 0);
    let item = |batch: u32| {
        let (item, after) = std::mem::take(&mut rest)[batch as usize - at..].split_first_mut()?;
        (rest, at) = (after, batch as usize + 1);
        Some(item)
    };
    batches.map_while(item).collect()
}

/// The parts of a column that belong to some batches, in rising order.
pub fn parts_of<T>(column: &mut [T], batches: impl Iterator<Item = u32>) -> Vec<&mut [T]> {
    let (mut rest, mut at) = (column, 0);
    let part = |batch: u32| {
        let (_, from) = std::mem::take(&mut rest).split_at_mut(batch as usize * BATCH - at);
        let (part, after) = from.split_at_mut(BATCH.min(from.len()));
        at = batch as usize * BATCH + part.len();
        rest = after;
        part
    };
    batches.map(part).collect()
}
