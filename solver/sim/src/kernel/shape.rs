//! The kernels' polynomials in q = r / h, for any floating-point type, without branches.

// Only code that is inlined into a task for `pulp::Arch::dispatch` uses its vector instructions.
#![allow(clippy::inline_always)]

use std::f64::consts::PI;
use std::ops::{Add, Mul, Sub};

/// A floating-point number, or several.
pub trait Real: Copy + Add<Output = Self> + Mul<Output = Self> + Sub<Output = Self> {
    /// A constant of the same type.
    #[must_use]
    fn constant(self, value: f32) -> Self;
    /// The number, or zero where it is negative. Unlike `max`, one instruction: not a number becomes zero.
    #[must_use]
    fn positive(self) -> Self;
}

macro_rules! scalar {
    ($($number:ty),*) => {$(
        impl Real for $number {
            #[inline(always)]
            fn constant(self, value: f32) -> Self {
                Self::from(value)
            }

            #[inline(always)]
            fn positive(self) -> Self {
                if self > 0.0 { self } else { 0.0 }
            }
        }
    )*};
}

scalar!(f32, f64);

/// A kernel as a polynomial in q without its factor; zero from q = 2 on.
pub trait KernelShape: Sync {
    /// The factor before the polynomial times h^3, which makes its integral over space 1.
    const FACTOR: f64;
    /// The factor times h^2 which makes its integral over a plane 1.
    const PLANE_FACTOR: f64;
    /// The polynomial.
    fn value<T: Real>(q: T) -> T;
    /// Its derivative by q; never positive.
    fn slope<T: Real>(q: T) -> T;
}

/// (2 - q)^3.
#[derive(Debug)]
pub struct Spiky;

impl KernelShape for Spiky {
    /// DG96 s.3.2, "15 / (pi (4h)^3)": right in three dimensions.
    const FACTOR: f64 = 15.0 / (64.0 * PI);
    /// In two dimensions the printed factor is wrong.
    const PLANE_FACTOR: f64 = 5.0 / (16.0 * PI);

    #[inline(always)]
    fn value<T: Real>(q: T) -> T {
        let outer = (q.constant(2.0) - q).positive();
        outer * outer * outer
    }

    #[inline(always)]
    fn slope<T: Real>(q: T) -> T {
        let outer = (q.constant(2.0) - q).positive();
        q.constant(-3.0) * outer * outer
    }
}

/// (2 - q)^3 / 4 - (1 - q)^3, each while positive: the printed piecewise form.
#[derive(Debug)]
pub struct CubicSpline;

impl KernelShape for CubicSpline {
    /// DG96 s.3.2 prints 1 / (pi h); normalised in three dimensions it is 1 / (pi h^3).
    const FACTOR: f64 = 1.0 / PI;
    /// The same print in two dimensions (Monaghan 1992).
    const PLANE_FACTOR: f64 = 10.0 / (7.0 * PI);

    #[inline(always)]
    fn value<T: Real>(q: T) -> T {
        let (outer, inner) = ((q.constant(2.0) - q).positive(), (q.constant(1.0) - q).positive());
        q.constant(0.25) * outer * outer * outer - inner * inner * inner
    }

    #[inline(always)]
    fn slope<T: Real>(q: T) -> T {
        let (outer, inner) = ((q.constant(2.0) - q).positive(), (q.constant(1.0) - q).positive());
        q.constant(3.0) * inner * inner - q.constant(0.75) * outer * outer
    }
}

/// Names the [`KernelShape`] of a [`Kernel`](super::Kernel) for one expression, so that the choice is made once a
/// batch: `with_shape!(kind, S => S::value(q))`.
#[macro_export]
macro_rules! with_shape {
    ($kind:expr, $shape:ident => $call:expr) => {
        match $kind {
            $crate::kernel::Kernel::Spiky => {
                type $shape = $crate::kernel::Spiky;
                $call
            }
            $crate::kernel::Kernel::CubicSpline => {
                type $shape = $crate::kernel::CubicSpline;
                $call
            }
        }
    };
}
