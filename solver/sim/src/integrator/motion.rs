//! Leapfrog of those particles whose step ends.
//!
//! | symbol | meaning |
//! |---|---|
//! | x, v, a | position, velocity and acceleration where a particle's step began |
//! | s | seconds since then |
//!
//! DG96 (9) and (10) in the form that is synchronous at both ends of a step (kick, drift, kick): x(s) = x + s u with
//! u = v + a s / 2, and v(s) = u + a(s) s / 2. At any s within a step that is the way of the particle to second order, so
//! its neighbours see it where it is, and a step may be cut short at any time. The correction of the position that DG96
//! makes when a step changes, (`s_new`^2 - `s_old`^2) a / 8, is between positions of two of its half steps; here no
//! position is half a step off, and it is zero.

use super::Integrator;
use super::account::Account;
use super::columns::Now;
use super::instant::Instant;
use crate::boundary::{Drift, Touch, Wall};
use crate::material::smoothed::{Force, Matter};
use crate::neighbours::BATCH;
use crate::particles::{Density, Particles};
use glam::{DVec3, Vec3};
use rayon::prelude::*;

/// Part of its density that a particle may be expected to lose until it is evaluated again.
const MOST_LOST: f32 = 0.5;

impl Integrator {
    /// Moves the particles whose steps end to there, and evaluates them among all others as these are expected to be.
    pub(super) fn step(&mut self, particles: &mut Particles, instant: &Instant) -> Account {
        self.choose_active(instant);
        let mut account = self.drift(particles, instant);
        self.expect(particles, instant);
        if self.neighbours.update(&self.columns.now.positions, &self.columns.bins, &particles.numbers) {
            self.reorder(particles);
            self.choose_active(instant);
        }
        self.evaluate_active(particles);
        account += self.finish(particles, instant);
        account
    }

    /// Takes the matter as it stands at an instant, and evaluates all of it. What comes of it depends on positions and
    /// velocities alone.
    pub(super) fn refresh(&mut self, particles: &mut Particles, instant: &Instant) {
        let count = particles.len();
        self.columns.resize(count);
        particles.densities.resize(count, Density::default());
        self.columns.began.fill(instant.tick());
        self.neighbours.make(&particles.positions, &particles.numbers);
        self.reorder(particles);
        self.active.choose(count, |_| true);
        let stays = |(&p, &velocity)| Drift { from: p, since: instant.time(), to: p, velocity };
        let drifts: Vec<Drift> = particles.positions.iter().zip(&particles.velocities).map(stays).collect();
        let walls = self.boundary.touch(&drifts, instant.walls()).into_iter().map(|touch| touch.wall);
        self.columns.walls.clear();
        self.columns.walls.extend(walls);
        self.columns.now.positions.clone_from(&particles.positions);
        self.columns.now.velocities.clone_from(&particles.velocities);
        self.evaluate_active(particles);
        particles.densities.clone_from(&self.columns.now.densities);
    }

    fn choose_active(&mut self, instant: &Instant) {
        let bins = &self.columns.bins;
        self.active.choose(bins.len(), |slot| instant.ends(bins[slot]));
    }

    /// Brings all columns into the order of the neighbours.
    fn reorder(&mut self, particles: &mut Particles) {
        particles.reorder(self.neighbours.order());
        self.columns.reorder(self.neighbours.order());
    }

    /// The first kick of the active particles and their drift, which walls may stop.
    fn drift(&mut self, particles: &mut Particles, instant: &Instant) -> Account {
        let drifts = self.active.slots().par_iter().with_min_len(256).map(|&slot| {
            let slot = slot as usize;
            let began = self.columns.began[slot];
            let s = instant.since(began);
            let velocity = self.half_kicked(particles, slot, s);
            let from = particles.positions[slot];
            Drift { from, since: instant.time_of(began), to: from + velocity * s, velocity }
        });
        let drifts: Vec<Drift> = drifts.collect();
        let touched = self.boundary.touch(&drifts, instant.walls());
        let (solver, gravity, active, columns) = (&self.solver, self.gravity, &self.active, &mut self.columns);
        let (forces, began, sources) = (&columns.forces, &columns.began, &particles.sources);
        let state = particles.positions.par_chunks_mut(BATCH).zip(particles.velocities.par_chunks_mut(BATCH));
        let accounts = state.zip(columns.walls.par_chunks_mut(BATCH)).enumerate();
        let accounts = accounts.map(|(batch, ((positions, velocities), walls))| {
            let mut account = Account::default();
            for (&slot, touch) in active.of(batch).iter().zip(&touched[active.range(batch)]) {
                let (slot, n) = (slot as usize, slot as usize % BATCH);
                let half = instant.since(began[slot]) / 2.0;
                account.kick(solver.mass(sources[slot]), velocities[n], &forces[slot], gravity, half);
                Touch { position: positions[n], velocity: velocities[n], wall: walls[n] } = *touch;
            }
            account
        });
        accounts.collect::<Vec<_>>().into_iter().sum()
    }

    /// The mean velocity from where a particle's step began until s seconds later.
    fn half_kicked(&self, particles: &Particles, slot: usize, s: f64) -> DVec3 {
        let force = &self.columns.forces[slot];
        kicked(particles.velocities[slot], force, self.gravity, &self.columns.walls[slot], s / 2.0)
    }

    /// The matter at an instant: the active particles at the end of their drift, the others as they are expected.
    fn expect(&mut self, particles: &Particles, instant: &Instant) {
        let mut now = std::mem::take(&mut self.columns.now);
        let Now { positions, velocities, densities } = &mut now;
        let columns = positions.par_iter_mut().zip(velocities).zip(densities).enumerate().with_min_len(1024);
        columns.for_each(|(slot, ((position, velocity), density))| {
            let (force, s) = (&self.columns.forces[slot], instant.since(self.columns.began[slot]));
            let rest = force.acceleration(self.gravity) * (s / 2.0);
            if instant.ends(self.columns.bins[slot]) {
                *position = particles.positions[slot];
                *velocity = particles.velocities[slot] + rest;
            } else {
                let mean = self.half_kicked(particles, slot, s);
                *position = particles.positions[slot] + mean * s;
                *velocity = mean + rest;
                *density = expected(particles.densities[slot], force.density_rate, s as f32);
            }
        });
        self.columns.now = now;
    }

    fn evaluate_active(&mut self, particles: &Particles) {
        self.neighbours.prepare(&self.active);
        let Now { velocities, densities, .. } = &mut self.columns.now;
        let matter = Matter { velocities, densities, sources: &particles.sources, walls: &self.columns.walls };
        self.solver.evaluate(&self.neighbours, &self.active, matter, &mut self.columns.forces);
    }

    /// The second kick of the active particles; their next steps begin.
    fn finish(&mut self, particles: &mut Particles, instant: &Instant) -> Account {
        let (solver, gravity, active, columns) = (&self.solver, self.gravity, &self.active, &mut self.columns);
        let (forces, walls, now, sources) =
            (&columns.forces, &columns.walls, &columns.now.densities, &particles.sources);
        let state = particles.velocities.par_chunks_mut(BATCH).zip(particles.densities.par_chunks_mut(BATCH));
        let accounts = state.zip(columns.began.par_chunks_mut(BATCH)).enumerate();
        let accounts = accounts.map(|(batch, ((velocities, densities), began))| {
            let mut account = Account::default();
            for &slot in active.of(batch) {
                let (slot, n) = (slot as usize, slot as usize % BATCH);
                let half = instant.since(began[n]) / 2.0;
                account.kick(solver.mass(sources[slot]), velocities[n], &forces[slot], gravity, half);
                velocities[n] = kicked(velocities[n], &forces[slot], gravity, &walls[slot], half);
                densities[n] = now[slot];
                began[n] = instant.tick();
            }
            account
        });
        accounts.collect::<Vec<_>>().into_iter().sum()
    }
}

impl Force {
    /// All of the acceleration, m/s^2.
    pub fn acceleration(&self, gravity: DVec3) -> DVec3 {
        (self.pairs + self.walls).as_dvec3() + gravity * f64::from(self.weight)
    }
}

/// A density some seconds later.
fn expected(density: Density, rate: Density, s: f32) -> Density {
    let later = |density: f32, rate: f32| (density + rate * s).max(density * (1.0 - MOST_LOST));
    Density { total: later(density.total, rate.total), held: later(density.held, rate.held) }
}

/// DG96 (10) over some seconds, then friction by what the walls push.
fn kicked(velocity: DVec3, force: &Force, gravity: DVec3, wall: &Wall, dt: f64) -> DVec3 {
    let velocity = velocity + force.acceleration(gravity) * dt;
    if force.wall_push == Vec3::ZERO { velocity } else { rub(velocity, wall, force.wall_push.as_dvec3(), dt) }
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
