//! Blobs on a lattice, and their sum at its nodes.

// Only functions inlined into a task of `pulp::Arch::dispatch` use its vector instructions.
#![allow(clippy::inline_always)]

use super::ellipsoid::{Ellipsoid, Symmetric};
use super::falloff::{Falloff, FalloffKind, with_falloff};
use super::sources::Sources;
use crate::lattice::blocks::{BlockKey, EDGE, INDEX_LIMIT, SLOTS};
use crate::lattice::buckets::CubeKey;
use crate::lattice::cube_grid::{CubeGrid, in_cube};
use crate::lattice::vectorized::vectorized;
use glam::Vec3;
use pulp::Arch;
use rayon::prelude::*;
use std::ops::Range;

/// The ellipsoid of a blob. Lengths are in cells.
#[derive(Debug, Clone, Copy)]
pub(crate) struct CellEllipsoid {
    /// Half the edges of its bounding box.
    pub extent: Vec3,
    /// Radius of its bounding ball.
    pub radius: f32,
    pub metric: Symmetric,
}

/// A blob: the contribution of a particle to the field. Lengths are in cells.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Blob {
    /// Centre, relative to the lowest node of a block.
    pub centre: Vec3,
    pub ellipsoid: CellEllipsoid,
    /// Factor of the falloff.
    pub factor: f32,
    pub particle: u32,
}

/// A blob without its ellipsoid.
struct BlobEntry {
    /// Centre, relative to the lowest node of its cube, cells.
    centre: Vec3,
    factor: f32,
    particle: u32,
}

/// The ellipsoids of all blobs, in their order.
enum CellEllipsoids {
    Uniform(CellEllipsoid),
    Each(Vec<CellEllipsoid>),
}

/// The blobs of a frame on a lattice, sorted by the cubes of their centres.
pub(crate) struct Blobs {
    /// Edge length of a cell, m.
    pub cell_size: f64,
    kind: FalloffKind,
    arch: Arch,
    entries_by_cube: CubeGrid<BlobEntry>,
    ellipsoids: CellEllipsoids,
    /// Bounding box of the blobs of each cube, relative to the cube.
    bounds: Vec<(Vec3, Vec3)>,
    /// Largest reach of a blob, cells.
    reach: f32,
}

impl Blobs {
    /// The blobs on a lattice with cells of `cell_size`, m. Blobs further than 2^30 cells from the origin are left out.
    pub fn new(sources: &Sources, cell_size: f64) -> Self {
        let at = |particle: usize| sources.centre(particle).map(|centre| centre / cell_size);
        let located = |particle: usize| {
            let at = at(particle).filter(|at| at.abs().max_element() < INDEX_LIMIT)?;
            Some((in_cube(at).0, particle as u32))
        };
        let entries: Vec<(CubeKey, u32)> = (0..sources.frame.len()).into_par_iter().filter_map(located).collect();
        let entry = |particle: u32| BlobEntry {
            centre: in_cube(at(particle as usize).unwrap_or_default()).1,
            factor: sources.factor(particle as usize),
            particle,
        };
        let entries_by_cube = CubeGrid::new(entries, entry);
        let ellipsoid = |entry: &BlobEntry| CellEllipsoid::new(sources.ellipsoid(entry.particle as usize), cell_size);
        let ellipsoids = match sources.common_ellipsoid() {
            Some(ellipsoid) => CellEllipsoids::Uniform(CellEllipsoid::new(ellipsoid, cell_size)),
            None => CellEllipsoids::Each(entries_by_cube.items().par_iter().map(ellipsoid).collect()),
        };
        let around = |(low, high): (Vec3, Vec3), index: usize| {
            let (centre, extent) = (entries_by_cube.items()[index].centre, ellipsoids.of(index).extent);
            (low.min(centre - extent), high.max(centre + extent))
        };
        let bounds =
            entries_by_cube.cubes().map(|cube| cube.fold((Vec3::INFINITY, Vec3::NEG_INFINITY), around)).collect();
        let reach = (sources.reach() / cell_size) as f32;
        Self { cell_size, kind: sources.kind, arch: Arch::new(), entries_by_cube, ellipsoids, bounds, reach }
    }

    /// Updates the factors to new gains of the sources; the set of sources must be the same.
    pub fn update_gains(&mut self, sources: &Sources) {
        self.entries_by_cube
            .items_mut()
            .par_iter_mut()
            .for_each(|entry| entry.factor = sources.factor(entry.particle as usize));
    }

    /// The blocks that a blob may reach, sorted.
    pub fn blocks(&self) -> Vec<BlockKey> {
        self.entries_by_cube.blocks(self.reach)
    }

    pub fn arch(&self) -> Arch {
        self.arch
    }

    pub fn kind(&self) -> FalloffKind {
        self.kind
    }

    /// The blobs whose bounding boxes overlap the box from `low` to `high` (cells, on all axes) of a block, relative to
    /// the block.
    pub fn around(&self, key: BlockKey, low: f32, high: f32) -> Vec<Blob> {
        let beyond = (high - (EDGE - 1) as f32).max(-low).max(0.0);
        let (low, high) = (Vec3::splat(low), Vec3::splat(high));
        let mut found = vec![];
        for (offset, cube) in self.entries_by_cube.cubes_near(key, self.reach + beyond) {
            let (lowest, highest) = self.bounds[cube];
            if (lowest + offset).cmple(high).all() && (highest + offset).cmpge(low).all() {
                found.extend(self.of_cube(cube, offset).filter(|blob| blob.reaches(low, high)));
            }
        }
        found
    }

    /// The blobs of a cube, with `offset` added to convert to block coordinates.
    fn of_cube(&self, cube: usize, offset: Vec3) -> impl Iterator<Item = Blob> {
        self.entries_by_cube.of_cube(cube).map(move |index| {
            let entry = &self.entries_by_cube.items()[index];
            let (factor, particle) = (entry.factor, entry.particle);
            Blob { centre: entry.centre + offset, ellipsoid: *self.ellipsoids.of(index), factor, particle }
        })
    }

    /// The field at the nodes of a block.
    pub fn values(&self, key: BlockKey) -> Box<[f32; SLOTS]> {
        self.values_of(&self.around(key, 0.0, (EDGE - 1) as f32))
    }

    /// The sum of some blobs at the nodes of their block.
    pub fn values_of(&self, blobs: &[Blob]) -> Box<[f32; SLOTS]> {
        let mut values = Box::new([0.0; SLOTS]);
        let sum = &mut *values;
        with_falloff!(self.kind, F => vectorized(
            self.arch,
            #[inline(always)]
            || {
                for blob in blobs {
                    add::<F>(sum, blob);
                }
            }
        ));
        values
    }
}

impl Blob {
    /// Whether the blob may reach into a box.
    pub fn reaches(&self, low: Vec3, high: Vec3) -> bool {
        let off = self.centre.clamp(low, high) - self.centre;
        off.abs().cmple(self.ellipsoid.extent).all()
            && off.length_squared() <= self.ellipsoid.radius * self.ellipsoid.radius
    }
}

impl CellEllipsoid {
    fn new(ellipsoid: &Ellipsoid, cell_size: f64) -> Self {
        Self {
            extent: (ellipsoid.extent.as_dvec3() / cell_size).as_vec3(),
            radius: (f64::from(ellipsoid.radius) / cell_size) as f32,
            metric: ellipsoid.metric.map(|m| (f64::from(m) * cell_size * cell_size) as f32),
        }
    }
}

impl CellEllipsoids {
    /// The ellipsoid of a blob.
    fn of(&self, index: usize) -> &CellEllipsoid {
        match self {
            Self::Uniform(ellipsoid) => ellipsoid,
            Self::Each(ellipsoids) => &ellipsoids[index],
        }
    }
}

/// The nodes of a block that the bounding box of a blob covers along an axis.
#[inline(always)]
fn nodes_within(blob: &Blob, axis: usize) -> Range<usize> {
    let first = (blob.centre[axis] - blob.ellipsoid.extent[axis]).ceil().max(0.0) as usize;
    let last = (blob.centre[axis] + blob.ellipsoid.extent[axis]).floor().min(7.0);
    first..(last + 1.0).max(0.0) as usize
}

/// Nodes processed at once: two rows of eight along z.
const LANES: usize = 16;

/// Adds a blob to the nodes of a block. t is a quadratic polynomial in y with coefficients that depend on x and z.
#[inline(always)]
fn add<F: Falloff>(values: &mut [f32; SLOTS], blob: &Blob) {
    let [xx, yy, zz, yz, xz, xy] = blob.ellipsoid.metric;
    let (mut dz, mut y) = ([0.0; LANES], [0.0; LANES]);
    for lane in 0..LANES {
        dz[lane] = (lane & 7) as f32 - blob.centre.z;
        y[lane] = (lane >> 3) as f32 - blob.centre.y;
    }
    let ys = nodes_within(blob, 1);
    for x in nodes_within(blob, 0) {
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
