//! Who is near whom.
//!
//! Particles are sorted along a space-filling curve, and each has a list of all others within the kernel's support and a
//! skin around it. The lists hold as long as no two particles have come nearer by more than the skin; matter that moves
//! as a whole keeps them.
//!
//! In the lists positions are 32-bit integers in units of support / 2^20, taken modulo 2^32. Differences of near
//! particles are exact in them wherever the matter is, in single precision too; particles that are 4096 supports apart
//! would meet, but share no list unless both have run away from the others by a million supports.

mod cells;
mod lists;

pub use lists::{BATCH, BatchLists};

use crate::lanes::dispatch;
use cells::Cells;
use glam::DVec3;
use lists::{FindNeighbours, Finder};
use pulp::Arch;
use rayon::prelude::*;

/// Bits of a position below one support: differences over three supports fit the 24 bits of a single-precision mantissa.
pub const FRACTION_BITS: u32 = 20;

/// Factor from position differences in [`Place`]'s units to q = r / h.
pub const TO_Q: f32 = 2.0 / (1 << FRACTION_BITS) as f32;

/// Thickness of the skin, in supports. A thicker one lasts longer and holds more that is not within reach.
const SKIN: f64 = 0.1;

/// `f64::floor` without the call that it costs on machines without an instruction for it; off beyond 2^63.
#[inline]
pub fn floor(value: f64) -> f64 {
    let near = value as i64 as f64;
    if near > value { near - 1.0 } else { near }
}

/// A position in units of support / 2^20, modulo 2^32; the fourth number is not used.
pub type Place = [i32; 4];

/// The neighbours of all particles.
#[derive(Debug)]
pub struct Neighbours {
    support: f64,
    arch: Arch,
    cells: Cells,
    order: Vec<u32>,
    slots: Vec<u32>,
    places: Vec<Place>,
    batches: Vec<BatchLists>,
    /// Positions by particle number that the lists were made for, m.
    then: Vec<DVec3>,
}

impl Neighbours {
    /// Neighbours within a support, m.
    pub fn new(support: f64) -> Self {
        Self {
            support,
            arch: Arch::new(),
            cells: Cells::default(),
            order: Vec::new(),
            slots: Vec::new(),
            places: Vec::new(),
            batches: Vec::new(),
            then: Vec::new(),
        }
    }

    /// Particle number of each sorted slot.
    pub fn order(&self) -> &[u32] {
        &self.order
    }

    /// Slot of each particle number.
    pub fn slots(&self) -> &[u32] {
        &self.slots
    }

    /// Places of the sorted slots.
    pub fn places(&self) -> &[Place] {
        &self.places
    }

    /// The lists, [`BATCH`] slots each.
    pub fn batches(&self) -> &[BatchLists] {
        &self.batches
    }

    /// Takes new positions, m, and makes new lists where the old ones no longer hold.
    pub fn update(&mut self, positions: &[DVec3]) {
        if self.holds(positions) {
            self.place(positions);
        } else {
            self.make(positions);
        }
    }

    /// Makes the lists for some positions, m, whatever was before.
    pub fn make(&mut self, positions: &[DVec3]) {
        if self.order.len() != positions.len() {
            self.order = (0..positions.len() as u32).collect();
        }
        let reach = 1.0 + SKIN;
        // A little more, for the rounding of places.
        self.cells.sort(positions, self.support * (reach + 1e-5), &mut self.order);
        self.slots.resize(positions.len(), 0);
        for (slot, &i) in self.order.iter().enumerate() {
            self.slots[i as usize] = slot as u32;
        }
        self.place(positions);
        let (cells, places, arch) = (&self.cells, &self.places, self.arch);
        self.batches.resize_with(positions.len().div_ceil(BATCH), BatchLists::default);
        self.batches.par_iter_mut().enumerate().for_each_init(Finder::default, |finder, (batch, lists)| {
            dispatch(arch, FindNeighbours { finder, cells, places, batch, reach: reach as f32, lists });
        });
        self.then.clear();
        self.then.par_extend(positions);
    }

    fn place(&mut self, positions: &[DVec3]) {
        let unit = f64::from(1 << FRACTION_BITS) / self.support;
        let place = |&i: &u32| {
            let fixed = (positions[i as usize] * unit).to_array().map(|v| floor(v) as i64 as i32);
            [fixed[0], fixed[1], fixed[2], 0]
        };
        self.order.par_iter().with_min_len(1024).map(place).collect_into_vec(&mut self.places);
    }

    /// Whether no two particles can have come nearer by more than the skin since the lists were made: whether all ways
    /// fit into a ball of that diameter.
    fn holds(&self, positions: &[DVec3]) -> bool {
        if self.then.len() != positions.len() {
            return false;
        }
        let ways = positions.par_iter().zip(&self.then).with_min_len(1024).map(|(now, then)| *now - *then);
        let none = || (DVec3::INFINITY, DVec3::NEG_INFINITY);
        let (low, high) = ways.map(|way| (way, way)).reduce(none, |a, b| (a.0.min(b.0), a.1.max(b.1)));
        (high - low).length() < SKIN * self.support
    }

    /// Memory, bytes.
    pub fn memory(&self) -> usize {
        let per_particle = 2 * size_of::<u32>() + size_of::<Place>() + size_of::<DVec3>();
        self.order.len() * per_particle
            + self.cells.memory()
            + self.batches.iter().map(BatchLists::memory).sum::<usize>()
    }
}
