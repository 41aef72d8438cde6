//! The blobs around a block, and their sum at any point.

// What is not inlined into a task for `pulp::Arch::dispatch` does not use its vector instructions.
#![allow(clippy::inline_always)]

use super::blobs::{Blob, Blobs};
use super::falloff::{Falloff, with_falloff};
use crate::blocks::{BlockKey, EDGE};
use crate::table::CellEdge;
use glam::Vec3;
use std::cell::OnceCell;

const LANES: usize = 16;

type Lanes = [f32; LANES];

/// Cells along the edge of an octant.
const HALF: f32 = (EDGE / 2) as f32;

/// Sixteen blobs.
#[derive(Debug, Clone, Copy, Default)]
struct Pack {
    centre: [Lanes; 3],
    metric: [Lanes; 6],
    factor: Lanes,
}

/// The blobs that reach the cells of a block, and rows of values that their particles carry. Points are relative to its
/// lowest node, in cells.
pub(crate) struct Near<'a> {
    blobs: &'a Blobs,
    reaching: Vec<Blob>,
    /// The values of the particle of each blob, one row after another.
    rows: Vec<f32>,
    /// By the half of the block on each axis: bit a is set for the upper half along axis a. Made when first asked for.
    octants: [OnceCell<Octant>; 8],
    width: usize,
}

/// The blobs that reach the cells of an eighth of a block.
#[derive(Debug, Default)]
struct Octant {
    packs: Vec<Pack>,
    /// For each pack the values of its particles, one column after another.
    columns: Vec<Lanes>,
    /// The particle of each blob.
    particles: Vec<u32>,
}

/// What the particles of an octant give to the field at a point.
#[derive(Debug, Default)]
pub(crate) struct Parts {
    pub octant: usize,
    weights: Vec<Lanes>,
}

/// The field at a point.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Level {
    pub value: f32,
    /// 1/cell.
    pub gradient: Vec3,
}

impl<'a> Near<'a> {
    /// `row` writes the values of a particle, `width` of them.
    pub fn new(blobs: &'a Blobs, key: BlockKey, width: usize, row: impl Fn(u32, &mut [f32])) -> Self {
        let near = blobs.around(key, 0.0, EDGE as f32);
        let mut rows = vec![0.0; near.len() * width];
        near.iter().zip(rows.chunks_exact_mut(width)).for_each(|(blob, values)| row(blob.particle, values));
        Self { blobs, reaching: near, rows, octants: Default::default(), width }
    }

    fn octant(&self, number: usize) -> &Octant {
        self.octants[number].get_or_init(|| {
            let low = HALF * CellEdge::corner(number);
            let mut octant = Octant::default();
            let all = self.reaching.iter().zip(self.rows.chunks_exact(self.width));
            all.filter(|(blob, _)| blob.meets(low, low + HALF)).for_each(|(blob, row)| octant.push(blob, row));
            octant
        })
    }

    /// The particles whose blobs reach an octant.
    pub fn particles(&self, octant: usize) -> &[u32] {
        &self.octant(octant).particles
    }

    /// The field at a point, and what particles give to it.
    pub fn level(&self, point: Vec3, parts: &mut Parts) -> Level {
        parts.octant = point.cmpge(Vec3::splat(HALF)).bitmask() as usize;
        let octant = self.octant(parts.octant);
        parts.weights.resize(octant.packs.len(), [0.0; LANES]);
        let weights = &mut parts.weights[..];
        with_falloff!(self.blobs.kind(), F => self.blobs.arch().dispatch(|| octant.level::<F>(point, weights)))
    }

    /// Lets the particle of the nearest blob alone give something at a point: what the point carries where no blob reaches it.
    pub fn take_nearest(&self, point: Vec3, parts: &mut Parts) {
        let octant = self.octant(parts.octant);
        let distances = octant.packs.iter().flat_map(|pack| {
            let [x, y, z] = pack.centre;
            (0..LANES).map(move |lane| point.distance_squared(Vec3::new(x[lane], y[lane], z[lane])))
        });
        let nearest = distances.take(octant.particles.len()).enumerate().min_by(|a, b| a.1.total_cmp(&b.1));
        let weights = parts.weights.as_flattened_mut();
        weights.fill(0.0);
        if let Some((place, _)) = nearest {
            weights[place] = 1.0;
        }
    }

    /// The particles of an octant and what they give.
    pub fn parts(&self, parts: &Parts) -> impl Iterator<Item = (u32, f32)> {
        self.octant(parts.octant).particles.iter().copied().zip(parts.weights.as_flattened().iter().copied())
    }

    /// Adds the sums of what the particles carry, weighted by what they give.
    pub fn add_sums(&self, parts: &Parts, sums: &mut [f32]) {
        let octant = self.octant(parts.octant);
        self.blobs.arch().dispatch(|| octant.add_sums(&parts.weights, sums, self.width));
    }
}

impl Octant {
    fn push(&mut self, blob: &Blob, row: &[f32]) {
        let lane = self.particles.len() % LANES;
        if lane == 0 {
            self.packs.push(Pack::default());
            self.columns.resize(self.columns.len() + row.len(), [0.0; LANES]);
        }
        if let Some(pack) = self.packs.last_mut() {
            (0..3).for_each(|axis| pack.centre[axis][lane] = blob.centre[axis]);
            (0..6).for_each(|entry| pack.metric[entry][lane] = blob.form.metric[entry]);
            pack.factor[lane] = blob.factor;
        }
        let last = self.columns.len() - row.len();
        self.columns[last..].iter_mut().zip(row).for_each(|(column, value)| column[lane] = *value);
        self.particles.push(blob.particle);
    }

    #[inline(always)]
    fn level<F: Falloff>(&self, point: Vec3, weights: &mut [Lanes]) -> Level {
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
        Level { value, gradient: Vec3::new(x, y, z) }
    }

    #[inline(always)]
    fn add_sums(&self, weights: &[Lanes], sums: &mut [f32], width: usize) {
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
