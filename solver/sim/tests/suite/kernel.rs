//! Smoothing kernels: normalisation, slope, support.

use dollop_sim::SmoothingKernel;
use dollop_sim::kernel::{Dimensions, Kernel};
use std::f64::consts::PI;

const LENGTHS: [f64; 3] = [1e-4, 0.1, 37.0];

/// Thickness of the plates, m.
const THICKNESS: f64 = 0.3;

fn kernels() -> impl Iterator<Item = SmoothingKernel> {
    let in_space = |kind| LENGTHS.map(|h| SmoothingKernel::new(kind, h));
    let in_plate = |kind| LENGTHS.map(|h| SmoothingKernel::in_plate(kind, h, THICKNESS));
    [Kernel::Spiky, Kernel::CubicSpline]
        .into_iter()
        .flat_map(move |kind| in_space(kind).into_iter().chain(in_plate(kind)))
}

#[test]
fn integral_over_space_or_a_plate_is_one() {
    for kernel in kernels() {
        let (pieces, support) = (20_000, kernel.support());
        let dr = support / f64::from(pieces);
        let shell = |i: i32| {
            let r = (f64::from(i) + 0.5) * dr;
            let measure = match kernel.dimensions() {
                Dimensions::Two => 2.0 * PI * r * THICKNESS,
                Dimensions::Three => 4.0 * PI * r * r,
            };
            measure * kernel.value(r) * dr
        };
        let integral: f64 = (0..pieces).map(shell).sum();
        assert!((integral - 1.0).abs() < 1e-6, "{kernel:?}: {integral}");
    }
}

#[test]
fn derivative_is_the_slope_of_the_value() {
    for kernel in kernels() {
        let step = kernel.smoothing_length() * 1e-5;
        let scale = kernel.normalization() / kernel.smoothing_length();
        for i in 1..400 {
            let r = f64::from(i) * kernel.support() / 380.0;
            let slope = (kernel.value(r + step) - kernel.value(r - step)) / (2.0 * step);
            assert!((slope - kernel.derivative(r)).abs() < 1e-6 * scale, "{kernel:?} at {r}");
        }
    }
}

#[test]
fn value_is_never_negative_and_never_rises() {
    for kernel in kernels() {
        for i in 0..2000 {
            let r = f64::from(i) * kernel.support() / 1000.0;
            assert!(kernel.value(r) >= 0.0 && kernel.derivative(r) <= 0.0, "{kernel:?} at {r}");
        }
    }
}

#[test]
fn nothing_beyond_two_smoothing_lengths() {
    for kernel in kernels() {
        for factor in [1.0, 1.0 + 1e-12, 1.5, 1e6] {
            let r = 2.0 * kernel.smoothing_length() * factor;
            assert_eq!((kernel.value(r), kernel.derivative(r)), (0.0, 0.0), "{kernel:?} at {r}");
        }
        assert!(kernel.value(1.99 * kernel.smoothing_length()) > 0.0);
    }
}
