//! Smoothing kernels (DG96 section 3.2) of support 2 h, in space and in a plane.
//!
//! | symbol | meaning |
//! |---|---|
//! | h | smoothing length, m |
//! | q | r / h |
//! | W | kernel, 1/m^3 |
//!
//! Matter in a plane is a plate: the kernel of the plane, 1/m^2, spread over the plate's thickness. So a volume times W
//! has no unit in either, and the sums over particles are the same.

mod shape;

pub use dollop_scene::{Dimensions, Kernel};
pub use shape::{CubicSpline, KernelShape, Real, Spiky};

use crate::with_shape;
use dollop_scene::Scene;

/// A kernel of a given smoothing length.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SmoothingKernel {
    kind: Kernel,
    dimensions: Dimensions,
    smoothing_length: f64,
    /// Factor before the polynomial in q, 1/m^3.
    normalization: f64,
}

impl SmoothingKernel {
    /// A kernel in space of that smoothing length, m, which must be positive.
    pub fn new(kind: Kernel, smoothing_length: f64) -> Self {
        let normalization = with_shape!(kind, S => S::FACTOR) / smoothing_length.powi(3);
        Self { kind, dimensions: Dimensions::Three, smoothing_length, normalization }
    }

    /// A kernel in the plane of a plate, by smoothing length and thickness, m, which must be positive.
    pub fn in_plate(kind: Kernel, smoothing_length: f64, thickness: f64) -> Self {
        let normalization = with_shape!(kind, S => S::PLANE_FACTOR) / smoothing_length.powi(2) / thickness;
        Self { kind, dimensions: Dimensions::Two, smoothing_length, normalization }
    }

    /// The kernel of a scene. Matter in a plane is one spacing thick.
    pub fn of(scene: &Scene) -> Self {
        let discretization = &scene.discretization;
        let smoothing_length = discretization.smoothing_length * scene.particle_spacing;
        match discretization.dimensions {
            Dimensions::Two => Self::in_plate(discretization.kernel, smoothing_length, scene.particle_spacing),
            Dimensions::Three => Self::new(discretization.kernel, smoothing_length),
        }
    }

    /// The kernel in space of the same kind and smoothing length.
    #[must_use]
    pub fn in_space(&self) -> Self {
        Self::new(self.kind, self.smoothing_length)
    }

    /// The kind of this kernel.
    pub fn kind(&self) -> Kernel {
        self.kind
    }

    /// The dimensions of the matter that it smooths.
    pub fn dimensions(&self) -> Dimensions {
        self.dimensions
    }

    /// The number of dimensions.
    pub fn dimension_count(&self) -> f64 {
        f64::from(self.dimensions as i32)
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
