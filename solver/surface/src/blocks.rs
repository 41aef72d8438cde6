//! The lattice in blocks of 8^3 nodes, and which items (particles, paths) touch which block.
//!
//! Node (i, j, k) lies at `cell_size * (i, j, k)`, whatever the matter does, so surfaces do not swim from frame to
//! frame. A block exists only where an item touches it: memory grows with the matter, not with the box around it.

use glam::{DVec3, Vec3};
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

/// A point relative to a block's lowest node, cells: small numbers, so single precision is enough anywhere.
pub(crate) fn local(point: DVec3, key: BlockKey) -> Vec3 {
    (point - DVec3::from_array(origin(key).map(f64::from))).as_vec3()
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

/// An axis-aligned box in lattice coordinates (cells).
#[derive(Debug, Clone, Copy)]
pub(crate) struct LatticeBox {
    low: DVec3,
    high: DVec3,
}

impl LatticeBox {
    /// The box around a ball; none where it is not finite or beyond the range of node numbers.
    pub fn around(centre: DVec3, radius: f64) -> Option<Self> {
        let (low, high) = (centre - radius, centre + radius);
        // Comparisons with NaN are false.
        let inside = low.min_element() > -INDEX_LIMIT && high.max_element() < INDEX_LIMIT;
        (inside && low.is_finite() && high.is_finite()).then_some(Self { low, high })
    }

    /// The box around two boxes.
    pub fn union(self, other: Self) -> Self {
        Self { low: self.low.min(other.low), high: self.high.max(other.high) }
    }

    /// The blocks whose closed cube, from their lowest node to that of the next block, meets the box.
    fn blocks(self) -> impl Iterator<Item = BlockKey> {
        let edge = f64::from(EDGE);
        let first = (self.low / edge).ceil().as_ivec3() - 1;
        let last = (self.high / edge).floor().as_ivec3();
        (first.x..=last.x)
            .flat_map(move |x| (first.y..=last.y).flat_map(move |y| (first.z..=last.z).map(move |z| [x, y, z])))
    }
}

/// The blocks that items touch, sorted, and the items of each, ascending.
#[derive(Debug, Default)]
pub(crate) struct BlockIndex {
    keys: Vec<BlockKey>,
    /// Items of block b are `items[starts[b]..starts[b + 1]]`.
    starts: Vec<usize>,
    items: Vec<u32>,
}

impl BlockIndex {
    /// Item i touches what box i touches.
    pub fn new(boxes: &[Option<LatticeBox>]) -> Self {
        let touching = |(item, bounds): (usize, &Option<LatticeBox>)| {
            bounds.iter().flat_map(|bounds| bounds.blocks()).map(move |key| (key, item as u32)).collect::<Vec<_>>()
        };
        let mut entries: Vec<(BlockKey, u32)> = boxes.par_iter().enumerate().flat_map_iter(touching).collect();
        // No two entries are equal, so there is one sorted order.
        entries.par_sort_unstable();
        let mut index = Self::default();
        for (place, &(key, _)) in entries.iter().enumerate() {
            if index.keys.last() != Some(&key) {
                index.keys.push(key);
                index.starts.push(place);
            }
        }
        index.starts.push(entries.len());
        index.items = entries.into_iter().map(|(_, item)| item).collect();
        index
    }

    /// Number of blocks.
    pub fn len(&self) -> usize {
        self.keys.len()
    }

    pub fn key(&self, block: usize) -> BlockKey {
        self.keys[block]
    }

    pub fn items(&self, block: usize) -> &[u32] {
        &self.items[self.starts[block]..self.starts[block + 1]]
    }

    /// The number of the block at these coordinates, if it exists.
    pub fn find(&self, key: BlockKey) -> Option<usize> {
        self.keys.binary_search(&key).ok()
    }
}
