//! Points in cubes, to find near points, in the scene's own order.

use glam::{DVec3, I64Vec3};
use rustc_hash::FxHashMap;

/// Points in cubes of some edge.
#[derive(Debug)]
pub struct HashGrid {
    edge: f64,
    cubes: FxHashMap<I64Vec3, Vec<u32>>,
}

impl HashGrid {
    /// Makes a grid of points, numbered in their order, in cubes of some edge, m.
    pub fn new(edge: f64, points: impl Iterator<Item = DVec3>) -> Self {
        let mut cells = Self { edge, cubes: FxHashMap::default() };
        for (number, point) in (0..).zip(points) {
            cells.cubes.entry(cells.cube(point)).or_default().push(number);
        }
        cells
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
}
