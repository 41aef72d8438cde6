//! The distance to the closest triangle, in a band around a mesh.
//!
//! Each block visits the triangles near it and takes the least distance, eight voxels at a time without branches: to
//! the plane if the voxel projects into the triangle, and to the edges always.

// Only functions inlined into a task of `pulp::Arch::dispatch` use its vector instructions.
#![allow(clippy::inline_always)]

use super::BAND;
use crate::lattice::blocks::{BlockKey, EDGE, SLOTS};
use crate::lattice::cube_grid::{CubeGrid, in_cube};
use crate::lattice::vectorized::vectorized;
use glam::{DVec3, Vec3};
use pulp::Arch;
use rayon::prelude::*;

const LANES: usize = EDGE as usize;

type F32x8 = [f32; LANES];

/// The triangles of a mesh, sorted into cubes.
pub(super) struct TriangleDistances {
    arch: Arch,
    /// Corners, relative to the cube of the first corner.
    cells: CubeGrid<[Vec3; 3]>,
    /// Largest distance of a corner from the first corner of its triangle along an axis, voxels.
    extent: f32,
}

impl TriangleDistances {
    /// The triangles of a mesh in lattice coordinates.
    pub fn new(triangles: &[[DVec3; 3]]) -> Self {
        let entry = |(number, corners): (usize, &[DVec3; 3])| (in_cube(corners[0]).0, number as u32);
        let entries = triangles.par_iter().enumerate().map(entry).collect();
        let local = |number: u32| {
            let corners = &triangles[number as usize];
            let first = in_cube(corners[0]).1;
            corners.map(|corner| first + (corner - corners[0]).as_vec3())
        };
        let cells = CubeGrid::new(entries, local);
        let reach = |[a, b, c]: &[Vec3; 3]| (b - a).abs().max((c - a).abs()).max_element();
        let extent = cells.items().par_iter().map(reach).reduce(|| 0.0, f32::max);
        Self { arch: Arch::new(), cells, extent }
    }

    /// The blocks that the band may reach, sorted.
    pub fn blocks(&self) -> Vec<BlockKey> {
        self.cells.blocks(BAND + self.extent)
    }

    /// The distances at the nodes of a block, voxels, capped at half the width of the band; none if all nodes are
    /// beyond the band.
    pub fn distances(&self, key: BlockKey) -> Option<Box<[f32; SLOTS]>> {
        let near = self.cells.near(key, BAND + self.extent);
        let local = near.flat_map(|(offset, items)| items.iter().map(move |item| item.map(|corner| corner + offset)));
        let facets: Vec<LocalTriangle> = local.filter_map(LocalTriangle::near_block).collect();
        if facets.is_empty() {
            return None;
        }
        let mut squared = Box::new([BAND * BAND; SLOTS]);
        vectorized(
            self.arch,
            #[inline(always)]
            || {
                for triangle in &facets {
                    triangle.lower_to(&mut squared);
                }
            },
        );
        squared.iter_mut().for_each(|value| *value = value.sqrt());
        Some(squared)
    }
}

/// A triangle in the coordinates of a block.
struct LocalTriangle {
    low: Vec3,
    high: Vec3,
    edges: [LocalEdge; 3],
    /// Unit normal, or zero for a degenerate triangle.
    normal: Vec3,
}

/// An edge of a triangle.
struct LocalEdge {
    start: Vec3,
    along: Vec3,
    /// One over the squared length, or zero.
    per_length: f32,
    /// Perpendicular to the edge, in the plane of the triangle, pointing inwards.
    inwards: Vec3,
}

impl LocalTriangle {
    /// None if the band around the triangle does not reach the nodes of the block.
    fn near_block(corners: [Vec3; 3]) -> Option<Self> {
        let [a, b, c] = corners;
        let (low, high) = (a.min(b).min(c), a.max(b).max(c));
        let gap = (low - (EDGE - 1) as f32).max(-high).max(Vec3::ZERO);
        if gap.length_squared() >= BAND * BAND {
            return None;
        }
        let normal = (b - a).cross(c - a).normalize_or_zero();
        let edge = |number: usize| {
            let (start, along) = (corners[number], corners[(number + 1) % 3] - corners[number]);
            let squared = along.length_squared();
            let per_length = if squared > 0.0 { squared.recip() } else { 0.0 };
            LocalEdge { start, along, per_length, inwards: normal.cross(along) }
        };
        Some(Self { low, high, edges: [edge(0), edge(1), edge(2)], normal })
    }

    /// Lowers the squared distances at the nodes of a block to those from this triangle.
    #[inline(always)]
    fn lower_to(&self, squared: &mut [f32; SLOTS]) {
        let range = |axis: usize| {
            let first = (self.low[axis] - BAND).ceil().max(0.0) as usize;
            let last = (self.high[axis] + BAND).floor().min((EDGE - 1) as f32);
            first..(last + 1.0).max(0.0) as usize
        };
        for x in range(0) {
            for y in range(1) {
                let gap = |axis: usize, c: f32| (self.low[axis] - c).max(c - self.high[axis]).max(0.0);
                let (dx, dy) = (gap(0, x as f32), gap(1, y as f32));
                let row = &mut squared[x << 6 | y << 3..][..LANES];
                let most = row.iter().fold(0.0, |most, value| if *value > most { *value } else { most });
                if dx * dx + dy * dy >= most {
                    continue;
                }
                let found = self.row(x as f32, y as f32);
                for (value, found) in row.iter_mut().zip(found) {
                    *value = if found < *value { found } else { *value };
                }
            }
        }
    }

    /// The squared distances at a row of nodes along z.
    #[inline(always)]
    fn row(&self, x: f32, y: f32) -> F32x8 {
        let (mut least, mut is_over) = ([f32::INFINITY; LANES], [true; LANES]);
        for LocalEdge { start, along, per_length, inwards } in &self.edges {
            let (px, py) = (x - start.x, y - start.y);
            let (flat, side) = (px * along.x + py * along.y, px * inwards.x + py * inwards.y);
            for z in 0..LANES {
                let pz = z as f32 - start.z;
                let t = (flat + pz * along.z) * per_length;
                let t = if t > 0.0 { t } else { 0.0 };
                let t = if t < 1.0 { t } else { 1.0 };
                let (rx, ry, rz) = (px - t * along.x, py - t * along.y, pz - t * along.z);
                let distance = rx * rx + ry * ry + rz * rz;
                least[z] = if distance < least[z] { distance } else { least[z] };
                is_over[z] &= side + pz * inwards.z > 0.0;
            }
        }
        let start = self.edges[0].start;
        let flat = (x - start.x) * self.normal.x + (y - start.y) * self.normal.y;
        for z in 0..LANES {
            let height = flat + (z as f32 - start.z) * self.normal.z;
            least[z] = if is_over[z] { height * height } else { least[z] };
        }
        least
    }
}
