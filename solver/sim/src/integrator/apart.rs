//! Lower bounds of the distances of soft pieces without a look at all particles: boxes around the pieces when last
//! seen, and around the displacements that their particles may have had since.
//!
//! Displacement boxes belong to batches, and come from the velocities that are watched for lists of neighbours. The
//! difference of displacements counts: matter that flies as a whole comes no nearer to itself.

use crate::bounds::Bounds;
use crate::neighbours::BATCH;
use crate::particles::{NOBODY, Particles};

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

impl Apart {
    /// Watches no piece.
    pub fn clear(&mut self) {
        self.pieces.clear();
    }

    /// Begins a part of a frame, before any piece is seen.
    pub fn begin(&mut self, particles: &Particles) {
        self.pieces =
            particles.memberships.iter().map(|membership| membership.piece).filter(|&piece| piece != NOBODY).collect();
        self.pieces.sort_unstable();
        self.pieces.dedup();
        self.join(particles);
        self.see(Vec::new(), 0.0);
    }

    /// Whether it watches more than one piece.
    pub fn is_watching(&self) -> bool {
        self.len() > 1
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

    /// Adds a box of further displacements to that of a batch.
    pub fn go(&mut self, batch: usize, gone: Bounds) {
        if let Some(displacements) = self.batches.get_mut(batch) {
            *displacements = displacements.and(gone);
        }
    }

    /// Call before the particles change batches, with the last displacements of each batch.
    pub fn leave(&mut self, gone: impl Fn(usize) -> Bounds) {
        self.displacements = self.displacement_boxes(gone);
        self.batches.fill(Bounds::STILL);
    }

    /// Call after the particles changed batches.
    pub fn join(&mut self, particles: &Particles) {
        self.members.clear();
        for (batch, memberships) in (0..).zip(particles.memberships.chunks(BATCH)) {
            let mut last = NOBODY;
            for membership in memberships.iter().filter(|membership| membership.piece != NOBODY) {
                if let (true, Some(place)) = (membership.piece != last, self.place(membership.piece)) {
                    self.members.push([place as u32, batch]);
                }
                last = membership.piece;
            }
        }
        self.members.sort_unstable();
        self.members.dedup();
        self.batches.clear();
        self.batches.resize(particles.paired.div_ceil(BATCH), Bounds::STILL);
    }

    /// Displacement boxes of all pieces.
    fn displacement_boxes(&self, gone: impl Fn(usize) -> Bounds) -> Vec<Bounds> {
        let mut last = vec![Bounds::NONE; self.pieces.len()];
        for &[piece, batch] in &self.members {
            let displacements = self.batches[batch as usize].and(gone(batch as usize));
            let of_piece = &mut last[piece as usize];
            *of_piece = of_piece.union(displacements);
        }
        self.displacements.iter().zip(&last).map(|(displacements, last)| displacements.and(*last)).collect()
    }

    /// Whether the contact candidates still hold, given the last displacements of each batch.
    pub fn holds(&self, gone: impl Fn(usize) -> Bounds) -> bool {
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
