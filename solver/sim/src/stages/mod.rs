//! Stages: effects on all matter at some moments of a frame, besides the forces between particles.

mod damping;
mod growth;
mod outflow;
mod skins;
mod tools;

pub use outflow::{OutflowRegion, outflows};

use crate::integrator::Integrator;
use crate::material::soft::SoftBodies;
use crate::particles::Particles;
use crate::reshape::Sheets;
use std::fmt::Debug;

/// A stage; it does nothing at moments whose methods it does not define.
pub trait Stage: Debug + Send + Sync {
    /// Before the first frame, after matter was filled in or has settled.
    fn begin(&mut self, _world: &mut World) {}

    /// As a frame begins.
    fn begin_frame(&mut self, _world: &mut World) {}

    /// As a part of a frame begins, of so many seconds.
    fn begin_part(&mut self, _world: &mut World, _seconds: f64) {}

    /// As a frame ends.
    fn end_frame(&mut self, _world: &mut World) {}

    /// Remarks for the user after the last frame, one sentence each.
    fn remarks(&self, _particles: &Particles, _sheets: &Sheets) -> Vec<String> {
        Vec::new()
    }
}

/// The data that stages may read and change.
#[derive(Debug)]
pub struct World<'a> {
    pub particles: &'a mut Particles,
    pub integrator: &'a mut Integrator,
    pub sheets: &'a mut Sheets,
    pub soft: &'a mut SoftBodies,
    /// Time of the frame's start, and present time, s since the first frame.
    pub began: f64,
    pub time: f64,
    /// Length of a frame, s.
    pub interval: f64,
    /// Number of the frame that begins or, at a frame's end, of the frame that has ended.
    pub number: i32,
}

impl World<'_> {
    /// Removes the particles in the chosen slots; call it before the matter of the frame is read.
    pub fn remove(&mut self, leaves: impl Fn(usize) -> bool) {
        let renumbering = self.particles.remove(leaves);
        self.integrator.renumber(self.particles, &renumbering);
        self.soft.renumber(&renumbering);
    }
}

#[cfg(test)]
mod tests;

/// All stages, in the order in which they act.
pub fn all(outflows: Vec<OutflowRegion>) -> Vec<Box<dyn Stage>> {
    vec![
        // First, as other stages note the numbers of particles when a frame begins.
        Box::new(outflow::Removal(outflows)),
        Box::<tools::Tools>::default(),
        Box::new(growth::SheetGrowth),
        Box::new(damping::StretchDamping),
        Box::new(skins::SkinWalls),
        Box::<skins::SkinContact>::default(),
        Box::new(skins::SkinVolumes),
    ]
}
