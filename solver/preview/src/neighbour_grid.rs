//! Neighbour search: particles in a grid of cubic cells.

use glam::Vec3;
use rustc_hash::FxHashMap;
use std::ops::Range;

/// Particles sorted by cell, in their own order within a cell. Particles without a finite position are left out.
pub(crate) struct NeighbourGrid<'a> {
    positions: &'a [Vec3],
    edge: f32,
    items: Vec<u32>,
    ranges: FxHashMap<[i32; 3], Range<usize>>,
}

/// Cells beyond this coordinate are merged into one. No neighbour is missed, and cell coordinates do not overflow.
const MAX_COORDINATE: f32 = (1 << 30) as f32;

impl<'a> NeighbourGrid<'a> {
    /// A grid for distances up to `radius` m, which must be positive.
    pub fn new(positions: &'a [Vec3], radius: f32) -> Self {
        let mut keys: Vec<([i32; 3], u32)> = positions
            .iter()
            .zip(0..)
            .filter(|(position, _)| position.is_finite())
            .map(|(&position, item)| (key(position, radius), item))
            .collect();
        keys.sort_unstable();
        let mut ranges = FxHashMap::default();
        let mut start = 0;
        for cell in keys.chunk_by(|a, b| a.0 == b.0) {
            ranges.insert(cell[0].0, start..start + cell.len());
            start += cell.len();
        }
        Self { positions, edge: radius, items: keys.into_iter().map(|(_, item)| item).collect(), ranges }
    }

    /// The particles nearer to a point than the radius, and their squared distances, m^2.
    pub fn near(&self, point: Vec3) -> impl Iterator<Item = (usize, f32)> {
        let [x, y, z] = key(point, self.edge);
        let around = (0..27).map(move |n| [x + n / 9 - 1, y + n / 3 % 3 - 1, z + n % 3 - 1]);
        let items = around.filter_map(|key| self.ranges.get(&key)).flat_map(|range| &self.items[range.clone()]);
        items.filter_map(move |&item| {
            let squared = self.positions[item as usize].distance_squared(point);
            (squared < self.edge * self.edge).then_some((item as usize, squared))
        })
    }
}

fn key(position: Vec3, edge: f32) -> [i32; 3] {
    (position / edge).floor().clamp(Vec3::splat(-MAX_COORDINATE), Vec3::splat(MAX_COORDINATE)).as_ivec3().to_array()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Compares with a search through all points. The points come from a golden ratio sequence.
    #[test]
    fn neighbours_match_a_brute_force_search() {
        let fraction = |n: u32, step: f32| (n as f32 * step).fract() * 2.0 - 1.0;
        let mut points: Vec<Vec3> = (0..500)
            .map(|n| Vec3::new(fraction(n, 0.618_034), fraction(n, 0.754_878), fraction(n, 0.569_84)))
            .collect();
        points.push(Vec3::NAN);
        let cells = NeighbourGrid::new(&points, 0.3);
        for &point in &points[..500] {
            let mut found: Vec<_> = cells.near(point).map(|(item, _)| item).collect();
            found.sort_unstable();
            let all: Vec<_> = (0..500).filter(|&other| points[other].distance_squared(point) < 0.3 * 0.3).collect();
            assert_eq!(found, all);
        }
    }
}
