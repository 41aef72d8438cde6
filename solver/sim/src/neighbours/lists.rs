//! The lists themselves: each particle's neighbours, eight at a time.

// Only code that is inlined into a task for `Arch::dispatch` uses its vector instructions.
#![allow(clippy::inline_always)]

use super::PackedPosition;
use super::cells::CellIndex;
use crate::lanes::{Centre, Eight, LANES, Lanes, Task};

/// Number of slots whose lists one task makes, and sums over.
pub const BATCH: usize = 64;

/// The lists of [`BATCH`] slots, or fewer in the last batch; empty while they are not made.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct BatchLists {
    /// First slot.
    pub first: usize,
    groups: Vec<[u32; LANES]>,
    /// The end of each slot's groups.
    ends: Vec<u32>,
    /// The batches that the neighbours are in, and perhaps some more; in rising order.
    near: Vec<u32>,
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

    /// The batches that the neighbours are in, and perhaps some more; in rising order.
    pub fn near(&self) -> &[u32] {
        &self.near
    }

    /// Forgets the lists, and keeps their memory.
    pub fn forget(&mut self) {
        self.groups.clear();
        self.ends.clear();
    }

    /// Memory, bytes.
    pub fn memory(&self) -> usize {
        self.groups.capacity() * size_of::<[u32; LANES]>()
            + (self.ends.capacity() + self.near.capacity()) * size_of::<u32>()
    }
}

/// Stands for a missing slot, to fill up the last eight candidates.
const NOBODY: u32 = u32::MAX;

/// Buffers for the candidates of one cell after the other, and for the neighbours found among them.
#[derive(Debug, Default)]
pub struct Finder {
    candidates: Vec<u32>,
    slots: Vec<[i32; LANES]>,
    /// Places of the candidates, axis by axis.
    places: Vec<[[i32; LANES]; 3]>,
    found: Vec<u32>,
    groups: Vec<[u32; LANES]>,
    near: Vec<u32>,
}

/// Finds the neighbours of a batch, as a task for [`dispatch`](crate::lanes::dispatch). It replaces the old lists.
pub struct FindNeighbours<'a> {
    pub finder: &'a mut Finder,
    pub cells: &'a CellIndex,
    pub places: &'a [PackedPosition],
    pub batch: usize,
    /// Largest distance of neighbours, in supports.
    pub reach: f32,
    pub lists: &'a mut BatchLists,
}

impl Finder {
    /// Takes the particles in a cell and around it as candidates.
    fn gather(&mut self, cells: &CellIndex, places: &[PackedPosition], key: u64) {
        self.candidates.clear();
        self.near.extend(cells.batches_around(key));
        self.candidates.extend(cells.around(key).flatten());
        if !cells.strays().is_empty() {
            self.candidates.retain(|&slot| cells.strays().key(slot).is_none());
            self.candidates.extend(cells.strays_around(key));
        }
        self.slots.clear();
        self.places.clear();
        let (whole, rest) = self.candidates.as_chunks::<LANES>();
        let mut take = |group: &[u32]| {
            let (mut slots, mut columns) = ([NOBODY as i32; LANES], [[0; LANES]; 3]);
            for (lane, &slot) in group.iter().enumerate() {
                let [x, y, z, _] = places[slot as usize];
                (slots[lane], columns[0][lane], columns[1][lane], columns[2][lane]) = (slot as i32, x, y, z);
            }
            self.slots.push(slots);
            self.places.push(columns);
        };
        for group in whole {
            take(group);
        }
        if !rest.is_empty() {
            take(rest);
        }
    }

    /// Appends the groups of a slot: all candidates but the slot itself that are within reach of it.
    #[inline(always)]
    fn find<E: Eight>(&mut self, eight: E, slot: u32, own: &PackedPosition, reach_squared: f32) {
        self.found.resize(self.slots.len() * LANES + LANES, 0);
        let centre = Centre::new(eight, slot as usize, own);
        let limit = Lanes::splat(eight, reach_squared);
        let mut length = 0;
        for (slots, places) in self.slots.iter().zip(&self.places) {
            let [x, y, z] = places;
            let offsets = centre.offsets_to([eight.load(x), eight.load(y), eight.load(z)]);
            let (packed, count) =
                eight.pack(offsets.squared.below(limit), centre.is(&slots.map(|s| s as u32)), eight.load(slots));
            if let Some(room) = self.found.get_mut(length..length + LANES) {
                room.copy_from_slice(&packed.map(|slot| slot as u32));
            }
            length += count;
        }
        // The fillers of the last candidates come last.
        while length > 0 && self.found[length - 1] == NOBODY {
            length -= 1;
        }
        let (whole, rest) = self.found[..length].as_chunks::<LANES>();
        self.groups.extend_from_slice(whole);
        if !rest.is_empty() {
            let mut group = [slot; LANES];
            group[..rest.len()].copy_from_slice(rest);
            self.groups.push(group);
        }
    }
}

impl Task for FindNeighbours<'_> {
    type Output = ();

    #[inline(always)]
    fn run<E: Eight>(self, eight: E) {
        let first = self.batch * BATCH;
        let slots = first..self.places.len().min(first + BATCH);
        // In units of h; a support is 2 h.
        let reach_squared = 4.0 * self.reach * self.reach;
        self.lists.first = first;
        self.lists.ends.clear();
        self.finder.groups.clear();
        self.finder.near.clear();
        let mut gathered = None;
        for slot in slots {
            let key = self.cells.key(slot);
            if gathered != Some(key) {
                self.finder.gather(self.cells, self.places, key);
                gathered = Some(key);
            }
            self.finder.find(eight, slot as u32, &self.places[slot], reach_squared);
            self.lists.ends.push(self.finder.groups.len() as u32);
        }
        // A list with enough capacity keeps it; any other gets no more than it needs.
        self.lists.groups.clear();
        self.lists.groups.reserve_exact(self.finder.groups.len());
        self.lists.groups.extend_from_slice(&self.finder.groups);
        self.finder.near.sort_unstable();
        self.finder.near.dedup();
        self.lists.near.clear();
        self.lists.near.extend_from_slice(&self.finder.near);
    }
}
