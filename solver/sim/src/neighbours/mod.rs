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

pub use active::Active;
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

/// A position in units of support / 2^20, modulo 2^32, and a number of the caller's that pair loops read along with it.
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
            batches: Vec::new(),
        }
    }

    /// For each slot the one where its particle stood before the particles were last sorted.
    pub fn order(&self) -> &[u32] {
        &self.order
    }

    /// Places of the sorted slots.
    pub fn places(&self) -> &[Place] {
        &self.places
    }

    /// The lists, [`BATCH`] slots each; those of batches that [`prepare`](Self::prepare) was not asked for are empty.
    pub fn batches(&self) -> &[BatchLists] {
        &self.batches
    }

    /// Takes new positions, m, and tags. Where the lists no longer hold it sorts the particles and forgets the lists;
    /// the caller must then bring all columns into the new [`order`](Self::order). Tells whether it did.
    #[must_use]
    pub fn update(&mut self, positions: &[DVec3], tags: &[u8], numbers: &[u32]) -> bool {
        let unit = self.unit();
        let columns = positions.par_iter().zip(tags).with_min_len(1024);
        columns.map(|(&p, &tag)| place(p, unit, tag)).collect_into_vec(&mut self.places);
        let sorts = !self.holds();
        if sorts {
            self.sort(positions, numbers);
        }
        sorts
    }

    /// Takes new positions, m, sorts the particles and forgets the lists, whatever was before: the result depends on the
    /// positions alone. The caller must then bring all columns into the new [`order`](Self::order).
    pub fn make(&mut self, positions: &[DVec3], numbers: &[u32]) {
        let unit = self.unit();
        positions.par_iter().map(|&p| place(p, unit, 0)).collect_into_vec(&mut self.places);
        self.sort(positions, numbers);
    }

    fn sort(&mut self, positions: &[DVec3], numbers: &[u32]) {
        // A little more, for the rounding of places.
        self.cells.sort(positions, numbers, self.support * (1.0 + SKIN + 1e-5), &mut self.order);
        let old = &self.places;
        self.order.par_iter().map(|&old_slot| old[old_slot as usize]).collect_into_vec(&mut self.then);
        self.places.clone_from(&self.then);
        self.batches.resize_with(positions.len().div_ceil(BATCH), BatchLists::default);
        self.batches.iter_mut().for_each(BatchLists::forget);
    }

    /// Makes the lists of the batches that hold one of some slots, where they are not there yet.
    pub fn prepare(&mut self, active: &Active) {
        let (cells, then, arch) = (&self.cells, &self.then, self.arch);
        let missing = self.batches.par_iter_mut().enumerate();
        let missing = missing.filter(|(batch, lists)| lists.is_empty() && !active.of(*batch).is_empty());
        missing.for_each_init(Finder::default, |finder, (batch, lists)| {
            dispatch(arch, FindNeighbours { finder, cells, places: then, batch, reach: (1.0 + SKIN) as f32, lists });
        });
    }

    /// The neighbours of a slot whose list is made, and the slot itself some times.
    pub fn of(&self, slot: usize) -> &[u32] {
        self.batches[slot / BATCH].of(slot % BATCH).as_flattened()
    }

    fn unit(&self) -> f64 {
        f64::from(1 << FRACTION_BITS) / self.support
    }

    /// Whether no two particles can have come nearer by more than the skin since they were sorted: whether all ways fit
    /// into a ball of that diameter.
    fn holds(&self) -> bool {
        if self.then.len() != self.places.len() {
            return false;
        }
        let way = |(now, then): (&Place, &Place)| [0, 1, 2].map(|axis| now[axis].wrapping_sub(then[axis]));
        let columns = self.places.par_iter().zip(&self.then).with_min_len(1024);
        let bounds = columns.map(way).fold(Bounds::none, Bounds::with).reduce(Bounds::none, Bounds::union);
        bounds.diagonal() < SKIN * f64::from(1 << FRACTION_BITS)
    }

    /// Memory, bytes.
    pub fn memory(&self) -> usize {
        let per_particle = size_of::<u32>() + 2 * size_of::<Place>();
        self.order.len() * per_particle
            + self.cells.memory()
            + self.batches.iter().map(BatchLists::memory).sum::<usize>()
    }
}

fn place(p: DVec3, unit: f64, tag: u8) -> Place {
    let [x, y, z] = (p * unit).to_array().map(|v| floor(v) as i64 as i32);
    [x, y, z, i32::from(tag)]
}

/// `f64::floor` without the call that it costs on machines without an instruction for it; off beyond 2^63.
#[inline]
pub fn floor(value: f64) -> f64 {
    let near = value as i64 as f64;
    if near > value { near - 1.0 } else { near }
}

/// The box around some ways.
#[derive(Clone, Copy)]
struct Bounds {
    low: [i32; 3],
    high: [i32; 3],
}

impl Bounds {
    fn none() -> Self {
        Self { low: [i32::MAX; 3], high: [i32::MIN; 3] }
    }

    fn with(self, way: [i32; 3]) -> Self {
        self.union(Self { low: way, high: way })
    }

    fn union(self, other: Self) -> Self {
        let each = |pick: fn(i32, i32) -> i32, a: [i32; 3], b: [i32; 3]| [0, 1, 2].map(|axis| pick(a[axis], b[axis]));
        Self { low: each(i32::min, self.low, other.low), high: each(i32::max, self.high, other.high) }
    }

    fn diagonal(&self) -> f64 {
        let extent = |axis: usize| f64::from(self.high[axis]) - f64::from(self.low[axis]);
        DVec3::new(extent(0), extent(1), extent(2)).max(DVec3::ZERO).length()
    }
}
