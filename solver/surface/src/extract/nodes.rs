//! The field over its level at the nodes of a lattice: inside is where it is at least 1.

use crate::implicit::blobs::Blobs;
use crate::implicit::coarse::{BlockClass, CoarseField};
use crate::lattice::blocks::{BlockKey, SLOTS, dilated, node, origin, slot};
use crate::lattice::grid::VoxelBlock;
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
    /// The field of blobs at the nodes of their lattice.
    pub fn new(blobs: &Blobs, coarse: &CoarseField) -> Self {
        let classes = coarse.classes(blobs);
        let of = |wanted: BlockClass| classes.iter().filter(move |(_, class)| *class == wanted).map(|(key, _)| *key);
        let keys: Vec<BlockKey> = of(BlockClass::Surface).collect();
        let values: Vec<_> = keys.par_iter().map(|&key| values(blobs, coarse, key)).collect();
        Self::with_values(keys, values, of(BlockClass::Inside))
    }

    pub fn with_values(keys: Vec<BlockKey>, values: Vec<[f32; SLOTS]>, inside: impl Iterator<Item = BlockKey>) -> Self {
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

/// The blocks where the surface may be, and the adjacent blocks inside, with their values. Slopes at the surface need
/// both sides of it.
pub(crate) fn blocks_at_the_surface(blobs: &Blobs, coarse: &CoarseField) -> Vec<VoxelBlock<f32>> {
    let classes = coarse.classes(blobs);
    let surface: Vec<BlockKey> =
        classes.iter().filter(|(_, class)| *class == BlockClass::Surface).map(|(key, _)| *key).collect();
    let near = dilated(&surface, 1);
    let is_wanted = |(key, class): &&(BlockKey, BlockClass)| match class {
        BlockClass::Surface => true,
        BlockClass::Inside => near.binary_search(key).is_ok(),
        BlockClass::Outside => false,
    };
    let wanted: Vec<BlockKey> = classes.iter().filter(is_wanted).map(|(key, _)| *key).collect();
    let block = |&key: &BlockKey| VoxelBlock {
        origin: origin(key),
        active: BlockMask::FULL.0,
        values: Box::new(values(blobs, coarse, key)),
    };
    wanted.par_iter().map(block).collect()
}

fn values(blobs: &Blobs, coarse: &CoarseField, key: BlockKey) -> [f32; SLOTS] {
    coarse.values(key, blobs.cell_size).map_or_else(|| *blobs.values(key), |known| *known)
}

/// The block and the next blocks up the axes: bit a of the index is a step along axis a.
pub(crate) fn upper(key: BlockKey) -> [BlockKey; 8] {
    std::array::from_fn(|step| std::array::from_fn(|axis| key[axis] + (step >> axis & 1) as i32))
}

/// The block and the next blocks down the axes.
pub(crate) fn lower(key: BlockKey) -> [BlockKey; 8] {
    std::array::from_fn(|step| std::array::from_fn(|axis| key[axis] - (step >> axis & 1) as i32))
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

/// The node one step up each axis whose bit is set in `step`: the block that holds it, and its slot there.
pub(crate) fn ahead(start: usize, step: usize) -> (usize, usize) {
    let moved: [usize; 3] = std::array::from_fn(|axis| node(start)[axis] + (step >> axis & 1));
    let block = (0..3).map(|axis| (moved[axis] >> 3) << axis).sum();
    (block, slot(moved.map(|c| c & 7)))
}

/// The node one step down each axis whose bit is set in `step`: the block that holds it, and its slot there.
pub(crate) fn behind(start: usize, step: usize) -> (usize, usize) {
    let moved: [usize; 3] = std::array::from_fn(|axis| node(start)[axis].wrapping_sub(step >> axis & 1));
    let block = (0..3).map(|axis| (moved[axis] >> 3 & 1) << axis).sum();
    (block, slot(moved.map(|c| c & 7)))
}
