//! One bit per node of a block, in slot order `x << 6 | y << 3 | z`: x is the word, y the byte, z the bit.

use super::blocks::BlockKey;
use std::collections::BTreeMap;

const FIRST_Z: u64 = 0x0101_0101_0101_0101;
const LAST_Z: u64 = FIRST_Z << 7;

/// A set of nodes of one block.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct BlockMask(pub [u64; 8]);

impl BlockMask {
    /// All nodes.
    pub const FULL: Self = Self([u64::MAX; 8]);

    /// The nodes whose value meets a condition.
    pub fn of(values: &[f32; 512], condition: impl Fn(f32) -> bool) -> Self {
        let (rows, _) = values.as_chunks::<64>();
        let word = |x: usize| {
            rows[x].iter().enumerate().fold(0, |bits, (bit, &value)| bits | (u64::from(condition(value)) << bit))
        };
        Self(std::array::from_fn(word))
    }

    pub fn is_empty(self) -> bool {
        self.0 == [0; 8]
    }

    pub fn is_full(self) -> bool {
        self == Self::FULL
    }

    /// Whether the set holds all nodes of a row along z.
    #[inline]
    pub fn has_row(self, x: usize, y: usize) -> bool {
        self.0[x] >> (8 * y) & 0xff == 0xff
    }

    pub fn contains(self, slot: usize) -> bool {
        self.0[slot >> 6] >> (slot & 63) & 1 == 1
    }

    /// The slots in the set, ascending.
    pub fn slots(self) -> impl Iterator<Item = usize> {
        self.0.into_iter().enumerate().flat_map(|(x, word)| bits(word).map(move |bit| x << 6 | bit))
    }

    /// The set shifted down an axis by one node; `next` is the block above.
    pub fn ahead(self, axis: usize, next: Self) -> Self {
        let (own, next) = (self.0, next.0);
        Self(std::array::from_fn(|x| match axis {
            0 if x < 7 => own[x + 1],
            0 => next[0],
            1 => own[x] >> 8 | next[x] << 56,
            _ => (own[x] & !FIRST_Z) >> 1 | (next[x] & FIRST_Z) << 7,
        }))
    }

    /// The set shifted up an axis by one node; `previous` is the block below.
    pub fn behind(self, axis: usize, previous: Self) -> Self {
        let (own, previous) = (self.0, previous.0);
        Self(std::array::from_fn(|x| match axis {
            0 if x > 0 => own[x - 1],
            0 => previous[7],
            1 => own[x] << 8 | previous[x] >> 56,
            _ => (own[x] & !LAST_Z) << 1 | (previous[x] & LAST_Z) >> 7,
        }))
    }

    pub fn zip(self, other: Self, join: impl Fn(u64, u64) -> u64) -> Self {
        Self(std::array::from_fn(|x| join(self.0[x], other.0[x])))
    }

    pub fn not(self) -> Self {
        Self(self.0.map(|word| !word))
    }

    pub fn or(self, other: Self) -> Self {
        self.zip(other, |a, b| a | b)
    }
}

/// The set bits of a word, ascending.
fn bits(mut word: u64) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let bit = (word != 0).then(|| word.trailing_zeros() as usize)?;
        word &= word - 1;
        Some(bit)
    })
}

/// A set of nodes of the whole lattice: the blocks that hold some, by key.
pub(crate) type SparseMask = BTreeMap<BlockKey, BlockMask>;

/// The set and all adjacent nodes, over edges and corners too.
pub(crate) fn dilate(mask: &SparseMask) -> SparseMask {
    (0..3).fold(mask.clone(), |mask, axis| dilate_along(&mask, axis))
}

fn dilate_along(mask: &SparseMask, axis: usize) -> SparseMask {
    let at = |key: &BlockKey| mask.get(key).copied().unwrap_or_default();
    let grown = |key: BlockKey| {
        let own = at(&key);
        own.or(own.ahead(axis, at(&adjacent(key, axis, 1)))).or(own.behind(axis, at(&adjacent(key, axis, -1))))
    };
    mask.keys()
        .flat_map(|&key| [-1, 0, 1].map(|step| adjacent(key, axis, step)))
        .map(|key| (key, grown(key)))
        .filter(|(_, mask)| !mask.is_empty())
        .collect()
}

fn adjacent(mut key: BlockKey, axis: usize, step: i32) -> BlockKey {
    key[axis] += step;
    key
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lattice::blocks::{node, slot};

    /// A single node, anywhere near a block border, grows to the 27 nodes around it.
    #[test]
    fn dilation_of_one_node_is_its_cube() {
        for p in [[0, 0, 0], [7, 7, 7], [3, 0, 7], [-1, 8, 4]] {
            let mut one = BlockMask::default();
            let bit = slot(p.map(|c: i32| c.rem_euclid(8) as usize));
            one.0[bit >> 6] |= 1 << (bit & 63);
            let grown = dilate(&SparseMask::from([(p.map(|c| c.div_euclid(8)), one)]));
            let mut nodes: Vec<[i32; 3]> = grown
                .iter()
                .flat_map(|(key, mask)| mask.slots().map(|s| std::array::from_fn(|a| key[a] * 8 + node(s)[a] as i32)))
                .collect();
            nodes.sort_unstable();
            let cube: Vec<[i32; 3]> =
                (0..27).map(|n| [p[0] + n / 9 - 1, p[1] + n / 3 % 3 - 1, p[2] + n % 3 - 1]).collect();
            assert_eq!(nodes, cube);
        }
    }
}
