//! Matter that moves on a grid, in equal steps of its own between the steps of other matter.

use super::{Stage, World};
use crate::boundary::Times;
use crate::heat::{GridHeat, HeatFlows, HeatSources, HeatStep};
use crate::integrator::{Instant, Integrator};
use crate::material::continuum::{GridFlow, Island, UNSTRETCHED, WAVE_STEPS};
use crate::material::{MatterSolver, model};
use crate::particles::Particles;
use crate::timeline::{TICKS, seconds};
use crate::{FrameStats, SetupError};
use dollop_scene::{Body, Scene};
use glam::DVec3;
use std::sync::Arc;

/// Cells that matter crosses in a step.
const CELLS_A_STEP: f64 = 1.0;
/// Cells that a wave of shear crosses in a step, unless that takes more than [`WAVE_STEPS`].
const WAVE_A_STEP: f64 = 2.0;
/// Most steps in a part of a frame.
const MOST_STEPS: f64 = 1000.0;

/// The grid's clock.
#[derive(Debug)]
pub struct GridSteps {
    flow: GridFlow,
    /// None where no heat flows.
    heat: Option<GridHeat>,
    /// Heat that the matter received since the frame began.
    flows: HeatFlows,
    /// Angular velocities of bodies at the first frame, rad/s.
    turns: Vec<DVec3>,
    /// The tick at which the present step ends.
    ends: u32,
    /// In the frame.
    steps: u64,
    /// Energy by gravity that the steps took, J.
    work: f64,
}

impl GridSteps {
    /// The stage of a scene; none where no matter moves on a grid.
    ///
    /// # Errors
    /// When heat makes no sense there.
    pub fn new(
        scene: &Scene,
        heat: Option<Arc<HeatSources>>,
        matter: &MatterSolver,
    ) -> Result<Option<Self>, SetupError> {
        let fluid = |body: &Body| model(&body.material).fluid_on_grid(scene.heat.as_ref().map(|_| &body.heat));
        let fluids = scene.bodies.iter().map(fluid).collect();
        let (spacing, interval) = (scene.particle_spacing, 1.0 / scene.frames.rate);
        let Some(flow) = GridFlow::of(fluids, spacing, scene.discretization.dimensions, interval) else {
            return Ok(None);
        };
        let masses = || (0..scene.bodies.len() as u32).map(|body| matter.mass(body)).collect();
        let heat = heat.map(|sources| GridHeat::new(scene, sources, masses(), flow.placing(), flow.volume()));
        let heat = heat.transpose()?;
        let turns = scene.bodies.iter().map(|body| DVec3::from(body.angular_velocity)).collect();
        Ok(Some(Self { flow, heat, flows: HeatFlows::default(), turns, ends: 0, steps: 0, work: 0.0 }))
    }

    /// Lets heat flow for a step.
    fn warm(&mut self, islands: &[Island], particles: &mut Particles, [start, seconds]: [f64; 2]) {
        let Some(heat) = &self.heat else { return };
        let step = HeatStep { placing: self.flow.placing(), start, seconds };
        let melt = |particles: &mut Particles, slot: usize, change: [f64; 2]| {
            if let Some(stretch) = particles.stretches.get_mut(slot) {
                *stretch = self.flow.melt(particles.sources[slot], *stretch, change);
            }
        };
        self.flows += heat.step(&step, islands, particles, melt);
    }
}

impl Stage for GridSteps {
    fn fill(&mut self, world: &mut World) {
        let particles = &mut *world.particles;
        // A body that turns has this gradient of velocity everywhere.
        let turning = |&source: &u32| {
            let DVec3 { x, y, z } = self.turns[source as usize];
            [[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]].map(|row| row.map(|part| part as f32))
        };
        particles.gradients = particles.sources.iter().map(turning).collect();
        particles.pressures = vec![0.0; particles.len()];
        if self.flow.keeps_shape() {
            particles.stretches = vec![UNSTRETCHED; particles.len()];
        }
    }

    fn begin_frame(&mut self, _world: &mut World) {
        (self.steps, self.flows) = (0, HeatFlows::default());
    }

    fn begin_part(&mut self, _world: &mut World, _seconds: f64) {
        self.ends = 0;
    }

    fn next(&self, tick: u32) -> u32 {
        if self.ends > tick { self.ends } else { TICKS }
    }

    fn act(&mut self, world: &mut World, instant: &Instant) {
        let tick = instant.tick();
        let left = TICKS - tick;
        if left == 0 {
            return;
        }
        let interval = world.integrator.interval;
        let remaining = seconds(left, interval);
        let gravity = world.integrator.gravity;
        let sorted = self.flow.sort(world.particles);
        let speed = self.flow.fastest(&sorted, &world.integrator.boundary.at(Times::At(instant.time())));
        let width = CELLS_A_STEP * self.flow.width();
        // What gravity adds in a step counts as well: v s + g s^2 is a cell.
        let longest = 2.0 * width / (speed + (speed * speed + 4.0 * gravity.length() * width).sqrt()).max(1e-12);
        let longest =
            longest.min((WAVE_A_STEP * self.flow.width() / self.flow.wave_speed()).max(interval / WAVE_STEPS));
        let longest = longest.min(self.flow.longest_on_surface(world.particles, gravity.length()));
        let steps = (remaining / longest).ceil().clamp(1.0, MOST_STEPS);
        let step = if steps <= 1.0 { left } else { ((f64::from(left) / steps) as u32).max(1) };
        self.ends = tick + step;
        let (particles, Integrator { boundary, solver, .. }) = (&mut *world.particles, &mut *world.integrator);
        let time = [instant.time(), seconds(step, interval)];
        let islands = self.flow.islands(sorted, particles, &boundary.at(Times::At(time[0])));
        self.warm(&islands, particles, time);
        let stepped = self.flow.step(islands, particles, boundary, solver, gravity, time);
        world.integrator.add_impulses(&stepped.impulses);
        self.work += stepped.work;
        self.steps += 1;
    }

    fn take_work(&mut self) -> f64 {
        std::mem::take(&mut self.work)
    }

    fn measure(&self, _particles: &Particles, stats: &mut FrameStats) {
        stats.steps += self.steps;
        if let Some(heat) = &mut stats.heat {
            let HeatFlows { walls, air, heaters, .. } = self.flows;
            heat.walls += walls;
            heat.air += air;
            heat.heaters += heaters;
        }
    }

    fn memory(&self, particles: usize) -> usize {
        self.flow.memory(particles)
    }
}
