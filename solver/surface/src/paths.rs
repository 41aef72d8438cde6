//! Averages over the matter around its way while a shutter is open: values for voxels beyond the matter itself.
//!
//! A renderer looks up the velocity at a point that the matter crosses while the shutter is open, and steps back along
//! it. So velocity must be known on the way of each particle, from half a frame interval before its place to half
//! after. Weights fall off with the distance to the way. Long ways are not followed here but by `trails`.

use crate::buckets::Key;
use crate::cells::{Cells, in_cube};
use crate::field::Field;
use crate::splat::{Item, Reach, Splat};
use glam::{DVec3, Vec3};
use rayon::prelude::*;

/// How far beyond the support of the kernel the averages reach, voxels: the border of one voxel over corners, sqrt(3),
/// and enough that weights there do not vanish.
const BORDER: f32 = 2.0;

/// Half the longest way that is followed voxel by voxel, voxels: a particle that moves further is taken where it is, and
/// leaves a trail of tiles.
pub const SHORT_WAY: f64 = 6.0;

/// A piece of a way is no longer than this, voxels, so that it is near few others.
const LONGEST_PIECE: f64 = 8.0;

/// A straight part of a way. Voxels.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Segment {
    middle: Vec3,
    /// From the middle to the end.
    half: Vec3,
    /// Length of that.
    length: f32,
    /// One over its square, or zero.
    per_length: f32,
}

impl Segment {
    fn new(middle: Vec3, half: Vec3) -> Self {
        let squared = half.length_squared();
        Self { middle, half, length: squared.sqrt(), per_length: if squared > 0.0 { squared.recip() } else { 0.0 } }
    }
}

// Inlined into loops that `pulp` dispatches.
#[allow(clippy::inline_always)]
impl Reach for Segment {
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

/// The ways of the particles of a field, or only their places unless they are `moving`.
pub(crate) fn paths(field: &Field, moving: bool) -> Splat<Segment> {
    let way = |row: usize| {
        let half = if moving { half_way(field, row) } else { DVec3::ZERO };
        if half.length() > SHORT_WAY { DVec3::ZERO } else { half }
    };
    let pieces_of =
        |row: usize| pieces(field.position(row), way(row)).map(move |(cube, piece)| (cube, (row as u32, piece)));
    let entries: Vec<(Key, (u32, u32))> = (0..field.particles.len()).into_par_iter().flat_map_iter(pieces_of).collect();
    let item = |(row, number): (u32, u32)| {
        let (centre, half) = (field.position(row as usize), way(row as usize));
        let (middle, half) = piece(centre, half, number);
        let shape = Segment::new(in_cube(middle).1, half.as_vec3());
        Item { shape, factor: field.factor(row as usize), row }
    };
    let cells = Cells::new(entries, item);
    let reach = |item: &Item<Segment>| item.shape.half.abs().max_element();
    let extent = cells.items().par_iter().map(reach).reduce(|| 0.0, f32::max);
    Splat { cells, support: field.profile.support + BORDER, extent }
}

/// Half the way of a particle, voxels: half a frame interval and one voxel more. Zero where it does not move.
pub(crate) fn half_way(field: &Field, row: usize) -> DVec3 {
    let travel = field.velocity(row) * (0.5 * field.frame.interval / field.cell_size);
    let length = travel.length();
    if length > 0.0 && length.is_finite() { travel * ((length + 1.0) / length) } else { DVec3::ZERO }
}

fn piece_count(half: DVec3) -> u32 {
    (2.0 * half.length() / LONGEST_PIECE).ceil().max(1.0) as u32
}

/// The middle of a piece of a way, and half its length.
fn piece(centre: DVec3, half: DVec3, number: u32) -> (DVec3, DVec3) {
    let count = f64::from(piece_count(half));
    (centre + half * ((2.0 * f64::from(number) + 1.0) / count - 1.0), half / count)
}

/// The pieces of a way: the cubes of their middles, and their numbers.
fn pieces(centre: DVec3, half: DVec3) -> impl Iterator<Item = (Key, u32)> {
    (0..piece_count(half)).map(move |number| (in_cube(piece(centre, half, number).0).0, number))
}
