//! The smoothing kernel in units of cells.

use dollop_sim::SmoothingKernel;
use dollop_sim::kernel::Kernel;

/// A smoothing kernel in units of cells.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Profile {
    pub kind: Kernel,
    /// Radius beyond which the kernel is zero, cells.
    pub support: f32,
    /// Factor of the polynomial: times the volume of a particle, it gives the contribution to the density, 1/m^3.
    pub normalization: f64,
}

impl Profile {
    pub fn new(kernel: &SmoothingKernel, cell_size: f64) -> Self {
        let support = (kernel.support() / cell_size) as f32;
        Self { kind: kernel.kind(), support, normalization: kernel.normalization() }
    }
}
