//! The waves that matter has, which bound its steps.

use super::grid_flow::GridFlow;
use super::model::{Fluid, Rheology};
use super::pace::{by_capillary_waves, by_gravity_waves};
use super::surface::THIN;

/// The matter of a body, and whether any of it has melted.
pub type PresentFluid<'a> = (&'a Fluid, bool);

impl GridFlow {
    /// The matter of all bodies; `has_melted` is whether any has.
    pub fn all_present(&self, has_melted: bool) -> Vec<PresentFluid<'_>> {
        self.fluids.iter().flatten().map(|fluid| (fluid, has_melted)).collect()
    }

    /// The viscosity, Pa s, from which on matter of a density, kg/m^3, is no thin liquid in some gravity, m/s^2.
    pub fn least_thick(&self, density: f64, gravity: f64) -> f64 {
        f64::from(THIN) * density * self.width().powi(2) / by_gravity_waves(gravity, self.width())
    }

    /// The longest step, s, that resolves waves on the surfaces of liquids in some gravity, m/s^2: longer ones feed
    /// them.
    pub fn longest_on_surface(&self, gravity: f64, present: &[PresentFluid]) -> f64 {
        let of = |&(fluid, has_melted): &PresentFluid| {
            let molten = fluid.rheologies().skip(1).filter(|_| has_melted);
            let least = self.least_thick(fluid.density, gravity);
            let is_thin = |rheology: Rheology| rheology.law.is_none() && rheology.viscosity < least;
            let is_thin = std::iter::once(fluid.solid).chain(molten).any(is_thin);
            if is_thin { by_gravity_waves(gravity, self.width()) } else { f64::INFINITY }
        };
        // Matter that others draw along takes their tension over its own density.
        let tension = present.iter().map(|(fluid, _)| fluid.tension).fold(0.0, f64::max);
        let lightest = present.iter().map(|(fluid, _)| fluid.density).fold(f64::INFINITY, f64::min);
        let by_tension = by_capillary_waves(tension / lightest, self.width());
        present.iter().map(of).fold(by_tension, f64::min)
    }
}

/// The fastest speed of waves of shear, m/s.
pub fn shear_wave_speed(present: &[PresentFluid]) -> f64 {
    let speed = |density: f64, rheology: Rheology| rheology.law.map_or(0.0, |law| (law.shear_modulus / density).sqrt());
    let fastest = |fluid: &Fluid| fluid.rheologies().map(|rheology| speed(fluid.density, rheology)).fold(0.0, f64::max);
    present.iter().map(|(fluid, _)| fastest(fluid)).fold(0.0, f64::max)
}
