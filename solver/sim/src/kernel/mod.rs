//! Smoothing kernels (DG96 section 3.2), three-dimensional, of support 2 h.
//!
//! | symbol | meaning |
//! |---|---|
//! | h | smoothing length, m |
//! | q | r / h |
//! | W | kernel, 1/m^3 |

mod shape;

pub use dollop_scene::Kernel;
pub use shape::{CubicSpline, Real, Shape, Spiky};

use crate::with_shape;
use dollop_scene::Scene;

/// A kernel of a given smoothing length.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SmoothingKernel {
    kind: Kernel,
    smoothing_length: f64,
    /// Factor before the polynomial in q, 1/m^3.
    normalization: f64,
}

impl SmoothingKernel {
    /// A kernel of that smoothing length, m, which must be positive.
    pub fn new(kind: Kernel, smoothing_length: f64) -> Self {
        let normalization = with_shape!(kind, S => S::FACTOR) / smoothing_length.powi(3);
        Self { kind, smoothing_length, normalization }
    }

    /// The kernel that a scene asks for.
    pub fn of(scene: &Scene) -> Self {
        let discretization = &scene.discretization;
        Self::new(discretization.kernel, discretization.smoothing_length * scene.particle_spacing)
    }

    /// Which kernel this is.
    pub fn kind(&self) -> Kernel {
        self.kind
    }

    /// Smoothing length h, m.
    pub fn smoothing_length(&self) -> f64 {
        self.smoothing_length
    }

    /// Support radius 2 h, m: the kernel is zero from there on.
    pub fn support(&self) -> f64 {
        2.0 * self.smoothing_length
    }

    /// Factor before the polynomial in q, 1/m^3.
    pub fn normalization(&self) -> f64 {
        self.normalization
    }

    /// W(r), 1/m^3, at a distance r >= 0 in m.
    pub fn value(&self, r: f64) -> f64 {
        let q = r / self.smoothing_length;
        self.normalization * with_shape!(self.kind, S => S::value(q))
    }

    /// dW/dr, 1/m^4, at a distance r >= 0 in m; never positive.
    pub fn derivative(&self, r: f64) -> f64 {
        let q = r / self.smoothing_length;
        self.normalization * with_shape!(self.kind, S => S::slope(q)) / self.smoothing_length
    }
}
