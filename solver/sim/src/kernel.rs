//! Smoothing kernels (DG96 section 3.2), three-dimensional, of support 2 h.
//!
//! | symbol | meaning |
//! |---|---|
//! | h | smoothing length, m |
//! | q | r / h |
//! | W | kernel, 1/m^3 |

pub use dollop_scene::Kernel;
use dollop_scene::Scene;
use std::f64::consts::PI;

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
        let volume = smoothing_length.powi(3);
        let normalization = match kind {
            // DG96 s.3.2, "15 / (pi (4h)^3)": right in 3D.
            Kernel::Spiky => 15.0 / (64.0 * PI * volume),
            // DG96 s.3.2 prints 1/(pi h); normalised in 3D it is 1/(pi h^3).
            Kernel::CubicSpline => 1.0 / (PI * volume),
        };
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
        let rest = (2.0 - q).max(0.0);
        let shape = match self.kind {
            Kernel::Spiky => rest.powi(3),
            Kernel::CubicSpline if q <= 1.0 => 1.0 - 1.5 * q * q + 0.75 * q.powi(3),
            Kernel::CubicSpline => 0.25 * rest.powi(3),
        };
        self.normalization * shape
    }

    /// dW/dr, 1/m^4, at a distance r >= 0 in m; never positive.
    pub fn derivative(&self, r: f64) -> f64 {
        let q = r / self.smoothing_length;
        let rest = (2.0 - q).max(0.0);
        let slope = match self.kind {
            Kernel::Spiky => -3.0 * rest * rest,
            Kernel::CubicSpline if q <= 1.0 => -3.0 * q + 2.25 * q * q,
            Kernel::CubicSpline => -0.75 * rest * rest,
        };
        self.normalization * slope / self.smoothing_length
    }
}
