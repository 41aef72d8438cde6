//! Continuum matter as a [`Model`].

use super::law::{Law, PlasticFlow};
use crate::material::pressure::{BodyLaw, PressureLaw};
use crate::material::{Model, Repulsion};
use dollop_scene::{Ambient, Continuum, Material, StateEquation};

/// What other matter takes for its stiffness, m^2/s^2: it keeps its volume.
const STIFFNESS: f64 = 1000.0;

/// The shear modulus of matter that has none in its settings, over its yield stress and the stress of flow at a rate of
/// 1/s: what it is strained by before it flows is not seen.
const STIFFER: f64 = 100.0;

/// Matter of constant density.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Fluid {
    /// kg/m^3.
    pub density: f64,
    /// Dynamic viscosity, Pa s.
    pub viscosity: f64,
    /// How it keeps its shape; none for a liquid.
    pub law: Option<Law>,
}

fn law_of(material: &Continuum) -> Option<Law> {
    let &Continuum { shear_modulus, yield_stress, consistency, flow_index, .. } = material;
    let flows = yield_stress > 0.0 || consistency > 0.0;
    let flow = flows.then_some(PlasticFlow { yield_stress, consistency, index: flow_index });
    let shear_modulus = if shear_modulus > 0.0 { shear_modulus } else { STIFFER * (yield_stress + consistency) };
    (shear_modulus > 0.0).then_some(Law { shear_modulus, flow })
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
        law_of(self).is_none()
    }

    fn fluid_on_grid(&self) -> Option<Fluid> {
        Some(Fluid { density: self.rest_density, viscosity: self.viscosity, law: law_of(self) })
    }
}
