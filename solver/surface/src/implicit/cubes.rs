//! The particles of a frame in cubes: who is near whom.

use dollop_sim::Frame;
use glam::{DVec3, Vec3};
use rayon::prelude::*;

/// Cubes further from the origin than this are left out: room for neighbours within `i32`.
const KEY_LIMIT: f64 = (1 << 30) as f64;

/// Particles in cubes of some edge; only cubes that hold some, sorted.
pub(crate) struct Cubes {
    edge: f64,
    keys: Vec<[i32; 3]>,
    starts: Vec<usize>,
    particles: Vec<u32>,
}

impl Cubes {
    /// The particles of a frame in cubes of that edge, m. Those with no finite position, or too far away, are left out.
    pub fn new(frame: &Frame, edge: f64) -> Self {
        let place = |(particle, position): (usize, &Vec3)| {
            let at = (position.as_dvec3() / edge).floor();
            // Comparisons with NaN are false.
            (at.abs().max_element() < KEY_LIMIT).then(|| (at.as_ivec3().to_array(), particle as u32))
        };
        let mut entries: Vec<([i32; 3], u32)> = frame.positions.par_iter().enumerate().filter_map(place).collect();
        entries.par_sort_unstable();
        let mut cubes = Self { edge, keys: vec![], starts: vec![], particles: vec![] };
        for (start, &(key, _)) in entries.iter().enumerate() {
            if cubes.keys.last() != Some(&key) {
                cubes.keys.push(key);
                cubes.starts.push(start);
            }
        }
        cubes.starts.push(entries.len());
        cubes.particles = entries.into_iter().map(|(_, particle)| particle).collect();
        cubes
    }

    /// Number of cubes.
    pub fn len(&self) -> usize {
        self.keys.len()
    }

    /// The lowest corner of a cube, m.
    pub fn corner(&self, cube: usize) -> DVec3 {
        DVec3::from_array(self.keys[cube].map(f64::from)) * self.edge
    }

    /// The particles of a cube, ascending.
    pub fn particles(&self, cube: usize) -> &[u32] {
        &self.particles[self.starts[cube]..self.starts[cube + 1]]
    }

    /// The particles of a cube and of all within so many cubes of it, over edges and corners too.
    pub fn around(&self, cube: usize, reach: i32) -> impl Iterator<Item = u32> {
        let [x, y, z] = self.keys[cube];
        let rows = (x - reach..=x + reach).flat_map(move |x| (y - reach..=y + reach).map(move |y| (x, y)));
        rows.flat_map(move |(x, y)| {
            let cubes = self.row([x, y, z - reach], z + reach);
            self.particles[self.starts[cubes.start]..self.starts[cubes.end]].iter().copied()
        })
    }

    /// The cubes next to one that come after it.
    pub fn half_around(&self, cube: usize) -> impl Iterator<Item = usize> {
        let [x, y, z] = self.keys[cube];
        let rows = [(0, 0, 1), (0, 1, -1), (1, -1, -1), (1, 0, -1), (1, 1, -1)];
        rows.into_iter().flat_map(move |(dx, dy, from)| self.row([x + dx, y + dy, z + from], z + 1))
    }

    /// The cubes of a row along z, from one up to a height.
    fn row(&self, first: [i32; 3], last: i32) -> std::ops::Range<usize> {
        let start = self.keys.partition_point(|key| *key < first);
        let length = self.keys[start..].iter().take_while(|key| **key <= [first[0], first[1], last]).count();
        start..start + length
    }
}
