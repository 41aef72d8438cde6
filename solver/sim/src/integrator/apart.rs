//! How far pieces of soft matter are apart at least, without a look at all particles: boxes around pieces when they
//! were looked at, and around the ways that their particles may have gone since.
//!
//! DisplacementBox are those of batches, by the velocities that are watched for lists of neighbours. What counts is how
//! far ways differ: matter that flies as a whole comes no nearer to itself.

use crate::neighbours::BATCH;
use crate::particles::Particles;
use glam::DVec3;

/// A box around points or ways, m.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Bounds {
    pub low: DVec3,
    pub high: DVec3,
}

/// Pieces, and how long nobody has to look who of them may touch whom.
#[derive(Debug, Default)]
pub struct Apart {
    /// Numbers of all, in order.
    pieces: Vec<u32>,
    /// Pieces, by their places, and batches in which some of their particles are.
    members: Vec<[u32; 2]>,
    /// DisplacementBox of the particles of each batch since they were looked at or came to be in one batch, up to when
    /// their velocities were watched from.
    batches: Vec<Bounds>,
    /// DisplacementBox of each piece until its particles came to be in those batches.
    ways: Vec<Bounds>,
    /// Pairs of pieces, and how far ways in both may differ, m.
    pairs: Vec<([u32; 2], f64)>,
    /// The same for all other pairs.
    others: f64,
}

impl Bounds {
    /// Around nothing.
    pub const NONE: Self = Self { low: DVec3::INFINITY, high: DVec3::NEG_INFINITY };
    /// Around the origin.
    pub const STILL: Self = Self { low: DVec3::ZERO, high: DVec3::ZERO };
    /// Around all.
    const ALL: Self = Self { low: DVec3::NEG_INFINITY, high: DVec3::INFINITY };

    /// The box around both.
    #[must_use]
    pub fn union(self, other: Self) -> Self {
        Self { low: self.low.min(other.low), high: self.high.max(other.high) }
    }

    /// Around a point besides.
    #[must_use]
    pub fn with(self, point: DVec3) -> Self {
        self.union(Self { low: point, high: point })
    }

    /// DisplacementBox that went on from a lowest to a highest offset; of which nothing is known where that is empty.
    fn and(self, (low, high): (DVec3, DVec3)) -> Self {
        if low.cmple(high).all() { Self { low: self.low + low, high: self.high + high } } else { Self::ALL }
    }

    /// How far two within are apart at most, m.
    fn extent(&self) -> f64 {
        (self.high - self.low).max(DVec3::ZERO).length()
    }

    /// How far it is from another at least, m.
    pub fn gap(&self, other: &Self) -> f64 {
        (self.low - other.high).max(other.low - self.high).max(DVec3::ZERO).length()
    }

    /// How far it is from a point, m.
    pub fn distance(&self, point: DVec3) -> f64 {
        (self.low - point).max(point - self.high).max(DVec3::ZERO).length()
    }
}

impl Apart {
    /// Begins a frame, in which nothing has been looked at.
    pub fn begin(&mut self, particles: &Particles) {
        self.pieces = particles
            .memberships
            .iter()
            .map(|membership| membership.piece)
            .filter(|&piece| piece != u32::MAX)
            .collect();
        self.pieces.sort_unstable();
        self.pieces.dedup();
        self.join(particles);
        self.see(Vec::new(), 0.0);
    }

    /// How many pieces there are.
    pub fn len(&self) -> usize {
        self.pieces.len()
    }

    /// The place of a piece among all.
    pub fn place(&self, piece: u32) -> Option<usize> {
        self.pieces.binary_search(&piece).ok()
    }

    /// All pieces are looked at: so far may ways differ in both of some pairs, m, and in all others.
    pub fn see(&mut self, pairs: Vec<([u32; 2], f64)>, others: f64) {
        (self.pairs, self.others) = (pairs, others);
        self.ways.clear();
        self.ways.resize(self.pieces.len(), Bounds::STILL);
        self.batches.fill(Bounds::STILL);
    }

    /// The ways of those in a batch have gone on from a lowest to a highest offset, m.
    pub fn go(&mut self, batch: usize, gone: (DVec3, DVec3)) {
        if let Some(ways) = self.batches.get_mut(batch) {
            *ways = ways.and(gone);
        }
    }

    /// The particles are about to be put into other batches, after the last of each went on.
    pub fn leave(&mut self, gone: impl Fn(usize) -> (DVec3, DVec3)) {
        self.ways = self.ways(gone);
        self.batches.fill(Bounds::STILL);
    }

    /// The particles have been put into batches.
    pub fn join(&mut self, particles: &Particles) {
        self.members.clear();
        for (batch, memberships) in (0..).zip(particles.memberships.chunks(BATCH)) {
            let mut last = u32::MAX;
            for membership in memberships.iter().filter(|membership| membership.piece != u32::MAX) {
                if let (true, Some(place)) = (membership.piece != last, self.place(membership.piece)) {
                    self.members.push([place as u32, batch]);
                }
                last = membership.piece;
            }
        }
        self.members.sort_unstable();
        self.members.dedup();
        self.batches.clear();
        self.batches.resize(particles.len().div_ceil(BATCH), Bounds::STILL);
    }

    /// DisplacementBox of all pieces.
    fn ways(&self, gone: impl Fn(usize) -> (DVec3, DVec3)) -> Vec<Bounds> {
        let mut last = vec![Bounds::NONE; self.pieces.len()];
        for &[piece, batch] in &self.members {
            let ways = self.batches[batch as usize].and(gone(batch as usize));
            let of_piece = &mut last[piece as usize];
            *of_piece = of_piece.union(ways);
        }
        self.ways.iter().zip(&last).map(|(ways, last)| ways.and((last.low, last.high))).collect()
    }

    /// Whether who may touch whom is still as it was when all were looked at, after those of each batch went on.
    pub fn holds(&self, gone: impl Fn(usize) -> (DVec3, DVec3)) -> bool {
        let ways = self.ways(gone);
        let all = ways.iter().copied().fold(Bounds::NONE, Bounds::union).extent();
        let fits = |&([a, b], room): &([u32; 2], f64)| ways[a as usize].union(ways[b as usize]).extent() < room;
        all < self.others && self.pairs.iter().all(fits)
    }

    /// Memory, bytes.
    pub fn memory(&self) -> usize {
        self.members.len() * size_of::<[u32; 2]>() + (self.batches.len() + self.ways.len()) * size_of::<Bounds>()
    }
}
