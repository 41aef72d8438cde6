//! Lower bounds of the distances of soft pieces without a look at all particles: boxes around the pieces when last
//! seen, and around the displacements that their particles may have had since.
//!
//! Displacement boxes belong to batches, and come from the velocities that are watched for lists of neighbours. The
//! difference of displacements counts: matter that flies as a whole comes no nearer to itself.

use crate::neighbours::BATCH;
use crate::particles::Particles;
use glam::DVec3;

/// A box around points or displacements, m.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Bounds {
    pub low: DVec3,
    pub high: DVec3,
}

/// Pieces, and how long their contact candidates hold.
#[derive(Debug, Default)]
pub struct Apart {
    /// Numbers of all pieces, in order.
    pieces: Vec<u32>,
    /// Pieces, by their places, with the batches that hold some of their particles.
    members: Vec<[u32; 2]>,
    /// Displacement box of each batch since its particles were last seen or entered the batch, up to the start of the
    /// watched velocities.
    batches: Vec<Bounds>,
    /// Displacement box of each piece until its particles entered these batches.
    displacements: Vec<Bounds>,
    /// Pairs of pieces, and how far their displacements may differ, m.
    pairs: Vec<([u32; 2], f64)>,
    /// The same for all other pairs.
    others: f64,
}

impl Bounds {
    /// The empty box.
    pub const NONE: Self = Self { low: DVec3::INFINITY, high: DVec3::NEG_INFINITY };
    /// The box of the origin alone.
    pub const STILL: Self = Self { low: DVec3::ZERO, high: DVec3::ZERO };
    /// The box around all space.
    const ALL: Self = Self { low: DVec3::NEG_INFINITY, high: DVec3::INFINITY };

    /// The box around two boxes.
    #[must_use]
    pub fn union(self, other: Self) -> Self {
        Self { low: self.low.min(other.low), high: self.high.max(other.high) }
    }

    /// The box around this one and a point.
    #[must_use]
    pub fn with(self, point: DVec3) -> Self {
        self.union(Self { low: point, high: point })
    }

    /// The box after further offsets between a lowest and a highest one; the whole space where these are empty, and so
    /// unknown.
    fn and(self, (low, high): (DVec3, DVec3)) -> Self {
        if low.cmple(high).all() { Self { low: self.low + low, high: self.high + high } } else { Self::ALL }
    }

    /// The largest distance of two points within, m.
    fn extent(&self) -> f64 {
        (self.high - self.low).max(DVec3::ZERO).length()
    }

    /// The least distance from another box, m.
    pub fn gap(&self, other: &Self) -> f64 {
        (self.low - other.high).max(other.low - self.high).max(DVec3::ZERO).length()
    }

    /// Distance from a point, m.
    pub fn distance(&self, point: DVec3) -> f64 {
        (self.low - point).max(point - self.high).max(DVec3::ZERO).length()
    }
}

impl Apart {
    /// Begins a frame, before any piece is seen.
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

    /// The number of pieces.
    pub fn len(&self) -> usize {
        self.pieces.len()
    }

    /// The place of a piece among all.
    pub fn place(&self, piece: u32) -> Option<usize> {
        self.pieces.binary_search(&piece).ok()
    }

    /// All pieces are seen now. Sets how far displacements may differ in some pairs, m, and in all others.
    pub fn see(&mut self, pairs: Vec<([u32; 2], f64)>, others: f64) {
        (self.pairs, self.others) = (pairs, others);
        self.displacements.clear();
        self.displacements.resize(self.pieces.len(), Bounds::STILL);
        self.batches.fill(Bounds::STILL);
    }

    /// Adds offsets between a lowest and a highest one, m, to the displacements of a batch.
    pub fn go(&mut self, batch: usize, gone: (DVec3, DVec3)) {
        if let Some(displacements) = self.batches.get_mut(batch) {
            *displacements = displacements.and(gone);
        }
    }

    /// Call before the particles change batches, with the last offsets of each batch.
    pub fn leave(&mut self, gone: impl Fn(usize) -> (DVec3, DVec3)) {
        self.displacements = self.displacement_boxes(gone);
        self.batches.fill(Bounds::STILL);
    }

    /// Call after the particles changed batches.
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

    /// Displacement boxes of all pieces.
    fn displacement_boxes(&self, gone: impl Fn(usize) -> (DVec3, DVec3)) -> Vec<Bounds> {
        let mut last = vec![Bounds::NONE; self.pieces.len()];
        for &[piece, batch] in &self.members {
            let displacements = self.batches[batch as usize].and(gone(batch as usize));
            let of_piece = &mut last[piece as usize];
            *of_piece = of_piece.union(displacements);
        }
        self.displacements
            .iter()
            .zip(&last)
            .map(|(displacements, last)| displacements.and((last.low, last.high)))
            .collect()
    }

    /// Whether the contact candidates still hold, given the last offsets of each batch.
    pub fn holds(&self, gone: impl Fn(usize) -> (DVec3, DVec3)) -> bool {
        let displacements = self.displacement_boxes(gone);
        let all = displacements.iter().copied().fold(Bounds::NONE, Bounds::union).extent();
        let fits = |&([a, b], room): &([u32; 2], f64)| {
            displacements[a as usize].union(displacements[b as usize]).extent() < room
        };
        all < self.others && self.pairs.iter().all(fits)
    }

    /// Memory, bytes.
    pub fn memory(&self) -> usize {
        self.members.len() * size_of::<[u32; 2]>()
            + (self.batches.len() + self.displacements.len()) * size_of::<Bounds>()
    }
}
