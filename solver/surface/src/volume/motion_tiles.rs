//! Velocity along the paths of fast matter: one mean per block of 8^3 nodes that matter only passes through.
//!
//! A renderer that steps back from there looks up the velocity again at the end of the step, so it only has to be led
//! to the matter. So a path costs little compared with a particle at rest, whatever its speed.

use super::density::DensityField;
use super::paths::{SHORT_PATH, half_path};
use crate::lattice::blocks::{BlockKey, EDGE};
use glam::DVec3;
use rayon::prelude::*;
use rustc_hash::FxHashMap;
use std::ops::AddAssign;

/// Half the longest path that tiles follow, voxels.
pub const LONGEST_PATH: f64 = 256.0;

/// Upper bound on the number of tiles for each block near the matter. If it is exceeded, all paths are cut shorter.
pub const MAX_TILES: usize = 128;

/// Distance between samples along a path, nodes along its main axis.
const STEP: f64 = 4.0;

/// How far tiles reach beyond the kernel's support, nodes: enough for interpolation there.
const BORDER: f64 = 1.0;

/// Weight of an adjacent block in the mean of a block.
const ADJACENT_WEIGHT: f64 = 0.125;

/// Particles that share a map, and particles whose maps are held at once. Fixed, so that sums are the same for any
/// number of threads.
const CHUNK: usize = 256;
const BATCH: usize = 32 * CHUNK;

/// The blocks on the paths of fast particles, sorted, with sums over those particles.
#[derive(Debug, Default)]
pub(crate) struct MotionTiles {
    blocks: Vec<(BlockKey, WeightedVelocity)>,
}

/// Sum of weights, and of velocities times weights.
#[derive(Debug, Clone, Copy, Default)]
struct WeightedVelocity {
    weight: f64,
    velocity: DVec3,
}

impl AddAssign for WeightedVelocity {
    fn add_assign(&mut self, other: Self) {
        self.weight += other.weight;
        self.velocity += other.velocity;
    }
}

impl MotionTiles {
    /// The tiles of a field whose matter and border touch `near` blocks.
    pub fn new(field: &DensityField, near: usize) -> Self {
        let fast: Vec<u32> =
            (0..field.particles.len()).filter(|&row| is_fast(field, row)).map(|row| row as u32).collect();
        let max_blocks = MAX_TILES * near;
        let lengths =
            std::iter::successors(Some(LONGEST_PATH), |length| Some(0.5 * length)).take_while(|&l| l >= SHORT_PATH);
        lengths.map(|length| Self::up_to(field, &fast, length, max_blocks)).find_map(|tiles| tiles).unwrap_or_default()
    }

    /// The tiles along paths, with half a path at most `longest`; none if there are more than `max_blocks`.
    fn up_to(field: &DensityField, fast: &[u32], longest: f64, max_blocks: usize) -> Option<Self> {
        let mut lines = FxHashMap::default();
        for batch in fast.chunks(BATCH) {
            let maps: Vec<_> = batch.par_chunks(CHUNK).map(|rows| line_sums(field, rows, longest)).collect();
            // Each map has one sum per block, so the order within a map does not matter.
            for (key, sum) in maps.into_iter().flatten() {
                *lines.entry(key).or_default() += sum;
            }
            if lines.len() > max_blocks {
                return None;
            }
        }
        let mut blocks: Vec<(BlockKey, WeightedVelocity)> = lines.into_iter().collect();
        blocks.par_sort_unstable_by_key(|&(key, _)| key);
        let extent = f64::from(field.profile.support) + BORDER + 0.5 * STEP;
        let dilations = (extent / f64::from(EDGE)).ceil() as usize;
        for axis in (0..3).cycle().take(3 * dilations) {
            blocks = dilate(&blocks, axis);
            if blocks.len() > max_blocks {
                return None;
            }
        }
        Some(Self { blocks })
    }

    /// The mean velocity in a block, m/s; none if no fast particle passes.
    pub fn velocity(&self, key: BlockKey) -> Option<[f32; 3]> {
        sum_at(&self.blocks, key).map(WeightedVelocity::mean)
    }

    /// Blocks and mean velocities, sorted by block.
    pub fn iter(&self) -> impl Iterator<Item = (BlockKey, [f32; 3])> {
        self.blocks.iter().map(|(key, sum)| (*key, sum.mean()))
    }
}

impl WeightedVelocity {
    fn mean(self) -> [f32; 3] {
        (self.velocity / self.weight).as_vec3().to_array()
    }

    fn times(self, factor: f64) -> Self {
        Self { weight: self.weight * factor, velocity: self.velocity * factor }
    }
}

fn is_fast(field: &DensityField, row: usize) -> bool {
    half_path(field, row).length() > SHORT_PATH
}

/// Sums over particles in the blocks that the centre lines of their paths cross.
fn line_sums(field: &DensityField, rows: &[u32], longest: f64) -> FxHashMap<BlockKey, WeightedVelocity> {
    let mut sums = FxHashMap::<BlockKey, WeightedVelocity>::default();
    for &row in rows {
        let row = row as usize;
        let weight = f64::from(field.factor(row));
        let sum = WeightedVelocity { weight, velocity: weight * field.velocity(row) };
        let mut last = None;
        for key in line(field.position(row), half_path(field, row).clamp_length_max(longest)) {
            if last.replace(key) != Some(key) {
                *sums.entry(key).or_default() += sum;
            }
        }
    }
    sums
}

/// The blocks of points on a line, at most a step apart.
fn line(centre: DVec3, half: DVec3) -> impl Iterator<Item = BlockKey> {
    let count = (2.0 * half.abs().max_element() / STEP).ceil().max(1.0) as u32;
    let at = move |step: u32| centre + half * (2.0 * f64::from(step) / f64::from(count) - 1.0);
    (0..=count).map(move |step| (at(step) / f64::from(EDGE)).floor().as_ivec3().to_array())
}

/// The sums of each block, plus weighted sums of the adjacent blocks along an axis.
fn dilate(blocks: &[(BlockKey, WeightedVelocity)], axis: usize) -> Vec<(BlockKey, WeightedVelocity)> {
    let adjacent = |mut key: BlockKey, step: i32| {
        key[axis] += step;
        key
    };
    let mut keys: Vec<BlockKey> =
        blocks.par_iter().flat_map_iter(|&(key, _)| [-1, 0, 1].map(|step| adjacent(key, step))).collect();
    keys.par_sort_unstable();
    keys.dedup();
    let around = |key: BlockKey| {
        let mut total = WeightedVelocity::default();
        for (step, part) in [(-1, ADJACENT_WEIGHT), (0, 1.0), (1, ADJACENT_WEIGHT)] {
            total += sum_at(blocks, adjacent(key, step)).unwrap_or_default().times(part);
        }
        (key, total)
    };
    keys.into_par_iter().map(around).collect()
}

fn sum_at(blocks: &[(BlockKey, WeightedVelocity)], key: BlockKey) -> Option<WeightedVelocity> {
    blocks.binary_search_by_key(&key, |&(key, _)| key).ok().map(|index| blocks[index].1)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use dollop_sim::kernel::Kernel;
    use dollop_sim::{Frame, SmoothingKernel};
    use glam::Vec3;

    /// Two particles that fly apart, each with a path of more than 300 voxels.
    fn two_fast_particles() -> Frame {
        let velocity = Vec3::new(800.0, 30.0, -20.0);
        let positions = vec![Vec3::new(0.0, 100.0, 0.0), Vec3::new(0.0, -100.0, 0.0)];
        Frame {
            velocities: vec![velocity, -velocity],
            rest_volumes: vec![1e-4; 2],
            ..Frame::of_points(positions, 0.05, SmoothingKernel::new(Kernel::Spiky, 0.05))
        }
    }

    /// Lowest and highest block along x on one side of y = 0.
    fn extent(tiles: &MotionTiles, above: bool) -> (i32, i32) {
        let along = tiles.iter().filter(|(key, _)| (key[1] > 0) == above).map(|(key, _)| key[0]);
        along.fold((i32::MAX, i32::MIN), |(low, high), x| (low.min(x), high.max(x)))
    }

    #[test]
    fn all_paths_are_cut_alike_if_there_are_too_many_tiles() {
        let frame = two_fast_particles();
        let field = DensityField::new(&frame, 0.05, None).unwrap();
        for (near, half) in [(50, 256), (6, 128), (1, 8)] {
            let tiles = MotionTiles::new(&field, near);
            assert!(tiles.blocks.len() <= MAX_TILES * near, "{} blocks", tiles.blocks.len());
            for above in [true, false] {
                let (low, high) = extent(&tiles, above);
                assert!((low + half / 8 + 1).abs() <= 1 && (high - half / 8 - 1).abs() <= 1, "{half}: {low} to {high}");
            }
        }
    }

    #[test]
    fn slow_matter_has_no_motion_tiles() {
        let mut frame = two_fast_particles();
        frame.velocities.fill(Vec3::X * (10.0 * 0.05 * 24.0 - 0.1));
        assert_eq!(MotionTiles::new(&DensityField::new(&frame, 0.05, None).unwrap(), 100).iter().count(), 0);
    }
}
