//! Stages: effects on all matter at some moments of a frame, besides the forces between particles.

mod damping;
mod growth;
mod outflow;
mod skins;
mod tools;

use crate::integrator::Integrator;
use crate::material::soft::SoftBodies;
use crate::particles::{Particles, Renumbering};
use crate::reshape::Sheets;
use crate::{MeshLibrary, SetupError};
use dollop_scene::Scene;
use outflow::Outflows;
use serde::{Deserialize, Serialize};
use std::fmt::Debug;

/// A stage; it does nothing at moments whose methods it does not define.
pub trait Stage: Debug + Send + Sync {
    /// Whether it may remove particles, which then keep identities.
    fn removes(&self) -> bool {
        false
    }

    /// Before the first frame, after matter was filled in or has settled.
    fn begin(&mut self, _world: &mut World) {}

    /// As a frame begins.
    fn begin_frame(&mut self, _world: &mut World) {}

    /// As a part of a frame begins, of so many seconds.
    fn begin_part(&mut self, _world: &mut World, _seconds: f64) {}

    /// As a frame ends; particles are neither born nor removed then.
    fn end_frame(&mut self, _world: &mut World) {}

    /// Data that goes over from a frame to the next: a checkpoint has it.
    fn kept(&self) -> Kept {
        Kept::default()
    }

    /// Whether data may have been [kept](Self::kept) with a number of particles: a damaged file could hold anything.
    fn fits(&self, kept: &Kept, _particles: usize) -> bool {
        *kept == Kept::default()
    }

    /// Takes over data that [fit](Self::fits).
    fn take_over(&mut self, _kept: Kept) {}

    /// After the state of a frame's end was taken over.
    fn resumed(&mut self, _world: &mut World) {}

    /// After a stage, itself or another, has removed particles.
    fn renumber(&mut self, _renumbering: &Renumbering) {}

    /// Remarks for the user after the last frame, one sentence each.
    fn remarks(&self, _particles: &Particles, _sheets: &Sheets) -> Vec<String> {
        Vec::new()
    }
}

/// Data of a stage between frames, whose meaning is its own.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Kept {
    /// Numbers of particles, counts and choices.
    pub numbers: Vec<u32>,
    /// Measured amounts.
    pub amounts: Vec<f64>,
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
    /// The new numbers of particles for the stages, after some were removed.
    pub renumberings: Vec<Renumbering>,
}

impl World<'_> {
    /// Removes the particles in the chosen slots, as a frame or a part of one begins. Afterwards all stages, also the
    /// one that calls this, get the new [numbers](Stage::renumber).
    pub fn remove(&mut self, leaves: impl Fn(usize) -> bool) {
        let renumbering = self.particles.remove(leaves);
        self.integrator.renumber(self.particles, &renumbering);
        self.soft.renumber(&renumbering);
        self.renumberings.push(renumbering);
    }
}

#[cfg(test)]
mod tests;

/// All stages of a scene, in the order in which they act.
///
/// # Errors
/// When the region of one makes no sense.
pub fn all(scene: &Scene, meshes: &MeshLibrary) -> Result<Vec<Box<dyn Stage>>, SetupError> {
    Ok(vec![
        // First, as other stages note the numbers of particles when a frame begins.
        Box::new(Outflows::new(scene, meshes)?),
        Box::<tools::Tools>::default(),
        Box::new(growth::SheetGrowth),
        Box::new(damping::StretchDamping),
        Box::new(skins::SkinWalls),
        Box::<skins::SkinContact>::default(),
        Box::new(skins::SkinVolumes),
    ])
}
