//! What acts between a light particle and a heavy one.
//!
//! | symbol | meaning |
//! |---|---|
//! | m | mass of the particle |
//! | m' | mass of the other |
//! | w | weight 2 m' / (m + m') |
//!
//! A stiffness k or a damping D of a pair asks for steps of the lighter one as k / m and D / m do. So dampings, and the
//! stiffness of what meets a sheet, are by the reduced mass of the pair: what would be m k in matter of one mass is 2 m
//! m' / (m + m') k. However heavy the other is, it asks the lighter one for no more than twice what it would if it were
//! as light.

// What is not inlined into a task for `pulp::Arch::dispatch` does not use its vector instructions.
#![allow(clippy::inline_always)]

use crate::lanes::{Eight, LANES, Lanes};

/// Masses of particles, kg.
#[derive(Debug, Clone, Copy)]
pub struct Masses<'a> {
    of_bodies: &'a [f32],
    sources: &'a [u32],
    shares: &'a [f32],
}

impl<'a> Masses<'a> {
    /// Given those of particles of each body, kg, and the body and share of each slot; none where all are the same.
    pub fn new(of_bodies: &'a [f32], sources: &'a [u32], shares: &'a [f32]) -> Option<Self> {
        let alike = shares.is_empty() && of_bodies.windows(2).all(|pair| pair[0].to_bits() == pair[1].to_bits());
        (!alike).then_some(Self { of_bodies, sources, shares })
    }

    #[inline(always)]
    fn of(&self, slot: usize) -> f32 {
        self.of_bodies[self.sources[slot] as usize] * self.shares.get(slot).copied().unwrap_or(1.0)
    }

    /// The weights of pairs of a slot with a group of others.
    #[inline(always)]
    pub fn weights<E: Eight>(&self, eight: E, slot: usize, group: &[u32; LANES]) -> MassWeights<E> {
        let own = Lanes::splat(eight, self.of(slot));
        let theirs = Lanes::load(eight, group.map(|other| self.of(other as usize)));
        let half_sum = (own + theirs) * Lanes::splat(eight, 0.5);
        MassWeights { own: own / half_sum, theirs: theirs / half_sum }
    }
}

/// 2 m / (m + m') and 2 m' / (m + m') of pairs.
#[derive(Clone, Copy)]
pub struct MassWeights<E: Eight> {
    /// Of the particle itself.
    pub own: Lanes<E>,
    /// Of the others.
    pub theirs: Lanes<E>,
}

impl<E: Eight> MassWeights<E> {
    /// For particles of the same mass.
    #[inline(always)]
    pub fn alike(eight: E) -> Self {
        let one = Lanes::splat(eight, 1.0);
        Self { own: one, theirs: one }
    }

    /// The sum of two halves of a damping, each by the mass of one of both, as one by the reduced mass.
    #[inline(always)]
    pub fn damping(&self, own: Lanes<E>, theirs: Lanes<E>) -> Lanes<E> {
        own * self.theirs + theirs * self.own
    }

    /// What the root of the product of both masses has to be multiplied by to be twice the reduced mass.
    #[inline(always)]
    pub fn stiffness(&self) -> Lanes<E> {
        (self.own * self.theirs).sqrt()
    }
}
