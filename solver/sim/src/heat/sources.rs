//! What gives matter heat, and what matter makes of it.

use super::air::Air;
use super::region::{HeaterRegion, HeaterStep};
use super::substance::Substance;
use super::track::Track;
use crate::material::model;
use crate::region::time_of;
use crate::{MeshLibrary, SetupError};
use dollop_scene::{Collider, Scene};
use glam::DVec3;
use std::sync::Arc;

/// The substances and the sources of heat of a scene.
#[derive(Debug)]
pub struct HeatSources {
    /// How many times faster heat flows than in nature.
    pub rate: f64,
    /// By body.
    pub substances: Vec<Substance>,
    /// Densities at rest, kg/m^3, by body.
    rest_densities: Vec<f64>,
    pub air: Air,
    regions: Vec<HeaterRegion>,
    /// Temperatures of the colliders that have one.
    walls: Vec<Option<Track>>,
}

impl HeatSources {
    /// The sources of a scene, if heat flows there.
    ///
    /// # Errors
    /// When a heater makes no sense.
    pub fn new(scene: &Scene, meshes: &MeshLibrary) -> Result<Option<Arc<Self>>, SetupError> {
        let Some(flow) = &scene.heat else { return Ok(None) };
        let time_of = time_of(scene);
        let region = |(number, heater)| HeaterRegion::new(number, heater, meshes, time_of);
        let wall = |collider: &Collider| Track::of_wall(collider, time_of);
        Ok(Some(Arc::new(Self {
            rate: flow.rate,
            substances: scene.bodies.iter().map(|body| Substance::new(&body.heat)).collect(),
            rest_densities: scene.bodies.iter().map(|body| model(&body.material).rest_density()).collect(),
            air: Air::new(&scene.ambient),
            regions: scene.heaters.iter().enumerate().map(region).collect::<Result<_, _>>()?,
            walls: scene.colliders.iter().map(wall).collect(),
        })))
    }

    /// The colliders that have a temperature, with their temperatures at a time, K.
    pub fn warm_walls(&self, time: f64) -> Vec<(usize, f64)> {
        let walls = self.walls.iter().enumerate();
        walls.filter_map(|(number, track)| track.as_ref().map(|track| (number, track.at(time)))).collect()
    }

    /// Whether there is any heater.
    pub fn has_heaters(&self) -> bool {
        !self.regions.is_empty()
    }

    /// The effects of the heaters over some seconds from a time on, s.
    pub fn heaters(&self, time: f64, seconds: f64) -> Vec<HeaterStep<'_>> {
        self.regions.iter().map(|region| region.over(time, seconds)).collect()
    }

    /// The heat, J/kg, of a body's matter at a place after the steps of all heaters.
    pub fn heated(&self, source: usize, heat: f64, place: DVec3, heaters: &[HeaterStep]) -> f64 {
        let (substance, rest_density) = (&self.substances[source], self.rest_densities[source]);
        heaters.iter().fold(heat, |heat, heater| heater.after(heat, place, substance, rest_density))
    }
}
