//! The particles of a frame sorted into cubes, for neighbour search.

use crate::lattice::buckets::Buckets;
use crate::lattice::radix_sort::sorted_by_cube;
use dollop_sim::Frame;
use glam::{DVec3, Vec3};
use rayon::prelude::*;
use std::ops::Range;

/// Cubes further from the origin than this are left out: room for neighbours within `i32`.
const KEY_LIMIT: f64 = (1 << 30) as f64;

/// Particles sorted into cubes; only occupied cubes, sorted.
pub(crate) struct ParticleCubes {
    edge: f64,
    buckets: Buckets,
    particles: Vec<u32>,
}

impl ParticleCubes {
    /// Sorts some particles of a frame into cubes of `edge`, m. Particles without a finite position or too far away are
    /// left out.
    pub fn new(frame: &Frame, edge: f64, is_in: impl Fn(usize) -> bool + Sync) -> Self {
        let entry = |(particle, position): (usize, &Vec3)| {
            let at = (position.as_dvec3() / edge).floor();
            // Comparisons with NaN are false.
            (at.abs().max_element() < KEY_LIMIT && is_in(particle)).then(|| (at.as_ivec3().to_array(), particle as u32))
        };
        let entries = sorted_by_cube(frame.positions.par_iter().enumerate().filter_map(entry).collect());
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

    /// All particles, sorted by their cubes.
    pub fn sorted(&self) -> &[u32] {
        &self.particles
    }

    /// The range of a cube's particles in the sorted list.
    pub fn range(&self, cube: usize) -> Range<usize> {
        self.buckets.items(cube)
    }

    /// The ranges in the sorted list of the particles of a cube and of all cubes within `reach` of it, over edges and
    /// corners too.
    pub fn around(&self, cube: usize, reach: i32) -> impl Iterator<Item = Range<usize>> {
        let rows = self.buckets.around(self.buckets.keys()[cube], reach);
        rows.map(move |cubes| self.buckets.items_of(cubes))
    }

    /// All occupied cubes within `reach` of a cube, itself too.
    pub fn cubes_around(&self, cube: usize, reach: i32) -> impl Iterator<Item = usize> {
        self.buckets.around(self.buckets.keys()[cube], reach).flatten()
    }

    /// The adjacent cubes that come later in the order.
    pub fn half_around(&self, cube: usize) -> impl Iterator<Item = usize> {
        let [x, y, z] = self.buckets.keys()[cube];
        let rows = [(0, 0, 1), (0, 1, -1), (1, -1, -1), (1, 0, -1), (1, 1, -1)];
        rows.into_iter().flat_map(move |(dx, dy, from)| self.buckets.row([x + dx, y + dy, z + from], z + 1))
    }
}
