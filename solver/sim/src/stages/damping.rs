//! Damps the stretching of sheets, a whole piece at a time.

use super::{Stage, World};

#[derive(Debug)]
pub struct StretchDamping;

impl Stage for StretchDamping {
    fn begin_part(&mut self, world: &mut World, seconds: f64) {
        let pins = &world.integrator.pins;
        world.sheets.damp(world.particles, |number| pins.holds(number), seconds);
    }
}
