//! Leapfrog on the integer timeline.
//!
//! DG96 (9), (10) in the form that is synchronous at both ends of a step: half a kick, a drift, an evaluation with the
//! velocity predicted for the end of the step, half a kick. It is the same leapfrog; positions need no correction when
//! the step changes, and a frame boundary holds positions and velocities of one time, which is all that a bake cut
//! there has to keep.

mod extent;
mod settling;

pub use settling::Settling;

use crate::boundary::{Boundary, Times, Wall};
use crate::material::smoothed::{Evaluation, SmoothedSolver};
use crate::neighbours::Neighbours;
use crate::particles::Particles;
use crate::timeline::{self, COURANT, TICKS};
use crate::{FrameStats, SimulationError};
use extent::{Extent, greatest, least};
use glam::{DVec3, Vec3};
use rayon::prelude::*;

/// Everything that a step needs besides the particles.
#[derive(Debug)]
pub struct Integrator {
    pub neighbours: Neighbours,
    pub solver: SmoothedSolver,
    pub boundary: Boundary,
    pub gravity: DVec3,
    pub smoothing_length: f64,
    pub support: f64,
    /// Seconds from frame to frame.
    pub interval: f64,
    evaluation: Evaluation,
    walls: Vec<Wall>,
    /// Push of the walls by particle number, m/s^2.
    pushes: Vec<Vec3>,
    predicted: Vec<DVec3>,
}

impl Integrator {
    /// An integrator for a material between walls.
    pub fn new(
        solver: SmoothedSolver,
        boundary: Boundary,
        gravity: DVec3,
        smoothing_length: f64,
        interval: f64,
    ) -> Self {
        let support = 2.0 * smoothing_length;
        Self {
            neighbours: Neighbours::new(support),
            solver,
            boundary,
            gravity,
            smoothing_length,
            support,
            interval,
            evaluation: Evaluation::default(),
            walls: Vec::new(),
            pushes: Vec::new(),
            predicted: Vec::new(),
        }
    }

    /// Advances by one frame, which starts `start` seconds after the first.
    ///
    /// # Errors
    /// When the matter moves so fast that no step is short enough.
    pub fn advance(&mut self, particles: &mut Particles, start: f64) -> Result<FrameStats, SimulationError> {
        let count = particles.len() as u64;
        let mut stats = FrameStats { smallest_step: f64::INFINITY, force_evaluations: count, ..FrameStats::default() };
        // From positions and velocities alone, so that a bake resumed here goes on with the same bits.
        self.evaluate_at(particles, start);
        let mut tick = 0;
        while tick < TICKS {
            let now = start + timeline::seconds(tick, self.interval);
            let wanted =
                self.wanted_step(particles, Some((now, self.interval - timeline::seconds(tick, self.interval))));
            let step =
                timeline::step(tick, self.interval, wanted).map_err(|_| self.unstable(particles, wanted, now))?;
            let dt = timeline::seconds(step, self.interval);
            self.step(particles, dt, Times::Step(now, now + dt));
            tick += step;
            stats.steps += 1;
            stats.force_evaluations += count;
            stats.smallest_step = stats.smallest_step.min(dt);
        }
        Ok(stats)
    }

    /// Densities and accelerations of the particles as they stand at a time.
    pub fn evaluate_at(&mut self, particles: &mut Particles, time: f64) {
        self.evaluate_between(particles, Times::Step(time, time));
    }

    /// Densities and accelerations of the particles as they stand between walls.
    fn evaluate_between(&mut self, particles: &mut Particles, times: Times) {
        self.find_walls(particles, times);
        // From positions alone, whatever lists there were.
        self.neighbours.make(&particles.positions);
        self.evaluate(particles, &Prediction::None);
    }

    /// Takes the walls as they are without moving anything.
    fn find_walls(&mut self, particles: &Particles, times: Times) {
        let (mut positions, mut velocities) = (particles.positions.clone(), particles.velocities.clone());
        self.boundary.drift(&mut positions, &mut velocities, &mut self.walls, 0.0, times);
    }

    /// One step of dt, s, between walls that move over the given times.
    fn step(&mut self, particles: &mut Particles, dt: f64, times: Times) {
        self.kick(particles, dt / 2.0);
        self.boundary.drift(&mut particles.positions, &mut particles.velocities, &mut self.walls, dt, times);
        self.neighbours.update(&particles.positions);
        self.evaluate(particles, &Prediction::After(dt / 2.0));
        self.kick(particles, dt / 2.0);
    }

    /// DG96 (10) over a part of a step, then friction by what the walls push.
    fn kick(&self, particles: &mut Particles, dt: f64) {
        let columns =
            particles.velocities.par_iter_mut().zip(&particles.accelerations).zip(&self.walls).zip(&self.pushes);
        columns.with_min_len(1024).for_each(|(((velocity, acceleration), wall), push)| {
            *velocity += *acceleration * dt;
            if *push != Vec3::ZERO {
                *velocity = rub(*velocity, wall, push.as_dvec3(), dt);
            }
        });
    }

    fn evaluate(&mut self, particles: &mut Particles, prediction: &Prediction) {
        let velocities = match *prediction {
            Prediction::None => &particles.velocities,
            Prediction::After(dt) => {
                self.predicted.clear();
                let accelerated =
                    particles.velocities.par_iter().zip(&particles.accelerations).map(|(v, a)| *v + *a * dt);
                self.predicted.par_extend(accelerated);
                &self.predicted
            }
        };
        self.solver.evaluate(&self.neighbours, velocities, &particles.sources, &self.walls, &mut self.evaluation);
        self.scatter(particles);
    }

    /// From sorted slots to particle numbers.
    fn scatter(&mut self, particles: &mut Particles) {
        let (slots, evaluation, gravity) = (self.neighbours.slots(), &self.evaluation, self.gravity);
        let slots = slots.par_iter().with_min_len(1024).map(|&slot| slot as usize);
        let acceleration = |slot: usize| evaluation.acceleration[slot].as_dvec3() + gravity;
        slots.clone().map(acceleration).collect_into_vec(&mut particles.accelerations);
        slots.clone().map(|slot| evaluation.density[slot]).collect_into_vec(&mut particles.densities);
        slots.map(|slot| evaluation.wall_push[slot]).collect_into_vec(&mut self.pushes);
    }

    /// The shortest of all particles' steps, s, between walls that stand still or move from a time on, s, so many seconds
    /// before the frame ends.
    fn wanted_step(&self, particles: &Particles, walls_from: Option<(f64, f64)>) -> f64 {
        let h = self.smoothing_length;
        let extent = Extent::of(particles);
        let courant = self.evaluation.step_over_h.par_iter().map(|&s| f64::from(s)).reduce(|| f64::INFINITY, least);
        // A particle must not jump over what it is about to hit within a step either.
        let by_speed = |speed: f64| COURANT * h / greatest(speed, f64::MIN_POSITIVE);
        let by_force = COURANT * (h / greatest(extent.strongest, f64::MIN_POSITIVE)).sqrt();
        let step = least(least(courant * h, by_speed(extent.fastest)), by_force);
        let Some((now, left)) = walls_from else { return step };
        least(step, by_speed(self.wall_speed(&extent, now, least(step, left))))
    }

    /// The fastest collider that matter may touch within some seconds, `ahead`, m/s.
    fn wall_speed(&self, extent: &Extent, now: f64, ahead: f64) -> f64 {
        let (low, high) = extent.bounds_after(ahead, self.support);
        self.boundary.max_speed(now, now + ahead, low, high)
    }

    /// The error that tells what asks for a step shorter than any.
    fn unstable(&self, particles: &Particles, wanted: f64, now: f64) -> SimulationError {
        let speed = |i: &usize| {
            let speed = particles.velocities[*i].length();
            if speed.is_finite() { speed } else { f64::INFINITY }
        };
        let worst = (0..particles.len()).max_by(|a, b| speed(a).total_cmp(&speed(b))).unwrap_or_default();
        SimulationError {
            particle: worst,
            source_body: particles.sources[worst],
            speed: speed(&worst),
            position: particles.positions[worst],
            wall_speed: self.wall_speed(&Extent::of(particles), now, self.interval),
            step: wanted,
        }
    }

    /// The steps of a frame, were all frames like the first.
    ///
    /// # Errors
    /// When no step is short enough.
    pub fn steps_per_frame(&self, particles: &Particles) -> Result<u64, SimulationError> {
        let wanted = self.wanted_step(particles, Some((0.0, self.interval)));
        let step = timeline::step(0, self.interval, wanted).map_err(|_| self.unstable(particles, wanted, 0.0))?;
        Ok(TICKS / step)
    }

    /// Memory besides the particles, bytes.
    pub fn memory(&self) -> usize {
        let per_particle = size_of::<Wall>() + 3 * size_of::<Vec3>() + size_of::<DVec3>() + 3 * size_of::<f32>();
        self.walls.len() * per_particle
            + self.neighbours.memory()
            + self.boundary.memory()
            + self.solver.memory(self.walls.len())
    }
}

/// Which velocities an evaluation takes.
#[derive(Clone, Copy)]
enum Prediction {
    /// Those that stand.
    None,
    /// Those expected after some seconds.
    After(f64),
}

/// Coulomb friction: takes away sliding, at most as much as the friction coefficient times the push.
fn rub(velocity: DVec3, wall: &Wall, push: DVec3, dt: f64) -> DVec3 {
    let strength = push.length();
    let normal = push / strength;
    let relative = velocity - wall.velocity.as_dvec3();
    let sliding = relative - normal * relative.dot(normal);
    let speed = sliding.length();
    let loss = f64::from(wall.friction) * strength * dt;
    velocity - sliding * (loss / speed.max(f64::MIN_POSITIVE)).min(1.0)
}
