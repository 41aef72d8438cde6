//! Steps of heat within a frame.
//!
//! Heat flows far more slowly than sound, so its steps are the same for all particles, and few. A step is an equal part
//! of the frame, a power of two, within three limits: the explicit step is stable, the fastest matter goes less than
//! half a smoothing length, and only a small part of any matter sets. The number of steps depends on the matter at the
//! frame's start, and on matter that heats up and radiates faster since.

use super::Integrator;
use super::expectation::Expectation;
use super::instant::Instant;
use crate::boundary::Missing;
use crate::heat::{HeatFlows, HeatSolver, WarmWalls};
use crate::particles::Particles;
use crate::timeline::{self, TICKS};
use rayon::prelude::*;

/// Ticks of the shortest step of heat.
const LEAST_TICKS: u32 = TICKS >> 20;

/// The steps of heat of a frame, and their heat flows.
#[derive(Debug, Clone, Copy)]
pub(super) struct Heating {
    /// Ticks of a step.
    ticks: u32,
    pub flows: HeatFlows,
}

impl Heating {
    /// The tick at which the next step begins.
    pub fn next(&self, tick: u32) -> u32 {
        (tick / self.ticks + 1) * self.ticks
    }

    /// Shortens the steps until a frame has at least a number of them.
    fn shorten(&mut self, least: f64) {
        while f64::from(TICKS / self.ticks) < least && self.ticks > LEAST_TICKS {
            self.ticks /= 2;
        }
    }
}

impl Integrator {
    /// Begins a frame: chooses the steps, and takes the first.
    pub(super) fn begin_heating(&mut self, particles: &mut Particles, instant: &Instant) -> Heating {
        let mut heating = Heating { ticks: TICKS, flows: HeatFlows::default() };
        let Some(mut heat) = self.heat.take() else { return heating };
        self.find_heat(&mut heat, particles, instant);
        let fastest = particles.velocities.iter().map(|velocity| velocity.length()).fold(0.0, f64::max);
        let by_motion = 2.0 * fastest * self.interval / self.smoothing_length;
        let least = heat.steps(particles, self.interval).max(by_motion).max(self.steps_to_set(particles));
        heating.shorten(least);
        self.advance_heat(&heat, &mut heating, particles, instant);
        self.heat = Some(heat);
        heating
    }

    /// The number of steps in a frame with which only a small part of matter sets in each.
    fn steps_to_set(&self, particles: &Particles) -> f64 {
        let molten = particles.melted.iter().zip(&particles.sources).filter(|(melted, _)| **melted > 0.0);
        self.interval / molten.map(|(_, &source)| self.solver.setting_step(source)).fold(f64::INFINITY, f64::min)
    }

    /// Takes a step from an instant on.
    pub(super) fn step_heat(&mut self, heating: &mut Heating, particles: &mut Particles, instant: &Instant) {
        let Some(mut heat) = self.heat.take() else { return };
        self.find_heat(&mut heat, particles, instant);
        // Matter that has warmed up since radiates faster.
        heating.shorten(heat.steps(particles, self.interval));
        self.advance_heat(&heat, heating, particles, instant);
        self.heat = Some(heat);
    }

    fn advance_heat(&self, heat: &HeatSolver, heating: &mut Heating, particles: &mut Particles, instant: &Instant) {
        let seconds = timeline::seconds(heating.ticks, self.interval);
        let forces = &self.columns.forces;
        heating.flows += heat.advance(
            particles,
            instant.time(),
            seconds,
            |source, melted, seconds| self.solver.after_setting(source, melted, seconds),
            |slot, source, density, melted| self.solver.softened(source, density, &forces[slot], melted),
        );
    }

    fn find_heat(&mut self, heat: &mut HeatSolver, particles: &mut Particles, instant: &Instant) {
        // Steps that end now have ended, and new ones have begun.
        let instant = &instant.begun();
        self.see_all(particles, instant);
        let warm = self.warm_walls(heat, particles, instant);
        let felt = |slot: usize| warm.get(slot).copied().unwrap_or_default();
        heat.find(&self.neighbours, &self.active, particles, &self.columns.walls, felt);
    }

    /// The warm walls that each particle feels; empty where no wall has a temperature.
    fn warm_walls(&mut self, heat: &HeatSolver, particles: &Particles, instant: &Instant) -> Vec<WarmWalls> {
        let temperatures = heat.warm_walls(instant.time());
        if temperatures.is_empty() {
            return Vec::new();
        }
        loop {
            let (boundary, walls) = (self.boundary.at(instant.walls()), &self.columns.walls);
            let expectation = Expectation { particles, columns: &self.columns, gravity: self.gravity };
            let felt = |slot: usize| -> Result<WarmWalls, Missing> {
                if walls.of(slot).share <= 0.0 {
                    return Ok(WarmWalls::default());
                }
                let place = expectation.now(instant, slot).position;
                temperatures.iter().try_fold(WarmWalls::default(), |felt, &(number, temperature)| {
                    let distance = boundary.distance(number, place)?;
                    Ok(distance.map_or(felt, |distance| felt.and(heat.wall_part(distance), temperature)))
                })
            };
            let found: Vec<_> = (0..particles.len()).into_par_iter().with_min_len(256).map(felt).collect();
            let missing: Vec<Missing> = found.iter().filter_map(|felt| felt.err()).collect();
            if missing.is_empty() {
                return found.into_iter().map(Result::unwrap_or_default).collect();
            }
            self.boundary.make(&missing);
        }
    }
}
