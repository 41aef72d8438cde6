//! From density to pressure and energy: DG96 (6).

use crate::particles::Density;
use dollop_scene::Smoothed;

/// Constants of one body's matter.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Law {
    /// Rest density, kg/m^3.
    pub rest_density: f32,
    /// k rho0, Pa.
    pub modulus: f32,
    /// Viscosity c, m/s.
    pub viscosity: f32,
    /// Factor on negative pressure.
    pub cohesion: f32,
}

impl Law {
    /// The law of a scene's material.
    pub fn new(material: &Smoothed) -> Self {
        Self {
            rest_density: material.rest_density as f32,
            modulus: (material.stiffness * material.rest_density) as f32,
            viscosity: material.viscosity as f32,
            cohesion: material.cohesion as f32,
        }
    }

    /// Speed that bounds the time step: max(c, sqrt k), m/s.
    pub fn signal_speed(&self) -> f32 {
        self.viscosity.max((self.modulus / self.rest_density).sqrt())
    }

    /// P / delta^2 by DG96 (6) where matter is pressed, Pa; zero elsewhere.
    pub fn push(&self, total: f32) -> f32 {
        let over = (total - 1.0).max(0.0);
        self.modulus * over / (total * total)
    }

    /// The pull where matter is thinner than at rest, Pa, not positive; zero elsewhere.
    pub fn pull(&self, held: f32) -> f32 {
        self.cohesion * self.modulus * (held - 1.0).min(0.0)
    }

    /// Pressure, Pa.
    pub fn pressure(&self, density: Density) -> f32 {
        self.push(density.total) * density.total.powi(2) + self.pull(density.held)
    }

    /// Elastic energy per volume at rest, J/m^3: the integral of push and pull.
    pub fn energy(&self, density: Density) -> f64 {
        let pressed = f64::from(density.total.max(1.0));
        let thinned = f64::from(1.0 - density.held).max(0.0);
        f64::from(self.modulus)
            * (pressed.ln() + 1.0 / pressed - 1.0 + f64::from(self.cohesion) * thinned.powi(2) / 2.0)
    }
}
