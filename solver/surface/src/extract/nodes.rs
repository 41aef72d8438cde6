//! The field at the nodes of a lattice, over its level: inside is where it is at least 1.

use crate::blocks::{BlockKey, SLOTS, dilated, node, origin, slot};
use crate::implicit::blobs::Blobs;
use crate::implicit::survey::{Place, Survey};
use crate::mask::BlockMask;
use crate::volume::Block;
use rayon::prelude::*;
use rustc_hash::FxHashMap;

/// The nodes of all blocks, by what is known of them.
pub(crate) struct Nodes {
    /// Blocks where the surface may be, sorted.
    keys: Vec<BlockKey>,
    values: Vec<[f32; SLOTS]>,
    masks: Vec<BlockMask>,
    /// Place of a block among those, or none where all of its nodes are inside. What is not here is outside.
    blocks: FxHashMap<BlockKey, Option<u32>>,
}

impl Nodes {
    /// The nodes of the lattice of some blobs.
    pub fn new(blobs: &Blobs, survey: &Survey) -> Self {
        let places = survey.places(blobs);
        let of = |wanted: Place| places.iter().filter(move |(_, place)| *place == wanted).map(|(key, _)| *key);
        let keys: Vec<BlockKey> = of(Place::Surface).collect();
        let values: Vec<_> = keys.par_iter().map(|&key| values(blobs, survey, key)).collect();
        Self::with_values(keys, values, of(Place::Inside))
    }

    pub fn with_values(keys: Vec<BlockKey>, values: Vec<[f32; SLOTS]>, inside: impl Iterator<Item = BlockKey>) -> Self {
        let masks = values.par_iter().map(|values| BlockMask::of(values, |value| value >= 1.0)).collect();
        let numbered = keys.iter().enumerate().map(|(place, &key)| (key, Some(place as u32)));
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
            Some(Some(place)) => self.masks[*place as usize],
            Some(None) => BlockMask::FULL,
            None => BlockMask::default(),
        }
    }

    /// The values of a block and those further up the axes; none where nodes are alike.
    pub fn around(&self, key: BlockKey) -> Around<'_> {
        Around(upper(key).map(|key| Some(&self.values[self.blocks.get(&key).copied()?? as usize])))
    }
}

/// The blocks where the surface may be, and those beside them that are inside, with their values: who asks for a slope at the
/// surface needs both sides of it.
pub(crate) fn blocks_at_the_surface(blobs: &Blobs, survey: &Survey) -> Vec<Block<f32>> {
    let places = survey.places(blobs);
    let surface: Vec<BlockKey> =
        places.iter().filter(|(_, place)| *place == Place::Surface).map(|(key, _)| *key).collect();
    let near = dilated(&surface, 1);
    let is_wanted = |(key, place): &&(BlockKey, Place)| match place {
        Place::Surface => true,
        Place::Inside => near.binary_search(key).is_ok(),
        Place::Outside => false,
    };
    let wanted: Vec<BlockKey> = places.iter().filter(is_wanted).map(|(key, _)| *key).collect();
    let block = |&key: &BlockKey| Block {
        origin: origin(key),
        active: BlockMask::FULL.0,
        values: Box::new(values(blobs, survey, key)),
    };
    wanted.par_iter().map(block).collect()
}

fn values(blobs: &Blobs, survey: &Survey, key: BlockKey) -> [f32; SLOTS] {
    survey.values(key, blobs.cell_size).map_or_else(|| *blobs.values(key), |known| *known)
}

/// The block and those one further up each axis: bit a of the place is a step along axis a.
pub(crate) fn upper(key: BlockKey) -> [BlockKey; 8] {
    std::array::from_fn(|step| std::array::from_fn(|axis| key[axis] + (step >> axis & 1) as i32))
}

/// The block and those one further down.
pub(crate) fn lower(key: BlockKey) -> [BlockKey; 8] {
    std::array::from_fn(|step| std::array::from_fn(|axis| key[axis] - (step >> axis & 1) as i32))
}

/// The values of a block and of those further up the axes.
pub(crate) struct Around<'a>([Option<&'a [f32; SLOTS]>; 8]);

impl Around<'_> {
    /// The value at a corner of a cell, where it is known.
    pub fn value(&self, cell: usize, corner: usize) -> Option<f32> {
        let (block, slot) = ahead(cell, corner);
        self.0[block].map(|values| values[slot])
    }
}

/// The node one further up each axis whose bit is set in `step`: the neighbour it falls into, and its slot there.
pub(crate) fn ahead(start: usize, step: usize) -> (usize, usize) {
    let moved: [usize; 3] = std::array::from_fn(|axis| node(start)[axis] + (step >> axis & 1));
    let block = (0..3).map(|axis| (moved[axis] >> 3) << axis).sum();
    (block, slot(moved.map(|c| c & 7)))
}

/// The node one further down each axis whose bit is set in `step`: the neighbour it falls into, and its slot there.
pub(crate) fn behind(start: usize, step: usize) -> (usize, usize) {
    let moved: [usize; 3] = std::array::from_fn(|axis| node(start)[axis].wrapping_sub(step >> axis & 1));
    let block = (0..3).map(|axis| (moved[axis] >> 3 & 1) << axis).sum();
    (block, slot(moved.map(|c| c & 7)))
}
