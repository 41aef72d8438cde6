//! Bit masks over the slots of a node: slot i is bit `i & 63` of word `i >> 6`.

/// Words of a leaf's mask, 8^3 slots.
pub(crate) const LEAF_WORDS: usize = 8;
/// Words of a lower node's mask, 16^3 slots.
pub(crate) const LOWER_WORDS: usize = 64;
/// Words of an upper node's mask, 32^3 slots.
pub(crate) const UPPER_WORDS: usize = 512;

pub(crate) fn set(mask: &mut [u64], slot: usize) {
    mask[slot >> 6] |= 1 << (slot & 63);
}

pub(crate) fn contains(mask: &[u64], slot: usize) -> bool {
    mask[slot >> 6] >> (slot & 63) & 1 == 1
}

pub(crate) fn count(mask: &[u64]) -> u64 {
    mask.iter().map(|word| u64::from(word.count_ones())).sum()
}

/// The set bits of a word, ascending.
pub(crate) fn ones(mut word: u64) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let bit = word.trailing_zeros() as usize;
        word &= word.wrapping_sub(1);
        (bit < 64).then_some(bit)
    })
}

pub(crate) fn put(out: &mut Vec<u8>, mask: &[u64]) {
    for word in mask {
        out.extend_from_slice(&word.to_le_bytes());
    }
}

/// Lowest and highest local coordinates of the set slots of a leaf's mask; none if no slot is set.
pub(crate) fn leaf_bounds(mask: &[u64; LEAF_WORDS]) -> Option<([i32; 3], [i32; 3])> {
    // A word holds one x, each of its bytes one y, each bit of that one z.
    let by_x = (0..8).fold(0_u8, |set, x| set | u8::from(mask[x] != 0) << x);
    let plane = mask.iter().fold(0, |all, word| all | word).to_le_bytes();
    let by_y = (0..8).fold(0_u8, |set, y| set | u8::from(plane[y] != 0) << y);
    let by_z = plane.iter().fold(0, |all, byte| all | byte);
    let axes = [by_x, by_y, by_z];
    (by_x != 0)
        .then(|| (axes.map(|axis| axis.trailing_zeros() as i32), axes.map(|axis| 7 - axis.leading_zeros() as i32)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ones_are_ascending_and_complete() {
        assert_eq!(ones(0).count(), 0);
        assert_eq!(ones(u64::MAX).collect::<Vec<_>>(), (0..64).collect::<Vec<_>>());
        assert_eq!(ones(1 << 63 | 1 << 5).collect::<Vec<_>>(), [5, 63]);
    }

    #[test]
    fn bounds_of_a_leaf_hold_each_axis() {
        let mut mask = [0; LEAF_WORDS];
        assert_eq!(leaf_bounds(&mask), None);
        for [x, y, z] in [[2, 7, 3], [5, 1, 4]] {
            set(&mut mask, x << 6 | y << 3 | z);
        }
        assert_eq!(leaf_bounds(&mask), Some(([2, 1, 3], [5, 7, 4])));
        assert_eq!(count(&mask), 2);
    }
}
