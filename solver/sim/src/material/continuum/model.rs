//! Continuum matter as a [`Model`].

use crate::material::pressure::{BodyLaw, PressureLaw};
use crate::material::{Model, Repulsion};
use dollop_scene::{Ambient, Continuum, Material, StateEquation};

/// What other matter takes for its stiffness, m^2/s^2: it keeps its volume.
const STIFFNESS: f64 = 1000.0;

/// A liquid of constant density.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Fluid {
    /// kg/m^3.
    pub density: f64,
    /// Dynamic viscosity, Pa s.
    pub viscosity: f64,
}

impl Model for Continuum {
    fn rest_density(&self) -> f64 {
        self.rest_density
    }

    fn denser(&self, times: f64) -> Material {
        Material::Continuum(Self { rest_density: self.rest_density * times, ..self.clone() })
    }

    fn stiffness(&self) -> f64 {
        STIFFNESS
    }

    fn stiffener(&self) -> (&'static str, f64) {
        ("viscosity", 1.0)
    }

    fn repulsion(&self) -> Repulsion {
        Repulsion::Pressure
    }

    fn law(&self, _spacing: f64, ambient: &Ambient) -> BodyLaw {
        let solid = PressureLaw::new(self.rest_density, STIFFNESS, 0.0, StateEquation::Linear, ambient);
        BodyLaw { solid, molten: None }
    }

    fn keeps_lattice(&self) -> bool {
        false
    }

    fn disorder(&self) -> f64 {
        // Rows of particles that matter draws apart stay in their planes otherwise, with rifts between them.
        0.25
    }

    fn is_fluid(&self, _heat_flows: bool) -> bool {
        false
    }

    fn is_liquid(&self, _heat_flows: bool) -> bool {
        true
    }

    fn fluid_on_grid(&self) -> Option<Fluid> {
        Some(Fluid { density: self.rest_density, viscosity: self.viscosity })
    }
}
