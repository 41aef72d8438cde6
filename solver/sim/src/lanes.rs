//! Loops over the neighbours of one particle, eight at a time.
//!
//! Each loop is plain code over fixed arrays of eight numbers that the compiler turns into vector instructions of
//! whatever width the machine has. Sums are kept in eight lanes and added up in one fixed order, and products are never
//! fused, so the bits of a result depend neither on the machine's vector width nor on the number of threads.

// What is not inlined into a task for `Arch::dispatch` does not use its vector instructions.
#![allow(clippy::inline_always)]

use crate::neighbours::{FRACTION_BITS, Place, TO_Q};

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
    /// Tags of the neighbours' places.
    pub tag: [i32; LANES],
}

/// The kernel's support in units of h, squared.
pub const SUPPORT_SQUARED: f32 = 4.0;

/// Three supports away.
const OUT_OF_REACH: i32 = 3 << FRACTION_BITS;

/// Offsets to a group of neighbours; a slot's own entries, which fill up its last group, are set beyond the support.
#[inline(always)]
pub fn offsets(places: &[Place], slot: usize, group: &[u32; LANES]) -> Offsets {
    let own = places[slot];
    let [x, y, z, tag] = gather(places, group);
    let mut found = Offsets { x: [0.0; LANES], y: [0.0; LANES], z: [0.0; LANES], squared: [0.0; LANES], tag };
    for l in 0..LANES {
        let dx = own[0].wrapping_sub(x[l]);
        let dx = if group[l] == slot as u32 { OUT_OF_REACH } else { dx };
        found.x[l] = dx as f32 * TO_Q;
        found.y[l] = own[1].wrapping_sub(y[l]) as f32 * TO_Q;
        found.z[l] = own[2].wrapping_sub(z[l]) as f32 * TO_Q;
        found.squared[l] = found.x[l] * found.x[l] + found.y[l] * found.y[l] + found.z[l] * found.z[l];
    }
    found
}

/// Four columns of a group's rows. Rows of four are loaded by one instruction each, and turned in registers.
#[inline(always)]
pub fn gather<T: Copy + Default>(rows: &[[T; 4]], group: &[u32; LANES]) -> [[T; LANES]; 4] {
    let mut columns = [[T::default(); LANES]; 4];
    for l in 0..LANES {
        let row = rows[group[l] as usize];
        for (column, value) in columns.iter_mut().zip(row) {
            column[l] = value;
        }
    }
    columns
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
