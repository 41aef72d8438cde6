//! Items (particles, pieces of their ways) sorted once into cubes of 4^3 nodes, and those near a block of 8^3: nothing is
//! kept for pairs of an item and a block that it touches.

use crate::blocks::{BlockKey, EDGE, dilated};
use glam::{DVec3, IVec3, Vec3};
use rayon::prelude::*;
use std::ops::Range;

/// Nodes along the edge of a cube: half a block, so that few of the items looked at are out of reach.
const CUBE: i32 = 4;

/// Cube coordinates: those of its lowest node over 4.
pub(crate) type CubeKey = [i32; 3];

/// Items by the cubes that they lie in.
#[derive(Debug)]
pub(crate) struct Cells<T> {
    keys: Vec<CubeKey>,
    starts: Vec<usize>,
    items: Vec<T>,
}

/// The cube of a point, lattice coordinates, and the point seen from the cube's lowest node: small numbers, so single
/// precision is enough anywhere.
pub(crate) fn in_cube(point: DVec3) -> (CubeKey, Vec3) {
    let cube = (point / f64::from(CUBE)).floor().as_ivec3();
    (cube.to_array(), (point - (CUBE * cube).as_dvec3()).as_vec3())
}

impl<T: Send + Sync> Cells<T> {
    /// Makes items of entries sorted by cubes, and within a cube by names, of which no two are equal.
    pub fn new<N: Ord + Copy + Send + Sync>(mut entries: Vec<(CubeKey, N)>, make: impl Fn(N) -> T + Sync) -> Self {
        entries.par_sort_unstable();
        let (mut keys, mut starts) = (vec![], vec![]);
        for (start, &(key, _)) in entries.iter().enumerate() {
            if keys.last() != Some(&key) {
                keys.push(key);
                starts.push(start);
            }
        }
        starts.push(entries.len());
        Self { keys, starts, items: entries.into_par_iter().map(|(_, name)| make(name)).collect() }
    }

    /// The same cells with other items, made of the place and the item of each.
    pub fn map<U: Send>(self, make: impl Fn(usize, T) -> U + Sync) -> Cells<U> {
        let items = self.items.into_par_iter().enumerate().map(|(place, item)| make(place, item)).collect();
        Cells { keys: self.keys, starts: self.starts, items }
    }

    /// All items, in their order.
    pub fn items(&self) -> &[T] {
        &self.items
    }

    /// The items of cubes within reach (nodes, on all axes) of a block's nodes, cube by cube in sorted order, each with what
    /// makes the cube's coordinates the block's.
    pub fn near(&self, key: BlockKey, reach: f32) -> impl Iterator<Item = (Vec3, &[T])> {
        let lowest = EDGE * IVec3::from_array(key);
        let first = lowest - (reach.ceil() as i32);
        let last = lowest + (EDGE - 1 + reach.ceil() as i32);
        let (first, last) = (first.map(|c| c.div_euclid(CUBE)), last.map(|c| c.div_euclid(CUBE)));
        let rows = (first.x..=last.x).flat_map(move |x| (first.y..=last.y).map(move |y| (x, y)));
        let cubes = rows.flat_map(move |(x, y)| self.row([x, y, first.z], last.z));
        cubes.map(move |cube| {
            let offset = CUBE * IVec3::from_array(self.keys[cube]) - lowest;
            (offset.as_vec3(), &self.items[self.starts[cube]..self.starts[cube + 1]])
        })
    }

    /// The blocks whose nodes may be within reach of an item, sorted.
    pub fn blocks(&self, reach: f32) -> Vec<BlockKey> {
        let mut blocks: Vec<BlockKey> = self.keys.iter().map(|cube| cube.map(|c| c.div_euclid(EDGE / CUBE))).collect();
        blocks.par_sort_unstable();
        blocks.dedup();
        dilated(&blocks, (reach / EDGE as f32).ceil() as i32)
    }

    /// The cubes of a row along z, from one up to a height.
    fn row(&self, first: CubeKey, last: i32) -> Range<usize> {
        let start = self.keys.partition_point(|key| *key < first);
        let length = self.keys[start..].iter().take_while(|key| **key <= [first[0], first[1], last]).count();
        start..start + length
    }
}
