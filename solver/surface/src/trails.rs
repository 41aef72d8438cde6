//! Velocity along the ways of fast matter: one mean for each block of 8^3 nodes that matter only passes through.
//!
//! A renderer that steps back from there looks the velocity up once more where it comes out, so it needs no more than
//! to be led to the matter. That keeps the cost of a way small against that of a particle at rest, whatever its speed.

use crate::blocks::{BlockKey, EDGE};
use crate::field::Field;
use crate::paths::{SHORT_WAY, half_way};
use glam::DVec3;
use rayon::prelude::*;
use rustc_hash::FxHashMap;
use std::ops::AddAssign;

/// Half the longest way that tiles follow, voxels.
pub const LONGEST_WAY: f64 = 256.0;

/// Bound on the blocks of all trails, for each block near the matter. Where it is met, all ways end sooner.
pub const MOST_TILES: usize = 128;

/// Distance between the points of a way that are looked at, nodes along its main axis.
const STEP: f64 = 4.0;

/// How far beyond the kernel's support a trail reaches, nodes: enough for interpolation there.
const BORDER: f64 = 1.0;

/// Part that a block's mean takes of a block beside it.
const BESIDE: f64 = 0.125;

/// Particles that share a map, and those whose maps are held at once. Fixed, so that sums are the same for any number
/// of threads.
const CHUNK: usize = 256;
const BATCH: usize = 32 * CHUNK;

/// The blocks on the ways of fast particles, sorted, and the sums over the particles that come through.
#[derive(Debug, Default)]
pub(crate) struct Trails {
    blocks: Vec<(BlockKey, Sum)>,
}

/// Sum of weights, and of velocities times weights.
#[derive(Debug, Clone, Copy, Default)]
struct Sum {
    weight: f64,
    velocity: DVec3,
}

impl AddAssign for Sum {
    fn add_assign(&mut self, other: Self) {
        self.weight += other.weight;
        self.velocity += other.velocity;
    }
}

impl Trails {
    /// The trails of a field whose matter and its border touch `near` blocks.
    pub fn new(field: &Field, near: usize) -> Self {
        let fast: Vec<u32> =
            (0..field.particles.len()).filter(|&row| is_fast(field, row)).map(|row| row as u32).collect();
        let most = MOST_TILES * near;
        let lengths =
            std::iter::successors(Some(LONGEST_WAY), |length| Some(0.5 * length)).take_while(|&l| l >= SHORT_WAY);
        lengths.map(|length| Self::up_to(field, &fast, length, most)).find_map(|trails| trails).unwrap_or_default()
    }

    /// The trails of ways of which no half is longer; none if that makes too many blocks.
    fn up_to(field: &Field, fast: &[u32], longest: f64, most: usize) -> Option<Self> {
        let mut lines = FxHashMap::default();
        for batch in fast.chunks(BATCH) {
            let maps: Vec<_> = batch.par_chunks(CHUNK).map(|rows| line_sums(field, rows, longest)).collect();
            // Each map has one sum a block, so the order within it does not matter.
            for (key, sum) in maps.into_iter().flatten() {
                *lines.entry(key).or_default() += sum;
            }
            if lines.len() > most {
                return None;
            }
        }
        let mut blocks: Vec<(BlockKey, Sum)> = lines.into_iter().collect();
        blocks.par_sort_unstable_by_key(|&(key, _)| key);
        let reach = f64::from(field.profile.support) + BORDER + 0.5 * STEP;
        let spreads = (reach / f64::from(EDGE)).ceil() as usize;
        for axis in (0..3).cycle().take(3 * spreads) {
            blocks = spread(&blocks, axis);
            if blocks.len() > most {
                return None;
            }
        }
        Some(Self { blocks })
    }

    /// The mean velocity in a block, m/s; none where no fast particle comes through.
    pub fn velocity(&self, key: BlockKey) -> Option<[f32; 3]> {
        sum_at(&self.blocks, key).map(Sum::mean)
    }

    /// Blocks and mean velocities, sorted.
    pub fn iter(&self) -> impl Iterator<Item = (BlockKey, [f32; 3])> {
        self.blocks.iter().map(|(key, sum)| (*key, sum.mean()))
    }
}

impl Sum {
    fn mean(self) -> [f32; 3] {
        (self.velocity / self.weight).as_vec3().to_array()
    }

    fn times(self, factor: f64) -> Self {
        Self { weight: self.weight * factor, velocity: self.velocity * factor }
    }
}

fn is_fast(field: &Field, row: usize) -> bool {
    half_way(field, row).length() > SHORT_WAY
}

/// The blocks that the middle lines of the ways come through.
fn line_sums(field: &Field, rows: &[u32], longest: f64) -> FxHashMap<BlockKey, Sum> {
    let mut sums = FxHashMap::<BlockKey, Sum>::default();
    for &row in rows {
        let row = row as usize;
        let weight = f64::from(field.factor(row));
        let sum = Sum { weight, velocity: weight * field.velocity(row) };
        let mut last = None;
        for key in line(field.position(row), half_way(field, row).clamp_length_max(longest)) {
            if last.replace(key) != Some(key) {
                *sums.entry(key).or_default() += sum;
            }
        }
    }
    sums
}

/// The blocks of points on a line, no two of them further apart than the step.
fn line(centre: DVec3, half: DVec3) -> impl Iterator<Item = BlockKey> {
    let count = (2.0 * half.abs().max_element() / STEP).ceil().max(1.0) as u32;
    let at = move |place: u32| centre + half * (2.0 * f64::from(place) / f64::from(count) - 1.0);
    (0..=count).map(move |place| (at(place) / f64::from(EDGE)).floor().as_ivec3().to_array())
}

/// The sums of each block and, for a part, of those beside it along an axis.
fn spread(blocks: &[(BlockKey, Sum)], axis: usize) -> Vec<(BlockKey, Sum)> {
    let beside = |mut key: BlockKey, step: i32| {
        key[axis] += step;
        key
    };
    let mut keys: Vec<BlockKey> =
        blocks.par_iter().flat_map_iter(|&(key, _)| [-1, 0, 1].map(|step| beside(key, step))).collect();
    keys.par_sort_unstable();
    keys.dedup();
    let around = |key: BlockKey| {
        let mut total = Sum::default();
        for (step, part) in [(-1, BESIDE), (0, 1.0), (1, BESIDE)] {
            total += sum_at(blocks, beside(key, step)).unwrap_or_default().times(part);
        }
        (key, total)
    };
    keys.into_par_iter().map(around).collect()
}

fn sum_at(blocks: &[(BlockKey, Sum)], key: BlockKey) -> Option<Sum> {
    blocks.binary_search_by_key(&key, |&(key, _)| key).ok().map(|place| blocks[place].1)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use dollop_sim::kernel::Kernel;
    use dollop_sim::{Frame, FrameStats, SmoothingKernel};
    use glam::Vec3;

    /// Two particles that fly apart, each on its way of 300 voxels and more.
    fn apart() -> Frame {
        let velocity = Vec3::new(800.0, 30.0, -20.0);
        Frame {
            number: 1,
            time: 0.0,
            interval: 1.0 / 24.0,
            spacing: 0.05,
            kernel: SmoothingKernel::new(Kernel::Spiky, 0.05),
            ids: Vec::new(),
            positions: vec![Vec3::new(0.0, 100.0, 0.0), Vec3::new(0.0, -100.0, 0.0)],
            velocities: vec![velocity, -velocity],
            rest_volumes: vec![1e-4; 2],
            sources: vec![0; 2],
            source_names: vec!["matter".into()],
            lasting: Vec::new(),
            skins: Vec::new(),
            seams: Vec::new(),
            fields: vec![],
            stats: FrameStats::default(),
            reactions: Vec::new(),
        }
    }

    /// Lowest and highest block along x on one side of y = 0.
    fn reach(trails: &Trails, above: bool) -> (i32, i32) {
        let along = trails.iter().filter(|(key, _)| (key[1] > 0) == above).map(|(key, _)| key[0]);
        along.fold((i32::MAX, i32::MIN), |(low, high), x| (low.min(x), high.max(x)))
    }

    #[test]
    fn ways_end_sooner_all_alike_where_there_are_too_many_blocks() {
        let frame = apart();
        let field = Field::new(&frame, 0.05, None).unwrap();
        for (near, half) in [(50, 256), (6, 128), (1, 8)] {
            let trails = Trails::new(&field, near);
            assert!(trails.blocks.len() <= MOST_TILES * near, "{} blocks", trails.blocks.len());
            for above in [true, false] {
                let (low, high) = reach(&trails, above);
                assert!((low + half / 8 + 1).abs() <= 1 && (high - half / 8 - 1).abs() <= 1, "{half}: {low} to {high}");
            }
        }
    }

    #[test]
    fn slow_matter_leaves_no_trail() {
        let mut frame = apart();
        frame.velocities.fill(Vec3::X * (10.0 * 0.05 * 24.0 - 0.1));
        assert_eq!(Trails::new(&Field::new(&frame, 0.05, None).unwrap(), 100).iter().count(), 0);
    }
}
