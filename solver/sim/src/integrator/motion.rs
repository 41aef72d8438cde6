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
use super::bins::Hasty;
use super::columns::Columns;
use super::expectation::Expectation;
use super::instant::Instant;
use super::velocities::{Range, Velocities};
use crate::boundary::{Drift, Missing, Wall};
use crate::material::smoothed::{Force, Matter};
use crate::neighbours::{Active, BATCH, Verdict, items_of};
use crate::particles::{Density, Particles};
use glam::{DVec3, Vec3};
use rayon::prelude::*;

/// All particles are looked at when at least one in so many is evaluated.
const MANY: usize = 4;

/// What came of the drift of some particles of a batch.
#[derive(Default)]
struct Part {
    account: Account,
    /// Those that have to wait until something is made.
    missing: Vec<(u32, Missing)>,
    /// How far friction and walls took one off the way of its acceleration at most, m.
    strayed: f64,
}

/// What walls do to particles that drift.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Contact {
    /// Stops them.
    Stops,
    /// Is felt, and moves nothing.
    IsFelt,
}

impl Integrator {
    /// Moves the particles whose steps end to there, and evaluates them among all others as these are expected to be; their
    /// next steps begin.
    ///
    /// # Errors
    /// When the matter moves so fast that no step is short enough.
    pub(super) fn step(&mut self, particles: &mut Particles, instant: &Instant) -> Result<Account, Hasty> {
        self.active.choose(&self.columns.bins, instant.least_bin());
        let drifted = self.drift(particles, instant, Contact::Stops);
        self.look_around(particles, instant);
        Ok(drifted + self.evaluate(particles, instant)?)
    }

    /// Takes the matter as it stands at an instant, and evaluates all of it. What comes of it depends on positions and
    /// velocities alone.
    ///
    /// # Errors
    /// When the matter moves so fast that no step is short enough.
    pub(super) fn refresh(&mut self, particles: &mut Particles, instant: &Instant) -> Result<(), Hasty> {
        let count = particles.len();
        particles.densities.resize(count, Density::default());
        let positions = &particles.positions;
        self.neighbours.sort(|slot| positions[slot], &particles.numbers);
        particles.reorder(self.neighbours.order());
        self.columns.renew(count, instant.tick());
        self.active.choose_all(count);
        self.drift(particles, instant, Contact::IsFelt);
        self.neighbours.prepare(&self.active);
        self.take_all(particles, instant);
        self.evaluate(particles, instant)?;
        Ok(())
    }

    /// The first kick of the active particles and their drift.
    fn drift(&mut self, particles: &mut Particles, instant: &Instant, contact: Contact) -> Account {
        let active = std::mem::take(&mut self.active);
        let (account, mut missing) = self.drift_some(&active, particles, instant, contact);
        self.active = active;
        while !missing.is_empty() {
            self.boundary.make(&missing.iter().map(|&(_, missing)| missing).collect::<Vec<_>>());
            let mut rest = Active::default();
            rest.choose_these(missing.iter().map(|&(slot, _)| slot));
            // All are in the account.
            (_, missing) = self.drift_some(&rest, particles, instant, contact);
        }
        account
    }

    /// The same for some; with those that have to wait until something is [made](crate::boundary::Boundary::make).
    fn drift_some(
        &mut self,
        some: &Active,
        particles: &mut Particles,
        instant: &Instant,
        contact: Contact,
    ) -> (Account, Vec<(u32, Missing)>) {
        let (boundary, solver, gravity) = (self.boundary.at(instant.walls()), &self.solver, self.gravity);
        let Columns { walls, forces, began, clear, .. } = &mut self.columns;
        let (forces, began, sources) = (&*forces, &*began, &particles.sources);
        let state = some.of(&mut particles.positions).into_par_iter().zip(some.of(&mut particles.velocities));
        let parts = some.parts().zip(state).zip(some.of_batches(walls.batches_mut())).zip(some.of(clear));
        let parts = parts.map(|((((_, slots), (positions, velocities)), (_, walls)), clear)| {
            let mut part = Part::default();
            for &slot in slots {
                let (i, n) = (slot as usize, slot as usize % BATCH);
                let (force, s) = (&forces[i], instant.since(began[i]));
                let velocity = kicked(velocities[n], force, gravity, walls.of(n), s / 2.0);
                part.account.kick(solver.mass(sources[i]), (velocities[n], velocity), force, gravity, s / 2.0);
                let to = positions[n] + velocity * s;
                let drift = Drift { from: positions[n], since: instant.time_of(began[i]), to, velocity };
                match boundary.touch(&drift, &mut clear[n]) {
                    Err(block) => part.missing.push((slot, block)),
                    Ok(touch) if contact == Contact::IsFelt => walls.set(n, touch.wall),
                    Ok(touch) => {
                        if touch.position != to || force.wall_push != Vec3::ZERO {
                            let free = positions[n] + (velocities[n] + force.acceleration(gravity) * (s / 2.0)) * s;
                            part.strayed = part.strayed.max(touch.position.distance(free));
                        }
                        (positions[n], velocities[n]) = (touch.position, touch.velocity);
                        walls.set(n, touch.wall);
                    }
                }
            }
            part
        });
        let parts: Vec<Part> = parts.collect();
        for (batch, part) in some.batches().zip(&parts).filter(|(_, part)| part.strayed > 0.0) {
            self.velocities[batch as usize].strayed += part.strayed;
        }
        let account = parts.iter().map(|part| part.account).sum();
        (account, parts.into_iter().flat_map(|part| part.missing).collect())
    }

    /// Takes the matter that the active particles may feel, in lists that hold: all of it when many are active or when it
    /// is not sure that the lists hold.
    fn look_around(&mut self, particles: &mut Particles, instant: &Instant) {
        let few = self.active.len() * MANY < particles.len();
        let mut all = !few;
        let mut hold = few && self.keep_lists(particles, instant, false);
        if !hold {
            self.take_all(particles, instant);
            all = true;
            hold = self.keep_lists(particles, instant, true);
        }
        if !hold {
            self.sort(particles, instant);
            all = false;
        }
        self.neighbours.prepare(&self.active);
        if !all {
            self.take(particles, instant, &self.neighbours.around(&self.active));
        }
    }

    /// Tells whether the lists hold for sure, after the few that left all others were caught. `all` tells that all matter
    /// has just been taken.
    fn keep_lists(&mut self, particles: &Particles, instant: &Instant, all: bool) -> bool {
        let time = instant.time();
        match self.neighbours.judge(|batch| self.velocities[batch].gone(time)) {
            Verdict::Hold => true,
            Verdict::Fail => false,
            Verdict::Strays(batches, others) => {
                if !all {
                    self.take(particles, instant, &batches);
                }
                let matter = Expectation { particles, columns: &self.columns, gravity: self.gravity };
                self.neighbours.catch(&batches, others, |slot| matter.now(instant, slot).position)
            }
        }
    }

    /// Sorts the particles as they are at an instant.
    fn sort(&mut self, particles: &mut Particles, instant: &Instant) {
        let matter = Expectation { particles, columns: &self.columns, gravity: self.gravity };
        self.neighbours.sort(|slot| matter.now(instant, slot).position, &particles.numbers);
        particles.reorder(self.neighbours.order());
        self.columns.reorder(self.neighbours.order());
        self.active.choose(&self.columns.bins, instant.least_bin());
        self.watch(particles, instant, &all_batches(particles));
    }

    fn take_all(&mut self, particles: &Particles, instant: &Instant) {
        self.take(particles, instant, &all_batches(particles));
    }

    /// Takes the matter of some batches as it is at an instant.
    fn take(&mut self, particles: &Particles, instant: &Instant, batches: &[u32]) {
        let expectation = Expectation { particles, columns: &self.columns, gravity: self.gravity };
        let matter = Matter { sources: &particles.sources, walls: &self.columns.walls };
        self.solver.take(&mut self.neighbours, batches, &matter, |slot| expectation.now(instant, slot));
        self.watch(particles, instant, batches);
    }

    /// Notes the velocities of some batches, in rising order, that are looked at: of those particles whose steps go on.
    fn watch(&mut self, particles: &Particles, instant: &Instant, batches: &[u32]) {
        let mut velocities = std::mem::take(&mut self.velocities);
        let (limits, least, columns) = (self.limits(), instant.least_bin(), &self.columns);
        let of = |slot: usize| {
            let (bin, began) = (columns.bins[slot], columns.began[slot]);
            limits.velocities(bin, began, particles.velocities[slot], &columns.forces[slot])
        };
        let since = Velocities { range: Range::default(), since: instant.time(), strayed: 0.0 };
        velocities.resize(particles.len().div_ceil(BATCH), since);
        let watched = items_of(&mut velocities, batches.iter().copied());
        batches.par_iter().zip(watched).with_min_len(16).for_each(|(&batch, velocities)| {
            let slots = (0..particles.len()).skip(batch as usize * BATCH).take(BATCH);
            let on = slots.filter(|&slot| columns.bins[slot] < least);
            *velocities = Velocities { range: on.map(of).fold(since.range, Range::union), ..since };
        });
        self.velocities = velocities;
    }
}

/// The numbers of all batches.
fn all_batches(particles: &Particles) -> Vec<u32> {
    (0..particles.len().div_ceil(BATCH) as u32).collect()
}

impl Force {
    /// All of the acceleration, m/s^2.
    pub fn acceleration(&self, gravity: DVec3) -> DVec3 {
        (self.pairs + self.walls).as_dvec3() + gravity * f64::from(self.weight)
    }
}

/// DG96 (10) over some seconds, then friction by what the walls push.
pub(super) fn kicked(velocity: DVec3, force: &Force, gravity: DVec3, wall: &Wall, dt: f64) -> DVec3 {
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
