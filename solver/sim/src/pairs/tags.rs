//! Smallest and largest tag among neighbours, eight at a time.

// Only code that is inlined into a task for `Arch::dispatch` uses its vector instructions.
#![allow(clippy::inline_always)]

use crate::kernel::Real;
use crate::lanes::{Eight, Lanes};
use crate::timeline::MAX_BIN;

/// Tags of the neighbours met so far; [`MAX_BIN`] is the largest possible tag, that of the shortest step.
#[derive(Clone, Copy)]
pub struct Tags<E: Eight> {
    largest: Lanes<E>,
    /// Largest difference of the largest possible tag and a neighbour's tag.
    room: Lanes<E>,
}

impl<E: Eight> Tags<E> {
    /// No tags yet.
    #[inline(always)]
    pub fn new(eight: E) -> Self {
        let zero = Lanes::splat(eight, 0.0);
        Self { largest: zero, room: zero }
    }

    /// Adds the tags of the near ones among eight neighbours.
    #[inline(always)]
    pub fn meet(&mut self, tags: Lanes<E>, near: E::Mask) {
        self.largest = self.largest.larger(tags.keep(near));
        self.room = self.room.larger((tags.constant(f32::from(MAX_BIN)) - tags).keep(near));
    }

    /// The smallest and the largest tag, a particle's own tag included.
    #[inline(always)]
    pub fn with(&self, own: u8) -> (u8, u8) {
        let least = f32::from(MAX_BIN) - self.room.max();
        (own.min(least as u8), own.max(self.largest.max() as u8))
    }
}
