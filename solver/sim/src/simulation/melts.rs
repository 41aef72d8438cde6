//! Which melts will not flow.

use super::{Simulation, rounded};
use dollop_scene::{Heater, HeaterEffect, Material, Scene};
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

/// The highest temperature that anything in a scene has or gives, K; infinite where a heater gives heat.
fn hottest(scene: &Scene) -> f64 {
    let bodies = scene.bodies.iter().filter_map(|body| body.temperature);
    let keys = scene.colliders.iter().flat_map(|wall| &wall.temperatures).map(|key| key.value);
    let walls = scene.colliders.iter().filter_map(|wall| wall.temperature).chain(keys);
    bodies.chain(walls).chain(scene.heaters.iter().map(of_heater)).fold(scene.ambient.temperature, f64::max)
}

fn of_heater(heater: &Heater) -> f64 {
    let most = |constant: f64| heater.values.iter().map(|key| key.value).reduce(f64::max).unwrap_or(constant);
    match heater.effect {
        HeaterEffect::Temperature { temperature, .. } => most(temperature),
        HeaterEffect::Power { power } if most(power) > 0.0 => f64::INFINITY,
        HeaterEffect::Power { .. } => f64::NEG_INFINITY,
    }
}
