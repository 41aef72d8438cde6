//! Sorts entries by cubes of a lattice.

use super::buckets::CubeKey;
use rayon::prelude::*;

/// Fewer entries than this are sorted by comparison.
const COMPARISON_SORT_BELOW: usize = 1 << 12;

/// Bits sorted in one pass.
const DIGIT: u32 = 11;

/// Bits of the codes of cubes.
const MAX_BITS: u32 = 32;

/// Maps the cubes of a box to integer codes that sort in the same order.
struct Codes {
    lowest: CubeKey,
    /// Bits of each axis.
    bits: [u32; 3],
}

/// Sorts entries by cube and then by id; ids must be unique. Uses a radix sort if ids ascend and the bounding box of
/// the cubes is small, else a comparison sort.
pub(crate) fn sorted_by_cube<N: Ord + Copy + Send + Sync>(mut entries: Vec<(CubeKey, N)>) -> Vec<(CubeKey, N)> {
    let is_plain = entries.len() >= COMPARISON_SORT_BELOW
        && u32::try_from(entries.len()).is_ok()
        && entries.is_sorted_by_key(|e| e.1);
    let Some(codes) = Codes::new(&entries).filter(|_| is_plain) else {
        entries.par_sort_unstable();
        return entries;
    };
    let coded = |(index, entry): (usize, &(CubeKey, N))| (codes.of(entry.0), index as u32);
    let mut indices: Vec<(u32, u32)> = entries.par_iter().enumerate().map(coded).collect();
    sort_by_digits(&mut indices, codes.bits.iter().sum());
    indices.into_par_iter().map(|(_, index)| entries[index as usize]).collect()
}

impl Codes {
    /// None if the box holds more cubes than there are codes.
    fn new<N: Sync>(entries: &[(CubeKey, N)]) -> Option<Self> {
        let join = |a: (CubeKey, CubeKey), b: (CubeKey, CubeKey)| {
            (std::array::from_fn(|axis| a.0[axis].min(b.0[axis])), std::array::from_fn(|axis| a.1[axis].max(b.1[axis])))
        };
        let none = || ([i32::MAX; 3], [i32::MIN; 3]);
        let (lowest, highest) = entries.par_iter().map(|(key, _)| (*key, *key)).reduce(none, join);
        let bits = std::array::from_fn(|axis| u32::BITS - highest[axis].abs_diff(lowest[axis]).leading_zeros());
        (bits.iter().sum::<u32>() <= MAX_BITS).then_some(Self { lowest, bits })
    }

    fn of(&self, key: CubeKey) -> u32 {
        let [x, y, z]: [u64; 3] = std::array::from_fn(|axis| u64::from(key[axis].abs_diff(self.lowest[axis])));
        (x << (self.bits[1] + self.bits[2]) | y << self.bits[2] | z) as u32
    }
}

/// Sorts by the lower `bits` of the codes; the sort is stable.
fn sort_by_digits(list: &mut Vec<(u32, u32)>, bits: u32) {
    let mut other = vec![(0, 0); list.len()];
    for shift in (0..bits).step_by(DIGIT as usize) {
        let digit = |code: u32| (code >> shift) as usize & ((1 << DIGIT) - 1);
        let mut starts = [0_usize; 1 << DIGIT];
        for (code, _) in &*list {
            starts[digit(*code)] += 1;
        }
        let mut sum = 0;
        for start in &mut starts {
            (*start, sum) = (sum, sum + *start);
        }
        for &entry in &*list {
            let start = &mut starts[digit(entry.0)];
            other[*start] = entry;
            *start += 1;
        }
        std::mem::swap(list, &mut other);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Many entries in a small box, which use the radix sort, and in a box too large for it.
    #[test]
    fn radix_sort_matches_comparison_sort() {
        for width in [1_i64, 7, 300, 1 << 30] {
            let mut hash = 1_u64;
            let mut number = || {
                hash = hash.wrapping_mul(0x9E37_79B9_7F4A_7C15).rotate_left(29) ^ 0xA5;
                ((hash >> 33) as i64 % (2 * width) - width) as i32
            };
            let entries: Vec<(CubeKey, u32)> =
                (0..2 * COMPARISON_SORT_BELOW as u32).map(|id| ([number(), number(), number()], id)).collect();
            let mut expected = entries.clone();
            expected.sort_unstable();
            assert!(sorted_by_cube(entries) == expected, "width {width}");
        }
    }
}
