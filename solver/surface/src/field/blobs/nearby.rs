//! The blobs near a block, and their sum at any point.

// Only functions inlined into a task of `pulp::Arch::dispatch` use its vector instructions.
#![allow(clippy::inline_always)]

use super::falloff::{Falloff, with_falloff};
use super::on_lattice::{Blob, Blobs};
use crate::field::FieldSample;
use crate::lattice::blocks::{BlockKey, EDGE};
use crate::lattice::cell::CellEdge;
use crate::lattice::vectorized::vectorized;
use glam::Vec3;
use std::cell::OnceCell;

const LANES: usize = 16;

type F32x16 = [f32; LANES];

/// Cells along the edge of an octant.
const HALF: f32 = (EDGE / 2) as f32;

/// Sixteen blobs.
#[derive(Debug, Clone, Copy, Default)]
struct BlobPack {
    centre: [F32x16; 3],
    metric: [F32x16; 6],
    factor: F32x16,
}

/// The blobs that reach the cells of a block, and the rows of values of their particles. Points are relative to the
/// lowest node of the block, in cells.
pub(crate) struct NearbyBlobs<'a> {
    blobs: &'a Blobs,
    all: Vec<Blob>,
    /// The values of the particle of each blob, one row after another.
    rows: Vec<f32>,
    /// One for each octant of the block: bit a of the index is set for the upper half along axis a. Built on demand.
    octants: [OnceCell<Octant>; 8],
    width: usize,
}

/// The blobs that reach the cells of an eighth of a block.
#[derive(Debug, Default)]
struct Octant {
    packs: Vec<BlobPack>,
    /// For each pack, the values of its particles, one column after another.
    columns: Vec<F32x16>,
    /// The particle of each blob.
    particles: Vec<u32>,
}

/// Contributions of the particles of an octant to the field at a point.
#[derive(Debug, Default)]
pub(crate) struct BlobContributions {
    pub octant: usize,
    weights: Vec<F32x16>,
}

impl<'a> NearbyBlobs<'a> {
    /// `row` writes the values of a particle, `width` of them.
    pub fn new(blobs: &'a Blobs, key: BlockKey, width: usize, row: impl Fn(u32, &mut [f32])) -> Self {
        let near = blobs.around(key, 0.0, EDGE as f32);
        let mut rows = vec![0.0; near.len() * width];
        near.iter().zip(rows.chunks_exact_mut(width)).for_each(|(blob, values)| row(blob.particle, values));
        Self { blobs, all: near, rows, octants: Default::default(), width }
    }

    fn octant(&self, number: usize) -> &Octant {
        self.octants[number].get_or_init(|| {
            let low = HALF * CellEdge::corner(number);
            let mut octant = Octant::default();
            let all = self.all.iter().zip(self.rows.chunks_exact(self.width));
            all.filter(|(blob, _)| blob.reaches(low, low + HALF)).for_each(|(blob, row)| octant.push(blob, row));
            octant
        })
    }

    /// The particles whose blobs reach an octant.
    pub fn particles(&self, octant: usize) -> &[u32] {
        &self.octant(octant).particles
    }

    /// The field at a point; stores the contributions of particles.
    pub fn sample(&self, point: Vec3, contributions: &mut BlobContributions) -> FieldSample {
        contributions.octant = point.cmpge(Vec3::splat(HALF)).bitmask() as usize;
        let octant = self.octant(contributions.octant);
        contributions.weights.resize(octant.packs.len(), [0.0; LANES]);
        let weights = &mut contributions.weights[..];
        with_falloff!(self.blobs.kind(), F => vectorized(
            self.blobs.arch(),
            #[inline(always)]
            || octant.sample::<F>(point, weights)
        ))
    }

    /// Makes the particle of the closest blob the only contribution at a point that no blob reaches.
    pub fn take_nearest(&self, point: Vec3, contributions: &mut BlobContributions) {
        let octant = self.octant(contributions.octant);
        let distances = octant.packs.iter().flat_map(|pack| {
            let [x, y, z] = pack.centre;
            (0..LANES).map(move |lane| point.distance_squared(Vec3::new(x[lane], y[lane], z[lane])))
        });
        let nearest = distances.take(octant.particles.len()).enumerate().min_by(|a, b| a.1.total_cmp(&b.1));
        let weights = contributions.weights.as_flattened_mut();
        weights.fill(0.0);
        if let Some((index, _)) = nearest {
            weights[index] = 1.0;
        }
    }

    /// The particles of an octant and their contributions.
    pub fn contributions(&self, contributions: &BlobContributions) -> impl Iterator<Item = (u32, f32)> {
        self.octant(contributions.octant)
            .particles
            .iter()
            .copied()
            .zip(contributions.weights.as_flattened().iter().copied())
    }

    /// Adds the sums of the rows of particles, weighted by their contributions.
    pub fn add_sums(&self, contributions: &BlobContributions, sums: &mut [f32]) {
        let octant = self.octant(contributions.octant);
        vectorized(
            self.blobs.arch(),
            #[inline(always)]
            || octant.add_sums(&contributions.weights, sums, self.width),
        );
    }
}

impl Octant {
    fn push(&mut self, blob: &Blob, row: &[f32]) {
        let lane = self.particles.len() % LANES;
        if lane == 0 {
            self.packs.push(BlobPack::default());
            self.columns.resize(self.columns.len() + row.len(), [0.0; LANES]);
        }
        if let Some(pack) = self.packs.last_mut() {
            (0..3).for_each(|axis| pack.centre[axis][lane] = blob.centre[axis]);
            (0..6).for_each(|entry| pack.metric[entry][lane] = blob.ellipsoid.metric[entry]);
            pack.factor[lane] = blob.factor;
        }
        let last = self.columns.len() - row.len();
        self.columns[last..].iter_mut().zip(row).for_each(|(column, value)| column[lane] = *value);
        self.particles.push(blob.particle);
    }

    #[inline(always)]
    fn sample<F: Falloff>(&self, point: Vec3, weights: &mut [F32x16]) -> FieldSample {
        let mut sums = [[0.0; LANES]; 4];
        for (pack, weights) in self.packs.iter().zip(weights) {
            let [xx, yy, zz, yz, xz, xy] = &pack.metric;
            for lane in 0..LANES {
                let dx = point.x - pack.centre[0][lane];
                let dy = point.y - pack.centre[1][lane];
                let dz = point.z - pack.centre[2][lane];
                // Half the gradient of t.
                let x = xx[lane] * dx + xy[lane] * dy + xz[lane] * dz;
                let y = xy[lane] * dx + yy[lane] * dy + yz[lane] * dz;
                let z = xz[lane] * dx + yz[lane] * dy + zz[lane] * dz;
                let t = x * dx + y * dy + z * dz;
                let slope = 2.0 * pack.factor[lane] * F::slope(t);
                let value = pack.factor[lane] * F::value(t);
                weights[lane] = value;
                sums[0][lane] += value;
                sums[1][lane] += slope * x;
                sums[2][lane] += slope * y;
                sums[3][lane] += slope * z;
            }
        }
        let [value, x, y, z] = sums.map(|lanes| lanes.iter().sum());
        FieldSample { value, gradient: Vec3::new(x, y, z) }
    }

    #[inline(always)]
    fn add_sums(&self, weights: &[F32x16], sums: &mut [f32], width: usize) {
        for (column, sum) in sums.iter_mut().enumerate() {
            let mut lanes = [0.0; LANES];
            for (weights, values) in weights.iter().zip(self.columns.chunks_exact(width)) {
                for lane in 0..LANES {
                    lanes[lane] += weights[lane] * values[column][lane];
                }
            }
            *sum += lanes.iter().sum::<f32>();
        }
    }
}
