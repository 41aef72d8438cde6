//! The lattice in blocks of 8^3 nodes.
//!
//! Node (i, j, k) lies at `cell_size * (i, j, k)`, whatever the matter does, so surfaces do not swim from frame to
//! frame. A block exists only where an item touches it: memory grows with the matter, not with the box around it.

use glam::Vec3;
use rayon::prelude::*;

/// Nodes along the edge of a block.
pub(crate) const EDGE: i32 = 8;

/// Nodes of a block.
pub(crate) const SLOTS: usize = 512;

/// Nodes further from the origin than this are left out: room for borders within `i32`.
pub(crate) const INDEX_LIMIT: f64 = (1 << 30) as f64;

/// Block coordinates: those of its lowest node over 8.
pub(crate) type BlockKey = [i32; 3];

/// The slot of a node within its block.
pub(crate) fn slot([x, y, z]: [usize; 3]) -> usize {
    x << 6 | y << 3 | z
}

/// The node of a slot.
pub(crate) fn node(slot: usize) -> [usize; 3] {
    [slot >> 6, slot >> 3 & 7, slot & 7]
}

/// A node of a block as a point, cells.
pub(crate) fn node_point(slot: usize) -> Vec3 {
    Vec3::from_array(node(slot).map(|c| c as f32))
}

/// Coordinates of a block's lowest node.
pub(crate) fn origin(key: BlockKey) -> [i32; 3] {
    key.map(|c| c * EDGE)
}

/// The blocks within so many of those given, over edges and corners too, sorted.
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
