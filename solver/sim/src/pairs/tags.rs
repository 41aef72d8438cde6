//! Smallest and largest tag among neighbours, eight at a time.

// What is not inlined into a task for `Arch::dispatch` does not use its vector instructions.
#![allow(clippy::inline_always)]

use crate::kernel::Real;
use crate::lanes::{Eight, Lanes};
use crate::timeline::MAX_BIN;

/// Tags of the neighbours met so far; [`MAX_BIN`] is the largest there is, that of the shortest step.
#[derive(Clone, Copy)]
pub struct Tags<E: Eight> {
    largest: Lanes<E>,
    /// Largest of what tags are below the largest there is.
    room: Lanes<E>,
}

impl<E: Eight> Tags<E> {
    /// None yet.
    #[inline(always)]
    pub fn new(eight: E) -> Self {
        let zero = Lanes::splat(eight, 0.0);
        Self { largest: zero, room: zero }
    }

    /// Takes those of eight neighbours that are near.
    #[inline(always)]
    pub fn meet(&mut self, tags: Lanes<E>, near: E::Mask) {
        self.largest = self.largest.larger(tags.keep(near));
        self.room = self.room.larger((tags.constant(f32::from(MAX_BIN)) - tags).keep(near));
    }

    /// The smallest and the largest, a particle's own among them.
    #[inline(always)]
    pub fn with(&self, own: u8) -> (u8, u8) {
        let least = f32::from(MAX_BIN) - self.room.max();
        (own.min(least as u8), own.max(self.largest.max() as u8))
    }
}
