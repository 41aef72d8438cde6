//! The implicit surface of a frame: a field and the value that it has there (T92 equation (42)).

use dollop_sim::Frame;
use dollop_surface::{ScalarGrid, SurfaceOptions, surface_field};

/// The field on a sparse grid with cells of that size, m, and its level at the surface: that of meshes before they are
/// smoothed. The grid may be empty.
pub(crate) fn implicit(frame: &Frame, cell_size: f64) -> (ScalarGrid, f32) {
    (surface_field(frame, &SurfaceOptions::new(cell_size)), 1.0)
}
