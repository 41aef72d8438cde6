//! Who is near whom: particles sorted into cells of the kernel's support.
//!
//! Inside the loops positions are 32-bit integers in units of support / 2^20, taken modulo 2^32. Differences of near
//! particles are exact in them wherever the matter is, in single precision too, and a runaway particle costs no more than its own cell: memory
//! grows with the matter, not with the space between.

use crate::lanes::Padded;
use glam::DVec3;
use rayon::prelude::*;

/// Bits of a position below one cell: differences over three cells fit the 24 bits of a single-precision mantissa.
pub const FRACTION_BITS: u32 = 20;
/// Bits of a cell number along one axis in a key.
const CELL_BITS: u32 = 21;

/// Ranges of sorted slots that hold all neighbours of the particles of a cell: three cells along x for each of the nine
/// rows around it.
pub type Ranges = [(u32, u32); 9];

/// Particles sorted by cell: z slowest, x fastest, then by particle number.
#[derive(Debug, Default)]
pub struct CellGrid {
    /// Particle number of each sorted slot.
    pub order: Vec<u32>,
    /// Sorted positions in units of support / 2^20, modulo 2^32.
    pub x: Padded<i32>,
    /// See `x`.
    pub y: Padded<i32>,
    /// See `x`.
    pub z: Padded<i32>,
    /// Cell of each sorted slot.
    pub cell: Vec<u32>,
    /// Where each cell's neighbours are.
    pub ranges: Vec<Ranges>,
    sorted: Vec<(u64, u32)>,
}

/// Factor from position differences in the grid's units to q = r / h.
pub const TO_Q: f32 = 2.0 / (1 << FRACTION_BITS) as f32;

impl CellGrid {
    /// Sorts particles at the given positions, m, into cells of edge `support`, m.
    pub fn build(&mut self, positions: &[DVec3], support: f64) {
        let unit = f64::from(1 << FRACTION_BITS) / support;
        let fixed = |p: DVec3| (p * unit).floor().as_i64vec3();
        // Last time's order is nearly this time's: the sort has little to do.
        if self.order.len() != positions.len() {
            self.order = (0..positions.len() as u32).collect();
        }
        self.sorted.clear();
        self.sorted.par_extend(self.order.par_iter().map(|&i| (key(fixed(positions[i as usize])), i)));
        self.sorted.par_sort();
        self.order.clear();
        self.order.par_extend(self.sorted.par_iter().map(|&(_, i)| i));
        let order = &self.order;
        for (axis, column) in [&mut self.x, &mut self.y, &mut self.z].into_iter().enumerate() {
            column.fill(order.len(), |slot| (positions[order[slot] as usize][axis] * unit).floor() as i64 as i32);
        }
        self.find_cells();
    }

    fn find_cells(&mut self) {
        self.cell.clear();
        let mut keys: Vec<(u64, u32)> = Vec::new();
        for (slot, &(key, _)) in self.sorted.iter().enumerate() {
            if keys.last().is_none_or(|last| last.0 != key) {
                keys.push((key, slot as u32));
            }
            self.cell.push(keys.len() as u32 - 1);
        }
        let end = self.sorted.len() as u32;
        self.ranges.clear();
        self.ranges.par_extend(keys.par_iter().with_min_len(64).map(|&(key, _)| ranges_around(&keys, end, key)));
    }

    /// Memory, bytes.
    pub fn memory(&self) -> usize {
        self.order.len() * (5 * 4 + size_of::<(u64, u32)>()) + self.ranges.len() * size_of::<Ranges>()
    }
}

/// A cell's key. Cells beyond the range of keys share the outermost one: out there, a million cells away, positions tell
/// particles apart that are not 4096 cells from each other.
fn key(fixed: glam::I64Vec3) -> u64 {
    let limit = (1 << (CELL_BITS - 1)) - 2;
    let part = |v: i64| ((v >> FRACTION_BITS).clamp(-limit, limit) + limit + 1) as u64;
    part(fixed.z) << (2 * CELL_BITS) | part(fixed.y) << CELL_BITS | part(fixed.x)
}

fn ranges_around(keys: &[(u64, u32)], end: u32, key: u64) -> Ranges {
    let start_of = |cell: usize| keys.get(cell).map_or(end, |k| k.1);
    std::array::from_fn(|row| {
        let (dz, dy) = (row as u64 / 3, row as u64 % 3);
        let middle = key + (dz << (2 * CELL_BITS)) + (dy << CELL_BITS) - (1 << (2 * CELL_BITS)) - (1 << CELL_BITS);
        let first = keys.partition_point(|k| k.0 < middle - 1);
        let within = keys[first..].iter().take(3).take_while(|k| k.0 <= middle + 1).count();
        (start_of(first), start_of(first + within))
    })
}
