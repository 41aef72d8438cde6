//! Particles sorted into cells along a space-filling curve.

use super::lists::BATCH;
use super::strays::Strays;
use glam::{DVec3, I64Vec3};
use rayon::prelude::*;
use rustc_hash::FxHashMap;

/// Bits of a cell number along one axis in a key.
const CELL_BITS: u32 = 21;

/// Cell numbers along one axis range from minus to plus this.
const LIMIT: i64 = (1 << (CELL_BITS - 1)) - 2;

/// Particles sorted by cell, along Morton's curve, then by particle number. Cells exist only where particles are, so a
/// runaway particle costs no more than its own cell.
#[derive(Debug, Default)]
pub struct CellIndex {
    /// Key, particle number, and slot before the sort.
    sorted: Vec<(u64, u32, u32)>,
    /// The slots of each cell, by key.
    ranges: FxHashMap<u64, (u32, u32)>,
    /// Particles that have left their cell since.
    strays: Strays,
    /// The cell that numbers are counted from, and the edge of cells, m.
    middle: I64Vec3,
    edge: f64,
}

impl CellIndex {
    /// Sorts the particles at some positions, m, into cells of some edge, m; `order` is then the old slot of each new
    /// one. Ties are broken by particle number, so the result depends on the positions alone.
    pub fn sort(
        &mut self,
        position: &(impl Fn(usize) -> DVec3 + Sync),
        numbers: &[u32],
        edge: f64,
        order: &mut Vec<u32>,
    ) {
        (self.middle, self.edge) = (cell(middle(position, numbers), edge), edge);
        self.strays.clear();
        let middle = self.middle;
        let entry = |(slot, &number)| (key(cell(position(slot), edge) - middle), number, slot as u32);
        numbers.par_iter().enumerate().with_min_len(1024).map(entry).collect_into_vec(&mut self.sorted);
        self.sorted.par_sort_unstable();
        self.sorted.par_iter().map(|&(_, _, slot)| slot).collect_into_vec(order);
        self.ranges.clear();
        let mut first = 0;
        for cell in self.sorted.chunk_by(|a, b| a.0 == b.0) {
            let end = first + cell.len() as u32;
            self.ranges.insert(cell[0].0, (first, end));
            first = end;
        }
    }

    /// The key of a slot's cell.
    pub fn key(&self, slot: usize) -> u64 {
        self.strays.key(slot as u32).unwrap_or(self.sorted[slot].0)
    }

    /// The key of the cell at a position, m.
    pub fn key_at(&self, position: DVec3) -> u64 {
        key(cell(position, self.edge) - self.middle)
    }

    /// The slots that were sorted into a cell and the 26 around it, one range per cell; some may be
    /// [strays](Self::strays).
    pub fn around(&self, key: u64) -> impl Iterator<Item = std::ops::Range<u32>> {
        around(key).filter_map(|key| self.ranges.get(&key).map(|&(first, end)| first..end))
    }

    /// The strays in a cell and the 26 around it.
    pub fn strays_around(&self, key: u64) -> impl Iterator<Item = u32> {
        around(key).flat_map(|key| self.strays.within(key).iter().copied())
    }

    /// The batches of the slots in a cell and the 26 around it, some of them several times.
    pub fn batches_around(&self, key: u64) -> impl Iterator<Item = u32> {
        let batch = |slot: u32| slot / BATCH as u32;
        let sorted = self.around(key).flat_map(move |range| batch(range.start)..=batch(range.end - 1));
        sorted.chain(self.strays_around(key).map(batch))
    }

    /// The particles that have left the cells that they were sorted into.
    pub fn strays(&self) -> &Strays {
        &self.strays
    }

    /// Puts the particle of a slot into another cell.
    pub fn put(&mut self, slot: u32, key: u64) {
        self.strays.put(slot, key);
    }

    /// Memory, bytes.
    pub fn memory(&self) -> usize {
        self.sorted.len() * size_of::<(u64, u32, u32)>() + self.ranges.capacity() * size_of::<(u64, (u32, u32))>()
    }
}

/// The keys of a cell and the 26 around it.
fn around(key: u64) -> impl Iterator<Item = u64> {
    let middle = place(key);
    let offsets = (0..27_u64).map(|i| (i / 9, i / 3 % 3, i % 3));
    // Numbers start at one, so none is below zero.
    offsets.map(move |(z, y, x)| interleave([middle[0] + x - 1, middle[1] + y - 1, middle[2] + z - 1]))
}

/// Number of particles whose median stands for that of all.
const SAMPLE: u32 = 63;

/// The approximate middle of the particles: keys reach a million cells to all sides of it, wherever in the world it is.
/// A few runaways do not move it, nor does the order of the particles.
fn middle(position: &(impl Fn(usize) -> DVec3 + Sync), numbers: &[u32]) -> DVec3 {
    let stride = (numbers.len() as u32).div_ceil(SAMPLE).max(1);
    let chosen = numbers.par_iter().enumerate().with_min_len(4096).filter(|(_, number)| number.is_multiple_of(stride));
    let sample: Vec<DVec3> = chosen.map(|(slot, _)| position(slot)).collect();
    if sample.is_empty() {
        return DVec3::ZERO;
    }
    let median = |axis: usize| {
        let mut values: Vec<f64> = sample.iter().map(|p| p[axis]).collect();
        *values.select_nth_unstable_by(sample.len() / 2, f64::total_cmp).1
    };
    DVec3::from_array([0, 1, 2].map(median))
}

/// The cell of a position; positions beyond 2^61 cells share the outermost.
fn cell(p: DVec3, edge: f64) -> I64Vec3 {
    let most = DVec3::splat(2.0_f64.powi(61));
    (p / edge).floor().clamp(-most, most).as_i64vec3()
}

/// The key of a cell, counted from the middle one. Cells beyond the range of keys share the outermost one.
fn key(cell: I64Vec3) -> u64 {
    let part = |v: i64| (v.clamp(-LIMIT, LIMIT) + LIMIT + 1) as u64;
    interleave([part(cell.x), part(cell.y), part(cell.z)])
}

fn interleave([x, y, z]: [u64; 3]) -> u64 {
    spread(x) | spread(y) << 1 | spread(z) << 2
}

fn place(key: u64) -> [u64; 3] {
    [gather(key), gather(key >> 1), gather(key >> 2)]
}

/// Steps of [`spread`]: the shift of the upper half of the bits, and the mask of the bits to keep.
const STEPS: [(u32, u64); 5] = [
    (32, 0x001f_0000_0000_ffff),
    (16, 0x001f_0000_ff00_00ff),
    (8, 0x100f_00f0_0f00_f00f),
    (4, 0x10c3_0c30_c30c_30c3),
    (2, 0x1249_2492_4924_9249),
];

/// Moves bit n of a 21-bit number to 3 n.
fn spread(v: u64) -> u64 {
    STEPS.iter().fold(v & 0x001f_ffff, |v, &(shift, mask)| (v | v << shift) & mask)
}

/// Moves bit 3 n to n.
fn gather(v: u64) -> u64 {
    let masks = STEPS.iter().rev().skip(1).map(|step| step.1).chain([0x001f_ffff]);
    let shifts = STEPS.iter().rev().map(|step| step.0);
    shifts.zip(masks).fold(v & STEPS[4].1, |v, (shift, mask)| (v | v >> shift) & mask)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_go_there_and_back() {
        for v in [0, 1, 2, 3, 0x15_5555, 0x0a_aaaa, 0x1f_ffff, 12345] {
            assert_eq!(gather(spread(v)), v);
            assert_eq!(place(interleave([v, 7, v ^ 1])), [v, 7, v ^ 1]);
        }
        assert_eq!(interleave([0b11, 0b01, 0b00]), 0b001_011);
    }
}
