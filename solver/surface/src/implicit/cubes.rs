//! The particles of a frame in cubes: who is near whom.

use crate::buckets::Buckets;
use crate::order::sorted;
use dollop_sim::Frame;
use glam::{DVec3, Vec3};
use rayon::prelude::*;

/// Cubes further from the origin than this are left out: room for neighbours within `i32`.
const KEY_LIMIT: f64 = (1 << 30) as f64;

/// Particles in cubes of some edge; only cubes that hold some, sorted.
pub(crate) struct Cubes {
    edge: f64,
    buckets: Buckets,
    particles: Vec<u32>,
}

impl Cubes {
    /// Some particles of a frame in cubes of that edge, m. Those with no finite position, or too far away, are left out.
    pub fn new(frame: &Frame, edge: f64, is_in: impl Fn(usize) -> bool + Sync) -> Self {
        let place = |(particle, position): (usize, &Vec3)| {
            let at = (position.as_dvec3() / edge).floor();
            // Comparisons with NaN are false.
            (at.abs().max_element() < KEY_LIMIT && is_in(particle)).then(|| (at.as_ivec3().to_array(), particle as u32))
        };
        let entries = sorted(frame.positions.par_iter().enumerate().filter_map(place).collect());
        let buckets = Buckets::new(&entries);
        Self { edge, buckets, particles: entries.into_iter().map(|(_, particle)| particle).collect() }
    }

    /// Number of cubes.
    pub fn len(&self) -> usize {
        self.buckets.keys().len()
    }

    /// The lowest corner of a cube, m.
    pub fn corner(&self, cube: usize) -> DVec3 {
        DVec3::from_array(self.buckets.keys()[cube].map(f64::from)) * self.edge
    }

    /// The particles of a cube, ascending.
    pub fn particles(&self, cube: usize) -> &[u32] {
        &self.particles[self.buckets.items(cube)]
    }

    /// The particles of a cube and of all within so many cubes of it, over edges and corners too.
    pub fn around(&self, cube: usize, reach: i32) -> impl Iterator<Item = u32> {
        let rows = self.buckets.around(self.buckets.keys()[cube], reach);
        rows.flat_map(move |cubes| self.particles[self.buckets.items_of(cubes)].iter().copied())
    }

    /// The cubes next to one that come after it.
    pub fn half_around(&self, cube: usize) -> impl Iterator<Item = usize> {
        let [x, y, z] = self.buckets.keys()[cube];
        let rows = [(0, 0, 1), (0, 1, -1), (1, -1, -1), (1, 0, -1), (1, 1, -1)];
        rows.into_iter().flat_map(move |(dx, dy, from)| self.buckets.row([x + dx, y + dy, z + from], z + 1))
    }
}
