//! Stages: effects on all matter at some moments of a frame, besides the forces between particles.

mod contact;
mod damping;
mod grid_flow;
mod grid_spans;
mod growth;
mod heat;
mod outflow;
mod skins;
mod tools;

use crate::heat::HeatSources;
use crate::integrator::{Instant, Integrator, NoStepShortEnough};
use crate::material::MatterSolver;
use crate::material::soft::SoftBodies;
use crate::particles::{Particles, Renumbering};
use crate::reshape::Sheets;
use crate::timeline::TICKS;
use crate::{FrameStats, MeshLibrary, SetupError, SmoothingKernel};
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

    /// Whether it may add particles, which then keep the times of their births.
    fn adds(&self) -> bool {
        false
    }

    /// Once, after matter was filled in.
    fn fill(&mut self, _world: &mut World) {}

    /// Before the first frame: after matter was [filled in](Self::fill), and again once it has settled.
    fn begin(&mut self, _world: &mut World) {}

    /// As a frame begins.
    fn begin_frame(&mut self, _world: &mut World) {}

    /// How often a frame is to be halved for the part of it that begins at a tick.
    fn halvings(&mut self, _world: &mut World, _tick: u32) -> u8 {
        0
    }

    /// As a part of a frame begins, of so many seconds.
    fn begin_part(&mut self, _world: &mut World, _seconds: f64) {}

    /// As a part of a frame has begun, before all matter is taken that forces between pairs move: it may move other
    /// matter.
    ///
    /// # Errors
    /// When no step is short enough, or matter has no place any more.
    fn lead(&mut self, _world: &mut World, _instant: &Instant) -> Result<(), NoStepShortEnough> {
        Ok(())
    }

    /// As a part of a frame has begun, before the forces are found that act at its start: the same as
    /// [`step`](Self::step) for all matter.
    ///
    /// # Errors
    /// When no step is short enough.
    fn begin_steps(&mut self, _world: &mut World, _instant: &Instant) -> Result<(), NoStepShortEnough> {
        Ok(())
    }

    /// Whenever steps of some particles end, after they have moved and before the forces on them are found: it may
    /// [push](Integrator::push) [groups](Integrator::group) of particles.
    ///
    /// # Errors
    /// When no step is short enough.
    fn step(&mut self, _world: &mut World, _instant: &Instant) -> Result<(), NoStepShortEnough> {
        Ok(())
    }

    /// The next tick of the part of the frame, after a tick, at which it [acts](Self::act) by its own clock.
    fn next(&self, _tick: u32) -> u32 {
        TICKS
    }

    /// At the start of a part of a frame, after all forces are found, and at each of its [ticks](Self::next).
    ///
    /// # Errors
    /// When no step is short enough, or matter has no place any more.
    fn act(&mut self, _world: &mut World, _instant: &Instant) -> Result<(), NoStepShortEnough> {
        Ok(())
    }

    /// As a part of a frame ends.
    fn end_part(&mut self, _world: &mut World) {}

    /// As a frame ends; particles are neither born nor removed then.
    fn end_frame(&mut self, _world: &mut World) {}

    /// Elastic energy that it stores, J.
    fn elastic_energy(&self) -> f64 {
        0.0
    }

    /// Elastic energy that it has given to the matter since the last call, J.
    fn take_work(&mut self) -> f64 {
        0.0
    }

    /// Adds its part to the statistics of a frame.
    fn measure(&self, _particles: &Particles, _stats: &mut FrameStats) {}

    /// Memory for a number of particles, bytes.
    fn memory(&self, _particles: usize) -> usize {
        0
    }

    /// Where bodies have become one, for each the first of those that it is one with, by number; none of a body that is
    /// one with all that it touches. Empty where none have.
    fn fused_bodies(&self) -> Vec<Option<u32>> {
        Vec::new()
    }

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
    fn removed(&mut self, _removal: &Removal) {}

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

/// A removal of particles.
#[derive(Debug)]
pub struct Removal {
    /// The new numbers of the others.
    pub renumbering: Renumbering,
    /// Heat of the removed particles, J; zero where no heat flows.
    pub heat: f64,
}

/// The data that stages may read and change.
#[derive(Debug)]
pub struct World<'a> {
    pub particles: &'a mut Particles,
    pub integrator: &'a mut Integrator,
    pub sheets: &'a mut Sheets,
    pub soft: &'a mut SoftBodies,
    /// Time of the frame's start, and present time or the instant's, s since the first frame.
    pub began: f64,
    pub time: f64,
    /// Length of a frame, s.
    pub interval: f64,
    /// Number of the frame at which the matter stands: as a frame begins, that of its start; as it ends, of its end.
    pub number: i32,
    /// Removals of which the stages are yet to be told.
    pub removals: Vec<Removal>,
}

impl World<'_> {
    /// Removes the particles in the chosen slots, as a frame or a part of one begins. Afterwards all stages, also the
    /// one that calls this, are [told](Stage::removed).
    pub fn remove(&mut self, leaves: impl Fn(usize) -> bool) {
        let (particles, solver) = (&*self.particles, &self.integrator.solver);
        let heat_of =
            |(slot, heat): (usize, &f64)| if leaves(slot) { heat * particles.mass(slot, solver) } else { 0.0 };
        // In the order of numbers, as a bake that was cut may have another order of slots.
        let heat = particles.by_number(particles.heats.iter().enumerate().map(heat_of)).into_iter().sum();
        let renumbering = self.particles.remove(leaves);
        self.integrator.pins.locate(self.particles);
        self.soft.renumber(&renumbering);
        self.removals.push(Removal { renumbering, heat });
    }
}

#[cfg(test)]
mod tests;

/// All stages of a scene, in the order in which they act.
///
/// # Errors
/// When the settings of one make no sense.
pub fn all(
    scene: &Scene,
    meshes: &MeshLibrary,
    kernel: &SmoothingKernel,
    matter: &MatterSolver,
    soft: &SoftBodies,
) -> Result<Vec<Box<dyn Stage>>, SetupError> {
    let mut all: Vec<Box<dyn Stage>> = Vec::new();
    let heat = HeatSources::new(scene, meshes)?;
    if let Some(sources) = &heat {
        all.push(Box::new(heat::HeatTransfer::new(scene, sources.clone(), kernel, matter)?));
    }
    // Before all that note the numbers of particles when a frame begins.
    all.push(Box::new(Outflows::new(scene, meshes)?));
    all.push(Box::new(tools::Tools::new(scene, meshes)?));
    all.push(Box::new(growth::SheetGrowth));
    all.push(Box::new(damping::StretchDamping));
    if let Some(grid) = grid_flow::GridSteps::new(scene, heat, matter)? {
        all.push(Box::new(grid));
    }
    if let Some(contact) = contact::SkinContact::new(soft, scene.particle_spacing) {
        all.extend([Box::new(skins::SkinWalls) as Box<dyn Stage>, Box::new(contact), Box::new(skins::SkinVolumes)]);
    }
    Ok(all)
}
