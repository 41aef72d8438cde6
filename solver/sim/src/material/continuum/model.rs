//! Continuum matter as a [`Model`].

use super::fracture::Fracture;
use super::law::{Law, PlasticFlow, Stretch, matrix, stiffened};
use super::pace::{most_modulus, most_tension};
use super::warnings;
use crate::material::pressure::{BodyLaw, PressureLaw};
use crate::material::{BodyInScene, Model, Repulsion};
use dollop_scene::{Ambient, Continuum, ContinuumMolten, Heat, Material, StateEquation};
use glam::DVec3;

/// What other matter takes for its stiffness, m^2/s^2: it keeps its volume.
const STIFFNESS: f64 = 1000.0;

/// The shear modulus of matter that has none in its settings, over its yield stress and the stress of flow at a rate of
/// 1/s: what it is strained by before it flows is not seen.
const STIFFER: f64 = 100.0;

/// The speed of waves of shear in grains, m/s: a heap a metre high is strained by three per cent before it flows.
const GRAIN_WAVES: f64 = 15.0;

/// The least viscosity, Pa s, that one of matter that melts goes over from or to by equal factors.
pub const THINNEST: f64 = 1e-6;

/// The gas constant, J/(mol K).
const GAS_CONSTANT: f64 = 8.314_462_618;

/// Matter of constant density.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Fluid {
    /// kg/m^3.
    pub density: f64,
    /// Surface tension, N/m.
    pub tension: f64,
    /// Angle in the matter between its surface and a wall, rad.
    pub contact_angle: f64,
    /// When it breaks; none of matter that never does.
    pub fracture: Option<Fracture>,
    /// Whether it slides on walls: a solid, which does not wet them.
    pub slides: bool,
    /// Whether it has velocities of its own where it touches other matter.
    pub is_apart: bool,
    /// Friction on other bodies, over the force that presses them together.
    pub contact_friction: f64,
    /// The pressure from which on it becomes one with other solids that it touches, Pa; infinite if it never does.
    pub fusion_pressure: f64,
    /// Of matter of which nothing has melted.
    pub solid: Rheology,
    /// When all of it has melted; none for matter that never does.
    pub molten: Option<Melt>,
}

/// How matter resists deformation.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Rheology {
    /// Dynamic viscosity, Pa s.
    pub viscosity: f64,
    /// How it keeps its shape; none for a liquid.
    pub law: Option<Law>,
}

/// How what has melted flows in a thin film.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct FilmLaw {
    /// Pa s.
    pub viscosity: f64,
    /// Pa.
    pub yield_stress: f64,
    /// Pa s^index.
    pub consistency: f64,
    /// The power of the rate.
    pub index: f64,
}

/// Matter that has melted.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Melt {
    /// At the liquidus.
    pub rheology: Rheology,
    /// Of its viscosity, over the gas constant, K.
    activation: f64,
    /// K.
    liquidus: f64,
}

impl Fluid {
    /// All rheologies between which its matter goes over.
    pub fn rheologies(&self) -> impl Iterator<Item = Rheology> {
        std::iter::once(self.solid).chain(self.molten.map(|melt| melt.rheology))
    }

    /// As frames of some seconds can show it on cells of a width, m: no stiffer, and with no more tension.
    #[must_use]
    pub fn as_shown(mut self, width: f64, interval: f64) -> Self {
        self.soften(most_modulus(self.density, width, interval));
        self.tension = self.tension.min(self.density * most_tension(width, interval));
        self
    }

    /// Bounds all shear moduli, Pa. What is softer breaks at a stress that is as much lower as keeps the energy that it
    /// stores until it breaks, and so the speed of an impact that breaks it.
    fn soften(&mut self, most: f64) {
        if let (Some(fracture), Some(law)) = (&mut self.fracture, &self.solid.law) {
            fracture.strength *= (most / law.shear_modulus).min(1.0).sqrt();
        }
        let molten = self.molten.as_mut().and_then(|melt| melt.rheology.law.as_mut());
        for law in self.solid.law.iter_mut().chain(molten) {
            law.shear_modulus = law.shear_modulus.min(most);
        }
    }

    /// The viscosity, Pa s, of matter with a molten part and a temperature, K.
    pub fn viscosity(&self, melted: f64, temperature: f64) -> f64 {
        match self.molten {
            Some(melt) if melted >= 1.0 => melt.viscosity(temperature),
            Some(melt) if melted > 0.0 => {
                let [solid, molten] = [self.solid, melt.rheology].map(|of| of.viscosity.max(THINNEST));
                solid * (molten / solid).powf(melted)
            }
            _ => self.solid.viscosity,
        }
    }

    /// How the melt of a solid flows in a film at a temperature, K; none of matter that is no solid or only springs.
    pub fn film(&self, temperature: f64) -> Option<FilmLaw> {
        let melt = self.molten.filter(|_| self.slides)?;
        let flow = match melt.rheology.law {
            Some(law) => law.flow?,
            None => PlasticFlow { yield_stress: 0.0, friction: 0.0, consistency: 0.0, index: 1.0 },
        };
        let PlasticFlow { yield_stress, consistency, index, .. } = flow;
        Some(FilmLaw { viscosity: melt.viscosity(temperature), yield_stress, consistency, index })
    }

    /// Whether matter with a molten part slides on walls.
    pub fn slides_at(&self, melted: f64) -> bool {
        let springs = |melt: Melt| melt.rheology.law.is_some_and(|law| law.flow.is_none());
        self.slides && (melted < 1.0 || self.molten.is_none_or(springs))
    }

    /// How matter with a molten part keeps its shape.
    pub fn law(&self, melted: f64) -> Option<Law> {
        let Some(melt) = self.molten.filter(|_| melted > 0.0) else { return self.solid.law };
        match (self.solid.law, melt.rheology.law) {
            (None, None) => None,
            (Some(law), None) => (melted < 1.0).then(|| law.weaker(1.0 - melted)),
            (None, Some(law)) => Some(law.weaker(melted)),
            (Some(solid), Some(molten)) => Some(solid.toward(&molten, melted)),
        }
    }

    /// What matter with a molten part bears across a plane with a normal by its shape, Pa.
    pub fn bears(&self, stretch: Stretch, melted: f64, normal: DVec3) -> f64 {
        self.law(melted).map_or(0.0, |law| -normal.dot(law.stress(matrix(stretch)) * normal))
    }

    /// The stretch of matter whose molten part changes.
    pub fn melt(&self, stretch: Stretch, [before, after]: [f64; 2]) -> Stretch {
        let modulus = |melted: f64| self.law(melted).map_or(0.0, |law| law.shear_modulus);
        stiffened(stretch, [before, after].map(modulus))
    }
}

impl FilmLaw {
    /// The viscosity at a rate of shear, 1/s, besides what the yield stress adds, Pa s.
    pub fn viscosity_at(&self, rate: f64) -> f64 {
        self.viscosity + self.consistency * rate.powf(self.index - 1.0)
    }
}

impl Melt {
    fn of(molten: &ContinuumMolten, index: f64, heat: &Heat) -> Self {
        let &ContinuumMolten { viscosity, activation_energy, shear_modulus, yield_stress, consistency } = molten;
        let law = law_of(shear_modulus, PlasticFlow { yield_stress, friction: 0.0, consistency, index }, 0.0);
        Self {
            rheology: Rheology { viscosity, law },
            activation: activation_energy / GAS_CONSTANT,
            liquidus: heat.liquidus.max(heat.solidus),
        }
    }

    /// The viscosity, Pa s, at a temperature, K, by Arrhenius's law.
    fn viscosity(&self, temperature: f64) -> f64 {
        let Self { rheology: Rheology { viscosity, .. }, activation, liquidus } = *self;
        if activation <= 0.0 || liquidus <= 0.0 || temperature <= liquidus {
            return viscosity;
        }
        viscosity * (activation * (1.0 / temperature - 1.0 / liquidus)).exp()
    }
}

/// `stiff` is the least shear modulus, Pa, of matter that has none in its settings.
fn law_of(shear_modulus: f64, flow: PlasticFlow, stiff: f64) -> Option<Law> {
    let strength = flow.yield_stress + flow.consistency;
    let flow = (strength + flow.friction > 0.0).then_some(flow);
    let shear_modulus = if shear_modulus > 0.0 { shear_modulus } else { (STIFFER * strength).max(stiff) };
    (shear_modulus > 0.0).then_some(Law { shear_modulus, flow })
}

fn solid_law(material: &Continuum) -> Option<Law> {
    let &Continuum { shear_modulus, yield_stress, friction_angle, consistency, flow_index: index, .. } = material;
    let friction = friction_angle.to_radians().tan();
    let stiff = if friction > 0.0 { material.rest_density * GRAIN_WAVES.powi(2) } else { 0.0 };
    law_of(shear_modulus, PlasticFlow { yield_stress, friction, consistency, index }, stiff)
}

/// None for a liquid: what keeps no shape has no cracks.
fn fracture_of(material: &Continuum) -> Option<Fracture> {
    let &Continuum { strength, fracture_energy: energy, .. } = material;
    (strength > 0.0 && solid_law(material).is_some()).then_some(Fracture { strength, energy })
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
        Repulsion::Grid
    }

    fn law(&self, _spacing: f64, ambient: &Ambient) -> BodyLaw {
        let solid = PressureLaw::new(self.rest_density, STIFFNESS, 0.0, StateEquation::Linear, ambient);
        BodyLaw { solid, molten: None }
    }

    fn keeps_lattice(&self) -> bool {
        false
    }

    fn packs(&self) -> bool {
        true
    }

    fn disorder(&self) -> f64 {
        // Rows of particles that matter draws apart stay in their planes otherwise, with rifts between them.
        0.25
    }

    fn is_fluid(&self, _heat_flows: bool) -> bool {
        false
    }

    fn is_liquid(&self, heat_flows: bool) -> bool {
        let melts_to_liquid = self.molten.as_ref().is_some_and(|molten| {
            molten.shear_modulus <= 0.0 && molten.yield_stress <= 0.0 && molten.consistency <= 0.0
        });
        solid_law(self).is_none() || heat_flows && melts_to_liquid
    }

    fn is_meant_to_melt(&self, temperature: Option<f64>, solidus: f64) -> bool {
        self.molten.is_some() && temperature.is_none_or(|temperature| temperature > solidus)
    }

    fn fluid_on_grid(&self, heat: Option<&Heat>) -> Option<Fluid> {
        let molten = self.molten.as_ref().zip(heat).map(|(molten, heat)| Melt::of(molten, self.flow_index, heat));
        let solid = Rheology { viscosity: self.viscosity, law: solid_law(self) };
        let &Self { rest_density: density, surface_tension: tension, .. } = self;
        let (contact_angle, slides) = (self.contact_angle.to_radians(), self.shear_modulus > 0.0);
        let (fracture, contact_friction, is_apart) = (fracture_of(self), self.contact_friction, slides && !self.fuses);
        let fusion_pressure = if self.fusion_pressure > 0.0 { self.fusion_pressure } else { f64::INFINITY };
        Some(Fluid {
            density,
            tension,
            contact_angle,
            fracture,
            slides,
            is_apart,
            contact_friction,
            fusion_pressure,
            solid,
            molten,
        })
    }

    fn warnings(&self, body: &BodyInScene) -> Vec<String> {
        warnings::of_material(self, body)
    }
}
