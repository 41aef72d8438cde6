//! The smoothing kernel in single precision and in units of cells, for inner loops without branches.
//!
//! Same shapes as [`SmoothingKernel`], q = r / h:
//! spiky (2 - q)^3; cubic spline (2 - q)^3 / 4 - (1 - q)^3, each term zero where its bracket is negative.

use dollop_sim::SmoothingKernel;
use dollop_sim::kernel::Kernel;

/// A polynomial in q without its factor; zero from q = 2 on.
pub(crate) trait Shape {
    fn value(q: f32) -> f32;
    /// Derivative by q.
    fn slope(q: f32) -> f32;
}

pub(crate) struct Spiky;
pub(crate) struct CubicSpline;

/// Unlike `f32::max` one instruction: NaN does not occur here.
fn positive(x: f32) -> f32 {
    if x > 0.0 { x } else { 0.0 }
}

impl Shape for Spiky {
    #[inline]
    fn value(q: f32) -> f32 {
        let outer = positive(2.0 - q);
        outer * outer * outer
    }

    #[inline]
    fn slope(q: f32) -> f32 {
        let outer = positive(2.0 - q);
        -3.0 * outer * outer
    }
}

impl Shape for CubicSpline {
    #[inline]
    fn value(q: f32) -> f32 {
        let (outer, inner) = (positive(2.0 - q), positive(1.0 - q));
        0.25 * outer * outer * outer - inner * inner * inner
    }

    #[inline]
    fn slope(q: f32) -> f32 {
        let (outer, inner) = (positive(2.0 - q), positive(1.0 - q));
        3.0 * inner * inner - 0.75 * outer * outer
    }
}

/// A kernel of a given reach.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Profile {
    pub kind: Kernel,
    /// Radius beyond which the kernel is zero, cells.
    pub support: f32,
    /// Factor before the polynomial times a particle's volume makes a contribution to the density, 1/m^3.
    pub normalization: f64,
}

impl Profile {
    pub fn new(kernel: &SmoothingKernel, cell_size: f64) -> Self {
        let support = (kernel.support() / cell_size) as f32;
        Self { kind: kernel.kind(), support, normalization: kernel.normalization() }
    }

    /// What takes a distance in cells to q.
    pub fn scale(&self) -> f32 {
        2.0 / self.support
    }
}

/// Calls a function that is generic over the [`Shape`], so that the choice is made once a batch.
macro_rules! with_shape {
    ($kind:expr, $shape:ident => $call:expr) => {
        match $kind {
            dollop_sim::kernel::Kernel::Spiky => {
                type $shape = $crate::profile::Spiky;
                $call
            }
            dollop_sim::kernel::Kernel::CubicSpline => {
                type $shape = $crate::profile::CubicSpline;
                $call
            }
        }
    };
}
pub(crate) use with_shape;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shapes_are_those_of_the_simulation() {
        for kind in [Kernel::Spiky, Kernel::CubicSpline] {
            let kernel = SmoothingKernel::new(kind, 0.3);
            for step in 0..=250 {
                let q = step as f64 * 0.01;
                let (value, slope) =
                    with_shape!(kind, S => (f64::from(S::value(q as f32)), f64::from(S::slope(q as f32))));
                let (value, slope) = (value * kernel.normalization(), slope * kernel.normalization() / 0.3);
                assert!((value - kernel.value(q * 0.3)).abs() < 1e-6 * kernel.value(0.0), "{kind:?} value at {q}");
                assert!((slope - kernel.derivative(q * 0.3)).abs() < 1e-5 * kernel.value(0.0) / 0.3, "{kind:?} {q}");
            }
        }
    }
}
