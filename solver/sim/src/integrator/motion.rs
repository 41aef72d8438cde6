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
use super::columns::Columns;
use super::instant::Instant;
use super::velocities::Velocities;
use crate::boundary::{Drift, Touch, Wall};
use crate::material::smoothed::{Force, Matter, Now};
use crate::neighbours::BATCH;
use crate::particles::{Density, Particles};
use glam::{DVec3, Vec3};
use rayon::prelude::*;

/// Part of its density that a particle may be expected to lose until it is evaluated again.
const MOST_LOST: f32 = 0.5;

/// All particles are looked at when at least one in so many is evaluated.
const MANY: usize = 4;

impl Integrator {
    /// Moves the particles whose steps end to there, and evaluates them among all others as these are expected to be.
    pub(super) fn step(&mut self, particles: &mut Particles, instant: &Instant) -> Account {
        self.active.choose(&self.columns.bins, instant.least_bin());
        let mut account = self.drift(particles, instant);
        self.look_around(particles, instant);
        self.evaluate(particles);
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
        self.columns.bins.fill(0);
        let positions = &particles.positions;
        self.neighbours.sort(|slot| positions[slot], &particles.numbers);
        self.reorder(particles);
        self.active.choose_all(count);
        let stays = |(&p, &velocity)| Drift { from: p, since: instant.time(), to: p, velocity };
        let drifts: Vec<Drift> = particles.positions.iter().zip(&particles.velocities).map(stays).collect();
        let walls = self.boundary.touch(&drifts, instant.walls()).into_iter().map(|touch| touch.wall);
        self.columns.walls.clear();
        self.columns.walls.extend(walls);
        self.take_all(particles, instant);
        self.evaluate(particles);
    }

    /// Brings all columns into the order of the neighbours.
    fn reorder(&mut self, particles: &mut Particles) {
        particles.reorder(self.neighbours.order());
        self.columns.reorder(self.neighbours.order());
    }

    /// The first kick of the active particles and their drift, which walls may stop.
    fn drift(&mut self, particles: &mut Particles, instant: &Instant) -> Account {
        let matter = Expectation { particles, columns: &self.columns, gravity: self.gravity };
        let drifts = self.active.slots().par_iter().with_min_len(256).map(|&slot| {
            let slot = slot as usize;
            let began = matter.columns.began[slot];
            let s = instant.since(began);
            let velocity = matter.half_kicked(slot, s);
            let from = matter.particles.positions[slot];
            Drift { from, since: instant.time_of(began), to: from + velocity * s, velocity }
        });
        let drifts: Vec<Drift> = drifts.collect();
        let touched = self.boundary.touch(&drifts, instant.walls());
        let (solver, gravity, active) = (&self.solver, self.gravity, &self.active);
        let Columns { walls, forces, began, .. } = &mut self.columns;
        let (forces, began, sources) = (&*forces, &*began, &particles.sources);
        let state = active.of(&mut particles.positions).into_par_iter().zip(active.of(&mut particles.velocities));
        let accounts = active.parts().zip(state.zip(active.of(walls)));
        let accounts = accounts.map(|((first, slots), ((positions, velocities), walls))| {
            let mut account = Account::default();
            for (&slot, touch) in slots.iter().zip(&touched[first..]) {
                let (slot, n) = (slot as usize, slot as usize % BATCH);
                let half = instant.since(began[slot]) / 2.0;
                account.kick(solver.mass(sources[slot]), velocities[n], &forces[slot], gravity, half);
                Touch { position: positions[n], velocity: velocities[n], wall: walls[n] } = *touch;
            }
            account
        });
        accounts.collect::<Vec<_>>().into_iter().sum()
    }

    /// Takes the matter that the active particles may feel, in lists that hold: all of it when many are active or when it
    /// is not sure that the lists hold.
    fn look_around(&mut self, particles: &mut Particles, instant: &Instant) {
        let few = self.active.len() * MANY < particles.len();
        let moved = self.velocities.spread() * (instant.time() - self.velocities.since);
        let sure = few && self.neighbours.hold_after(moved);
        if !sure {
            self.take_all(particles, instant);
            if self.neighbours.hold() {
                self.velocities = Velocities::since(instant.time());
                return;
            }
            self.sort(particles, instant);
        }
        self.neighbours.prepare(&self.active);
        self.take(particles, instant, &self.neighbours.around(&self.active));
    }

    /// Sorts the particles as they are at an instant.
    fn sort(&mut self, particles: &mut Particles, instant: &Instant) {
        let matter = Expectation { particles, columns: &self.columns, gravity: self.gravity };
        self.neighbours.sort(|slot| matter.now(instant, slot).position, &particles.numbers);
        self.reorder(particles);
        self.active.choose(&self.columns.bins, instant.least_bin());
        self.velocities = Velocities::since(instant.time());
    }

    fn take_all(&mut self, particles: &Particles, instant: &Instant) {
        let batches: Vec<u32> = (0..particles.len().div_ceil(BATCH) as u32).collect();
        self.take(particles, instant, &batches);
    }

    /// Takes the matter of some batches as it is at an instant.
    fn take(&mut self, particles: &Particles, instant: &Instant, batches: &[u32]) {
        let matter = Expectation { particles, columns: &self.columns, gravity: self.gravity };
        let (sources, walls) = (&particles.sources, &self.columns.walls);
        self.solver.take(&mut self.neighbours, batches, sources, walls, |slot| matter.now(instant, slot));
    }

    fn evaluate(&mut self, particles: &mut Particles) {
        self.neighbours.prepare(&self.active);
        let Columns { walls, forces, .. } = &mut self.columns;
        let matter = Matter { densities: &mut particles.densities, sources: &particles.sources, walls };
        self.solver.evaluate(&self.neighbours, &self.active, matter, forces);
    }

    /// The second kick of the active particles; their next steps begin.
    fn finish(&mut self, particles: &mut Particles, instant: &Instant) -> Account {
        let (solver, gravity, active) = (&self.solver, self.gravity, &self.active);
        let Columns { walls, forces, began, bins } = &mut self.columns;
        let (forces, walls, bins, sources) = (&*forces, &*walls, &*bins, &particles.sources);
        let state = active.of(&mut particles.velocities).into_par_iter().zip(active.of(began));
        let accounts = active.parts().zip(state).map(|((_, slots), (velocities, began))| {
            let mut account = Account::default();
            for &slot in slots {
                let (slot, n) = (slot as usize, slot as usize % BATCH);
                let half = instant.since(began[n]) / 2.0;
                account.kick(solver.mass(sources[slot]), velocities[n], &forces[slot], gravity, half);
                velocities[n] = kicked(velocities[n], &forces[slot], gravity, &walls[slot], half);
                account.ticks[usize::from(bins[slot])] += u64::from(instant.tick() - began[n]);
                began[n] = instant.tick();
            }
            account
        });
        accounts.collect::<Vec<_>>().into_iter().sum()
    }
}

/// What is expected of particles between their evaluations.
struct Expectation<'a> {
    particles: &'a Particles,
    columns: &'a Columns,
    gravity: DVec3,
}

impl Expectation<'_> {
    /// The mean velocity from where a particle's step began until s seconds later.
    fn half_kicked(&self, slot: usize, s: f64) -> DVec3 {
        let (force, wall) = (&self.columns.forces[slot], &self.columns.walls[slot]);
        kicked(self.particles.velocities[slot], force, self.gravity, wall, s / 2.0)
    }

    /// A particle at an instant: at the end of its drift if its step ends there, elsewhere where it is expected.
    fn now(&self, instant: &Instant, slot: usize) -> Now {
        let (force, s) = (&self.columns.forces[slot], instant.since(self.columns.began[slot]));
        let (tag, density, position) =
            (self.columns.bins[slot], self.particles.densities[slot], self.particles.positions[slot]);
        let rest = force.acceleration(self.gravity) * (s / 2.0);
        if tag >= instant.least_bin() {
            return Now { position, velocity: self.particles.velocities[slot] + rest, density, tag };
        }
        let mean = self.half_kicked(slot, s);
        let density = expected(density, force.density_rate, s as f32);
        Now { position: position + mean * s, velocity: mean + rest, density, tag }
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
