//! Loops over the neighbours of one particle, eight at a time.
//!
//! Each loop is plain code over fixed arrays of eight numbers that the compiler turns into vector instructions of
//! whatever width the machine has. Sums are kept in eight lanes and added up in one fixed order, and products are never
//! fused, so the bits of a result depend neither on the machine's vector width nor on the number of threads.

// What is not inlined into a task for `Arch::dispatch` does not use its vector instructions.
#![allow(clippy::inline_always)]

use crate::neighbours::{CellGrid, FRACTION_BITS, Ranges, TO_Q};
use rayon::prelude::*;

/// Numbers handled at a time.
pub const LANES: usize = 8;
/// Eight numbers.
pub type Lanes = [f32; LANES];

/// Differences of position to eight neighbours, in units of h, and their squared lengths.
#[derive(Debug, Clone, Copy)]
pub struct Offsets {
    pub x: Lanes,
    pub y: Lanes,
    pub z: Lanes,
    pub squared: Lanes,
}

/// Calls `visit` with a particle's candidates, eight at a time: the first slot and the offsets. The particle itself and
/// slots past the end of a range are set beyond the support; groups without anybody within it are passed over.
#[inline(always)]
pub fn for_candidates(grid: &CellGrid, slot: usize, ranges: &Ranges, mut visit: impl FnMut(usize, &Offsets)) {
    let own = [grid.x[slot], grid.y[slot], grid.z[slot]];
    for &(start, end) in ranges {
        for at in (start as usize..end as usize).step_by(LANES) {
            let offsets = offsets(grid, slot, own, at, end as usize);
            // Most groups in the corners of the cells have nobody within reach.
            if nearest(&offsets.squared) < SUPPORT_SQUARED {
                visit(at, &offsets);
            }
        }
    }
}

/// The kernel's support in units of h, squared.
pub const SUPPORT_SQUARED: f32 = 4.0;

#[inline(always)]
fn nearest(squared: &Lanes) -> f32 {
    let least = |a: f32, b: f32| if b < a { b } else { a };
    let mut half = [0.0; LANES / 2];
    for l in 0..LANES / 2 {
        half[l] = least(squared[l], squared[l + LANES / 2]);
    }
    least(least(half[0], half[2]), least(half[1], half[3]))
}

/// Three cells away.
const OUT_OF_REACH: i32 = 3 << FRACTION_BITS;

#[inline(always)]
fn offsets(grid: &CellGrid, slot: usize, own: [i32; 3], at: usize, end: usize) -> Offsets {
    let (slot, valid) = (slot.wrapping_sub(at) as u32, (end - at) as u32);
    let (x, y, z) = (load(&grid.x, at), load(&grid.y, at), load(&grid.z, at));
    let mut found = Offsets { x: [0.0; LANES], y: [0.0; LANES], z: [0.0; LANES], squared: [0.0; LANES] };
    for l in 0..LANES {
        let dx = own[0].wrapping_sub(x[l]);
        let dx = if (l as u32) < valid && l as u32 != slot { dx } else { OUT_OF_REACH };
        found.x[l] = dx as f32 * TO_Q;
        found.y[l] = own[1].wrapping_sub(y[l]) as f32 * TO_Q;
        found.z[l] = own[2].wrapping_sub(z[l]) as f32 * TO_Q;
        found.squared[l] = found.x[l] * found.x[l] + found.y[l] * found.y[l] + found.z[l] * found.z[l];
    }
    found
}

/// Eight values of a padded column from a slot on.
#[inline(always)]
pub fn load<T: Copy>(column: &Padded<T>, at: usize) -> [T; LANES] {
    let mut values = [column.values[at]; LANES];
    values.copy_from_slice(&column.values[at..at + LANES]);
    values
}

/// A column with eight more values than it counts, so that loads may run past its end.
#[derive(Debug, Default)]
pub struct Padded<T> {
    values: Vec<T>,
}

impl<T: Copy + Default + Send> Padded<T> {
    /// Takes new values, in parallel.
    pub fn fill(&mut self, count: usize, value: impl Fn(usize) -> T + Sync + Send) {
        self.values.clear();
        self.values.par_extend((0..count).into_par_iter().with_min_len(1024).map(value));
        self.values.resize(count + LANES, T::default());
    }
}

impl<T> std::ops::Index<usize> for Padded<T> {
    type Output = T;

    #[inline(always)]
    fn index(&self, slot: usize) -> &T {
        &self.values[slot]
    }
}

/// The sum of the lanes, in a fixed order.
#[inline(always)]
pub fn sum(lanes: &Lanes) -> f32 {
    ((lanes[0] + lanes[4]) + (lanes[2] + lanes[6])) + ((lanes[1] + lanes[5]) + (lanes[3] + lanes[7]))
}

/// The largest of the lanes.
#[inline(always)]
pub fn max(lanes: &Lanes) -> f32 {
    lanes.iter().fold(f32::NEG_INFINITY, |a, &b| if b > a { b } else { a })
}
