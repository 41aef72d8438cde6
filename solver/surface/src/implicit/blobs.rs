//! Blobs in the blocks of a lattice, and their sum at the nodes.

// What is not inlined into a task for `pulp::Arch::dispatch` does not use its vector instructions.
#![allow(clippy::inline_always)]

use super::falloff::{Falloff, Kind, with_falloff};
use super::sources::{Sources, Symmetric};
use crate::blocks::{BlockKey, EDGE, INDEX_LIMIT, SLOTS};
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
    keys: Vec<BlockKey>,
    starts: Vec<usize>,
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
        let (mut keys, mut starts) = (vec![], vec![]);
        for (start, &(key, _)) in entries.iter().enumerate() {
            if keys.last() != Some(&key) {
                keys.push(key);
                starts.push(start);
            }
        }
        starts.push(entries.len());
        let sorted = entries.par_iter().map(|&(key, particle)| blob(sources, cell_size, key, particle)).collect();
        let reach = (sources.reach() / cell_size) as f32;
        Self { cell_size, kind: sources.kind, arch: Arch::new(), keys, starts, sorted, reach }
    }

    /// The blocks that hold a centre, sorted.
    pub fn keys(&self) -> &[BlockKey] {
        &self.keys
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
    pub fn around(&self, key: BlockKey, low: f32, high: f32) -> impl Iterator<Item = Blob> {
        let reach = self.reach_in_blocks();
        let rows = (-reach..=reach).flat_map(move |x| (-reach..=reach).map(move |y| (key[0] + x, key[1] + y)));
        let blocks = rows.flat_map(move |(x, y)| {
            let first = self.keys.partition_point(|other| *other < [x, y, key[2] - reach]);
            let count = self.keys[first..].iter().take_while(|other| **other <= [x, y, key[2] + reach]).count();
            first..first + count
        });
        blocks.flat_map(move |block| {
            let to: [i32; 3] = std::array::from_fn(|axis| (self.keys[block][axis] - key[axis]) * EDGE);
            let offset = Vec3::from_array(to.map(|c| c as f32));
            let seen = self.sorted[self.starts[block]..self.starts[block + 1]].iter();
            seen.map(move |blob| Blob { centre: blob.centre + offset, ..*blob })
                .filter(move |blob| blob.meets(Vec3::splat(low), Vec3::splat(high)))
        })
    }

    /// The field at the nodes of a block.
    pub fn values(&self, key: BlockKey) -> Box<[f32; SLOTS]> {
        self.values_of(&mut self.around(key, 0.0, (EDGE - 1) as f32))
    }

    /// The sum of some blobs at the nodes of the block that they are seen from.
    pub fn values_of(&self, blobs: &mut dyn Iterator<Item = Blob>) -> Box<[f32; SLOTS]> {
        let mut values = Box::new([0.0; SLOTS]);
        with_falloff!(self.kind, F => for blob in blobs {
            self.arch.dispatch(|| add::<F>(&mut values, &blob));
        });
        values
    }
}

impl Blob {
    /// Whether the blob may reach into a box.
    pub fn meets(&self, low: Vec3, high: Vec3) -> bool {
        let off = self.centre.clamp(low, high) - self.centre;
        // Nothing of it lies beyond this sphere, nor beyond its own box.
        let radius = if self.is_round() { self.extent.x } else { self.extent.length() };
        off.abs().cmple(self.extent).all() && off.length_squared() <= radius * radius
    }

    fn is_round(&self) -> bool {
        let [xx, yy, zz, yz, xz, xy] = self.metric;
        [xx - yy, xx - zz, yz, xz, xy].into_iter().all(|difference| difference.abs() < 1e-6 * xx)
    }
}

fn blob(sources: &Sources, cell_size: f64, key: BlockKey, particle: u32) -> Blob {
    let shape = sources.shape(particle as usize);
    let centre = sources.centre(particle as usize).unwrap_or_default() / cell_size;
    let lowest = glam::DVec3::from_array(key.map(|c| f64::from(c) * f64::from(EDGE)));
    Blob {
        centre: (centre - lowest).as_vec3(),
        extent: (shape.extent.as_dvec3() / cell_size).as_vec3(),
        metric: shape.metric.map(|m| (f64::from(m) * cell_size * cell_size) as f32),
        factor: sources.factor(particle as usize),
        particle,
    }
}

/// Adds a blob to the nodes of a block, in rows of eight along z.
#[inline(always)]
fn add<F: Falloff>(values: &mut [f32; SLOTS], blob: &Blob) {
    let range = |axis: usize| {
        let first = (blob.centre[axis] - blob.extent[axis]).ceil().max(0.0) as usize;
        let last = (blob.centre[axis] + blob.extent[axis]).floor().min(7.0);
        first..(last + 1.0).max(0.0) as usize
    };
    let [xx, yy, zz, yz, xz, xy] = blob.metric;
    for x in range(0) {
        let dx = x as f32 - blob.centre.x;
        for y in range(1) {
            let dy = y as f32 - blob.centre.y;
            let flat = xx * dx * dx + 2.0 * xy * dx * dy + yy * dy * dy;
            let slant = 2.0 * (xz * dx + yz * dy);
            // Its least over all z.
            if flat * zz - 0.25 * slant * slant >= zz {
                continue;
            }
            let row = &mut values[x << 6 | y << 3..][..8];
            for (z, value) in row.iter_mut().enumerate() {
                let dz = z as f32 - blob.centre.z;
                *value += blob.factor * F::value(flat + dz * (slant + dz * zz));
            }
        }
    }
}
