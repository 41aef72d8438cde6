//! Matter that moves on a grid, in steps of its own between the steps of other matter.

use super::grid_spans::{Matter, Span, Spans};
use super::{Kept, Removal, Stage, World};
use crate::boundary::Times;
use crate::heat::{GridHeat, HeatFlows, HeatSources, HeatStep};
use crate::integrator::{Instant, Integrator, NoStepShortEnough};
use crate::material::continuum::pace::{MOST_STEPS, by_motion, steps_in};
use crate::material::continuum::{
    Conditions, Displaced, Flip, GridFlow, Interface, Island, Pace, Pacing, SortedIslands, UNSTRETCHED, shared_step,
    slots_of,
};
use crate::material::{MatterSolver, is_on_grid, model};
use crate::particles::Particles;
use crate::timeline::{Timeline, halvings, seconds};
use crate::{FrameStats, SetupError};
use dollop_scene::{Body, Scene};
use glam::DVec3;
use std::sync::Arc;
use tracing::trace_span;

/// Halvings of a frame, at most.
const MOST_HALVINGS: u8 = (MOST_STEPS as u32).ilog2() as u8;

/// The grid's clock.
#[derive(Debug)]
pub struct GridSteps {
    flow: GridFlow,
    /// None where no heat flows.
    heat: Option<GridHeat>,
    /// Heat that the matter received since the frame began.
    flows: HeatFlows,
    /// Where other matter touches it; none where all matter moves on the grid. The grid then takes one step in each
    /// part of a frame, before other matter takes its own.
    interface: Option<Interface>,
    /// Angular velocities of bodies at the first frame, rad/s.
    turns: Vec<DVec3>,
    spans: Spans,
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
        let fluids = || flow.fluids().to_vec();
        let heat = heat.map(|sources| GridHeat::new(scene, sources, fluids(), masses(), flow.placing(), flow.volume()));
        let heat = heat.transpose()?;
        let turns = scene.bodies.iter().map(|body| DVec3::from(body.angular_velocity)).collect();
        let are_sheets = || scene.bodies.iter().map(|body| model(&body.material).thickness().is_some()).collect();
        let interface = (!is_on_grid(scene)).then(|| Interface::new(spacing, are_sheets()));
        let (flows, spans) = (HeatFlows::default(), Spans::default());
        Ok(Some(Self { flow, heat, flows, interface, turns, spans, steps: 0, work: 0.0 }))
    }

    /// How islands move, and walls beside them.
    ///
    /// # Errors
    /// When a frame would take more than [`MOST_STEPS`] by that.
    fn paces(&self, sorted: &SortedIslands, world: &World, time: f64) -> Result<Vec<Pace>, NoStepShortEnough> {
        let Integrator { boundary, gravity, interval, .. } = &*world.integrator;
        let interval = if self.interface.is_some() { world.interval } else { *interval };
        let pacing = Pacing { gravity: *gravity, frame: world.interval, interval };
        let paces = self.flow.paces(sorted, world.particles, &boundary.at(Times::At(time)), &pacing);
        let too_fast = |pace: &&Pace| pace.by_motion < world.interval / MOST_STEPS;
        let too_fast = paces.iter().filter(too_fast).min_by(|a, b| a.by_motion.total_cmp(&b.by_motion));
        too_fast.map_or(Ok(()), |pace| Err(NoStepShortEnough { slot: pace.slot, wanted: pace.by_motion }))?;
        Ok(paces)
    }

    /// Begins the next step of the matter that is due first at an instant. What takes shorter ones is due again then.
    fn advance(&mut self, span: Span, world: &mut World, instant: &Instant) -> Result<(), NoStepShortEnough> {
        let (interval, gravity, start) = (world.integrator.interval, world.integrator.gravity, instant.time());
        let sorted = match &span.matter {
            Matter::All => self.flow.sort(world.particles),
            Matter::In(slots) => self.flow.sort_some(slots, world.particles),
        };
        let paces = self.paces(&sorted, world, start)?;
        let left = span.to - span.from;
        let remaining = seconds(left, interval);
        let longest = self.flow.longest_in_clusters(&paces, gravity, remaining);
        let shared = shared_step(&longest, paces.iter().map(|pace| pace.count), remaining);
        let steps = steps_in(remaining, shared);
        let step = if steps <= 1.0 { left } else { ((f64::from(left) / steps) as u32).max(1) };
        let seconds = seconds(step, interval);
        let (now, later): (Vec<_>, Vec<_>) =
            sorted.into_iter().zip(longest).partition(|(_, longest)| *longest >= seconds.min(shared));
        let [now, later] = [now, later].map(|part| part.into_iter().map(|(island, _)| island).collect());
        self.spans.go_on(span, step, slots_of(&later).collect());
        self.step(now, &[], world, Conditions { gravity, start, seconds, flip: Flip::default() })
    }

    fn step(
        &mut self,
        sorted: SortedIslands,
        sheets: &[usize],
        world: &mut World,
        conditions: Conditions,
    ) -> Result<(), NoStepShortEnough> {
        let Conditions { start, seconds, .. } = conditions;
        let (particles, Integrator { boundary, solver, .. }) = (&mut *world.particles, &mut *world.integrator);
        let islands = self.flow.islands(sorted, particles, &boundary.at(Times::At(start)));
        self.warm(&islands, particles, conditions);
        let islands = self.flow.apart(islands, particles, &boundary.at(Times::At(start)), seconds);
        let islands = self.flow.raised(islands, particles, &boundary.at(Times::At(start)), sheets);
        let stepped = self.flow.step(islands, particles, boundary, solver, conditions);
        world.integrator.add_impulses(&stepped.impulses);
        self.work += stepped.work;
        // What has no place any more must not go on: nothing bounds its cost.
        stepped.lost.map_or(Ok(()), |slot| Err(NoStepShortEnough { slot, wanted: f64::NAN }))
    }

    /// Lets heat flow for a step.
    fn warm(
        &mut self,
        islands: &[Island],
        particles: &mut Particles,
        Conditions { gravity, start, seconds, .. }: Conditions,
    ) {
        let Some(heat) = &self.heat else { return };
        let _span = trace_span!("heat").entered();
        let step = HeatStep { placing: self.flow.placing(), gravity, start, seconds };
        let melt = |particles: &mut Particles, slot: usize, change: [f64; 2]| {
            if let Some(stretch) = particles.stretches.get_mut(slot) {
                *stretch = self.flow.melt(particles.sources[slot], *stretch, change);
            }
            if let Some(damage) = particles.damages.get_mut(slot) {
                *damage = damage.min(1.0 - change[1] as f32);
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
        if self.flow.breaks() {
            particles.damages = vec![0.0; particles.len()];
        }
    }

    fn begin_frame(&mut self, _world: &mut World) {
        (self.steps, self.flows) = (0, HeatFlows::default());
    }

    /// So often that one step is short enough.
    fn halvings(&mut self, world: &mut World, tick: u32) -> u8 {
        if self.interface.is_none() {
            return 0;
        }
        world.integrator.put_led_last(world.particles);
        let sorted = self.flow.sort(world.particles);
        let (interval, gravity) = (world.interval, world.integrator.gravity.length());
        // Where all particles are alone, as long as one at rest may take.
        let at_rest = by_motion(0.0, gravity, self.flow.width());
        let together = |pace: &Pace| if pace.is_alone() { at_rest } else { pace.longest };
        // The step returns any error.
        let longest = self.paces(&sorted, world, world.time);
        let longest = longest.map_or(interval / MOST_STEPS, |paces| paces.iter().map(together).fold(at_rest, f64::min));
        let Some(interface) = &mut self.interface else { return 0 };
        let longest = interface.longest(&sorted, world.particles, gravity, [longest, interval]);
        halvings(Timeline::HALVES.longest_at(tick)..MOST_HALVINGS, interval, longest)
    }

    fn begin_part(&mut self, _world: &mut World, _seconds: f64) {
        if self.interface.is_none() {
            self.spans.begin();
        }
    }

    fn next(&self, _tick: u32) -> u32 {
        self.spans.next()
    }

    fn lead(&mut self, world: &mut World, instant: &Instant) -> Result<(), NoStepShortEnough> {
        let Some(mut interface) = self.interface.take() else { return Ok(()) };
        world.integrator.put_led_last(world.particles);
        let seconds = world.integrator.interval;
        interface.begin(world.particles, seconds);
        let sorted = self.flow.sort(world.particles);
        let (gravity, start, flip) = (world.integrator.gravity, instant.time(), interface.flip());
        let sheets = interface.sheets(world.particles);
        let stepped = self.step(sorted, &sheets, world, Conditions { gravity, start, seconds, flip });
        self.steps += 1;
        world.integrator.interface = interface.leave(world.particles);
        let Integrator { solver, gravity, .. } = &*world.integrator;
        // All others have moved before the energy of the part is first told.
        self.work = -interface.moment(|source| solver.mass(source)).dot(*gravity);
        self.interface = Some(interface);
        stepped
    }

    fn end_part(&mut self, world: &mut World) {
        if let Some(interface) = &mut self.interface {
            interface.come_back(world.particles, world.integrator.received());
        }
    }

    fn fused_bodies(&self) -> Vec<Option<u32>> {
        self.flow.fused_bodies()
    }

    /// Which bodies have become one. Then how hard other matter pushed, for how long, and what it did to each particle.
    fn kept(&self) -> Kept {
        let mut kept = Kept { numbers: self.flow.fusing().to_vec(), amounts: Vec::new() };
        if let Some(Interface { before, pushed, seconds, .. }) = &self.interface {
            kept.numbers.extend(before.iter().map(|one| one.number));
            kept.amounts.extend([*pushed, *seconds].into_iter().chain(before.iter().flat_map(Displaced::amounts)));
        }
        kept
    }

    fn fits(&self, kept: &Kept, particles: usize) -> bool {
        let Some((parts, numbers)) = kept.numbers.split_at_checked(self.flow.fusing().len()) else { return false };
        if !self.flow.may_be_fused(parts) {
            return false;
        }
        if self.interface.is_none() {
            return numbers.is_empty() && kept.amounts.is_empty();
        }
        let Some(([pushed, seconds], before)) = kept.amounts.split_first_chunk() else { return false };
        *pushed >= 0.0
            && *seconds >= 0.0
            && before.len() == Displaced::AMOUNTS * numbers.len()
            && numbers.iter().all(|&number| (number as usize) < particles)
            && numbers.is_sorted_by(|a, b| a < b)
            && kept.amounts.iter().all(|amount| amount.is_finite())
            && before.as_chunks().0.iter().all(|amounts| Displaced::from_amounts(0, amounts).rate > 0.0)
    }

    fn take_over(&mut self, mut kept: Kept) {
        let numbers = kept.numbers.split_off(self.flow.fusing().len());
        self.flow.take_over(&kept.numbers);
        let (Some(interface), Some((&[pushed, seconds], before))) =
            (&mut self.interface, kept.amounts.split_first_chunk())
        else {
            return;
        };
        let before = numbers.into_iter().zip(before.as_chunks().0);
        let before = before.map(|(number, amounts)| Displaced::from_amounts(number, amounts));
        (interface.before, interface.pushed, interface.seconds) = (before.collect(), pushed, seconds);
    }

    /// Nothing begins that could not be stepped.
    fn begin_steps(&mut self, world: &mut World, instant: &Instant) -> Result<(), NoStepShortEnough> {
        let gravity = world.integrator.gravity.length();
        let fastest = self.flow.fastest_of_all(world.particles);
        if by_motion(fastest, gravity, self.flow.width()) < world.interval / MOST_STEPS {
            let sorted = self.flow.sort(world.particles);
            self.paces(&sorted, world, instant.time())?;
        }
        Ok(())
    }

    fn act(&mut self, world: &mut World, instant: &Instant) -> Result<(), NoStepShortEnough> {
        if self.interface.is_some() {
            return Ok(());
        }
        while let Some(span) = self.spans.take_due(instant.tick()) {
            self.advance(span, world, instant)?;
        }
        self.steps += 1;
        Ok(())
    }

    fn removed(&mut self, removal: &Removal) {
        self.flow.forget_numbers();
        if let Some(interface) = &mut self.interface {
            interface.renumber(&removal.renumbering);
        }
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
