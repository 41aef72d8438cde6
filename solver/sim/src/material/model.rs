//! The interface of a material to a simulation, and the list of materials.

use super::continuum::Fluid;
use super::oriented::Sheet;
use super::pressure::{BodyLaw, PressureLaw};
use super::soft::SoftBody;
use super::thermal::BodyBonds;
use crate::{SetupError, SmoothingKernel};
use dollop_scene::{Ambient, Dimensions, Heat, JsonPath, Material, Scene};

/// The model of a material. No other code tells materials apart.
pub fn model(material: &Material) -> &dyn Model {
    match material {
        Material::Continuum(material) => material,
        Material::Smoothed(material) => material,
        Material::Thermal(material) => material,
        Material::Oriented(material) => material,
        Material::Soft(material) => material,
    }
}

/// Whether all matter of a scene moves on a grid.
pub fn is_on_grid(scene: &Scene) -> bool {
    scene.bodies.iter().all(|body| model(&body.material).moves_on_grid())
}

/// The interface of a material to a simulation.
pub trait Model {
    /// Density of unpressed matter, kg/m^3.
    fn rest_density(&self) -> f64;

    /// The same material at a multiple of its density.
    fn denser(&self, times: f64) -> Material;

    /// The square of the speed of sound in cold matter, m^2/s^2.
    fn stiffness(&self) -> f64;

    /// The setting that makes the material stiff, and the [stiffness](Self::stiffness) that one unit of it gives.
    fn stiffener(&self) -> (&'static str, f64);

    /// How the matter keeps other matter away.
    fn repulsion(&self) -> Repulsion;

    /// The law by which walls push particles of a spacing, m, and by which fluid matter presses on them.
    fn law(&self, spacing: f64, ambient: &Ambient) -> BodyLaw;

    /// Thickness of a sheet, m, whose particles lie on the faces of a mesh; none for matter that fills a volume.
    fn thickness(&self) -> Option<f64> {
        None
    }

    /// Volume of a particle at rest, m^3, at a spacing, m.
    fn particle_volume(&self, spacing: f64) -> f64 {
        spacing.powi(3)
    }

    /// Largest offset of a particle from its lattice point along an axis as it is filled, in spacings. A perfect
    /// lattice would splash in perfect symmetry.
    fn disorder(&self) -> f64 {
        0.003
    }

    /// Whether bonds or strength would pull a stretched lattice back to its distances. Instead of being stretched to
    /// fill a body, such a lattice gets the missing mass.
    fn keeps_lattice(&self) -> bool {
        true
    }

    /// Whether its particles are packed beneath the surface of a body that the lattice does not fit. Matter with bonds
    /// needs the lattice.
    fn packs(&self) -> bool {
        false
    }

    /// Whether it presses on other matter by its density, with or without heat flow. Bonds alone hold sheets and matter
    /// that cannot melt.
    fn is_fluid(&self, heat_flows: bool) -> bool;

    /// Whether it flows at rest, so that other matter may float in it, with or without heat flow.
    fn is_liquid(&self, _heat_flows: bool) -> bool {
        false
    }

    /// The bonds between its particles.
    fn bonds(&self) -> Option<BodyBonds> {
        None
    }

    /// The fluid that it makes on a grid, with the thermal properties of its body where heat flows; none for matter
    /// that moves by forces between pairs of particles.
    fn fluid_on_grid(&self, _heat: Option<&Heat>) -> Option<Fluid> {
        None
    }

    /// Whether it moves on a grid.
    fn moves_on_grid(&self) -> bool {
        self.fluid_on_grid(None).is_some()
    }

    /// The sheet that it makes at a spacing, m.
    fn sheet(&self, _kernel: &SmoothingKernel, _spacing: f64) -> Option<Sheet> {
        None
    }

    /// Whether it is a sheet with fixed neighbours, which tools cut and join.
    fn is_woven(&self) -> bool {
        false
    }

    /// Whether it is [soft](Self::soft_body).
    fn is_soft(&self) -> bool {
        false
    }

    /// The skin, volume control and contact of soft matter at a spacing, m.
    fn soft_body(&self, _spacing: f64) -> Option<SoftBody> {
        None
    }

    /// The most particles that a number of particles may become.
    fn most_particles(&self, count: usize) -> usize {
        count
    }

    /// Whether a body's initial temperature, K, shows that it is meant to melt at its solidus, K.
    fn is_meant_to_melt(&self, _temperature: Option<f64>, _solidus: f64) -> bool {
        false
    }

    /// Whether the settings, at a place of the scene, fit each other and the dimensions.
    ///
    /// # Errors
    /// The first setting that does not fit.
    fn check(&self, _path: &JsonPath, _dimensions: Dimensions) -> Result<(), SetupError> {
        Ok(())
    }

    /// Warnings for a user before a body of this material is baked: one sentence each, with the remedy.
    fn warnings(&self, _body: &BodyInScene) -> Vec<String> {
        Vec::new()
    }
}

/// The force by which matter keeps other matter away.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Repulsion {
    /// Pressure.
    Pressure,
    /// Bonds, which push much harder where particles are nearer than in the lattice.
    Bonds,
    /// The contact of a sheet with all other matter, as hard as bonds.
    Sheet,
    /// That of a grid, which pushes what is too much in its cells and no single particles.
    Grid,
}

/// A body as it stands in a scene.
#[derive(Debug, Clone, Copy)]
pub struct BodyInScene<'a> {
    /// Name.
    pub name: &'a str,
    /// The law of its matter while it is solid.
    pub law: &'a PressureLaw,
    /// The weight of a column of the body's height, over density, m^2/s^2: from its lowest to its highest particle.
    pub load: f64,
    /// Gravity, m/s^2.
    pub gravity: f64,
    /// Particle spacing, m.
    pub spacing: f64,
    /// Seconds between frames.
    pub interval: f64,
    /// The highest temperature of any body or heat source in the scene, K; none where no heat flows.
    pub hottest: Option<f64>,
    /// Solidus, K.
    pub solidus: f64,
}

impl BodyInScene<'_> {
    /// The load, with the half spacing of matter around the outermost particles.
    pub fn full_load(&self) -> f64 {
        self.load + self.gravity * self.spacing
    }
}
