//! What a material brings to a simulation, and which materials there are.

use super::oriented::Sheet;
use super::smoothed::{BodyLaw, Law};
use super::soft::SoftBody;
use super::thermal::BodyBonds;
use crate::{SetupError, SmoothingKernel};
use dollop_scene::{Ambient, Dimensions, JsonPath, Material};

/// The model of a material: the one place that tells materials apart.
pub fn model(material: &Material) -> &dyn Model {
    match material {
        Material::Smoothed(material) => material,
        Material::Thermal(material) => material,
        Material::Oriented(material) => material,
        Material::Soft(material) => material,
    }
}

/// What a material brings to a simulation.
pub trait Model {
    /// Density of the matter when nothing presses on it, kg/m^3.
    fn rest_density(&self) -> f64;

    /// The same material, so many times as dense.
    fn denser(&self, times: f64) -> Material;

    /// The square of the speed of sound in cold matter, m^2/s^2.
    fn stiffness(&self) -> f64;

    /// The setting that makes it stiff, and the [stiffness](Self::stiffness) that one of its unit gives.
    fn stiffener(&self) -> (&'static str, f64);

    /// By what it keeps other matter away.
    fn repulsion(&self) -> Repulsion;

    /// The law by which walls push particles of some spacing, m, and fluid matter presses on them.
    fn law(&self, spacing: f64, ambient: &Ambient) -> BodyLaw;

    /// Thickness of a sheet, m, whose particles lie on the faces of a mesh; none of matter that fills a volume.
    fn thickness(&self) -> Option<f64> {
        None
    }

    /// Volume of a particle at rest, m^3, at a spacing, m.
    fn particle_volume(&self, spacing: f64) -> f64 {
        spacing.powi(3)
    }

    /// Whether bonds or strength would draw a lattice that was stretched to fill a body back to its distances. Its
    /// particles get the mass that is missing instead.
    fn keeps_lattice(&self) -> bool {
        true
    }

    /// Whether it presses on other matter by its density, where heat flows or not: bonds alone hold what cannot melt,
    /// and sheets.
    fn is_fluid(&self, heat_flows: bool) -> bool;

    /// Whether it flows at rest, so that other matter may float in it, where heat flows or not.
    fn is_liquid(&self, _heat_flows: bool) -> bool {
        false
    }

    /// The bonds between its particles.
    fn bonds(&self) -> Option<BodyBonds> {
        None
    }

    /// The sheet that it makes at a spacing, m.
    fn sheet(&self, _kernel: &SmoothingKernel, _spacing: f64) -> Option<Sheet> {
        None
    }

    /// Whether it is a sheet whose particles keep their neighbours, which tools cut and join.
    fn is_woven(&self) -> bool {
        false
    }

    /// Whether it is [soft](Self::soft_body).
    fn is_soft(&self) -> bool {
        false
    }

    /// The skin of soft matter, what keeps its volume, and how it touches, at a spacing, m.
    fn soft_body(&self, _spacing: f64) -> Option<SoftBody> {
        None
    }

    /// How many particles so many may become.
    fn most_particles(&self, count: usize) -> usize {
        count
    }

    /// Whether settings of a body of it, at a temperature, K, show that it is meant to melt at its solidus, K.
    fn is_meant_to_melt(&self, _temperature: Option<f64>, _solidus: f64) -> bool {
        false
    }

    /// Whether the settings, at a place of the scene, fit each other and the dimensions.
    ///
    /// # Errors
    /// The first that does not.
    fn check(&self, _path: &JsonPath, _dimensions: Dimensions) -> Result<(), SetupError> {
        Ok(())
    }

    /// What a user should know before a body of it is baked: one sentence each, saying what to do.
    fn warnings(&self, _body: &BodyInScene) -> Vec<String> {
        Vec::new()
    }
}

/// By what matter keeps other matter away.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Repulsion {
    /// Pressure.
    Pressure,
    /// Bonds, which push much harder where particles are nearer than in the lattice.
    Bonds,
    /// The contact of a sheet with all else, as hard.
    Sheet,
}

/// A body as it stands in a scene.
#[derive(Debug, Clone, Copy)]
pub struct BodyInScene<'a> {
    /// Name.
    pub name: &'a str,
    /// The law of its matter while it is solid.
    pub law: &'a Law,
    /// The weight of a column as high as it, over density, m^2/s^2: from its lowest to its highest particle.
    pub load: f64,
    /// m/s^2.
    pub gravity: f64,
    /// m.
    pub spacing: f64,
    /// The highest temperature that anything in the scene has or gives, K; none where no heat flows.
    pub hottest: Option<f64>,
    /// K.
    pub solidus: f64,
}

impl BodyInScene<'_> {
    /// The load with that of the half spacing of matter around the outermost particles.
    pub fn full_load(&self) -> f64 {
        self.load + self.gravity * self.spacing
    }
}
