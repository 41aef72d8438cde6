//! Heat of sheets: they are thinner than the cubes of matter that particles stand for elsewhere, and free on two sides.

use super::surface::HeatSurface;
use crate::SmoothingKernel;
use crate::boundary::Wall;
use crate::lattice::nearest;
use crate::laws::around::Around;
use crate::laws::conduction::weight_at;
use crate::material::Model;
use crate::material::oriented::{area, hexagonal};
use glam::Vec3;

/// The heat of a body that is a sheet.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SheetHeat {
    /// Volume of a particle over the cube of the spacing; conduction along the sheet is smaller by this factor.
    pub part: f32,
    /// Free surface, both sides of a flat sheet that touches nothing, over the surface that its neighbours would
    /// indicate.
    pub surface: f64,
    /// Conduction to its surface over that of matter as thick as a particle is wide.
    pub thinner: f64,
}

impl SheetHeat {
    /// The sheet of a material at a spacing, m; none if it is no sheet.
    pub fn new(material: &dyn Model, surface: &HeatSurface, kernel: &SmoothingKernel, spacing: f64) -> Option<Self> {
        let thickness = material.thickness()?;
        let h = kernel.smoothing_length();
        let squared = |r: f64| weight_at(kernel, r) * (r / h).powi(2);
        let moment: f64 = hexagonal(nearest(spacing), kernel.support()).map(|offset| squared(offset.length())).sum();
        // All in one of the three sums, as only their total counts.
        let alone = Around { moments: [moment as f32, 0.0, 0.0, 0.0, 0.0, 0.0], pull: Vec3::ZERO };
        let taken = surface.area(&alone, &Wall::default());
        Some(Self {
            part: (material.particle_volume(spacing) / spacing.powi(3)) as f32,
            surface: 2.0 * area(spacing) / taken,
            thinner: (spacing / thickness).max(1.0),
        })
    }
}
