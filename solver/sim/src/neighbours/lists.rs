//! The lists themselves: each particle's neighbours, eight at a time.

// What is not inlined into a task for `Arch::dispatch` does not use its vector instructions.
#![allow(clippy::inline_always)]

use super::cells::Cells;
use super::{Place, TO_Q};
use crate::lanes::LANES;
use pulp::{Simd, WithSimd};

/// Slots whose lists are made, and summed over, by one task.
pub const BATCH: usize = 64;

/// The lists of [`BATCH`] slots, the last batch may have fewer; or none while they are not made.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct BatchLists {
    /// First slot.
    pub first: usize,
    groups: Vec<[u32; LANES]>,
    /// Where each slot's groups end.
    ends: Vec<u32>,
}

impl BatchLists {
    /// Number of slots.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Whether there is no slot.
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// The neighbours of the n-th slot of the batch, in groups that are filled up with the slot itself.
    #[inline(always)]
    pub fn of(&self, n: usize) -> &[[u32; LANES]] {
        let start = if n == 0 { 0 } else { self.ends[n - 1] };
        &self.groups[start as usize..self.ends[n] as usize]
    }

    /// Forgets the lists, and keeps their memory.
    pub fn forget(&mut self) {
        self.groups.clear();
        self.ends.clear();
    }

    /// Memory, bytes.
    pub fn memory(&self) -> usize {
        self.groups.capacity() * size_of::<[u32; LANES]>() + self.ends.capacity() * size_of::<u32>()
    }
}

/// Room for the candidates of one cell after the other.
#[derive(Debug, Default)]
pub struct Finder {
    slots: Vec<u32>,
    /// Places of the candidates, axis by axis.
    x: Vec<i32>,
    y: Vec<i32>,
    z: Vec<i32>,
    found: Vec<u32>,
}

/// Finds the neighbours of a batch, as a task for [`pulp::Arch::dispatch`].
pub struct FindNeighbours<'a> {
    finder: &'a mut Finder,
    cells: &'a Cells,
    places: &'a [Place],
    batch: usize,
    reach: f32,
    lists: &'a mut BatchLists,
}

impl Finder {
    /// The task for a batch, whose lists are empty before; `reach` is in supports.
    pub fn task<'a>(
        &'a mut self,
        cells: &'a Cells,
        places: &'a [Place],
        batch: usize,
        reach: f32,
        lists: &'a mut BatchLists,
    ) -> FindNeighbours<'a> {
        FindNeighbours { finder: self, cells, places, batch, reach, lists }
    }

    /// Takes the particles in a cell and around it as candidates.
    fn gather(&mut self, cells: &Cells, places: &[Place], key: u64) {
        self.slots.clear();
        for range in cells.around(key) {
            self.slots.extend(range);
        }
        for (axis, column) in [&mut self.x, &mut self.y, &mut self.z].into_iter().enumerate() {
            column.clear();
            column.extend(self.slots.iter().map(|&slot| places[slot as usize][axis]));
        }
    }

    /// Finds all candidates but the slot itself that are within reach of it.
    #[inline(always)]
    fn find(&mut self, slot: u32, own: Place, reach_squared: f32) -> &[u32] {
        let count = self.slots.len();
        self.found.clear();
        self.found.resize(count, 0);
        let mut length = 0;
        let (x, y, z) = (&self.x[..count], &self.y[..count], &self.z[..count]);
        for n in 0..count {
            let offset = |own: i32, other: i32| own.wrapping_sub(other) as f32 * TO_Q;
            let (dx, dy, dz) = (offset(own[0], x[n]), offset(own[1], y[n]), offset(own[2], z[n]));
            let near = u32::from(dx * dx + dy * dy + dz * dz < reach_squared) * u32::from(self.slots[n] != slot);
            // Written in any case, and kept if near: there is no branch to guess wrong.
            self.found[length] = self.slots[n];
            length += near as usize;
        }
        &self.found[..length]
    }
}

impl WithSimd for FindNeighbours<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<V: Simd>(self, _: V) {
        let first = self.batch * BATCH;
        let slots = first..self.places.len().min(first + BATCH);
        let lists = self.lists;
        lists.first = first;
        // In units of h, of which a support has two.
        let reach_squared = 4.0 * self.reach * self.reach;
        let mut gathered = None;
        for slot in slots {
            let key = self.cells.key(slot);
            if gathered != Some(key) {
                self.finder.gather(self.cells, self.places, key);
                gathered = Some(key);
            }
            let found = self.finder.find(slot as u32, self.places[slot], reach_squared);
            let (whole, rest) = found.as_chunks::<LANES>();
            lists.groups.extend_from_slice(whole);
            if !rest.is_empty() {
                let mut group = [slot as u32; LANES];
                group[..rest.len()].copy_from_slice(rest);
                lists.groups.push(group);
            }
            lists.ends.push(lists.groups.len() as u32);
        }
    }
}
