//! How fast sheets are stretched is damped, all of a piece at once.

use super::{Stage, World};

#[derive(Debug)]
pub struct StretchDamping;

impl Stage for StretchDamping {
    fn begin_part(&mut self, world: &mut World, seconds: f64) {
        let pins = &world.integrator.pins;
        world.sheets.damp(world.particles, |number| pins.holds(number), seconds);
    }
}
