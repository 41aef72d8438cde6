//! Who is near whom.
//!
//! Particles are sorted along a space-filling curve, and each has a list of all others within the kernel's support and a
//! skin around it. The lists hold as long as no two particles have come nearer by more than the skin; matter that moves
//! as a whole keeps them. Lists are made for a batch of particles at a time, and only for those batches whose forces are
//! asked for while they hold.
//!
//! In the lists positions are 32-bit integers in units of support / 2^20, taken modulo 2^32. Differences of near
//! particles are exact in them wherever the matter is, in single precision too; particles that are 4096 supports apart
//! would meet, but share no list unless both have run away from the others by a million supports.

mod active;
mod cells;
mod lists;
mod ways;

pub use active::{Active, parts_of};
pub use lists::{BATCH, BatchLists};

use crate::lanes::dispatch;
use cells::Cells;
use glam::DVec3;
use lists::{FindNeighbours, Finder};
use pulp::Arch;
use rayon::prelude::*;
use ways::Ways;

/// Bits of a position below one support: differences over three supports fit the 24 bits of a single-precision mantissa.
pub const FRACTION_BITS: u32 = 20;

/// Factor from position differences in [`Place`]'s units to q = r / h.
pub const TO_Q: f32 = 2.0 / (1 << FRACTION_BITS) as f32;

/// Thickness of the skin, in supports. A thicker one lasts longer and holds more that is not within reach.
const SKIN: f64 = 0.1;

/// A position in units of support / 2^20, modulo 2^32, and a tag of the caller's that pair loops read along with it.
pub type Place = [i32; 4];

/// The neighbours of all particles.
#[derive(Debug)]
pub struct Neighbours {
    support: f64,
    arch: Arch,
    cells: Cells,
    order: Vec<u32>,
    places: Vec<Place>,
    /// Places that the lists hold from.
    then: Vec<Place>,
    /// The ways since then, when all were looked at last.
    ways: Ways,
    batches: Vec<BatchLists>,
}

impl Neighbours {
    /// Neighbours within a support, m.
    pub fn new(support: f64) -> Self {
        Self {
            support,
            arch: Arch::new(),
            cells: Cells::default(),
            order: Vec::new(),
            places: Vec::new(),
            then: Vec::new(),
            ways: Ways::NONE,
            batches: Vec::new(),
        }
    }

    /// For each slot the one where its particle stood before the particles were last sorted.
    pub fn order(&self) -> &[u32] {
        &self.order
    }

    /// Places of the slots.
    pub fn places(&self) -> &[Place] {
        &self.places
    }

    /// The places, to be set to those of now.
    pub fn places_mut(&mut self) -> &mut [Place] {
        &mut self.places
    }

    /// What makes places of positions, m, and tags.
    pub fn placing(&self) -> impl Fn(DVec3, u8) -> Place + Sync + use<> {
        let unit = self.unit();
        move |p, tag| place(p, unit, tag)
    }

    /// The lists, [`BATCH`] slots each; those of batches that [`prepare`](Self::prepare) was not asked for are empty.
    pub fn batches(&self) -> &[BatchLists] {
        &self.batches
    }

    /// The neighbours of a slot whose list is made, and the slot itself some times.
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
        // A little more, for the rounding of places.
        self.cells.sort(&position, numbers, self.support * (1.0 + SKIN + 1e-5), &mut self.order);
        let sorted = self.order.par_iter().with_min_len(1024).map(|&old| place(position(old as usize), 0));
        sorted.collect_into_vec(&mut self.then);
        self.places.clone_from(&self.then);
        self.ways = Ways::NONE;
        self.batches.resize_with(numbers.len().div_ceil(BATCH), BatchLists::default);
        self.batches.iter_mut().for_each(BatchLists::forget);
    }

    /// Whether no two particles can have come nearer by more than the skin since they were sorted, all places being those
    /// of now.
    pub fn hold(&mut self) -> bool {
        self.ways = Ways::between(&self.then, &self.places);
        self.ways.diagonal() < SKIN * f64::from(1 << FRACTION_BITS)
    }

    /// Whether the lists hold for sure, as no two particles have moved against each other by more than some distance, m,
    /// since all places were last looked at.
    pub fn hold_after(&self, distance: f64) -> bool {
        self.ways.diagonal() + distance * self.unit() < 0.9 * SKIN * f64::from(1 << FRACTION_BITS)
    }

    /// Makes the lists of the batches that hold one of some slots, where they are not there yet.
    pub fn prepare(&mut self, active: &Active) {
        let (cells, then, arch) = (&self.cells, &self.then, self.arch);
        let asked = active.of_batches(&mut self.batches);
        let missing = asked.into_par_iter().filter(|(_, lists)| lists.is_empty());
        missing.for_each_init(Finder::default, |finder, (batch, lists)| {
            let reach = (1.0 + SKIN) as f32;
            dispatch(arch, FindNeighbours { finder, cells, places: then, batch, reach, lists });
        });
    }

    /// The batches, in rising order, that neighbours of some slots are in, whose lists are made.
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
        let per_particle = size_of::<u32>() + 2 * size_of::<Place>();
        self.order.len() * per_particle
            + self.cells.memory()
            + self.batches.iter().map(BatchLists::memory).sum::<usize>()
    }
}

#[inline]
fn place(p: DVec3, unit: f64, tag: u8) -> Place {
    let fixed = |v: f64| floor(v * unit) as i64 as i32;
    [fixed(p.x), fixed(p.y), fixed(p.z), i32::from(tag)]
}

/// `f64::floor` without the call that it costs on machines without an instruction for it; off beyond 2^63.
#[inline]
pub fn floor(value: f64) -> f64 {
    let near = value as i64 as f64;
    if near > value { near - 1.0 } else { near }
}
