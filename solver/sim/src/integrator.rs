//! Leapfrog on the integer timeline.
//!
//! DG96 (9), (10) in the form that is synchronous at both ends of a step: half a kick, a drift, an evaluation with the
//! velocity predicted for the end of the step, half a kick. It is the same leapfrog; positions need no correction when
//! the step changes, and a frame boundary holds positions and velocities of one time, which is all that a bake cut
//! there has to keep.

use crate::boundary::{Boundary, Touch, Wall};
use crate::material::smoothed::{Evaluation, Law, SmoothedSolver};
use crate::neighbours::CellGrid;
use crate::particles::{Density, Particles};
use crate::timeline::{self, COURANT, TICKS};
use crate::{FrameStats, SimulationError};
use glam::{DVec3, Vec3};
use rayon::prelude::*;

/// Most steps that matter is given to settle in before time begins.
const SETTLING_STEPS: u32 = 240;
/// Root mean square of speed over speed of sound that settled matter gathers on its way to lower energy.
const SETTLED: f64 = 2e-3;

/// Everything that a step needs besides the particles.
#[derive(Debug)]
pub struct Integrator {
    pub grid: CellGrid,
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
        Self {
            grid: CellGrid::default(),
            solver,
            boundary,
            gravity,
            smoothing_length,
            support: 2.0 * smoothing_length,
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
        let wall_speed = self.wall_speed(particles, start);
        // From positions and velocities alone, so that a bake resumed here goes on with the same bits.
        self.rest_at(particles, start);
        self.evaluate(particles, &Prediction::None);
        let mut tick = 0;
        while tick < TICKS {
            let wanted = self.wanted_step(particles, wall_speed);
            let step = timeline::step(tick, self.interval, wanted).map_err(|_| unstable(particles, wanted))?;
            let dt = timeline::seconds(step, self.interval);
            let now = start + timeline::seconds(tick, self.interval);
            self.step(particles, dt, (now, now + dt));
            tick += step;
            stats.steps += 1;
            stats.force_evaluations += count;
            stats.smallest_step = stats.smallest_step.min(dt);
        }
        Ok(stats)
    }

    /// Densities and accelerations of the particles as they stand at a time.
    pub fn evaluate_at(&mut self, particles: &mut Particles, time: f64) {
        self.rest_at(particles, time);
        self.evaluate(particles, &Prediction::None);
    }

    /// Lets matter come to rest with itself before time begins: what starts pressed against a wall or another body expands,
    /// and its free surface draws in by its cohesion, so that neither leaps in the first frame. Viscosity and gravity do
    /// not act, and all stops whenever the motion has passed its peak; velocities are those of before in the end.
    pub fn settle(&mut self, particles: &mut Particles) {
        let at_rest = vec![DVec3::ZERO; particles.len()];
        let velocities = std::mem::replace(&mut particles.velocities, at_rest);
        let gravity = std::mem::take(&mut self.gravity);
        let inviscid = self.solver.laws().iter().map(|&law| Law { viscosity: 0.0, ..law }).collect();
        let laws = self.solver.replace_laws(inviscid);
        self.evaluate_at(particles, 0.0);
        let mut before = 0.0;
        for _ in 0..SETTLING_STEPS {
            let dt = self.wanted_step(particles, 0.0);
            self.step(particles, dt, (0.0, 0.0));
            let motion = self.motion(particles);
            if motion < before {
                particles.velocities.fill(DVec3::ZERO);
                if before <= SETTLED * SETTLED {
                    break;
                }
            }
            before = if motion < before { 0.0 } else { motion };
        }
        self.solver.replace_laws(laws);
        self.gravity = gravity;
        particles.velocities = velocities;
    }

    /// Mean square of speed over speed of sound. Summed in the order of the particles, for the same bits with any number
    /// of threads.
    fn motion(&self, particles: &Particles) -> f64 {
        let squares = particles.velocities.iter().zip(&particles.sources).map(|(velocity, &source)| {
            let law = self.solver.law(source);
            velocity.length_squared() / f64::from(law.modulus / law.rest_density)
        });
        squares.sum::<f64>() / particles.len() as f64
    }

    /// Takes the walls at a time without moving anything.
    fn rest_at(&mut self, particles: &mut Particles, time: f64) {
        let drifts: Vec<(DVec3, DVec3, DVec3)> =
            particles.positions.iter().zip(&particles.velocities).map(|(&p, &v)| (p, p, v)).collect();
        let touched = self.boundary.touch(&drifts, time, time);
        self.walls.clear();
        self.walls.extend(touched.into_iter().map(|touch| touch.wall));
    }

    /// One step of dt, s, between walls that move over the given times, s.
    fn step(&mut self, particles: &mut Particles, dt: f64, (before, after): (f64, f64)) {
        self.kick(particles, dt / 2.0);
        let drifts: Vec<(DVec3, DVec3, DVec3)> =
            particles.positions.par_iter().zip(&particles.velocities).map(|(&p, &v)| (p, p + v * dt, v)).collect();
        let touched = self.boundary.touch(&drifts, before, after);
        self.walls.resize(touched.len(), Wall::default());
        let columns = particles.positions.par_iter_mut().zip(&mut particles.velocities).zip(&mut self.walls);
        columns.zip(touched).for_each(|(((position, velocity), wall), touch)| {
            Touch { position: *position, velocity: *velocity, wall: *wall } = touch;
        });
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
        self.grid.build(&particles.positions, self.support);
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
        self.solver.evaluate(&self.grid, velocities, &particles.sources, &self.walls, &mut self.evaluation);
        self.scatter(particles);
    }

    /// From sorted slots to particle numbers.
    fn scatter(&mut self, particles: &mut Particles) {
        let count = particles.len();
        particles.accelerations.resize(count, DVec3::ZERO);
        particles.densities.resize(count, Density::default());
        self.pushes.resize(count, Vec3::ZERO);
        for (slot, &i) in self.grid.order.iter().enumerate() {
            let i = i as usize;
            particles.accelerations[i] = self.evaluation.acceleration[slot].as_dvec3() + self.gravity;
            particles.densities[i] = self.evaluation.density[slot];
            self.pushes[i] = self.evaluation.wall_push[slot];
        }
    }

    /// The shortest of all particles' steps, s.
    fn wanted_step(&self, particles: &Particles, wall_speed: f64) -> f64 {
        let h = self.smoothing_length;
        let courant = self.evaluation.step_over_h.par_iter().map(|&s| f64::from(s)).reduce(|| f64::INFINITY, least);
        let fastest = particles.velocities.par_iter().map(|v| v.length_squared()).reduce(|| 0.0, greatest).sqrt();
        // A particle must not jump over what it is about to hit within a step either.
        let strongest = particles.accelerations.par_iter().map(|a| a.length_squared()).reduce(|| 0.0, greatest).sqrt();
        let by_speed = COURANT * h / greatest(greatest(fastest, wall_speed), f64::MIN_POSITIVE);
        let by_force = COURANT * (h / greatest(strongest, f64::MIN_POSITIVE)).sqrt();
        least(least(courant * h, by_speed), by_force)
    }

    /// The steps of a frame, were all frames like the first.
    ///
    /// # Errors
    /// When no step is short enough.
    pub fn steps_per_frame(&self, particles: &Particles) -> Result<u64, SimulationError> {
        let wanted = self.wanted_step(particles, self.wall_speed(particles, 0.0));
        let step = timeline::step(0, self.interval, wanted).map_err(|_| unstable(particles, wanted))?;
        Ok(TICKS / step)
    }

    /// How fast colliders move in the frame after a time, where there is matter, m/s.
    fn wall_speed(&self, particles: &Particles, start: f64) -> f64 {
        let reach = particles.positions.par_iter().map(|p| p.length()).reduce(|| 0.0, greatest);
        self.boundary.max_speed(start, start + self.interval, reach)
    }

    /// Memory besides the particles, bytes.
    pub fn memory(&self) -> usize {
        let per_particle = size_of::<Wall>()
            + 2 * size_of::<Vec3>()
            + size_of::<DVec3>()
            + size_of::<Touch>()
            + 3 * size_of::<DVec3>()
            + 20;
        self.walls.len() * per_particle
            + self.grid.memory()
            + self.boundary.memory()
            + self.solver.memory(self.walls.len())
    }
}

/// The error that tells what asks for a step shorter than any.
fn unstable(particles: &Particles, wanted: f64) -> SimulationError {
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
        step: wanted,
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

/// The smaller number; not a number if either is not.
fn least(a: f64, b: f64) -> f64 {
    if a < b || a.is_nan() { a } else { b }
}

/// The larger number; not a number if either is not.
fn greatest(a: f64, b: f64) -> f64 {
    if a > b || a.is_nan() { a } else { b }
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
