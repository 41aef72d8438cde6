//! How the part of one particle falls off with the distance: bounded functions of the squared distance.
//!
//! | falloff | source |
//! |---|---|
//! | [`Spiky`], [`Spline`] | the smoothing kernels, DG96 section 3.2: their sum is the density |
//! | [`Blinn`] | Blinn's exponential (T92 section 6.2.1, reference 2), moved down so that it ends |
//! | [`Polynomial`] | a polynomial of bounded reach (T92 section 6.2.1, reference 33) |
//!
//! t is the squared distance over the squared radius: 0 at the particle, 1 where the falloff ends. Rounding may take it a little
//! below 0.

// What is not inlined into a task for `pulp::Arch::dispatch` does not use its vector instructions.
#![allow(clippy::inline_always)]

use std::f64::consts::PI;

/// A falloff without its factor; zero from t = 1 on.
pub(crate) trait Falloff: Sync {
    /// The factor times the cube of the radius which makes its integral over space 1.
    const FACTOR: f64;
    /// The function of t.
    fn value(t: f32) -> f32;
    /// Its derivative by t; never positive.
    fn slope(t: f32) -> f32;
}

/// (1 - r)^3, where r is the distance over the radius: the spiky kernel.
pub(crate) struct Spiky;

/// 2 (1 - r)^3 - (1 - 2 r)^3, each while positive: the cubic spline.
pub(crate) struct Spline;

/// A bell that has fallen to 1 / 90 where it ends.
pub(crate) struct Blinn;

/// (1 - t)^3.
pub(crate) struct Polynomial;

/// Squared distances below this are taken for it where a slope has no bound.
const LEAST: f32 = 1e-12;

#[inline(always)]
fn positive(x: f32) -> f32 {
    if x > 0.0 { x } else { 0.0 }
}

impl Falloff for Spiky {
    const FACTOR: f64 = 15.0 / PI;

    #[inline(always)]
    fn value(t: f32) -> f32 {
        let rest = positive(1.0 - positive(t).sqrt());
        rest * rest * rest
    }

    #[inline(always)]
    fn slope(t: f32) -> f32 {
        let r = (if t > LEAST { t } else { LEAST }).sqrt();
        let rest = positive(1.0 - r);
        -1.5 * rest * rest / r
    }
}

impl Falloff for Spline {
    const FACTOR: f64 = 8.0 / PI;

    #[inline(always)]
    fn value(t: f32) -> f32 {
        let r = positive(t).sqrt();
        let (outer, inner) = (positive(1.0 - r), positive(1.0 - 2.0 * r));
        2.0 * outer * outer * outer - inner * inner * inner
    }

    #[inline(always)]
    fn slope(t: f32) -> f32 {
        let r = (if t > LEAST { t } else { LEAST }).sqrt();
        let (outer, inner) = (positive(1.0 - r), positive(1.0 - 2.0 * r));
        (3.0 * inner * inner - 3.0 * outer * outer) / r
    }
}

/// Exponent at the end of the bell.
const BELL: f32 = 4.5;
/// What the bell has fallen to there.
const TAIL: f32 = 0.011_108_997;

/// The bell itself: Taylor's series of an eighth of the exponent, to the eighth power.
#[inline(always)]
fn bell(t: f32) -> f32 {
    let x = -BELL / 8.0 * (if t < 1.0 { t } else { 1.0 });
    let series = 1.0 + x * (1.0 + x / 2.0 * (1.0 + x / 3.0 * (1.0 + x / 4.0 * (1.0 + x / 5.0 * (1.0 + x / 6.0)))));
    let (square, is_inside) = (series * series, if t < 1.0 { 1.0 } else { 0.0 });
    square * square * square * square * is_inside
}

impl Falloff for Blinn {
    const FACTOR: f64 = 1.902_812_3;

    #[inline(always)]
    fn value(t: f32) -> f32 {
        positive(bell(t) - TAIL) / (1.0 - TAIL)
    }

    #[inline(always)]
    fn slope(t: f32) -> f32 {
        bell(t) * (-BELL / (1.0 - TAIL))
    }
}

impl Falloff for Polynomial {
    const FACTOR: f64 = 315.0 / (64.0 * PI);

    #[inline(always)]
    fn value(t: f32) -> f32 {
        let rest = positive(1.0 - t);
        rest * rest * rest
    }

    #[inline(always)]
    fn slope(t: f32) -> f32 {
        let rest = positive(1.0 - t);
        -3.0 * rest * rest
    }
}

/// Which falloff.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    Spiky,
    Spline,
    Blinn,
    Polynomial,
}

/// Names the [`Falloff`] of a [`Kind`] for one expression, so that the choice is made once a batch.
macro_rules! with_falloff {
    ($kind:expr, $falloff:ident => $call:expr) => {
        match $kind {
            $crate::implicit::falloff::Kind::Spiky => {
                type $falloff = $crate::implicit::falloff::Spiky;
                $call
            }
            $crate::implicit::falloff::Kind::Spline => {
                type $falloff = $crate::implicit::falloff::Spline;
                $call
            }
            $crate::implicit::falloff::Kind::Blinn => {
                type $falloff = $crate::implicit::falloff::Blinn;
                $call
            }
            $crate::implicit::falloff::Kind::Polynomial => {
                type $falloff = $crate::implicit::falloff::Polynomial;
                $call
            }
        }
    };
}
pub(crate) use with_falloff;

impl Kind {
    /// The factor times the cube of the radius.
    pub fn factor(self) -> f64 {
        with_falloff!(self, F => F::FACTOR)
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::float_cmp)]
    use super::*;

    const ALL: [Kind; 4] = [Kind::Spiky, Kind::Spline, Kind::Blinn, Kind::Polynomial];

    #[test]
    fn integrals_are_one() {
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
    fn slopes_are_derivatives_and_end_at_one() {
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
