//! Averages over the matter around its way while a shutter is open: values for voxels beyond the matter itself.
//!
//! A renderer looks up the velocity at a point that the matter crosses while the shutter is open, and steps back along
//! it. So velocity must be known on the way of each particle, from half a frame interval before its place to half
//! after. Weights fall off with the distance to the way. Long ways are not followed here but by `trails`.

use crate::blocks::{BlockIndex, BlockKey, EDGE, LatticeBox, local};
use crate::field::{Field, Reach, Sums};
use dollop_sim::with_shape;
use glam::{DVec3, Vec3};
use rayon::prelude::*;

/// How far beyond the support of the kernel the averages reach, voxels: the border of one voxel over corners, sqrt(3),
/// and enough that weights there do not vanish.
const BORDER: f32 = 2.0;

/// Half the longest way that is followed voxel by voxel, voxels: a particle that moves further is taken where it is, and
/// leaves a trail of tiles.
pub const SHORT_WAY: f64 = 6.0;

/// The ways of the particles of a field.
pub(crate) struct Paths<'a> {
    field: &'a Field<'a>,
    pieces: Vec<Piece>,
    /// Which pieces touch which block.
    pub index: BlockIndex,
}

/// A part of a particle's way no longer than a block, so that a slanting way touches few blocks. Lattice coordinates.
struct Piece {
    particle: u32,
    start: DVec3,
    end: DVec3,
}

/// A piece as seen from a block.
struct Segment {
    start: Vec3,
    along: Vec3,
    /// One over the squared length, or zero.
    per_length: f32,
}

impl Reach for Segment {
    #[inline]
    fn distance_squared(&self, point: Vec3) -> f32 {
        let offset = point - self.start;
        let along = (offset.dot(self.along) * self.per_length).clamp(0.0, 1.0);
        (offset - along * self.along).length_squared()
    }

    fn bounds(&self) -> (Vec3, Vec3) {
        let end = self.start + self.along;
        (self.start.min(end), self.start.max(end))
    }
}

impl<'a> Paths<'a> {
    /// The ways of the particles, or only their places unless they are `moving`.
    pub fn new(field: &'a Field<'a>, moving: bool) -> Self {
        let radius = f64::from(field.profile.support + BORDER);
        let pieces_of = |particle: usize| {
            let counts = field.box_around(particle, radius).is_some();
            let half = if moving { half_way(field, particle) } else { DVec3::ZERO };
            let half = if half.length() > SHORT_WAY { DVec3::ZERO } else { half };
            counts.then(|| pieces(particle, field.lattice_position(particle), half)).into_iter().flatten()
        };
        let pieces: Vec<Piece> = (0..field.frame.len()).into_par_iter().flat_map_iter(pieces_of).collect();
        let around = |piece: &Piece| {
            Some(LatticeBox::around(piece.start, radius)?.union(LatticeBox::around(piece.end, radius)?))
        };
        let boxes: Vec<_> = pieces.par_iter().map(around).collect();
        Self { field, pieces, index: BlockIndex::new(&boxes) }
    }

    /// The sums at the nodes of a block, with N values of each particle.
    pub fn sums<const N: usize>(&self, block: usize, values: impl Fn(usize) -> [f32; N]) -> Box<Sums<N>> {
        let (profile, key) = (self.field.profile, self.index.key(block));
        let mut sums = Sums::zero();
        with_shape!(profile.kind, S => for &piece in self.index.items(block) {
            let piece = &self.pieces[piece as usize];
            let particle = piece.particle as usize;
            let segment = piece.seen_from(key);
            sums.add::<S>(&segment, profile.support + BORDER, self.field.factor(particle), values(particle));
        });
        sums
    }
}

impl Piece {
    fn seen_from(&self, key: BlockKey) -> Segment {
        let along = (self.end - self.start).as_vec3();
        let squared = along.length_squared();
        Segment { start: local(self.start, key), along, per_length: if squared > 0.0 { squared.recip() } else { 0.0 } }
    }
}

/// Half the way of a particle, voxels: half a frame interval and one voxel more. Zero where it does not move.
pub(crate) fn half_way(field: &Field, particle: usize) -> DVec3 {
    let frame = field.frame;
    let travel = frame.velocities[particle].as_dvec3() * (0.5 * frame.interval / field.cell_size);
    let length = travel.length();
    if length > 0.0 && length.is_finite() { travel * ((length + 1.0) / length) } else { DVec3::ZERO }
}

fn pieces(particle: usize, centre: DVec3, half: DVec3) -> impl Iterator<Item = Piece> {
    let count = (2.0 * half.length() / f64::from(EDGE)).ceil().max(1.0) as u32;
    let at = move |place: u32| centre + half * (2.0 * f64::from(place) / f64::from(count) - 1.0);
    (0..count).map(move |place| Piece { particle: particle as u32, start: at(place), end: at(place + 1) })
}
