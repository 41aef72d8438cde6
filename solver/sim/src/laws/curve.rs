//! The potential of a bond as the loops over pairs evaluate it.

// A function must be inlined into a task for `Arch::dispatch` to use its vector instructions.
#![allow(clippy::inline_always)]

use super::well::{Exponents, Well};
use crate::kernel::Real;
use crate::lanes::{Eight, Lanes};

/// The smallest q^2 of a pair; nearer pairs count as this near.
pub const LEAST_SQUARED: f32 = 0.01;

/// A well in units of the smoothing length in the form of the loop: factors on the powers s^n and s^m, and bounds.
#[derive(Debug, Clone, Copy)]
pub struct Curve<T = f32> {
    exponents: Exponents,
    /// Square of the equilibrium separation, h^2.
    pub separation: T,
    /// One over the square of the core's radius, 1/h^2.
    core: T,
    /// Start of the switch, h^2, one over its width, 1/h^2, and twelve times that.
    switch: (T, T, T),
    /// Factors of the potential.
    energy: (T, T),
    /// Factor of its slope, the same for both powers.
    slope: T,
    /// Factors of its curvature.
    curvature: (T, T),
}

impl Curve {
    /// The curve of a well for a smoothing length, m.
    pub fn new(well: &Well, smoothing_length: f64) -> Self {
        let squared = smoothing_length * smoothing_length;
        let (from, to) = well.switched();
        let (n, m) = (f64::from(well.exponents.n), f64::from(well.exponents.m));
        let slope = n * m / (n - m);
        Self {
            exponents: well.exponents,
            separation: (well.separation.powi(2) / squared) as f32,
            core: (squared / well.core.powi(2)) as f32,
            switch: ((from / squared) as f32, (squared / (to - from)) as f32, (12.0 * squared / (to - from)) as f32),
            energy: ((m / (n - m)) as f32, (n / (n - m)) as f32),
            slope: slope as f32,
            curvature: ((slope * (n + 1.0)) as f32, (slope * (m + 1.0)) as f32),
        }
    }

    /// The same in all lanes.
    #[inline(always)]
    pub fn splat<E: Eight>(&self, eight: E) -> Curve<Lanes<E>> {
        let all = |value: f32| Lanes::splat(eight, value);
        let both = |(a, b): (f32, f32)| (all(a), all(b));
        Curve {
            exponents: self.exponents,
            separation: all(self.separation),
            core: all(self.core),
            switch: (all(self.switch.0), all(self.switch.1), all(self.switch.2)),
            energy: both(self.energy),
            slope: all(self.slope),
            curvature: both(self.curvature),
        }
    }
}

/// The values of a well at some distances, as parts of the dissociation energy.
pub struct CurveValue<E: Eight> {
    /// The potential without the switch.
    pub energy: Lanes<E>,
    /// -1/r times its slope, 1/h^2.
    pub bare: Lanes<E>,
    /// The potential with the switch.
    pub potential: Lanes<E>,
    /// -1/r times its slope, 1/h^2.
    pub switched: Lanes<E>,
    /// Its curvature where that is positive, 1/h^2, without the switch's part.
    pub curvature: Lanes<E>,
}

impl<E: Eight> Curve<Lanes<E>> {
    /// The switch at squares of distances, h^2, and its derivative by them.
    #[inline(always)]
    pub fn fade(&self, eight: E, squared: Lanes<E>) -> (Lanes<E>, Lanes<E>) {
        let (t, switch) = self.switched(eight, squared);
        (switch, t * (t - Lanes::splat(eight, 1.0)) * self.switch.2 * Lanes::splat(eight, 0.5))
    }

    /// The position of squared distances, h^2, within the switch, and the switch.
    #[inline(always)]
    fn switched(&self, eight: E, squared: Lanes<E>) -> (Lanes<E>, Lanes<E>) {
        let constant = |value: f32| Lanes::splat(eight, value);
        let t = ((squared - self.switch.0) * self.switch.1).positive().smaller(constant(1.0));
        (t, constant(1.0) - t * t * (constant(3.0) - t - t))
    }

    /// The values at distances whose squares, h^2, and their inverses are given.
    #[inline(always)]
    pub fn at(&self, eight: E, squared: Lanes<E>, inverse: Lanes<E>) -> CurveValue<E> {
        let constant = |value: f32| Lanes::splat(eight, value);
        let inverse = inverse.smaller(self.core);
        let (n_power, m_power) = powers(self.separation * inverse, self.exponents);
        let repulsion = (n_power - m_power) * self.slope;
        let curvature = self.curvature.0 * n_power - self.curvature.1 * m_power;
        // Depth within the core.
        let inside = (constant(1.0) - squared * inverse).positive();
        let stiffening = (curvature + repulsion) * constant(0.5) * inside;
        let energy = self.energy.0 * n_power - self.energy.1 * m_power
            + (repulsion + stiffening * constant(0.5)) * constant(0.5) * inside;
        let bare = repulsion + stiffening;
        let (t, switch) = self.switched(eight, squared);
        let switching = self.switch.2 * squared * t * (constant(1.0) - t);
        let switched = bare * switch + energy * switching;
        CurveValue {
            energy,
            bare: bare * inverse,
            potential: energy * switch,
            switched: switched * inverse,
            curvature: (curvature * inverse).positive(),
        }
    }
}

/// The shape of damping by q^2: (1 - q^2 / 4)^2, zero from the support on.
#[inline(always)]
pub fn damping_shape<T: Real>(squared: T) -> T {
    let room = (squared.constant(1.0) - squared * squared.constant(0.25)).positive();
    room * room
}

/// The mask of equal whole numbers.
#[inline(always)]
pub fn same<E: Eight>(eight: E, a: Lanes<E>, b: Lanes<E>) -> E::Mask {
    let difference = a - b;
    (difference * difference).below(Lanes::splat(eight, 0.25))
}

/// s^n and s^m for the square of s.
#[inline(always)]
fn powers<E: Eight>(s2: Lanes<E>, exponents: Exponents) -> (Lanes<E>, Lanes<E>) {
    match exponents {
        Exponents { n: 12, m: 6 } => {
            let m_power = s2 * s2 * s2;
            (m_power * m_power, m_power)
        }
        Exponents { n, m } => (power(s2, n), power(s2, m)),
    }
}

#[inline(always)]
fn power<E: Eight>(s2: Lanes<E>, exponent: u8) -> Lanes<E> {
    let mut result = if exponent & 1 == 1 { s2.sqrt() } else { s2.constant(1.0) };
    let (mut base, mut left) = (s2, exponent >> 1);
    while left > 0 {
        if left & 1 == 1 {
            result = result * base;
        }
        base = base * base;
        left >>= 1;
    }
    result
}
