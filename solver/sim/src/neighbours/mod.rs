//! The neighbours of each particle.
//!
//! Particles are sorted along a space-filling curve, and each has a list of all others within the kernel's support and
//! a skin around it. The lists hold as long as no two particles have come nearer by more than the skin; matter that
//! moves as a whole keeps them. The few particles that leave all others are moved to their present cells outside of the
//! sorted order. Lists are made for a batch of particles at a time, and only for batches whose forces are asked for
//! while the lists hold.
//!
//! In the lists positions are 32-bit integers in units of support / 2^20, taken modulo 2^32. Differences of near
//! particles are exact in them wherever the matter is, in single precision too; particles that are 4096 supports apart
//! would meet, but share no list unless both have run away from the others by a million supports.

mod active;
mod cells;
mod displacements;
mod lists;
mod strays;

pub use active::{Active, items_of, parts_of};
pub use displacements::{DisplacementBox, Verdict};
pub use lists::{BATCH, BatchLists};

use crate::bounds::Bounds;
pub use crate::packed::{FRACTION_BITS, PackedPosition, TO_Q, apart};

use crate::lanes::dispatch;
use crate::numbers::floor;
use cells::CellIndex;
use displacements::{ROOM_IN_THE_END, SKIN};
use glam::DVec3;
use lists::{FindNeighbours, Finder};
use pulp::Arch;
use rayon::prelude::*;

/// One in so many particles may stray.
const STRAYS: usize = 64;

/// For strays, the lists of one in so many batches may be made again at once, plus the batches around one stray: those
/// of 27 cells.
const MADE_AGAIN: usize = 16;
const SURELY: usize = 27;

/// The neighbours of all particles.
#[derive(Debug)]
pub struct Neighbours {
    support: f64,
    arch: Arch,
    cells: CellIndex,
    order: Vec<u32>,
    places: Vec<PackedPosition>,
    /// The places for which the lists were made.
    then: Vec<PackedPosition>,
    /// The displacements of each batch since then, when the batch was last checked.
    displacements: Vec<DisplacementBox>,
    batches: Vec<BatchLists>,
}

impl Neighbours {
    /// Neighbours within a support, m.
    pub fn new(support: f64) -> Self {
        Self {
            support,
            arch: Arch::new(),
            cells: CellIndex::default(),
            order: Vec::new(),
            places: Vec::new(),
            then: Vec::new(),
            displacements: Vec::new(),
            batches: Vec::new(),
        }
    }

    /// For each slot the slot of its particle before the particles were last sorted.
    pub fn order(&self) -> &[u32] {
        &self.order
    }

    /// Places of the slots.
    pub fn places(&self) -> &[PackedPosition] {
        &self.places
    }

    /// The places of some batches, in rising order, to be set to the present ones.
    pub fn looks(&mut self, batches: &[u32]) -> Vec<NeighbourQuery<'_>> {
        let batches = || batches.iter().copied();
        let parts = parts_of(&mut self.places, batches()).into_iter().zip(items_of(&mut self.displacements, batches()));
        let then = batches().map(|batch| &self.then[batch as usize * BATCH..]);
        parts.zip(then).map(|((places, displacements), then)| NeighbourQuery { places, then, displacements }).collect()
    }

    /// A function that makes places from positions, m, and tags.
    pub fn placing(&self) -> impl Fn(DVec3, u8) -> PackedPosition + Sync + use<> {
        let unit = self.unit();
        move |p, tag| place(p, unit, tag)
    }

    /// The lists, [`BATCH`] slots each; empty for batches that no [`prepare`](Self::prepare) asked for.
    pub fn batches(&self) -> &[BatchLists] {
        &self.batches
    }

    /// The neighbours of a slot whose list is made, padded with the slot itself.
    pub fn of(&self, slot: usize) -> &[u32] {
        self.batches[slot / BATCH].of(slot % BATCH).as_flattened()
    }

    /// The lists of the batch that some slots are in.
    pub fn lists_of(&self, slots: &[u32]) -> &BatchLists {
        &self.batches[slots[0] as usize / BATCH]
    }

    /// Sorts the particles at some positions, m, and forgets the lists: the result depends on the positions alone. The
    /// caller must then bring all columns into the new [`order`](Self::order).
    pub fn sort(&mut self, position: impl Fn(usize) -> DVec3 + Sync, numbers: &[u32]) {
        let place = self.placing();
        // A little more, to allow for the rounding of places.
        self.cells.sort(&position, numbers, self.support * (1.0 + SKIN + 1e-5), &mut self.order);
        let sorted = self.order.par_iter().with_min_len(1024).map(|&old| place(position(old as usize), 0));
        sorted.collect_into_vec(&mut self.then);
        self.places.clone_from(&self.then);
        let batches = numbers.len().div_ceil(BATCH);
        self.displacements.clear();
        self.displacements.resize(batches, DisplacementBox::STILL);
        self.batches.resize_with(batches, BatchLists::default);
        self.batches.iter_mut().for_each(BatchLists::forget);
    }

    /// Whether the lists surely hold, given the displacements by which the particles of each batch may have moved on
    /// since the batch was checked.
    pub fn judge(&self, gone: impl Fn(usize) -> Bounds) -> Verdict {
        let unit = self.unit();
        let displacements = self.displacements.iter().enumerate().map(|(batch, displacements)| {
            let Bounds { low, high } = gone(batch);
            displacements.grown(Bounds { low: low * unit, high: high * unit })
        });
        displacements::judge(&displacements.collect::<Vec<_>>())
    }

    /// Takes the strays of some batches, whose displacements do not fit those of all others, out of the order, puts
    /// them into their present cells, and forgets the lists around them. The batches, in rising order, have just been
    /// checked. Returns whether all lists hold then; if too many particles have strayed they do not, and nothing has
    /// changed.
    pub fn catch(&mut self, batches: &[u32], others: DisplacementBox, position: impl Fn(usize) -> DVec3) -> bool {
        let (strays, common) = self.strays_among(batches, others);
        // From here on the strays' displacements are those of the others.
        let centre = common.centre();
        let back = DVec3::from(centre.map(f64::from)) / self.unit();
        let keys: Vec<u64> = strays.iter().map(|&slot| self.cells.key_at(position(slot) - back)).collect();
        let own = strays.iter().map(|&slot| slot as u32 / BATCH as u32);
        let mut around: Vec<u32> = own.chain(keys.iter().flat_map(|&key| self.cells.batches_around(key))).collect();
        around.sort_unstable();
        around.dedup();
        let known = self.cells.strays();
        let new = strays.iter().filter(|&&slot| known.key(slot as u32).is_none()).count();
        if known.len() + new > 1 + self.then.len() / STRAYS || around.len() > SURELY + self.batches.len() / MADE_AGAIN {
            return false;
        }
        for (&slot, key) in strays.iter().zip(keys) {
            (0..3).for_each(|axis| self.then[slot][axis] = self.places[slot][axis].wrapping_sub(centre[axis]));
            self.cells.put(slot as u32, key);
        }
        for batch in around {
            self.batches[batch as usize].forget();
        }
        for &batch in batches {
            let slots = self.slots_of(batch);
            self.displacements[batch as usize] =
                DisplacementBox::between(&self.then[slots.clone()], &self.places[slots]);
        }
        true
    }

    /// The strays of some batches, whose displacements do not fit those of all others, and the displacements of all
    /// others.
    fn strays_among(&self, batches: &[u32], others: DisplacementBox) -> (Vec<usize>, DisplacementBox) {
        let (mut common, mut strays) = (others, Vec::new());
        for slot in batches.iter().flat_map(|&batch| self.slots_of(batch)) {
            let more = common.with(&self.then[slot], &self.places[slot]);
            if more.fit(ROOM_IN_THE_END) { common = more } else { strays.push(slot) }
        }
        (strays, common)
    }

    fn slots_of(&self, batch: u32) -> std::ops::Range<usize> {
        let first = batch as usize * BATCH;
        first..self.then.len().min(first + BATCH)
    }

    /// Makes the missing lists of the batches that hold one of some slots.
    pub fn prepare(&mut self, active: &Active) {
        let (cells, then, arch) = (&self.cells, &self.then, self.arch);
        let asked = active.of_batches(&mut self.batches);
        let missing = asked.into_par_iter().filter(|(_, lists)| lists.is_empty());
        missing.for_each_init(Finder::default, |finder, (batch, lists)| {
            let reach = (1.0 + SKIN) as f32;
            dispatch(arch, FindNeighbours { finder, cells, places: then, batch, reach, lists });
        });
    }

    /// The batches, in rising order, that hold neighbours of some slots, whose lists are made.
    pub fn around(&self, active: &Active) -> Vec<u32> {
        let mut near = vec![false; self.batches.len()];
        for batch in active.batches() {
            self.batches[batch as usize].near().iter().for_each(|&other| near[other as usize] = true);
        }
        (0..).zip(near).filter(|&(_, near)| near).map(|(batch, _)| batch).collect()
    }

    fn unit(&self) -> f64 {
        f64::from(1 << FRACTION_BITS) / self.support
    }

    /// Memory, bytes.
    pub fn memory(&self) -> usize {
        let per_particle = size_of::<u32>() + 2 * size_of::<PackedPosition>();
        self.order.len() * per_particle
            + self.cells.memory()
            + self.displacements.len() * size_of::<DisplacementBox>()
            + self.batches.iter().map(BatchLists::memory).sum::<usize>()
    }
}

/// A batch whose places are to be updated.
#[derive(Debug)]
pub struct NeighbourQuery<'a> {
    /// Places of its slots.
    pub places: &'a mut [PackedPosition],
    then: &'a [PackedPosition],
    displacements: &'a mut DisplacementBox,
}

impl NeighbourQuery<'_> {
    /// Call this when the places are up to date.
    pub fn done(self) {
        *self.displacements = DisplacementBox::between(self.then, self.places);
    }
}

#[inline]
fn place(p: DVec3, unit: f64, tag: u8) -> PackedPosition {
    let fixed = |v: f64| floor(v * unit) as i64 as i32;
    [fixed(p.x), fixed(p.y), fixed(p.z), i32::from(tag)]
}
