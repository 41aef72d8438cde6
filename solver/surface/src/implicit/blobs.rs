//! Blobs in the blocks of a lattice, and their sum at the nodes.

// What is not inlined into a task for `pulp::Arch::dispatch` does not use its vector instructions.
#![allow(clippy::inline_always)]

use super::falloff::{Falloff, Kind, with_falloff};
use super::sources::{Sources, Symmetric};
use crate::blocks::{BlockKey, EDGE, INDEX_LIMIT, SLOTS};
use crate::buckets::Buckets;
use glam::Vec3;
use pulp::Arch;
use rayon::prelude::*;

/// The source of a part of the field. Lengths in cells.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Blob {
    /// Centre, relative to the lowest node of the block that it lies in or is looked at from.
    pub centre: Vec3,
    /// Half the edges of the box around it.
    pub extent: Vec3,
    /// Radius of the ball around it.
    pub radius: f32,
    pub metric: Symmetric,
    /// What the falloff is multiplied by.
    pub factor: f32,
    pub particle: u32,
}

/// The blobs of a frame on a lattice, sorted by the blocks that their centres lie in.
pub(crate) struct Blobs {
    /// Edge length of a cell, m.
    pub cell_size: f64,
    kind: Kind,
    arch: Arch,
    blocks: Buckets,
    /// The boxes around all blobs of a block, as seen from it.
    bounds: Vec<(Vec3, Vec3)>,
    sorted: Vec<Blob>,
    /// No blob reaches further, cells.
    reach: f32,
}

impl Blobs {
    /// The blobs on a lattice whose cells are so wide, m. Those further than 2^30 cells from the origin are left out.
    pub fn new(sources: &Sources, cell_size: f64) -> Self {
        let place = |particle: usize| {
            let block = (sources.centre(particle)? / (cell_size * f64::from(EDGE))).floor();
            let limit = INDEX_LIMIT / f64::from(EDGE);
            (block.abs().max_element() < limit).then(|| (block.as_ivec3().to_array(), particle as u32))
        };
        let mut entries: Vec<(BlockKey, u32)> = (0..sources.frame.len()).into_par_iter().filter_map(place).collect();
        entries.par_sort_unstable();
        let blocks = Buckets::new(&entries);
        let sorted: Vec<Blob> =
            entries.par_iter().map(|&(key, particle)| blob(sources, cell_size, key, particle)).collect();
        let bounds =
            (0..blocks.keys().len()).into_par_iter().map(|block| bounds(&sorted[blocks.items(block)])).collect();
        let reach = (sources.reach() / cell_size) as f32;
        Self { cell_size, kind: sources.kind, arch: Arch::new(), blocks, bounds, sorted, reach }
    }

    /// The blocks that hold a centre, sorted.
    pub fn keys(&self) -> &[BlockKey] {
        self.blocks.keys()
    }

    /// How many blocks away from its own a blob may reach.
    pub fn reach_in_blocks(&self) -> i32 {
        (self.reach / EDGE as f32).ceil() as i32
    }

    pub fn arch(&self) -> Arch {
        self.arch
    }

    pub fn kind(&self) -> Kind {
        self.kind
    }

    /// The blobs whose boxes meet that from `low` to `high` (cells, on all axes) of a block, as seen from it.
    pub fn around(&self, key: BlockKey, low: f32, high: f32) -> Vec<Blob> {
        let (low, high) = (Vec3::splat(low), Vec3::splat(high));
        let mut found = vec![];
        for block in self.blocks.around(key, self.reach_in_blocks()).flatten() {
            let other = self.blocks.keys()[block];
            let to: [i32; 3] = std::array::from_fn(|axis| (other[axis] - key[axis]) * EDGE);
            self.meeting(block, Vec3::from_array(to.map(|c| c as f32)), low, high, &mut found);
        }
        found
    }

    /// The blobs of a block that meet a box as seen from another, to which so far is to be added.
    fn meeting(&self, block: usize, offset: Vec3, low: Vec3, high: Vec3, found: &mut Vec<Blob>) {
        let (lowest, highest) = self.bounds[block];
        if (lowest + offset).cmpgt(high).any() || (highest + offset).cmplt(low).any() {
            return;
        }
        for blob in &self.sorted[self.blocks.items(block)] {
            let seen = Blob { centre: blob.centre + offset, ..*blob };
            if seen.meets(low, high) {
                found.push(seen);
            }
        }
    }

    /// The field at the nodes of a block.
    pub fn values(&self, key: BlockKey) -> Box<[f32; SLOTS]> {
        self.values_of(&self.around(key, 0.0, (EDGE - 1) as f32))
    }

    /// The sum of some blobs at the nodes of the block that they are seen from.
    pub fn values_of(&self, blobs: &[Blob]) -> Box<[f32; SLOTS]> {
        let mut values = Box::new([0.0; SLOTS]);
        let sum = &mut *values;
        with_falloff!(self.kind, F => self.arch.dispatch(|| blobs.iter().for_each(|blob| add::<F>(sum, blob))));
        values
    }
}

impl Blob {
    /// Whether the blob may reach into a box.
    pub fn meets(&self, low: Vec3, high: Vec3) -> bool {
        let off = self.centre.clamp(low, high) - self.centre;
        off.abs().cmple(self.extent).all() && off.length_squared() <= self.radius * self.radius
    }
}

/// The box around the boxes of some blobs.
fn bounds(blobs: &[Blob]) -> (Vec3, Vec3) {
    let around = |(low, high): (Vec3, Vec3), blob: &Blob| {
        (low.min(blob.centre - blob.extent), high.max(blob.centre + blob.extent))
    };
    blobs.iter().fold((Vec3::INFINITY, Vec3::NEG_INFINITY), around)
}

fn blob(sources: &Sources, cell_size: f64, key: BlockKey, particle: u32) -> Blob {
    let shape = sources.shape(particle as usize);
    let centre = sources.centre(particle as usize).unwrap_or_default() / cell_size;
    let lowest = glam::DVec3::from_array(key.map(|c| f64::from(c) * f64::from(EDGE)));
    Blob {
        centre: (centre - lowest).as_vec3(),
        extent: (shape.extent.as_dvec3() / cell_size).as_vec3(),
        radius: (f64::from(shape.radius) / cell_size) as f32,
        metric: shape.metric.map(|m| (f64::from(m) * cell_size * cell_size) as f32),
        factor: sources.factor(particle as usize),
        particle,
    }
}

/// Nodes that are taken at once: two rows of eight along z.
const LANES: usize = 16;

/// Adds a blob to the nodes of a block. t is a polynomial of second degree in y whose coefficients depend on x and z.
#[inline(always)]
fn add<F: Falloff>(values: &mut [f32; SLOTS], blob: &Blob) {
    let range = |axis: usize| {
        let first = (blob.centre[axis] - blob.extent[axis]).ceil().max(0.0) as usize;
        let last = (blob.centre[axis] + blob.extent[axis]).floor().min(7.0);
        first..(last + 1.0).max(0.0) as usize
    };
    let [xx, yy, zz, yz, xz, xy] = blob.metric;
    let (mut dz, mut y) = ([0.0; LANES], [0.0; LANES]);
    for lane in 0..LANES {
        dz[lane] = (lane & 7) as f32 - blob.centre.z;
        y[lane] = (lane >> 3) as f32 - blob.centre.y;
    }
    let ys = range(1);
    for x in range(0) {
        let dx = x as f32 - blob.centre.x;
        let (mut constant, mut linear) = ([0.0; LANES], [0.0; LANES]);
        for lane in 0..LANES {
            constant[lane] = xx * dx * dx + dz[lane] * (2.0 * xz * dx + zz * dz[lane]);
            linear[lane] = 2.0 * (xy * dx + yz * dz[lane]);
        }
        for pair in ys.start / 2..ys.end.div_ceil(2) {
            let rows = &mut values[x << 6 | pair << 4..][..LANES];
            for lane in 0..LANES {
                let dy = (2 * pair) as f32 + y[lane];
                rows[lane] += blob.factor * F::value(constant[lane] + dy * (linear[lane] + yy * dy));
            }
        }
    }
}
