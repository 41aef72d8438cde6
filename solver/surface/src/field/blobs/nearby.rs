//! The blobs near a block, and their sum at any point.

// Only functions inlined into a task of `pulp::Arch::dispatch` use its vector instructions.
#![allow(clippy::inline_always)]

use super::ellipsoid::Symmetric;
use super::falloff::{Falloff, with_falloff};
use super::on_lattice::{Blob, Blobs, NearbyCube};
use crate::field::FieldSample;
use crate::lattice::blocks::{BlockKey, EDGE};
use crate::lattice::cell::CellEdge;
use crate::lattice::splat::NumberRows;
use crate::lattice::vectorized::vectorized;
use glam::{Vec3, Vec3A};
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
    cubes: Vec<NearbyCube>,
    /// The values of the particle of each blob of the lattice.
    rows: &'a NumberRows,
    /// One for each octant of the block: bit a of the index is set for the upper half along axis a. Built on demand.
    octants: [OnceCell<Octant>; 8],
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
    /// `rows` has a row of values for each blob of the lattice.
    pub fn new(blobs: &'a Blobs, key: BlockKey, rows: &'a NumberRows) -> Self {
        Self { blobs, cubes: blobs.cubes_near(key, 0.0, EDGE as f32).collect(), rows, octants: Default::default() }
    }

    fn octant(&self, number: usize) -> &Octant {
        self.octants[number].get_or_init(|| {
            let low = Vec3A::from(HALF * CellEdge::corner(number));
            let near = self.blobs.in_cubes(self.cubes.iter().copied(), low, low + HALF);
            Octant::new(&near, self.blobs, self.rows)
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
            || octant.add_sums(&contributions.weights, sums, self.rows.width),
        );
    }
}

impl BlobPack {
    fn set(&mut self, lane: usize, blob: &Blob, metric: &Symmetric) {
        (0..3).for_each(|axis| self.centre[axis][lane] = blob.centre[axis]);
        (0..6).for_each(|entry| self.metric[entry][lane] = metric[entry]);
        self.factor[lane] = blob.factor;
    }
}

impl Octant {
    fn new(near: &[Blob], blobs: &Blobs, rows: &NumberRows) -> Self {
        let count = near.len().div_ceil(LANES);
        let mut packs = vec![BlobPack::default(); count];
        let mut columns = vec![[0.0; LANES]; count * rows.width];
        let groups = near.chunks(LANES).zip(&mut packs).zip(columns.chunks_exact_mut(rows.width));
        for ((group, pack), columns) in groups {
            for (lane, blob) in group.iter().enumerate() {
                pack.set(lane, blob, &blobs.ellipsoid(blob).metric);
                let row = &rows.values[blob.index as usize * rows.width..][..rows.width];
                columns.iter_mut().zip(row).for_each(|(column, value)| column[lane] = *value);
            }
        }
        Self { packs, columns, particles: near.iter().map(|blob| blobs.particle(blob)).collect() }
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
