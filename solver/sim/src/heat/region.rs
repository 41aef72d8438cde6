//! Regions that heat or cool the matter in them.

use super::substance::Substance;
use super::track::Track;
use crate::boundary::Pose;
use crate::geometry::Solid;
use crate::region::{MovingSolid, moving_solid};
use crate::{MeshLibrary, SetupError};
use dollop_scene::{Heater, HeaterEffect};
use glam::DVec3;

/// A heater of a scene.
#[derive(Debug)]
pub struct HeaterRegion {
    moving: MovingSolid,
    effect: Effect,
}

#[derive(Debug)]
enum Effect {
    /// Temperatures, K, and response time, s.
    Temperature(Track, f64),
    /// Powers, W.
    Power(Track),
}

/// A region over a step of time.
#[derive(Debug)]
pub struct HeaterStep<'a> {
    solid: &'a Solid,
    pose: Pose,
    gives: Gives,
}

#[derive(Debug, Clone, Copy)]
enum Gives {
    /// A temperature, K, and the part of the difference to it that the step makes up.
    Temperature(f64, f64),
    /// Heat in a volume, J/m^3.
    Heat(f64),
}

impl HeaterRegion {
    /// The heater with a number.
    ///
    /// # Errors
    /// When its mesh encloses nothing, or its scale changes unevenly.
    pub fn new(
        number: usize,
        heater: &Heater,
        meshes: &MeshLibrary,
        time_of: impl Fn(i32) -> f64,
    ) -> Result<Self, SetupError> {
        let moving = moving_solid("heaters", "heater", number, heater, meshes, &time_of)?;
        let effect = match heater.effect {
            HeaterEffect::Temperature { temperature, response } => {
                Effect::Temperature(Track::new(temperature, &heater.values, time_of), response)
            }
            HeaterEffect::Power { power } => Effect::Power(Track::new(power, &heater.values, time_of)),
        };
        Ok(Self { moving, effect })
    }

    /// The effect of the heater over a step of some seconds from a time on, s.
    pub fn over(&self, time: f64, seconds: f64) -> HeaterStep<'_> {
        let MovingSolid { solid, motion } = &self.moving;
        let pose = motion.pose(time);
        let gives = match &self.effect {
            Effect::Temperature(track, response) => {
                let part = if *response > 0.0 { -(-seconds / response).exp_m1() } else { 1.0 };
                Gives::Temperature(track.at(time + seconds), part)
            }
            Effect::Power(track) => {
                let volume = solid.volume() * pose.scale.powi(3);
                Gives::Heat(track.at(time + seconds / 2.0) * seconds / volume)
            }
        };
        HeaterStep { solid, pose, gives }
    }
}

impl HeaterStep<'_> {
    /// The heat, J/kg, after the step, of matter at a place with a density at rest in kg/m^3.
    pub fn after(&self, enthalpy: f64, place: DVec3, substance: &Substance, rest_density: f64) -> f64 {
        if !self.solid.contains(self.pose.to_local(place)) {
            return enthalpy;
        }
        match self.gives {
            Gives::Heat(heat) => (enthalpy + heat / rest_density).max(0.0),
            Gives::Temperature(temperature, part) => {
                enthalpy + part * (substance.enthalpy_towards(temperature, enthalpy) - enthalpy)
            }
        }
    }
}
