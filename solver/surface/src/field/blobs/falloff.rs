//! Falloffs of blobs: bounded functions of the squared distance.
//!
//! | falloff | source |
//! |---|---|
//! | [`Spiky`], [`Spline`] | the smoothing kernels, DG96 section 3.2: their sum is the density |
//! | [`Blinn`] | Blinn's exponential (T92 section 6.2.1, reference 2), moved down so that it ends |
//! | [`Polynomial`] | a polynomial of bounded reach (T92 section 6.2.1, reference 33) |
//!
//! t is the squared distance over the squared radius: 0 at the particle, 1 at the end of the falloff. Rounding may take
//! it slightly below 0.

// Only functions inlined into a task of `pulp::Arch::dispatch` use its vector instructions.
#![allow(clippy::inline_always)]

use std::f64::consts::PI;

/// A falloff without its factor; zero for t >= 1.
pub(crate) trait Falloff: Sync {
    /// Factor times the cube of the radius, so that the integral over space is 1.
    const FACTOR: f64;
    /// The function of t.
    fn value(t: f32) -> f32;
    /// Its derivative by t; never positive.
    fn slope(t: f32) -> f32;
}

/// (1 - r)^3, where r is the distance over the radius: the spiky kernel.
pub(crate) struct SpikyFalloff;

/// 2 (1 - r)^3 - (1 - 2 r)^3, each term while positive: the cubic spline.
pub(crate) struct SplineFalloff;

/// A Gaussian bell that ends at 1 / 90 of its height, shifted down to zero.
pub(crate) struct BlinnFalloff;

/// (1 - t)^3.
pub(crate) struct PolynomialFalloff;

/// Lower bound of t where the slope is unbounded.
const MIN_T: f32 = 1e-12;

#[inline(always)]
fn positive(x: f32) -> f32 {
    if x > 0.0 { x } else { 0.0 }
}

impl Falloff for SpikyFalloff {
    const FACTOR: f64 = 15.0 / PI;

    #[inline(always)]
    fn value(t: f32) -> f32 {
        let remainder = positive(1.0 - positive(t).sqrt());
        remainder * remainder * remainder
    }

    #[inline(always)]
    fn slope(t: f32) -> f32 {
        let r = (if t > MIN_T { t } else { MIN_T }).sqrt();
        let remainder = positive(1.0 - r);
        -1.5 * remainder * remainder / r
    }
}

impl Falloff for SplineFalloff {
    const FACTOR: f64 = 8.0 / PI;

    #[inline(always)]
    fn value(t: f32) -> f32 {
        let r = positive(t).sqrt();
        let (outer, inner) = (positive(1.0 - r), positive(1.0 - 2.0 * r));
        2.0 * outer * outer * outer - inner * inner * inner
    }

    #[inline(always)]
    fn slope(t: f32) -> f32 {
        let r = (if t > MIN_T { t } else { MIN_T }).sqrt();
        let (outer, inner) = (positive(1.0 - r), positive(1.0 - 2.0 * r));
        (3.0 * inner * inner - 3.0 * outer * outer) / r
    }
}

/// Exponent at the end of the bell.
const BELL_EXPONENT: f32 = 4.5;
/// Value of the bell there.
const BELL_TAIL: f32 = 0.011_108_997;

/// The bell: the Taylor series of an eighth of the exponent, to the eighth power.
#[inline(always)]
fn bell(t: f32) -> f32 {
    let x = -BELL_EXPONENT / 8.0 * (if t < 1.0 { t } else { 1.0 });
    let series = 1.0 + x * (1.0 + x / 2.0 * (1.0 + x / 3.0 * (1.0 + x / 4.0 * (1.0 + x / 5.0 * (1.0 + x / 6.0)))));
    let (square, is_inside) = (series * series, if t < 1.0 { 1.0 } else { 0.0 });
    square * square * square * square * is_inside
}

impl Falloff for BlinnFalloff {
    const FACTOR: f64 = 1.902_812_3;

    #[inline(always)]
    fn value(t: f32) -> f32 {
        positive(bell(t) - BELL_TAIL) / (1.0 - BELL_TAIL)
    }

    #[inline(always)]
    fn slope(t: f32) -> f32 {
        bell(t) * (-BELL_EXPONENT / (1.0 - BELL_TAIL))
    }
}

impl Falloff for PolynomialFalloff {
    const FACTOR: f64 = 315.0 / (64.0 * PI);

    #[inline(always)]
    fn value(t: f32) -> f32 {
        let remainder = positive(1.0 - t);
        remainder * remainder * remainder
    }

    #[inline(always)]
    fn slope(t: f32) -> f32 {
        let remainder = positive(1.0 - t);
        -3.0 * remainder * remainder
    }
}

/// The choice of falloff.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum FalloffKind {
    Spiky,
    Spline,
    Blinn,
    Polynomial,
}

/// Names the [`Falloff`] of a [`Kind`] for one expression, so that the choice is made once a batch.
macro_rules! with_falloff {
    ($kind:expr, $falloff:ident => $call:expr) => {
        match $kind {
            $crate::field::blobs::falloff::FalloffKind::Spiky => {
                type $falloff = $crate::field::blobs::falloff::SpikyFalloff;
                $call
            }
            $crate::field::blobs::falloff::FalloffKind::Spline => {
                type $falloff = $crate::field::blobs::falloff::SplineFalloff;
                $call
            }
            $crate::field::blobs::falloff::FalloffKind::Blinn => {
                type $falloff = $crate::field::blobs::falloff::BlinnFalloff;
                $call
            }
            $crate::field::blobs::falloff::FalloffKind::Polynomial => {
                type $falloff = $crate::field::blobs::falloff::PolynomialFalloff;
                $call
            }
        }
    };
}
pub(crate) use with_falloff;

impl FalloffKind {
    /// The factor times the cube of the radius.
    pub fn factor(self) -> f64 {
        with_falloff!(self, F => F::FACTOR)
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::float_cmp)]
    use super::*;

    const ALL: [FalloffKind; 4] =
        [FalloffKind::Spiky, FalloffKind::Spline, FalloffKind::Blinn, FalloffKind::Polynomial];

    #[test]
    fn falloffs_have_integral_one() {
        for kind in ALL {
            let steps = 20_000;
            let shell = |n: i32| {
                let r = (f64::from(n) + 0.5) / f64::from(steps);
                4.0 * PI * r * r * with_falloff!(kind, F => f64::from(F::value((r * r) as f32)) * F::FACTOR)
            };
            let integral: f64 = (0..steps).map(shell).sum::<f64>() / f64::from(steps);
            assert!((integral - 1.0).abs() < 1e-5, "{kind:?}: {integral}");
        }
    }

    #[test]
    fn slopes_match_derivatives_and_end_at_one() {
        for kind in ALL {
            with_falloff!(kind, F => {
                for t in [0.01_f32, 0.1, 0.3, 0.6, 0.95] {
                    let difference = (F::value(t + 1e-3) - F::value(t - 1e-3)) / 2e-3;
                    assert!((F::slope(t) - difference).abs() < 0.02 * difference.abs() + 1e-3, "{kind:?} at {t}");
                }
                for t in [1.0, 1.5, 100.0] {
                    assert_eq!(F::value(t), 0.0);
                }
                assert_eq!(F::value(0.0), 1.0);
            });
        }
    }
}
