//! Makes sheets yield, tear, and grow new particles where they are drawn apart.

use super::{Stage, World};

#[derive(Debug)]
pub struct SheetGrowth;

impl Stage for SheetGrowth {
    fn begin_part(&mut self, world: &mut World, seconds: f64) {
        // The length of the part, rounded as its ends are.
        world.sheets.grow(world.particles, world.time, (world.time + seconds) - world.time);
    }
}
