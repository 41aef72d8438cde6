//! Means over particles along their paths while a shutter is open: values for voxels beyond the matter itself.
//!
//! A renderer looks up the velocity at a point that matter crosses while the shutter is open, and steps back along it.
//! So the velocity must be known along the path of each particle, from half a frame interval before its position to
//! half an interval after. Weights fall off with the distance from the path. Long paths are left to `motion_tiles`.

use super::density::DensityField;
use crate::lattice::buckets::CubeKey;
use crate::lattice::cube_grid::{CubeGrid, in_cube};
use crate::lattice::splat::{Splat, SplatItem, SplatShape};
use glam::{DVec3, Vec3};
use rayon::prelude::*;

/// How far the means reach beyond the support of the kernel, voxels: a border of one voxel over corners, sqrt(3), and
/// enough that weights there do not vanish.
const BORDER: f32 = 2.0;

/// Half the longest path that is sampled voxel by voxel, voxels. A faster particle counts at its position alone and
/// adds tiles along its path.
pub const SHORT_PATH: f64 = 6.0;

/// Longest piece of a path, voxels, so that each is near few others.
const MAX_PIECE: f64 = 8.0;

/// A straight piece of a path, voxels.
#[derive(Debug, Clone, Copy)]
pub(crate) struct PathSegment {
    middle: Vec3,
    /// From the middle to the end.
    half: Vec3,
    /// Length of `half`.
    length: f32,
    /// One over the square of the length, or zero.
    per_length: f32,
}

impl PathSegment {
    fn new(middle: Vec3, half: Vec3) -> Self {
        let squared = half.length_squared();
        Self { middle, half, length: squared.sqrt(), per_length: if squared > 0.0 { squared.recip() } else { 0.0 } }
    }
}

// Inlined into loops that `pulp` dispatches.
#[allow(clippy::inline_always)]
impl SplatShape for PathSegment {
    #[inline(always)]
    fn distance_squared(&self, point: Vec3) -> f32 {
        let offset = point - self.middle;
        let along = offset.dot(self.half) * self.per_length;
        // Comparisons, unlike `clamp`, are one instruction each.
        let along = if along > -1.0 { along } else { -1.0 };
        let along = if along < 1.0 { along } else { 1.0 };
        (offset - along * self.half).length_squared()
    }

    #[inline(always)]
    fn bounds(&self) -> (Vec3, Vec3) {
        (self.middle - self.half.abs(), self.middle + self.half.abs())
    }

    #[inline(always)]
    fn ball(&self) -> (Vec3, f32) {
        (self.middle, self.length)
    }

    #[inline(always)]
    fn moved(&self, by: Vec3) -> Self {
        Self { middle: self.middle + by, ..*self }
    }
}

/// The paths of the particles of a field, or only their positions unless `moving`.
pub(crate) fn paths(field: &DensityField, moving: bool) -> Splat<PathSegment> {
    let short_half_path = |row: usize| {
        let half = if moving { half_path(field, row) } else { DVec3::ZERO };
        if half.length() > SHORT_PATH { DVec3::ZERO } else { half }
    };
    let pieces_of = |row: usize| {
        pieces(field.position(row), short_half_path(row)).map(move |(cube, piece)| (cube, (row as u32, piece)))
    };
    let entries: Vec<(CubeKey, (u32, u32))> =
        (0..field.particles.len()).into_par_iter().flat_map_iter(pieces_of).collect();
    let item = |(row, number): (u32, u32)| {
        let (centre, half) = (field.position(row as usize), short_half_path(row as usize));
        let (middle, half) = piece(centre, half, number);
        let shape = PathSegment::new(in_cube(middle).1, half.as_vec3());
        SplatItem { shape, factor: field.factor(row as usize), row }
    };
    let cells = CubeGrid::new(entries, item);
    let reach = |item: &SplatItem<PathSegment>| item.shape.half.abs().max_element();
    let extent = cells.items().par_iter().map(reach).reduce(|| 0.0, f32::max);
    Splat { cells, support: field.profile.support + BORDER, extent }
}

/// Half the path of a particle, voxels: the motion over half a frame interval, plus one voxel. Zero for a particle at
/// rest.
pub(crate) fn half_path(field: &DensityField, row: usize) -> DVec3 {
    let travel = field.velocity(row) * (0.5 * field.frame.interval / field.cell_size);
    let length = travel.length();
    if length > 0.0 && length.is_finite() { travel * ((length + 1.0) / length) } else { DVec3::ZERO }
}

fn piece_count(half: DVec3) -> u32 {
    (2.0 * half.length() / MAX_PIECE).ceil().max(1.0) as u32
}

/// The middle and half the extent of a piece of a path.
fn piece(centre: DVec3, half: DVec3, number: u32) -> (DVec3, DVec3) {
    let count = f64::from(piece_count(half));
    (centre + half * ((2.0 * f64::from(number) + 1.0) / count - 1.0), half / count)
}

/// The pieces of a path: the cubes of their middles, and their numbers.
fn pieces(centre: DVec3, half: DVec3) -> impl Iterator<Item = (CubeKey, u32)> {
    (0..piece_count(half)).map(move |number| (in_cube(piece(centre, half, number).0).0, number))
}
