//! Entries sorted by cubes of a lattice.

use crate::buckets::Key;
use rayon::prelude::*;

/// Fewer than this are sorted by comparing them.
const FEW: usize = 1 << 12;

/// Bits that are sorted by at once.
const DIGIT: u32 = 11;

/// Bits of the codes of cubes.
const MOST_BITS: u32 = 32;

/// Numbers the cubes of a box, so that numbers sort as the cubes do.
struct Codes {
    lowest: Key,
    /// For each axis.
    bits: [u32; 3],
}

/// Sorts entries by cubes, and within a cube by names, of which no two are equal. Quickest where names ascend and the box around
/// the cubes is small: then digit by digit, without comparing.
pub(crate) fn sorted<N: Ord + Copy + Send + Sync>(mut entries: Vec<(Key, N)>) -> Vec<(Key, N)> {
    let is_plain = entries.len() >= FEW && u32::try_from(entries.len()).is_ok() && entries.is_sorted_by_key(|e| e.1);
    let Some(codes) = Codes::new(&entries).filter(|_| is_plain) else {
        entries.par_sort_unstable();
        return entries;
    };
    let coded = |(place, entry): (usize, &(Key, N))| (codes.of(entry.0), place as u32);
    let mut places: Vec<(u32, u32)> = entries.par_iter().enumerate().map(coded).collect();
    sort_by_digits(&mut places, codes.bits.iter().sum());
    places.into_par_iter().map(|(_, place)| entries[place as usize]).collect()
}

impl Codes {
    /// None where there are more cubes in the box than codes.
    fn new<N: Sync>(entries: &[(Key, N)]) -> Option<Self> {
        let join = |a: (Key, Key), b: (Key, Key)| {
            (std::array::from_fn(|axis| a.0[axis].min(b.0[axis])), std::array::from_fn(|axis| a.1[axis].max(b.1[axis])))
        };
        let none = || ([i32::MAX; 3], [i32::MIN; 3]);
        let (lowest, highest) = entries.par_iter().map(|(key, _)| (*key, *key)).reduce(none, join);
        let bits = std::array::from_fn(|axis| u32::BITS - highest[axis].abs_diff(lowest[axis]).leading_zeros());
        (bits.iter().sum::<u32>() <= MOST_BITS).then_some(Self { lowest, bits })
    }

    fn of(&self, key: Key) -> u32 {
        let [x, y, z]: [u64; 3] = std::array::from_fn(|axis| u64::from(key[axis].abs_diff(self.lowest[axis])));
        (x << (self.bits[1] + self.bits[2]) | y << self.bits[2] | z) as u32
    }
}

/// Sorts by so many lower bits of the codes; what is equal keeps its order.
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

    /// Many in a small box, which are sorted by digits, and in a box that is too large for that.
    #[test]
    fn entries_are_sorted_as_by_comparing() {
        for width in [1_i64, 7, 300, 1 << 30] {
            let mut hash = 1_u64;
            let mut number = || {
                hash = hash.wrapping_mul(0x9E37_79B9_7F4A_7C15).rotate_left(29) ^ 0xA5;
                ((hash >> 33) as i64 % (2 * width) - width) as i32
            };
            let entries: Vec<(Key, u32)> =
                (0..2 * FEW as u32).map(|name| ([number(), number(), number()], name)).collect();
            let mut expected = entries.clone();
            expected.sort_unstable();
            assert!(sorted(entries) == expected, "width {width}");
        }
    }
}
