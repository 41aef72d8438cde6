//! Points in cubes, to find near points, in the scene's own order.

use glam::{DVec3, I64Vec3};
use rustc_hash::FxHashMap;

/// Points in cubes of some edge. No query depends on the order of the map.
#[derive(Debug)]
pub struct HashGrid {
    edge: f64,
    count: u32,
    cubes: FxHashMap<I64Vec3, Vec<u32>>,
}

impl HashGrid {
    /// An empty grid with cubes of some edge, m.
    pub fn empty(edge: f64) -> Self {
        Self { edge, count: 0, cubes: FxHashMap::default() }
    }

    /// Makes a grid of points, numbered in their order, in cubes of some edge, m.
    pub fn new(edge: f64, points: impl Iterator<Item = DVec3>) -> Self {
        let mut grid = Self::empty(edge);
        points.for_each(|point| grid.push(point));
        grid
    }

    /// Adds the point of the next number.
    pub fn push(&mut self, point: DVec3) {
        self.cubes.entry(self.cube(point)).or_default().push(self.count);
        self.count += 1;
    }

    fn cube(&self, point: DVec3) -> I64Vec3 {
        (point / self.edge).floor().as_i64vec3()
    }

    /// The points in the cube of a point and in all cubes beside it: all points within the edge of it, and others.
    pub fn around(&self, point: DVec3) -> impl Iterator<Item = u32> {
        let cube = self.cube(point);
        let beside = (0..27).map(move |n| cube + I64Vec3::new(n / 9 - 1, n / 3 % 3 - 1, n % 3 - 1));
        beside.filter_map(|cube| self.cubes.get(&cube)).flatten().copied()
    }

    /// All points that may lie within a distance, m, of a point; those in one cube from the newest on.
    pub fn near(&self, point: DVec3, distance: f64) -> impl Iterator<Item = u32> {
        let (low, high) = (self.cube(point - distance), self.cube(point + distance));
        let cubes = (low.x..=high.x).flat_map(move |x| {
            (low.y..=high.y).flat_map(move |y| (low.z..=high.z).map(move |z| I64Vec3::new(x, y, z)))
        });
        cubes.filter_map(|cube| self.cubes.get(&cube)).flat_map(|points| points.iter().rev().copied())
    }
}
