//! Items (particles, pieces of their ways) sorted once into cubes of 4^3 nodes, and those near a block of 8^3: nothing is
//! kept for pairs of an item and a block that it touches.

use crate::blocks::{BlockKey, EDGE, dilated};
use crate::buckets::{Buckets, Key};
use crate::order::sorted;
use glam::{DVec3, IVec3, Vec3};
use rayon::prelude::*;
use std::ops::Range;

/// Nodes along the edge of a cube: half a block, so that few of the items looked at are out of reach.
const CUBE: i32 = 4;

/// Items by the cubes that they lie in, whose coordinates are those of their lowest nodes over 4.
#[derive(Debug)]
pub(crate) struct Cells<T> {
    cubes: Buckets,
    items: Vec<T>,
}

/// The cube of a point, lattice coordinates, and the point seen from the cube's lowest node: small numbers, so single
/// precision is enough anywhere.
pub(crate) fn in_cube(point: DVec3) -> (Key, Vec3) {
    let cube = (point / f64::from(CUBE)).floor().as_ivec3();
    (cube.to_array(), (point - (CUBE * cube).as_dvec3()).as_vec3())
}

impl<T: Send + Sync> Cells<T> {
    /// Makes items of entries sorted by cubes, and within a cube by names, of which no two are equal.
    pub fn new<N: Ord + Copy + Send + Sync>(entries: Vec<(Key, N)>, make: impl Fn(N) -> T + Sync) -> Self {
        let entries = sorted(entries);
        let cubes = Buckets::new(&entries);
        Self { cubes, items: entries.into_par_iter().map(|(_, name)| make(name)).collect() }
    }

    /// The same cells with other items, made of the place and the item of each.
    pub fn map<U: Send>(self, make: impl Fn(usize, T) -> U + Sync) -> Cells<U> {
        let items = self.items.into_par_iter().enumerate().map(|(place, item)| make(place, item)).collect();
        Cells { cubes: self.cubes, items }
    }

    /// Where the items of a cube are among all.
    pub fn of_cube(&self, cube: usize) -> Range<usize> {
        self.cubes.items(cube)
    }

    /// All items, in their order.
    pub fn items(&self) -> &[T] {
        &self.items
    }

    /// Where the items of each cube are among all, cube by cube in sorted order.
    pub fn cubes(&self) -> impl IndexedParallelIterator<Item = Range<usize>> {
        (0..self.cubes.keys().len()).into_par_iter().map(|cube| self.cubes.items(cube))
    }

    /// All items, to be changed where they are.
    pub fn items_mut(&mut self) -> &mut [T] {
        &mut self.items
    }

    /// The items of cubes within reach (nodes, on all axes) of a block's nodes, cube by cube in sorted order, each with what
    /// makes the cube's coordinates the block's.
    pub fn near(&self, key: BlockKey, reach: f32) -> impl Iterator<Item = (Vec3, &[T])> {
        self.cubes_near(key, reach).map(|(offset, cube)| (offset, &self.items[self.cubes.items(cube)]))
    }

    /// The places of cubes within reach (nodes, on all axes) of a block's nodes, in sorted order, each with what makes the
    /// cube's coordinates the block's.
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
