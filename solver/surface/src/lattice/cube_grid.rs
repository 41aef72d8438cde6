//! Items (particles, pieces of paths) sorted once into cubes of 4^3 nodes, and the items near a block of 8^3. No list
//! of pairs of an item and a block is kept.

use super::blocks::{BlockKey, EDGE, dilated};
use super::buckets::{Buckets, CubeKey};
use super::radix_sort::sorted_by_cube;
use glam::{DVec3, IVec3, Vec3};
use rayon::prelude::*;
use std::ops::Range;

/// Nodes along the edge of a cube: half a block, so that few visited items are out of reach.
const CUBE: i32 = 4;

/// Items sorted by their cubes. Cube coordinates are the lowest node over 4.
#[derive(Debug)]
pub(crate) struct CubeGrid<T> {
    cubes: Buckets,
    items: Vec<T>,
}

/// The cube of a point in lattice coordinates, and the point relative to the lowest node of the cube. The relative
/// coordinates are small, so single precision suffices anywhere.
pub(crate) fn in_cube(point: DVec3) -> (CubeKey, Vec3) {
    let cube = (point / f64::from(CUBE)).floor().as_ivec3();
    (cube.to_array(), (point - (CUBE * cube).as_dvec3()).as_vec3())
}

impl<T: Send + Sync> CubeGrid<T> {
    /// Makes items from entries, sorted by cube and then by id; ids must be unique.
    pub fn new<N: Ord + Copy + Send + Sync>(entries: Vec<(CubeKey, N)>, make: impl Fn(N) -> T + Sync) -> Self {
        let entries = sorted_by_cube(entries);
        let cubes = Buckets::new(&entries);
        Self { cubes, items: entries.into_par_iter().map(|(_, id)| make(id)).collect() }
    }

    /// The same grid with other items, each made from the index and the item.
    pub fn map<U: Send>(self, make: impl Fn(usize, T) -> U + Sync) -> CubeGrid<U> {
        let items = self.items.into_par_iter().enumerate().map(|(index, item)| make(index, item)).collect();
        CubeGrid { cubes: self.cubes, items }
    }

    /// The range of a cube's items among all.
    pub fn of_cube(&self, cube: usize) -> Range<usize> {
        self.cubes.items(cube)
    }

    /// All items, in their order.
    pub fn items(&self) -> &[T] {
        &self.items
    }

    /// The range of each cube's items among all, in sorted order of cubes.
    pub fn cubes(&self) -> impl IndexedParallelIterator<Item = Range<usize>> {
        (0..self.cubes.keys().len()).into_par_iter().map(|cube| self.cubes.items(cube))
    }

    /// All items, mutable.
    pub fn items_mut(&mut self) -> &mut [T] {
        &mut self.items
    }

    /// The items of the cubes within `reach` (nodes, on all axes) of the nodes of a block, in sorted order of cubes.
    /// Each comes with the offset from cube to block coordinates.
    pub fn near(&self, key: BlockKey, reach: f32) -> impl Iterator<Item = (Vec3, &[T])> {
        self.cubes_near(key, reach).map(|(offset, cube)| (offset, &self.items[self.cubes.items(cube)]))
    }

    /// The numbers of the cubes within `reach` (nodes, on all axes) of the nodes of a block, in sorted order. Each
    /// comes with the offset from cube to block coordinates.
    pub fn cubes_near(&self, key: BlockKey, reach: f32) -> impl Iterator<Item = (Vec3, usize)> {
        let lowest = EDGE * IVec3::from_array(key);
        let first = lowest - (reach.ceil() as i32);
        let last = lowest + (EDGE - 1 + reach.ceil() as i32);
        let (first, last) = (first.map(|c| c.div_euclid(CUBE)), last.map(|c| c.div_euclid(CUBE)));
        let rows = (first.x..=last.x).flat_map(move |x| (first.y..=last.y).map(move |y| (x, y)));
        let cubes = rows.flat_map(move |(x, y)| self.cubes.row([x, y, first.z], last.z));
        cubes.map(move |cube| {
            let offset = CUBE * IVec3::from_array(self.cubes.keys()[cube]) - lowest;
            (offset.as_vec3(), cube)
        })
    }

    /// The blocks whose nodes may be within reach of an item, sorted.
    pub fn blocks(&self, reach: f32) -> Vec<BlockKey> {
        let mut blocks: Vec<BlockKey> =
            self.cubes.keys().iter().map(|cube| cube.map(|c| c.div_euclid(EDGE / CUBE))).collect();
        blocks.par_sort_unstable();
        blocks.dedup();
        dilated(&blocks, (reach / EDGE as f32).ceil() as i32)
    }
}
