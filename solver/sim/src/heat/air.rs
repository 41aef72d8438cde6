//! Heat that a surface gives to the ambient air by convection and radiation.

use dollop_scene::Ambient;

/// Stefan-Boltzmann constant, W/(m^2 K^4).
const STEFAN_BOLTZMANN: f64 = 5.670_374_419e-8;

/// Most steps of Newton's method for the temperature of the surface; where it radiates, each step removes a quarter at
/// least.
const NEWTON_STEPS: usize = 64;

/// The ambient air.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Air {
    /// K.
    temperature: f64,
    /// Heat transfer coefficient, W/(m^2 K).
    convection: f64,
}

/// A heat flow into matter.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Inflow {
    /// Heat, W, or W/m^2.
    pub heat: f64,
    /// Decrease of the flow for each kelvin that the matter is warmer.
    pub conductance: f64,
}

impl Air {
    /// The air of a scene.
    pub fn new(ambient: &Ambient) -> Self {
        Self { temperature: ambient.temperature, convection: ambient.convection }
    }

    /// The heat flow into matter from the air, W/m^2, given its temperature, K, the conductance between that place and
    /// the surface, W/(m^2 K), and its emissivity.
    pub fn inflow(&self, temperature: f64, inner: f64, emissivity: f64) -> Inflow {
        // From the warmer side every step of Newton's method stays on that side of the surface's temperature.
        let mut surface = temperature.max(self.temperature);
        for _ in 0..NEWTON_STEPS {
            let (flux, outer) = self.flux(surface, emissivity);
            let less = (inner * (surface - temperature) - flux) / (outer + inner).max(f64::MIN_POSITIVE);
            surface -= less;
            if less <= 1e-9 * surface {
                break;
            }
        }
        let (_, outer) = self.flux(surface, emissivity);
        let conductance = inner * outer / (inner + outer).max(f64::MIN_POSITIVE);
        Inflow { heat: inner * (surface - temperature), conductance }
    }

    /// The heat flow from the air into a surface at a temperature, K, in W/m^2, and its decrease for each kelvin more.
    fn flux(&self, temperature: f64, emissivity: f64) -> (f64, f64) {
        let radiation = emissivity * STEFAN_BOLTZMANN;
        let flux = self.convection * (self.temperature - temperature)
            + radiation * (self.temperature.powi(4) - temperature.powi(4));
        (flux, self.convection + 4.0 * radiation * temperature.powi(3))
    }
}
