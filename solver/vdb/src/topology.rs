//! The first pass over a tree: writes its nodes, and the tiles in them.

use crate::bytes::{put_i32s, put_u32};
use crate::coord::{lower_slot, root_key, upper_slot};
use crate::mask::{self, LOWER_WORDS, UPPER_WORDS};
use crate::tree::{Tile, TileEdge, Tree, TreeItem};
use crate::value::VoxelValue;
use crate::values::{Slots, ValuesEncoder};

/// Appends the topology of a tree; `flush` may take the bytes out of the buffer between root nodes.
///
/// # Errors
/// The errors of `flush`.
pub(crate) fn put<T: VoxelValue, E>(
    out: &mut Vec<u8>,
    tree: &Tree<T>,
    encoder: &mut ValuesEncoder<T>,
    mut flush: impl FnMut(&mut Vec<u8>) -> Result<(), E>,
) -> Result<(), E> {
    put_u32(out, 1);
    encoder.put_rounded(out, tree.background());
    let by_root = || groups(tree.items(), root_key);
    let tiles = || by_root().filter_map(|group| tile_of(group, TileEdge::Upper));
    let children = || by_root().filter(|group| tile_of(group, TileEdge::Upper).is_none());
    put_u32(out, tiles().count() as u32);
    put_u32(out, children().count() as u32);
    for tile in tiles() {
        put_i32s(out, &tile.origin);
        encoder.put_rounded(out, tile.value);
        out.push(u8::from(tile.active));
    }
    for group in children() {
        put_i32s(out, &root_key(group[0].origin()));
        put_upper(out, group, tree.background(), encoder);
        flush(out)?;
    }
    Ok(())
}

fn put_upper<T: VoxelValue>(out: &mut Vec<u8>, items: &[TreeItem<T>], background: T, encoder: &mut ValuesEncoder<T>) {
    let mut node = Node::<T, UPPER_WORDS>::new();
    for group in groups(items, upper_slot) {
        node.insert(upper_slot(group[0].origin()), tile_of(group, TileEdge::Lower));
    }
    node.put(out, background, encoder);
    for group in groups(items, upper_slot).filter(|group| tile_of(group, TileEdge::Lower).is_none()) {
        put_lower(out, group, background, encoder);
    }
}

fn put_lower<T: VoxelValue>(out: &mut Vec<u8>, items: &[TreeItem<T>], background: T, encoder: &mut ValuesEncoder<T>) {
    let mut node = Node::<T, LOWER_WORDS>::new();
    for group in groups(items, lower_slot) {
        node.insert(lower_slot(group[0].origin()), tile_of(group, TileEdge::Leaf));
    }
    node.put(out, background, encoder);
    for item in items {
        if let TreeItem::Leaf(leaf) = item {
            mask::put(out, &leaf.active);
        }
    }
}

/// Runs of items in the same child.
fn groups<'s, 'a, T: VoxelValue, K: PartialEq>(
    items: &'s [TreeItem<'a, T>],
    child: impl Fn([i32; 3]) -> K + 's,
) -> impl Iterator<Item = &'s [TreeItem<'a, T>]> {
    items.chunk_by(move |a, b| child(a.origin()) == child(b.origin()))
}

/// The tile that fills a child, if there is one; it is then alone in its group.
fn tile_of<'s, T>(group: &'s [TreeItem<'_, T>], edge: TileEdge) -> Option<&'s Tile<T>> {
    match group {
        [TreeItem::Tile(tile)] if tile.edge == edge => Some(tile),
        _ => None,
    }
}

/// An upper or lower node without its descendants.
struct Node<'s, T, const WORDS: usize> {
    children: [u64; WORDS],
    active: [u64; WORDS],
    tiles: Vec<(u16, &'s Tile<T>)>,
}

impl<'s, T: VoxelValue, const WORDS: usize> Node<'s, T, WORDS> {
    fn new() -> Self {
        Self { children: [0; WORDS], active: [0; WORDS], tiles: Vec::new() }
    }

    /// Fills a slot with a tile, or marks it as a child.
    fn insert(&mut self, slot: u16, tile: Option<&'s Tile<T>>) {
        match tile {
            None => mask::set(&mut self.children, slot.into()),
            Some(tile) => {
                self.tiles.push((slot, tile));
                if tile.active {
                    mask::set(&mut self.active, slot.into());
                }
            }
        }
    }

    fn put(&self, out: &mut Vec<u8>, background: T, encoder: &mut ValuesEncoder<T>) {
        mask::put(out, &self.children);
        mask::put(out, &self.active);
        let values = if self.tiles.is_empty() { Vec::new() } else { self.values(background) };
        encoder.put_all(out, Slots { values: &values, active: &self.active, children: &self.children });
    }

    /// The value of each slot; zero for a child.
    fn values(&self, background: T) -> Vec<T> {
        let value = |slot| if mask::contains(&self.children, slot) { T::ZERO } else { background };
        let mut values = (0..WORDS * 64).map(value).collect::<Vec<_>>();
        for &(slot, tile) in &self.tiles {
            values[usize::from(slot)] = tile.value;
        }
        values
    }
}
