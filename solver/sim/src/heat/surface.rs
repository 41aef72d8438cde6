//! Heat that the free surface gives to the ambient air, by convection and radiation.
//!
//! How much of the surface is a particle's is told by what lacks of its density: D = (1 - delta) / (1 - own), where delta is its
//! density over that at rest with all that walls stand for, and own its own part of that. D is 0 in the midst of matter and 1 for
//! a lone particle. On a flat surface of the close-packed lattice the D of all rows add up to the area that a particle of each
//! row covers; that gives the area for each D.

use crate::SmoothingKernel;
use crate::lattice::{Calibration, half_space};
use dollop_scene::Ambient;

/// Stefan-Boltzmann constant, W/(m^2 K^4).
const STEFAN_BOLTZMANN: f64 = 5.670_374_419e-8;

/// What of the air takes heat.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Surface {
    /// Temperature of the air, K.
    temperature: f64,
    /// Heat transfer coefficient, W/(m^2 K).
    convection: f64,
    /// Free surface of a lone particle, m^2.
    area: f64,
    /// Part of its density that a particle is itself.
    own: f64,
}

/// What flows into a particle.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Inflow {
    /// Heat, W.
    pub heat: f64,
    /// By how much less that becomes for each kelvin that the particle is warmer, W/K.
    pub conductance: f64,
}

impl Surface {
    /// The surface in some ambient air, for a kernel and a spacing, m.
    pub fn new(ambient: &Ambient, kernel: &SmoothingKernel, spacing: f64) -> Self {
        let above = half_space(kernel, spacing);
        let value = |offset: &glam::DVec3| kernel.value(offset.length());
        let higher = |offset: &&glam::DVec3| offset.z > 1e-6 * spacing;
        let within: f64 = above.iter().filter(|offset| !higher(offset)).map(value).sum();
        let beyond: f64 = above.iter().filter(higher).map(value).sum();
        let moment: f64 = above.iter().filter(higher).map(|offset| offset.z * value(offset)).sum();
        Self {
            temperature: ambient.temperature,
            convection: ambient.convection,
            area: spacing.powi(3) * (within + 2.0 * beyond) / moment,
            own: Calibration::new(kernel, spacing).own,
        }
    }

    /// Free surface, m^2, of a particle of a density over that at rest.
    pub fn area(&self, density: f32) -> f64 {
        self.area * ((1.0 - f64::from(density)) / (1.0 - self.own)).clamp(0.0, 1.0)
    }

    /// What flows into a particle from the air, given its free surface, m^2, its temperature, K, and its emissivity.
    pub fn inflow(&self, area: f64, temperature: f64, emissivity: f64) -> Inflow {
        let radiation = emissivity * STEFAN_BOLTZMANN;
        let warmest = temperature.max(self.temperature);
        let flux = self.convection * (self.temperature - temperature)
            + radiation * (self.temperature.powi(4) - temperature.powi(4));
        Inflow { heat: area * flux, conductance: area * (self.convection + 4.0 * radiation * warmest.powi(3)) }
    }
}
