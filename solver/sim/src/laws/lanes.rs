//! Lane operations that several laws share.

// A function must be inlined into a task for `Arch::dispatch` to use its vector instructions.
#![allow(clippy::inline_always)]

use crate::lanes::{Eight, Lanes, Row};
use crate::neighbours::TO_Q;
use glam::Vec3;

/// A row in all lanes.
#[inline(always)]
pub fn splat<E: Eight>(eight: E, row: &Row) -> [Lanes<E>; 4] {
    let [a, b, c, d] = *row;
    [Lanes::splat(eight, a), Lanes::splat(eight, b), Lanes::splat(eight, c), Lanes::splat(eight, d)]
}

/// The product of vectors.
#[inline(always)]
pub fn dot<E: Eight>(a: &[Lanes<E>; 3], b: &[Lanes<E>; 3]) -> Lanes<E> {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

/// Sums over the lanes of three components, with offsets in units of h.
#[inline(always)]
pub fn sum<E: Eight>([x, y, z]: [Lanes<E>; 3]) -> Vec3 {
    plain_sum([x, y, z]) * TO_Q
}

/// Sums over the lanes of three components.
#[inline(always)]
pub fn plain_sum<E: Eight>([x, y, z]: [Lanes<E>; 3]) -> Vec3 {
    Vec3::new(x.sum(), y.sum(), z.sum())
}
