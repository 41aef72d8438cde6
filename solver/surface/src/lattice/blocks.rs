//! The lattice in blocks of 8^3 nodes.
//!
//! Node (i, j, k) lies at `cell_size * (i, j, k)`, independent of the matter, so surfaces do not swim between frames. A
//! block exists only where an item touches it: memory grows with the matter, not with its bounding box.

use glam::Vec3;
use rayon::prelude::*;

/// Nodes along the edge of a block.
pub(crate) const EDGE: i32 = 8;

/// Nodes of a block.
pub(crate) const SLOTS: usize = 512;

/// Nodes further from the origin are left out, so that borders fit into `i32`.
pub(crate) const INDEX_LIMIT: f64 = (1 << 30) as f64;

/// Block coordinates: the lowest node over 8.
pub(crate) type BlockKey = [i32; 3];

/// The slot of a node within its block.
pub(crate) fn slot([x, y, z]: [usize; 3]) -> usize {
    x << 6 | y << 3 | z
}

/// The node of a slot.
pub(crate) fn node(slot: usize) -> [usize; 3] {
    [slot >> 6, slot >> 3 & 7, slot & 7]
}

/// The position of a node in its block, cells.
pub(crate) fn node_point(slot: usize) -> Vec3 {
    Vec3::from_array(node(slot).map(|c| c as f32))
}

/// Coordinates of a block's lowest node.
pub(crate) fn origin(key: BlockKey) -> [i32; 3] {
    key.map(|c| c * EDGE)
}

/// The blocks within `reach` blocks of the given ones, over edges and corners too, sorted.
pub(crate) fn dilated(keys: &[BlockKey], reach: i32) -> Vec<BlockKey> {
    let mut keys = keys.to_vec();
    for axis in 0..3 {
        let along = |key: &BlockKey| {
            let key = *key;
            (-reach..=reach).map(move |step| std::array::from_fn(|a| key[a] + if a == axis { step } else { 0 }))
        };
        keys = keys.par_iter().flat_map_iter(along).collect();
        keys.par_sort_unstable();
        keys.dedup();
    }
    keys
}

/// The block and the next blocks up the axes: bit a of the index is a step along axis a.
pub(crate) fn upper(key: BlockKey) -> [BlockKey; 8] {
    std::array::from_fn(|step| std::array::from_fn(|axis| key[axis] + (step >> axis & 1) as i32))
}

/// The block and the next blocks down the axes.
pub(crate) fn lower(key: BlockKey) -> [BlockKey; 8] {
    std::array::from_fn(|step| std::array::from_fn(|axis| key[axis] - (step >> axis & 1) as i32))
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
