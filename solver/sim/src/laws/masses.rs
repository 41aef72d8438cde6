//! Pair forces between a light particle and a heavy one.
//!
//! | symbol | meaning |
//! |---|---|
//! | m | mass of the particle |
//! | m' | mass of the other |
//! | w | weight 2 m' / (m + m') |
//!
//! A stiffness k or a damping D of a pair needs steps of the lighter particle by k / m and D / m. So dampings, and the
//! stiffness of the contact with sheets, are by the reduced mass of the pair: m k in matter of one mass becomes
//! 2 m m' / (m + m') k. However heavy the other particle is, the lighter one then meets at most twice the stiffness and
//! damping of an equal one.

// A function must be inlined into a task for `pulp::Arch::dispatch` to use its vector instructions.
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
    /// Takes the particle mass of each body, kg, and the body and share of each slot; none where all masses are equal.
    pub fn new(of_bodies: &'a [f32], sources: &'a [u32], shares: &'a [f32]) -> Option<Self> {
        let alike = shares.is_empty() && of_bodies.windows(2).all(|pair| pair[0].to_bits() == pair[1].to_bits());
        (!alike).then_some(Self { of_bodies, sources, shares })
    }

    #[inline(always)]
    fn of(&self, slot: usize) -> f32 {
        self.of_bodies[self.sources[slot] as usize] * self.shares.get(slot).copied().unwrap_or(1.0)
    }

    /// The weights of pairs of a slot with a group of neighbours.
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
    /// Of the neighbours.
    pub theirs: Lanes<E>,
}

impl<E: Eight> MassWeights<E> {
    /// For particles of the same mass.
    #[inline(always)]
    pub fn alike(eight: E) -> Self {
        let one = Lanes::splat(eight, 1.0);
        Self { own: one, theirs: one }
    }

    /// The sum of the two halves of a pair's damping, each by the mass of its particle, turned to the reduced mass.
    #[inline(always)]
    pub fn damping(&self, own: Lanes<E>, theirs: Lanes<E>) -> Lanes<E> {
        own * self.theirs + theirs * self.own
    }

    /// The root of the mass of the particle over those of the neighbours.
    #[inline(always)]
    pub fn root_of_ratio(&self) -> Lanes<E> {
        (self.own / self.theirs).sqrt()
    }

    /// The factor that turns the root of the product of both masses to twice the reduced mass.
    #[inline(always)]
    pub fn stiffness(&self) -> Lanes<E> {
        (self.own * self.theirs).sqrt()
    }
}
