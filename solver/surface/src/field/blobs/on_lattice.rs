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
use glam::Vec3A;
use pulp::Arch;
use rayon::prelude::*;
use std::ops::Range;

/// The ellipsoid of a blob. Lengths are in cells.
#[derive(Debug, Clone, Copy)]
pub(crate) struct CellEllipsoid {
    /// Half the edges of its bounding box.
    pub extent: Vec3A,
    /// Radius of its bounding ball.
    pub radius: f32,
    pub metric: Symmetric,
}

/// A blob near a block: the contribution of a particle to the field. Lengths are in cells.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Blob {
    /// Centre, relative to the lowest node of the block.
    pub centre: Vec3A,
    /// Factor of the falloff.
    pub factor: f32,
    /// Index among all blobs of the lattice.
    pub index: u32,
}

/// A cube near a block.
#[derive(Debug, Clone, Copy)]
pub(crate) struct NearbyCube {
    /// From the coordinates of the cube to those of the block, cells.
    offset: Vec3A,
    cube: u32,
}

/// Room for the blobs near a block of common matter.
const TYPICAL_COUNT: usize = 512;

/// A blob without its ellipsoid.
struct BlobEntry {
    /// Centre, relative to the lowest node of its cube, cells.
    centre: Vec3A,
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
    bounds: Vec<(Vec3A, Vec3A)>,
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
            centre: in_cube(at(particle as usize).unwrap_or_default()).1.into(),
            factor: sources.factor(particle as usize),
            particle,
        };
        let entries_by_cube = CubeGrid::new(entries, entry);
        let ellipsoid = |entry: &BlobEntry| CellEllipsoid::new(sources.ellipsoid(entry.particle as usize), cell_size);
        let ellipsoids = match sources.common_ellipsoid() {
            Some(ellipsoid) => CellEllipsoids::Uniform(CellEllipsoid::new(ellipsoid, cell_size)),
            None => CellEllipsoids::Each(entries_by_cube.items().par_iter().map(ellipsoid).collect()),
        };
        let around = |(low, high): (Vec3A, Vec3A), index: usize| {
            let (centre, extent) = (entries_by_cube.items()[index].centre, ellipsoids.of(index).extent);
            (low.min(centre - extent), high.max(centre + extent))
        };
        let bounds =
            entries_by_cube.cubes().map(|cube| cube.fold((Vec3A::INFINITY, Vec3A::NEG_INFINITY), around)).collect();
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
        self.in_cubes(self.cubes_near(key, low, high), Vec3A::splat(low), Vec3A::splat(high))
    }

    /// The cubes whose blobs may reach into the box from `low` to `high` (cells, on all axes) of a block.
    pub fn cubes_near(&self, key: BlockKey, low: f32, high: f32) -> impl Iterator<Item = NearbyCube> {
        let beyond = (high - (EDGE - 1) as f32).max(-low).max(0.0);
        let (low, high) = (Vec3A::splat(low), Vec3A::splat(high));
        let near = self.entries_by_cube.cubes_near(key, self.reach + beyond);
        let cubes = near.map(|(offset, cube)| NearbyCube { offset: offset.into(), cube: cube as u32 });
        cubes.filter(move |cube| self.cube_reaches(cube, low, high))
    }

    /// The blobs of some cubes whose bounding boxes overlap a box.
    pub fn in_cubes(&self, cubes: impl Iterator<Item = NearbyCube>, low: Vec3A, high: Vec3A) -> Vec<Blob> {
        let mut found = Vec::with_capacity(TYPICAL_COUNT);
        for cube in cubes.filter(|cube| self.cube_reaches(cube, low, high)) {
            found.extend(self.of_cube(cube).filter(|blob| self.reaches(blob, low, high)));
        }
        found
    }

    /// Whether the blobs of a cube may reach into a box.
    fn cube_reaches(&self, &NearbyCube { offset, cube }: &NearbyCube, low: Vec3A, high: Vec3A) -> bool {
        let (lowest, highest) = self.bounds[cube as usize];
        (lowest + offset).cmple(high).all() && (highest + offset).cmpge(low).all()
    }

    /// The blobs of a cube.
    fn of_cube(&self, NearbyCube { offset, cube }: NearbyCube) -> impl Iterator<Item = Blob> {
        let range = self.entries_by_cube.of_cube(cube as usize);
        let entries = range.clone().zip(&self.entries_by_cube.items()[range]);
        entries.map(move |(index, entry)| Blob {
            centre: entry.centre + offset,
            factor: entry.factor,
            index: index as u32,
        })
    }

    /// Whether a blob may reach into a box.
    pub fn reaches(&self, blob: &Blob, low: Vec3A, high: Vec3A) -> bool {
        let ellipsoid = self.ellipsoid(blob);
        let off = blob.centre.clamp(low, high) - blob.centre;
        off.abs().cmple(ellipsoid.extent).all() && off.length_squared() <= ellipsoid.radius * ellipsoid.radius
    }

    /// The ellipsoid of a blob.
    pub fn ellipsoid(&self, blob: &Blob) -> &CellEllipsoid {
        self.ellipsoids.of(blob.index as usize)
    }

    /// The particle of a blob.
    pub fn particle(&self, blob: &Blob) -> u32 {
        self.entries_by_cube.items()[blob.index as usize].particle
    }

    /// The particles of all blobs, in the order of these.
    pub fn particles(&self) -> impl IndexedParallelIterator<Item = u32> {
        self.entries_by_cube.items().par_iter().map(|entry| entry.particle)
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
                    add::<F>(sum, blob, self.ellipsoids.of(blob.index as usize));
                }
            }
        ));
        values
    }
}

impl CellEllipsoid {
    fn new(ellipsoid: &Ellipsoid, cell_size: f64) -> Self {
        Self {
            extent: (ellipsoid.extent.as_dvec3() / cell_size).as_vec3().into(),
            radius: (f64::from(ellipsoid.radius) / cell_size) as f32,
            metric: ellipsoid.metric.map(|m| (f64::from(m) * cell_size * cell_size) as f32),
        }
    }
}

impl CellEllipsoids {
    /// The ellipsoid of a blob.
    #[inline(always)]
    fn of(&self, index: usize) -> &CellEllipsoid {
        match self {
            Self::Uniform(ellipsoid) => ellipsoid,
            Self::Each(ellipsoids) => &ellipsoids[index],
        }
    }
}

/// The nodes of a block that the bounding box of a blob covers along an axis.
#[inline(always)]
fn nodes_within(centre: f32, extent: f32) -> Range<usize> {
    let first = (centre - extent).ceil().max(0.0) as usize;
    let last = (centre + extent).floor().min(7.0);
    first..(last + 1.0).max(0.0) as usize
}

/// Nodes processed at once: two rows of eight along z.
const LANES: usize = 16;

/// Adds a blob to the nodes of a block. t is a quadratic polynomial in y with coefficients that depend on x and z.
#[inline(always)]
fn add<F: Falloff>(values: &mut [f32; SLOTS], blob: &Blob, ellipsoid: &CellEllipsoid) {
    let [xx, yy, zz, yz, xz, xy] = ellipsoid.metric;
    let (centre, extent) = (blob.centre.to_array(), ellipsoid.extent.to_array());
    let (mut dz, mut y) = ([0.0; LANES], [0.0; LANES]);
    for lane in 0..LANES {
        dz[lane] = (lane & 7) as f32 - centre[2];
        y[lane] = (lane >> 3) as f32 - centre[1];
    }
    let ys = nodes_within(centre[1], extent[1]);
    for x in nodes_within(centre[0], extent[0]) {
        let dx = x as f32 - centre[0];
        let (mut constant, mut linear) = ([0.0; LANES], [0.0; LANES]);
        for lane in 0..LANES {
            constant[lane] = xx * dx * dx + dz[lane] * (2.0 * xz * dx + zz * dz[lane]);
            linear[lane] = 2.0 * (xy * dx + yz * dz[lane]);
        }
        let pairs = ys.start / 2..ys.end.div_ceil(2);
        for (pair, rows) in pairs.clone().zip(&mut values.as_chunks_mut::<LANES>().0[x << 2..][pairs]) {
            for lane in 0..LANES {
                let dy = (2 * pair) as f32 + y[lane];
                rows[lane] += blob.factor * F::value(constant[lane] + dy * (linear[lane] + yy * dy));
            }
        }
    }
}
