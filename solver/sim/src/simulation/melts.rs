//! Which melts will not flow.

use super::{Simulation, rounded};
use crate::heat::Track;
use dollop_scene::{HeaterEffect, Material, Scene};
use glam::DVec3;

/// A melt of a height H keeps half of that where its dissociation energy is this part of g H or more ...
const STANDING: f64 = 0.1;

/// ... and runs out below this one. Measured; docs/presets.md has the table.
const RUNNY: f64 = 0.01;

impl Simulation {
    /// A melt that is bound firmly for its height does not flow.
    pub(super) fn warn_of_standing_melts(&mut self, scene: &Scene) {
        if self.integrator.heat.is_none() {
            return;
        }
        let (gravity, hottest) = (DVec3::from(scene.gravity), hottest(scene));
        for (number, body) in scene.bodies.iter().enumerate() {
            let Material::Thermal(thermal) = &body.material else { continue };
            if hottest <= body.heat.solidus {
                continue;
            }
            let load = self.load(number as u32, gravity) + gravity.length() * self.spacing;
            let part = thermal.molten.dissociation_energy / load;
            // What is in no gravity is drops anyway.
            if load > 0.0 && part > STANDING {
                self.warnings.push(format!(
                    "body \"{}\" will stand when it has melted: its material.molten.dissociation_energy is {} times gravity times its \
                     height; lower it to {} or less, {RUNNY} times, for a melt that runs, or leave it if it is meant to keep its shape",
                    body.name,
                    rounded(part),
                    rounded(RUNNY * load)
                ));
            }
        }
    }
}

/// The highest temperature that anything in a scene has or gives in its frames, K; infinite where a heater gives heat.
fn hottest(scene: &Scene) -> f64 {
    let frames = (f64::from(scene.frames.start), f64::from(scene.frames.end));
    let most = |track: Track| track.greatest(frames.0, frames.1);
    let bodies = scene.bodies.iter().filter_map(|body| body.temperature);
    let walls = scene.colliders.iter().filter_map(|wall| Track::of_wall(wall, f64::from).map(most));
    let heaters = scene.heaters.iter().map(|heater| match heater.effect {
        HeaterEffect::Temperature { temperature, .. } => most(Track::new(temperature, &heater.values, f64::from)),
        HeaterEffect::Power { power } if most(Track::new(power, &heater.values, f64::from)) > 0.0 => f64::INFINITY,
        HeaterEffect::Power { .. } => f64::NEG_INFINITY,
    });
    bodies.chain(walls).chain(heaters).fold(scene.ambient.temperature, f64::max)
}
