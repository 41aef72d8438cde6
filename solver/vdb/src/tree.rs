//! The values of a grid: sorted leaves and tiles that do not overlap.

use rayon::slice::ParallelSliceMut;

use crate::coord::{lower_slot, root_key, upper_slot};
use crate::error::Error;
use crate::mask;
use crate::value::VoxelValue;

/// A leaf of 8^3 voxels. Slot order is `x << 6 | y << 3 | z`, z fastest.
#[derive(Debug, Clone, Copy)]
pub struct Leaf<'a, T> {
    /// Index coordinates of the lowest voxel, multiples of 8.
    pub origin: [i32; 3],
    /// Active voxels: slot i is bit `i & 63` of word `i >> 6`.
    pub active: [u64; 8],
    /// The value of each slot; those of inactive voxels matter only after [`Tree::keep_inactive`].
    pub values: &'a [T; 512],
}

/// Edge length of a tile.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum TileEdge {
    /// 8 voxels, in place of a leaf.
    Leaf = 8,
    /// 128 voxels, in place of a lower node.
    Lower = 128,
    /// 4096 voxels, in place of an upper node.
    Upper = 4096,
}

/// A cube of voxels with one value.
#[derive(Debug, Clone, Copy)]
pub struct Tile<T> {
    /// Index coordinates of the lowest voxel, multiples of the edge.
    pub origin: [i32; 3],
    /// Edge length.
    pub edge: TileEdge,
    /// The value of all voxels.
    pub value: T,
    /// Whether the voxels are active.
    pub active: bool,
}

/// The values of a grid over all of space: leaves, tiles, and one background value everywhere else.
#[derive(Debug, Clone)]
pub struct Tree<'a, T> {
    background: T,
    inactive_kept: bool,
    /// In the order of the file: by root key, then by slot in the upper node, then by slot in the lower node.
    items: Vec<TreeItem<'a, T>>,
}

impl<'a, T: VoxelValue> Tree<'a, T> {
    /// A tree of leaves, in any order. Inactive voxels read as the background.
    ///
    /// # Errors
    /// A background that is not finite, an origin that is not a multiple of 8, two leaves with the same origin.
    pub fn new(background: T, leaves: impl IntoIterator<Item = Leaf<'a, T>>) -> Result<Self, Error> {
        if !background.is_finite() {
            return Err(Error::BackgroundNotFinite);
        }
        let items = leaves.into_iter().map(TreeItem::Leaf).collect();
        Self { background, inactive_kept: false, items }.sorted()
    }

    /// Adds tiles, in any order. A level set needs them where it has no leaves inside: inactive, with minus the
    /// background.
    ///
    /// # Errors
    /// A value that is not finite, an origin that is not a multiple of the edge, a tile over a leaf or another tile.
    pub fn with_tiles(mut self, tiles: impl IntoIterator<Item = Tile<T>>) -> Result<Self, Error> {
        self.items.extend(tiles.into_iter().map(TreeItem::Tile));
        self.sorted()
    }

    /// Stores the values of inactive voxels of the leaves instead of the background; a level set needs their signs.
    #[must_use]
    pub fn keep_inactive(self) -> Self {
        Self { inactive_kept: true, ..self }
    }

    fn sorted(mut self) -> Result<Self, Error> {
        self.items.iter().try_for_each(TreeItem::check)?;
        self.items.par_sort_by_cached_key(TreeItem::path);
        self.check_overlap()?;
        Ok(self)
    }

    /// In file order, an item that overlaps others overlaps one of its neighbours.
    fn check_overlap(&self) -> Result<(), Error> {
        for pair in self.items.windows(2) {
            let edge = pair[0].edge().max(pair[1].edge()) as i32;
            let [first, second] = [&pair[0], &pair[1]].map(|item| item.origin().map(|axis| axis & -edge));
            if first == second {
                return Err(Error::Overlap { voxel: pair[1].origin() });
            }
        }
        Ok(())
    }

    pub(crate) fn background(&self) -> T {
        self.background
    }

    pub(crate) fn inactive_kept(&self) -> bool {
        self.inactive_kept
    }

    pub(crate) fn items(&self) -> &[TreeItem<'a, T>] {
        &self.items
    }

    /// The leaves in the order of the file.
    pub(crate) fn leaves(&self) -> Vec<&Leaf<'a, T>> {
        let leaf = |item: &'_ TreeItem<'a, T>| matches!(item, TreeItem::Leaf(_));
        self.items.iter().filter(|item| leaf(item)).filter_map(TreeItem::leaf).collect()
    }

    pub(crate) fn leaf_count(&self) -> usize {
        self.items.iter().filter(|item| item.leaf().is_some()).count()
    }

    /// Active voxels of the leaves.
    pub(crate) fn leaf_voxels(&self) -> u64 {
        self.items.iter().filter_map(TreeItem::leaf).map(|leaf| mask::count(&leaf.active)).sum()
    }

    /// Number of active voxels; those of tiles count one by one.
    pub(crate) fn active_voxels(&self) -> u64 {
        self.items.iter().map(TreeItem::active_voxels).sum()
    }

    /// Lowest and highest active voxel along each axis, both inclusive; none without active voxels.
    pub(crate) fn active_bounds(&self) -> Option<([i32; 3], [i32; 3])> {
        self.items.iter().filter_map(TreeItem::active_bounds).reduce(|(low, high), (other_low, other_high)| {
            let lower = std::array::from_fn(|axis| low[axis].min(other_low[axis]));
            (lower, std::array::from_fn(|axis| high[axis].max(other_high[axis])))
        })
    }
}

/// A leaf or a tile.
#[derive(Debug, Clone, Copy)]
pub(crate) enum TreeItem<'a, T> {
    Leaf(Leaf<'a, T>),
    Tile(Tile<T>),
}

impl<'a, T: VoxelValue> TreeItem<'a, T> {
    pub(crate) fn origin(&self) -> [i32; 3] {
        match self {
            Self::Leaf(leaf) => leaf.origin,
            Self::Tile(tile) => tile.origin,
        }
    }

    pub(crate) fn edge(&self) -> TileEdge {
        match self {
            Self::Leaf(_) => TileEdge::Leaf,
            Self::Tile(tile) => tile.edge,
        }
    }

    fn leaf(&self) -> Option<&Leaf<'a, T>> {
        match self {
            Self::Leaf(leaf) => Some(leaf),
            Self::Tile(_) => None,
        }
    }

    /// Sort key of the file order.
    fn path(&self) -> ([i32; 3], u16, u16) {
        let origin = self.origin();
        (root_key(origin), upper_slot(origin), lower_slot(origin))
    }

    fn check(&self) -> Result<(), Error> {
        let (origin, edge) = (self.origin(), self.edge() as i32);
        if origin.iter().any(|axis| axis & (edge - 1) != 0) {
            return Err(Error::Unaligned { origin, edge });
        }
        match self {
            Self::Tile(tile) if !tile.value.is_finite() => Err(Error::TileNotFinite { origin }),
            _ => Ok(()),
        }
    }

    fn active_voxels(&self) -> u64 {
        match self {
            Self::Leaf(leaf) => mask::count(&leaf.active),
            Self::Tile(tile) if tile.active => (tile.edge as u64).pow(3),
            Self::Tile(_) => 0,
        }
    }

    fn active_bounds(&self) -> Option<([i32; 3], [i32; 3])> {
        let origin = self.origin();
        let (low, high) = match self {
            Self::Leaf(leaf) => mask::leaf_bounds(&leaf.active)?,
            Self::Tile(tile) if tile.active => ([0; 3], [tile.edge as i32 - 1; 3]),
            Self::Tile(_) => return None,
        };
        let global = |local: [i32; 3]| std::array::from_fn(|axis| origin[axis] + local[axis]);
        Some((global(low), global(high)))
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    static ZERO: [f32; 512] = [0.0; 512];

    fn leaf(origin: [i32; 3]) -> Leaf<'static, f32> {
        Leaf { origin, active: [1; 8], values: &ZERO }
    }

    fn tile(origin: [i32; 3], edge: TileEdge) -> Tile<f32> {
        Tile { origin, edge, value: 1.0, active: true }
    }

    fn overlaps(leaves: &[[i32; 3]], tiles: &[([i32; 3], TileEdge)]) -> bool {
        let tree = Tree::new(0.0, leaves.iter().copied().map(leaf)).unwrap();
        let tiles = tiles.iter().map(|&(origin, edge)| tile(origin, edge));
        matches!(tree.with_tiles(tiles), Err(Error::Overlap { .. }))
    }

    #[test]
    fn leaves_are_sorted_as_signed_keys_then_slots() {
        let origins = [[4096, 0, 0], [0, 8, 0], [0, 0, 128], [0, 0, 8], [-8, 4096, 4096], [0, 0, 0], [-4104, 0, 0]];
        let tree = Tree::new(0.0, origins.map(leaf)).unwrap();
        let sorted = tree.leaves().iter().map(|leaf| leaf.origin).collect::<Vec<_>>();
        let expected = [[-4104, 0, 0], [-8, 4096, 4096], [0, 0, 0], [0, 0, 8], [0, 8, 0], [0, 0, 128], [4096, 0, 0]];
        assert_eq!(sorted, expected);
    }

    #[test]
    fn faulty_origins_are_errors() {
        let unaligned = Tree::new(0.0, [leaf([0, 4, 0])]);
        assert!(matches!(unaligned, Err(Error::Unaligned { origin: [0, 4, 0], edge: 8 })));
        let twice = Tree::new(0.0, [[8, 0, 0], [0, 0, 0], [8, 0, 0]].map(leaf));
        assert!(matches!(twice, Err(Error::Overlap { voxel: [8, 0, 0] })));
        let unaligned = Tree::new(0.0, []).unwrap().with_tiles([tile([8, 0, 0], TileEdge::Lower)]);
        assert!(matches!(unaligned, Err(Error::Unaligned { edge: 128, .. })));
    }

    #[test]
    fn tiles_over_anything_are_errors() {
        let origin = [-4096, 0, 0];
        assert!(overlaps(&[[-8, 120, 120]], &[([-8, 120, 120], TileEdge::Leaf)]));
        assert!(overlaps(&[[-8, 120, 120]], &[([-128, 0, 0], TileEdge::Lower)]));
        assert!(overlaps(&[[-8, 4088, 4088]], &[(origin, TileEdge::Upper)]));
        assert!(overlaps(&[], &[(origin, TileEdge::Upper), ([-256, 128, 256], TileEdge::Lower)]));
        assert!(overlaps(&[], &[(origin, TileEdge::Lower), (origin, TileEdge::Upper)]));
        assert!(!overlaps(&[[-136, 120, 120], [0, 0, 0]], &[([-128, 0, 0], TileEdge::Lower)]));
        assert!(!overlaps(&[[0, 0, 0], [-4104, 0, 0]], &[(origin, TileEdge::Upper)]));
    }

    #[test]
    fn values_that_are_not_finite_are_errors() {
        assert!(matches!(Tree::<f32>::new(f32::NAN, []), Err(Error::BackgroundNotFinite)));
        let bad = Tile { value: f32::INFINITY, ..tile([8, 0, 0], TileEdge::Leaf) };
        let tree = Tree::<f32>::new(0.0, []).unwrap().with_tiles([bad]);
        assert!(matches!(tree, Err(Error::TileNotFinite { origin: [8, 0, 0] })));
    }

    #[test]
    fn counts_and_bounds_hold_leaves_and_active_tiles() {
        let inactive = Tile { active: false, ..tile([1024, 0, 0], TileEdge::Leaf) };
        let tree = Tree::new(0.0, [leaf([-8, 0, 0])]).unwrap();
        let tree = tree.with_tiles([tile([128, 0, 256], TileEdge::Lower), inactive]).unwrap();
        assert_eq!(tree.active_voxels(), 8 + 128 * 128 * 128);
        assert_eq!(tree.active_bounds(), Some(([-8, 0, 0], [255, 127, 383])));
        assert_eq!(Tree::<f32>::new(0.0, []).unwrap().active_bounds(), None);
    }

    #[test]
    fn bounds_reach_the_ends_of_index_space() {
        let ends = [[i32::MIN; 3], [i32::MAX & !4095; 3]].map(|origin| tile(origin, TileEdge::Upper));
        let tree = Tree::new(0.0, []).unwrap().with_tiles(ends).unwrap();
        assert_eq!(tree.active_bounds(), Some(([i32::MIN; 3], [i32::MAX; 3])));
    }
}
