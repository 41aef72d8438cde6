//! Leapfrog on the integer timeline, with individual steps for all particles (DG96 section 5.2).
//!
//! All steps end at a frame's end. The next frame then depends only on the columns of [`Particles`], without densities,
//! and on what stages keep.

mod account;
mod apart;
mod bins;
mod columns;
mod division;
mod drift;
mod error;
mod evaluation;
mod expectation;
mod groups;
mod halt;
mod instant;
mod limit;
mod motion;
mod reactions;
mod settling;
mod sleep;
mod standing;
mod surroundings;
mod velocities;

pub use account::Account;
pub use apart::Apart;
pub use bins::NoStepShortEnough;
pub use error::SimulationError;
pub use groups::Channel;
pub use halt::{Halt, Interrupted};
pub use instant::Instant;
pub use settling::Settling;
pub use sleep::Rest;

use crate::boundary::{Approach, Boundary, Impulses, Missing, WallColumn};
use crate::material::continuum::Way;
use crate::material::{Force, MatterSolver, Received};
use crate::neighbours::{Active, Neighbours};
use crate::particles::Particles;
use crate::pins::Pins;
use crate::timeline::{BINS, BOUND_COURANT, Timeline};
use columns::StepColumns;
use expectation::Expectation;
use glam::DVec3;
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
    /// The pins of the scene.
    pub pins: Pins,
    /// The particles that take part while matter settles.
    participation: Participation,
    active: Active,
    columns: StepColumns,
    /// The groups of particles that take the same steps, and the forces on them, by stage.
    channels: Vec<Channel>,
    /// How far pieces of soft matter stay apart, where a stage watches them.
    pub apart: Apart,
    /// The ways of the particles of a grid that lie at other matter, by number; none of others, and empty where there
    /// is no such particle.
    pub interface: Vec<Option<Way>>,
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
            pins: Pins::default(),
            participation: Participation::default(),
            active: Active::default(),
            columns: StepColumns::default(),
            channels: Vec::new(),
            apart: Apart::default(),
            interface: Vec::new(),
            approaches: Vec::new(),
            velocities: Vec::new(),
            impulses: Impulses::default(),
            supports: FxHashMap::default(),
        }
    }

    /// Begins a frame, or a part of one, `start` seconds after the first frame. Returns the instant of its start.
    pub fn begin(&mut self, start: f64) -> Instant {
        // Until the forces give the cheapest division.
        self.timeline = Timeline::HALVES;
        // A particle goes less than h in a step.
        let margin = 3.0 * self.smoothing_length;
        self.approaches = self.boundary.approaches(start, start + self.interval, margin);
        self.instant(0, start)
    }

    /// The instant of a tick of the frame, or part of one, that began at a time, s.
    pub fn instant(&self, tick: u32, start: f64) -> Instant {
        Instant::at(tick, start, self.interval, self.timeline)
    }

    /// The impulses on colliders since the last call.
    pub fn take_impulses(&mut self) -> Impulses {
        std::mem::take(&mut self.impulses)
    }

    /// Adds impulses on colliders by matter that a stage moves.
    pub fn add_impulses(&mut self, impulses: &Impulses) {
        self.impulses.add_all(impulses);
    }

    /// Sets the seconds of the frame, or the part of one, that [begins](Self::begin) next.
    pub fn set_interval(&mut self, seconds: f64) {
        self.interval = seconds;
        self.rest = self.rest.map(|rest| rest.over(seconds));
    }

    /// The particles whose steps end or, after [`see_all`](Self::see_all), all.
    pub fn active(&self) -> &Active {
        &self.active
    }

    /// Walls at the last evaluation.
    pub fn walls(&self) -> &WallColumn {
        &self.columns.walls
    }

    /// What pushes did to each particle of a grid at other matter since the part of the frame began, by slot.
    pub fn received(&self) -> &[Received] {
        &self.columns.received
    }

    /// Forces at the last evaluation.
    pub fn forces(&self) -> &[Force] {
        &self.columns.forces
    }

    /// The state of particles between their evaluations.
    pub fn expectation<'a>(&'a self, particles: &'a Particles) -> Expectation<'a> {
        Expectation { particles, columns: &self.columns, gravity: self.gravity }
    }

    /// The results of a search among walls for each of some particles, which is repeated until all blocks of samples
    /// that it needs are made.
    pub fn search_walls<T>(&mut self, search: impl Fn(&Self) -> Vec<Result<T, Missing>>) -> Vec<T> {
        loop {
            let found = search(self);
            let missing: Vec<Missing> = found.iter().filter_map(|one| one.as_ref().err().copied()).collect();
            if missing.is_empty() {
                return found.into_iter().filter_map(Result::ok).collect();
            }
            self.boundary.make(&missing);
        }
    }

    /// Whether no two [pieces](Self::apart) have come so near since they were last seen that they may touch in new
    /// places.
    pub fn pieces_stay_apart(&self, instant: &Instant) -> bool {
        let time = instant.time();
        self.apart.holds(|batch| self.velocities[batch].gone(time))
    }

    /// Elastic energy of all matter at the last evaluation, J, without that of stages.
    pub fn elastic_energy(&self, particles: &Particles) -> f64 {
        let matter = particles.matter(&self.columns.walls);
        let states = particles.densities.iter().zip(&self.columns.forces).enumerate();
        let energy =
            |(slot, (&density, force)): (usize, (_, &Force))| self.solver.elastic_energy(slot, &matter, density, force);
        states.map(energy).sum()
    }

    /// The error with the cause of a step shorter than any, given the names of the bodies.
    pub fn unstable(
        &self,
        particles: &Particles,
        names: &[String],
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
            body: names[particles.sources[slot] as usize].clone(),
            speed: if speed.is_finite() { speed } else { f64::INFINITY },
            position: particles.positions[slot],
            wall_speed: if limits(wall_speed) { wall_speed } else { 0.0 },
            pin: pin.and_then(|(speed, slot)| Some((self.pins.title(particles.numbers[slot])?.clone().into(), speed))),
            step: wanted,
            is_on_grid: self.solver.is_led(particles.sources[slot]),
        }
    }

    /// Memory besides the particles, bytes.
    pub fn memory(&self) -> usize {
        let count = self.columns.bins.len();
        self.columns.memory()
            + self.neighbours.memory()
            + self.boundary.memory()
            + self.active.memory()
            + self.solver.memory(count)
            + self.apart.memory()
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
        for (bin, particles) in part.in_bins.iter().enumerate() {
            let of_frame = (bin + usize::from(halvings)).min(BINS - 1);
            self.in_bins[of_frame] += particles / f64::from(1_u32 << halvings);
        }
    }

    /// Counts a step of some seconds and the evaluations at its end.
    pub fn count(&mut self, seconds: f64, evaluations: usize) {
        self.steps += 1;
        self.force_evaluations += evaluations as u64;
        self.smallest_step = self.smallest_step.min(seconds);
    }
}

#[cfg(test)]
mod tests;
