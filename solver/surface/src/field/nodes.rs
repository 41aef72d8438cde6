//! The field over its level at the nodes of a lattice: inside is where it is at least 1.

use crate::lattice::blocks::{BlockKey, SLOTS, ahead, upper};
use crate::lattice::mask::BlockMask;
use rayon::prelude::*;
use rustc_hash::FxHashMap;

/// The nodes of all blocks.
pub(crate) struct Nodes {
    /// Blocks where the surface may be, sorted.
    keys: Vec<BlockKey>,
    values: Vec<[f32; SLOTS]>,
    masks: Vec<BlockMask>,
    /// For each block its index among those with values, or none if all of its nodes are inside. Blocks not listed are
    /// outside.
    blocks: FxHashMap<BlockKey, Option<u32>>,
}

impl Nodes {
    /// From the values of blocks where the surface may be, sorted, and the blocks with all nodes inside.
    pub fn new(keys: Vec<BlockKey>, values: Vec<[f32; SLOTS]>, inside: impl Iterator<Item = BlockKey>) -> Self {
        let masks = values.par_iter().map(|values| BlockMask::of(values, |value| value >= 1.0)).collect();
        let numbered = keys.iter().enumerate().map(|(index, &key)| (key, Some(index as u32)));
        let blocks = numbered.chain(inside.map(|key| (key, None))).collect();
        Self { keys, values, masks, blocks }
    }

    /// The blocks where the surface may be, sorted.
    pub fn keys(&self) -> &[BlockKey] {
        &self.keys
    }

    /// The nodes of a block that are inside.
    pub fn inside(&self, key: BlockKey) -> BlockMask {
        match self.blocks.get(&key) {
            Some(Some(index)) => self.masks[*index as usize],
            Some(None) => BlockMask::FULL,
            None => BlockMask::default(),
        }
    }

    /// The values of a block and of the next blocks up the axes; none for uniform blocks.
    pub fn neighbour_values(&self, key: BlockKey) -> NeighbourValues<'_> {
        NeighbourValues(upper(key).map(|key| Some(&self.values[self.blocks.get(&key).copied()?? as usize])))
    }
}

/// The values of a block and of the next blocks up the axes.
pub(crate) struct NeighbourValues<'a>([Option<&'a [f32; SLOTS]>; 8]);

impl NeighbourValues<'_> {
    /// The value at a corner of a cell, if it is known.
    pub fn value(&self, cell: usize, corner: usize) -> Option<f32> {
        let (block, slot) = ahead(cell, corner);
        self.0[block].map(|values| values[slot])
    }
}
