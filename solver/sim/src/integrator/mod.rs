//! Leapfrog on the integer timeline, with individual steps for all particles (DG96 section 5.2).
//!
//! All steps end at a frame's end. A bake then has to keep only the columns of [`Particles`], without densities: the
//! next frame depends on nothing else.

mod account;
mod apart;
mod bins;
mod columns;
mod contacting;
mod division;
mod error;
mod evaluation;
mod expectation;
mod halt;
mod heating;
mod instant;
mod limit;
mod motion;
mod reactions;
mod settling;
mod sleep;
mod standing;
mod surroundings;
mod velocities;

pub use contacting::Contacts;
pub use error::SimulationError;
pub use halt::{Halt, Interrupted};
pub use settling::Settling;
pub use sleep::Rest;

use crate::boundary::{Approach, Boundary, Impulses};
use crate::heat::{HeatFlows, HeatSolver};
use crate::material::{Force, MatterSolver};
use crate::neighbours::{Active, Neighbours};
use crate::particles::{Particles, Renumbering};
use crate::pins::Pins;
use crate::timeline::{self, BINS, BOUND_COURANT, TICKS, Timeline};
use account::Account;
use bins::NoStepShortEnough;
use columns::StepColumns;
use glam::DVec3;
use instant::Instant;
use rustc_hash::FxHashMap;
use standing::Participation;
use velocities::Velocities;

/// How particles share the steps of a frame. Bakes take individual steps; the others are references for measurements.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Stepping {
    /// Each particle takes the longest step that its own limits and its neighbours allow.
    #[default]
    Individual,
    /// All take the shortest step that any of them needs, chosen anew each step.
    Global,
    /// All take the frame over this power of two, whatever they need.
    Fixed(u8),
}

/// Everything that a step needs besides the particles.
#[derive(Debug)]
pub struct Integrator {
    pub neighbours: Neighbours,
    pub solver: MatterSolver,
    pub boundary: Boundary,
    pub gravity: DVec3,
    pub smoothing_length: f64,
    /// Seconds from frame to frame.
    pub interval: f64,
    pub stepping: Stepping,
    /// The division of the frame into steps.
    timeline: Timeline,
    /// The criterion of rest, where matter may sleep.
    rest: Option<Rest>,
    /// The solver of heat, where heat flows.
    pub heat: Option<HeatSolver>,
    /// The contacts, where pieces of soft matter may touch.
    pub contacts: Option<Contacts>,
    /// The pins of the scene.
    pub pins: Pins,
    /// The particles that take part while matter settles.
    participation: Participation,
    active: Active,
    columns: StepColumns,
    /// Walls that move in this frame.
    approaches: Vec<Approach>,
    /// Velocities of each batch since it was last looked at.
    velocities: Vec<Velocities>,
    /// Impulses on colliders since they were last [taken](Self::take_impulses).
    impulses: Impulses,
    /// Forces of sleeping matter on walls beyond those at the start of its sleep, N, by the numbers of the particles
    /// that touch a wall.
    supports: FxHashMap<u32, DVec3>,
}

/// Statistics of the steps of a frame, or of a part of one.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Stepped {
    /// Instants at which steps ended.
    pub steps: u64,
    /// Evaluations of a particle's forces, that of all at the start included.
    pub force_evaluations: u64,
    /// The evaluations if all particles had taken the shortest step at any time.
    pub global_force_evaluations: u64,
    /// Shortest step, s.
    pub smallest_step: f64,
    /// Particles by the bin of their step, averaged over the time: bin n has from 2^n to 2^(n + 1) - 1 steps a frame.
    pub in_bins: [f64; BINS],
    /// Work and impulse of the forces.
    pub account: Account,
    /// Heat flows by source.
    pub heat: HeatFlows,
}

impl Integrator {
    /// An integrator for a material between walls.
    pub fn new(
        solver: MatterSolver,
        boundary: Boundary,
        gravity: DVec3,
        smoothing_length: f64,
        interval: f64,
        rest: Option<Rest>,
    ) -> Self {
        Self {
            neighbours: Neighbours::new(solver.support()),
            solver,
            boundary,
            gravity,
            smoothing_length,
            interval,
            stepping: Stepping::default(),
            timeline: Timeline::HALVES,
            rest,
            heat: None,
            contacts: None,
            pins: Pins::default(),
            participation: Participation::default(),
            active: Active::default(),
            columns: StepColumns::default(),
            approaches: Vec::new(),
            velocities: Vec::new(),
            impulses: Impulses::default(),
            supports: FxHashMap::default(),
        }
    }

    /// Evaluates all matter at the start of a frame, `start` seconds after the first, and chooses the first steps.
    ///
    /// # Errors
    /// When the matter moves so fast that no step is short enough.
    pub fn start_frame(&mut self, particles: &mut Particles, start: f64) -> Result<(), SimulationError> {
        // Until the forces give the cheapest division.
        self.timeline = Timeline::HALVES;
        let instant = Instant::at(0, start, self.interval, self.timeline);
        // A particle goes less than h in a step.
        let margin = 3.0 * self.smoothing_length;
        self.approaches = self.boundary.approaches(start, start + self.interval, margin);
        self.check_places(particles)?;
        self.refresh(particles, &instant).map_err(|unstable| self.unstable(particles, unstable))
    }

    /// # Errors
    /// When a particle's place is not finite, as its forces grew without bound.
    pub fn check_places(&self, particles: &Particles) -> Result<(), SimulationError> {
        let is_lost = |slot: &usize| !(particles.positions[*slot] + particles.velocities[*slot]).is_finite();
        let lost = (0..particles.len()).find(is_lost);
        lost.map_or(Ok(()), |slot| Err(self.unstable(particles, NoStepShortEnough { slot, wanted: f64::NAN })))
    }

    /// Advances by the frame that was [started](Self::start_frame) at that time. `tell` gets the finished part of the
    /// frame at each step.
    ///
    /// # Errors
    /// When the matter moves so fast that no step is short enough, or `tell` interrupts: the matter is then within a
    /// frame.
    pub fn advance(
        &mut self,
        particles: &mut Particles,
        start: f64,
        tell: &mut dyn FnMut(f64) -> Result<(), Interrupted>,
    ) -> Result<Stepped, Halt> {
        let (interval, timeline) = (self.interval, self.timeline);
        let at = |tick: u32| Instant::at(tick, start, interval, timeline);
        let mut stepped = Stepped { force_evaluations: particles.len() as u64, ..Stepped::default() };
        let mut heating = self.begin_heating(particles, &at(0));
        let (mut tick, mut since) = (0, 0);
        while tick < TICKS {
            tell(f64::from(tick) / f64::from(TICKS))?;
            let (step, warming) = (self.next_tick(tick), heating.next(tick));
            tick = step.min(warming);
            if step == tick {
                stepped.account +=
                    self.step(particles, &at(tick)).map_err(|unstable| self.unstable(particles, unstable))?;
                stepped.count(timeline::seconds(tick - since, interval), self.active.len());
                since = tick;
            }
            if warming == tick && tick < TICKS {
                self.step_heat(&mut heating, particles, &at(tick));
            }
        }
        stepped.heat = heating.flows;
        stepped.account += self.come_to_rest(particles, &at(TICKS));
        stepped.global_force_evaluations = particles.len() as u64 * (stepped.steps + 1);
        stepped.in_bins = stepped.account.ticks.map(|ticks| ticks as f64 / f64::from(TICKS));
        Ok(stepped)
    }

    /// Follows the numbers of particles after some were removed. All else is found anew as a frame begins.
    pub fn renumber(&mut self, particles: &Particles, renumbering: &Renumbering) {
        self.pins.locate(particles);
        if let Some(contacts) = &mut self.contacts {
            contacts.pressures_mut().renumber(renumbering);
        }
    }

    /// The impulses on colliders since the last call.
    pub fn take_impulses(&mut self) -> Impulses {
        std::mem::take(&mut self.impulses)
    }

    /// Sets the seconds of the next [`advance`](Self::advance): a frame, or a part of one.
    pub fn set_interval(&mut self, seconds: f64) {
        self.interval = seconds;
        self.rest = self.rest.map(|rest| rest.over(seconds));
    }

    /// Densities and forces of the particles at the first frame.
    pub fn evaluate_at_start(&mut self, particles: &mut Particles) {
        // The advance of the frame returns any error for a step too short.
        let _ = self.start_frame(particles, 0.0);
    }

    /// Pressures that the forces carried at the last evaluation, relative to the ambient air, Pa.
    pub fn pressures(&self) -> impl ExactSizeIterator<Item = f32> {
        self.columns.forces.iter().map(|force| force.pressure)
    }

    /// Elastic energy of all matter at the last evaluation, J.
    pub fn elastic_energy(&self, particles: &Particles) -> f64 {
        let matter = particles.matter(&self.columns.walls);
        let states = particles.densities.iter().zip(&self.columns.forces).enumerate();
        let energy =
            |(slot, (&density, force)): (usize, (_, &Force))| self.solver.elastic_energy(slot, &matter, density, force);
        states.map(energy).sum::<f64>() + self.contacts.as_ref().map_or(0.0, Contacts::energy)
    }

    /// The error with the cause of a step shorter than any.
    fn unstable(
        &self,
        particles: &Particles,
        NoStepShortEnough { slot, wanted }: NoStepShortEnough,
    ) -> SimulationError {
        let speed = particles.velocities[slot].length();
        let wall_speed = self.limits().wall_speed(particles.positions[slot]);
        // A speed is only the cause if it limits the step itself.
        let limits = |speed: f64| BOUND_COURANT * self.smoothing_length <= speed * wanted * 1.001;
        let held = (0..particles.len()).filter(|&slot| self.pins.holds(particles.numbers[slot]));
        let fastest = held.map(|slot| (particles.velocities[slot].length(), slot)).max_by(|a, b| a.0.total_cmp(&b.0));
        let pin = fastest.filter(|&(speed, _)| limits(speed));
        SimulationError {
            particle: particles.numbers[slot] as usize,
            source_body: particles.sources[slot],
            speed: if speed.is_finite() { speed } else { f64::INFINITY },
            position: particles.positions[slot],
            wall_speed: if limits(wall_speed) { wall_speed } else { 0.0 },
            pin: pin.and_then(|(speed, slot)| Some((self.pins.title(particles.numbers[slot])?.clone(), speed))),
            step: wanted,
        }
    }

    /// The number of steps of a frame if all frames were like the one that starts some seconds after the first.
    ///
    /// # Errors
    /// When no step is short enough.
    pub fn steps_per_frame(&mut self, particles: &mut Particles, start: f64) -> Result<u64, SimulationError> {
        self.start_frame(particles, start)?;
        Ok(u64::from(TICKS / self.next_tick(0)))
    }

    /// Memory besides the particles, bytes.
    pub fn memory(&self) -> usize {
        let count = self.columns.bins.len();
        self.columns.memory()
            + self.neighbours.memory()
            + self.boundary.memory()
            + self.active.memory()
            + self.solver.memory(count)
            + self.heat.as_ref().map_or(0, HeatSolver::memory)
            + self.contacts.as_ref().map_or(0, |contacts| contacts.memory(count))
    }
}

impl Default for Stepped {
    fn default() -> Self {
        Self {
            steps: 0,
            force_evaluations: 0,
            global_force_evaluations: 0,
            smallest_step: f64::INFINITY,
            in_bins: [0.0; BINS],
            account: Account::default(),
            heat: HeatFlows::default(),
        }
    }
}

impl Stepped {
    /// Adds the statistics of a part of the frame, halved a number of times.
    pub fn add(&mut self, part: &Self, halvings: u8) {
        self.steps += part.steps;
        self.force_evaluations += part.force_evaluations;
        self.global_force_evaluations += part.global_force_evaluations;
        self.smallest_step = self.smallest_step.min(part.smallest_step);
        self.account += part.account;
        self.heat += part.heat;
        for (bin, particles) in part.in_bins.iter().enumerate() {
            let of_frame = (bin + usize::from(halvings)).min(BINS - 1);
            self.in_bins[of_frame] += particles / f64::from(1_u32 << halvings);
        }
    }

    /// Counts a step of some seconds and the evaluations at its end.
    fn count(&mut self, seconds: f64, evaluations: usize) {
        self.steps += 1;
        self.force_evaluations += evaluations as u64;
        self.smallest_step = self.smallest_step.min(seconds);
    }
}

#[cfg(test)]
mod tests;
