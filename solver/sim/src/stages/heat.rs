//! Heat flow within a frame.
//!
//! Heat flows far more slowly than sound, so its steps are the same for all particles, and few. A step is an equal part
//! of the frame, a power of two, within three limits: the explicit step is stable, the fastest matter goes less than
//! half a smoothing length, and only a small part of any matter sets. The number of steps depends on the matter at the
//! frame's start, and on matter that heats up and radiates faster since.

use super::{Removal, Stage, World};
use crate::heat::{HeatFlows, HeatSolver, HeatSources, WarmWalls, weld};
use crate::integrator::{Instant, Integrator, NoStepShortEnough};
use crate::material::MatterSolver;
use crate::particles::Particles;
use crate::timeline::{self, TICKS};
use crate::{FrameStats, HeatStats, SetupError, SmoothingKernel};
use dollop_scene::Scene;
use rayon::prelude::*;
use std::sync::Arc;

/// Ticks of the shortest step of heat.
const LEAST_TICKS: u32 = TICKS >> 20;

/// Lets heat flow.
#[derive(Debug)]
pub struct HeatTransfer {
    solver: HeatSolver,
    /// Ticks of a step.
    ticks: u32,
    /// Heat that the matter received since the frame began.
    flows: HeatFlows,
    /// Heat that removed matter took with it since the frame began, J.
    removed: f64,
    /// Elastic energy that melting and setting matter gained since it was last [taken](Stage::take_work), J.
    work: f64,
}

impl HeatTransfer {
    /// The heat of a scene.
    ///
    /// # Errors
    /// When matter conducts too well to follow.
    pub fn new(
        scene: &Scene,
        sources: Arc<HeatSources>,
        kernel: &SmoothingKernel,
        matter: &MatterSolver,
    ) -> Result<Self, SetupError> {
        let masses = (0..scene.bodies.len() as u32).map(|body| matter.mass(body)).collect();
        let solver = HeatSolver::new(scene, sources, kernel, masses)?;
        Ok(Self { solver, ticks: TICKS, flows: HeatFlows::default(), removed: 0.0, work: 0.0 })
    }

    /// Shortens the steps until a part of a frame has at least a number of them.
    fn shorten(&mut self, least: f64) {
        while f64::from(TICKS / self.ticks) < least && self.ticks > LEAST_TICKS {
            self.ticks /= 2;
        }
    }

    /// The least number of steps in a part of a frame that begins.
    fn least_steps(&self, particles: &Particles, integrator: &Integrator) -> f64 {
        let fastest = particles.velocities.iter().map(|velocity| velocity.length()).fold(0.0, f64::max);
        let by_motion = 2.0 * fastest * integrator.interval / integrator.smoothing_length;
        self.solver.steps(particles, integrator.interval).max(by_motion).max(steps_to_set(particles, integrator))
    }

    /// Finds the flows at an instant.
    fn find(&mut self, particles: &mut Particles, integrator: &mut Integrator, instant: &Instant) {
        // Steps that end now have ended, and new ones have begun.
        let instant = &instant.begun();
        integrator.see_all(particles, instant);
        let warm = warm_walls(&self.solver, particles, integrator, instant);
        let felt = |slot: usize| warm.get(slot).copied().unwrap_or_default();
        self.solver.find(&integrator.neighbours, integrator.active(), particles, integrator.walls(), felt);
    }

    /// Takes a step from an instant on.
    fn advance(&mut self, particles: &mut Particles, integrator: &Integrator, instant: &Instant) {
        let seconds = timeline::seconds(self.ticks, integrator.interval);
        let (matter, forces) = (&integrator.solver, integrator.forces());
        let flows = self.solver.advance(
            particles,
            instant.time(),
            seconds,
            |source, melted, seconds| matter.after_setting(source, melted, seconds),
            |slot, source, density, melted| matter.softened(source, density, &forces[slot], melted),
        );
        self.flows += flows;
        self.work += flows.elastic;
    }
}

impl Stage for HeatTransfer {
    /// Gives the matter the heat of its temperatures.
    fn fill(&mut self, world: &mut World) {
        let particles = &mut *world.particles;
        let substance = |source: u32| self.solver.substance(source);
        let columns = particles.temperatures.iter().zip(&particles.sources);
        particles.heats = columns.map(|(&t, &source)| substance(source).enthalpy(f64::from(t))).collect();
        let columns = particles.heats.iter().zip(&particles.sources);
        particles.melted = columns.map(|(&heat, &source)| substance(source).melted(heat) as f32).collect();
        particles.welds = particles.melted.iter().map(|&melted| weld(melted)).collect();
    }

    fn begin_frame(&mut self, _world: &mut World) {
        (self.flows, self.removed, self.work) = (HeatFlows::default(), 0.0, 0.0);
    }

    fn next(&self, tick: u32) -> u32 {
        (tick / self.ticks + 1) * self.ticks
    }

    fn act(&mut self, world: &mut World, instant: &Instant) -> Result<(), NoStepShortEnough> {
        let World { particles, integrator, .. } = world;
        // Matter on a grid has its own heat.
        if particles.paired == 0 {
            return Ok(());
        }
        self.find(particles, integrator, instant);
        if instant.tick() == 0 {
            self.ticks = TICKS;
            self.shorten(self.least_steps(particles, integrator));
        } else {
            // Matter that has warmed up since radiates faster.
            self.shorten(self.solver.steps(particles, integrator.interval));
        }
        self.advance(particles, integrator, instant);
        Ok(())
    }

    fn take_work(&mut self) -> f64 {
        std::mem::take(&mut self.work)
    }

    fn measure(&self, particles: &Particles, stats: &mut FrameStats) {
        let HeatFlows { walls, air, heaters, .. } = self.flows;
        stats.heat = Some(HeatStats {
            stored: self.solver.stored(particles),
            walls,
            air,
            heaters,
            outflows: 0.0 - self.removed,
        });
    }

    fn memory(&self, _particles: usize) -> usize {
        self.solver.memory()
    }

    fn removed(&mut self, removal: &Removal) {
        self.removed += removal.heat;
    }
}

/// The number of steps in a part of a frame with which only a small part of matter sets in each.
fn steps_to_set(particles: &Particles, integrator: &Integrator) -> f64 {
    let molten = particles.melted.iter().zip(&particles.sources).filter(|(melted, _)| **melted > 0.0);
    let step = molten.map(|(_, &source)| integrator.solver.setting_step(source)).fold(f64::INFINITY, f64::min);
    integrator.interval / step
}

/// The warm walls that each particle feels; empty where no wall has a temperature.
fn warm_walls(
    heat: &HeatSolver,
    particles: &Particles,
    integrator: &mut Integrator,
    instant: &Instant,
) -> Vec<WarmWalls> {
    let temperatures = heat.sources().warm_walls(instant.time());
    if temperatures.is_empty() {
        return Vec::new();
    }
    integrator.search_walls(|integrator| {
        let (boundary, walls) = (integrator.boundary.at(instant.walls()), integrator.walls());
        let expectation = integrator.expectation(particles);
        let felt = |slot: usize| {
            if walls.of(slot).share <= 0.0 {
                return Ok(WarmWalls::default());
            }
            let place = expectation.now(instant, slot).position;
            temperatures.iter().try_fold(WarmWalls::default(), |felt, &(number, temperature)| {
                let distance = boundary.distance(number, place)?;
                Ok(distance.map_or(felt, |distance| felt.and(heat.wall_part(distance), temperature)))
            })
        };
        (0..particles.paired).into_par_iter().with_min_len(256).map(felt).collect()
    })
}
