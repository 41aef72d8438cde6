//! Tools join sheets as a part of a frame begins, and cut them as the frame ends.

use super::{Removal, Stage, World};
use crate::particles::Particles;
use crate::reshape::Sheets;
use glam::DVec3;

/// Positions of the particles at the frame's start, by number; empty if no tool needs them.
#[derive(Debug, Default)]
pub struct Tools(Vec<DVec3>);

impl Stage for Tools {
    fn begin_frame(&mut self, world: &mut World) {
        self.0 = world.sheets.places(world.particles);
    }

    fn begin_part(&mut self, world: &mut World, seconds: f64) {
        world.sheets.join(world.particles, (world.time, world.time + seconds), world.interval);
    }

    fn end_frame(&mut self, world: &mut World) {
        world.sheets.cut(world.particles, &self.0, world.began, world.interval);
    }

    fn removed(&mut self, removal: &Removal) {
        removal.renumbering.keep(&mut self.0);
    }

    /// Warns of tools that have not cut or joined anything.
    fn remarks(&self, particles: &Particles, sheets: &Sheets) -> Vec<String> {
        sheets.idle_tools(particles)
    }
}
