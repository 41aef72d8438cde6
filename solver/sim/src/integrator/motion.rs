//! Leapfrog of the particles whose step ends.
//!
//! | symbol | meaning |
//! |---|---|
//! | x, v, a | position, velocity and acceleration where a particle's step began |
//! | s | seconds since then |
//!
//! DG96 (9) and (10) in the form that is synchronous at both ends of a step (kick, drift, kick): x(s) = x + s u with u
//! = v + a s / 2, and v(s) = u + a(s) s / 2. At any s within a step that is the path of the particle to second order,
//! so its neighbours see it where it is, and a step may be cut short at any time: the old acceleration then counts in
//! the second kick until the cut, a(s) from there on. A wall that stopped a particle in its drift stops it again after
//! the second kick, so that v(s) is the velocity with which it goes on. The correction of the position that DG96 makes
//! when a step changes, (`s_new`^2 - `s_old`^2) a / 8, is between positions of two of its half steps; here no position
//! is half a step off, and it is zero.

use super::Integrator;
use super::account::Account;
use super::bins::NoStepShortEnough;
use super::columns::StepColumns;
use super::groups::StepGroups;
use super::instant::Instant;
use super::reactions::{Kick, stop};
use crate::boundary::{Drift, Impulses, Missing, Stop, Wall};
use crate::material::Force;
use crate::neighbours::{Active, BATCH};
use crate::particles::{Density, Particles, share};
use glam::{DQuat, DVec3, Vec3};
use rayon::prelude::*;

/// The results of the drift of some particles of a batch.
#[derive(Default)]
struct Drifted {
    account: Account,
    impulses: Impulses,
    /// Particles that have to wait until a boundary part is made.
    missing: Vec<(u32, Missing)>,
    /// Largest distance by which walls put a particle back, m.
    put_back: f64,
    /// The stops by walls, by particle number.
    stops: Vec<(u32, Stop)>,
}

/// The effect of walls on drifting particles.
#[derive(Clone, Copy, PartialEq, Eq)]
enum WallEffect {
    /// Walls stop the particles.
    Stops,
    /// Walls are felt, but move no particle.
    IsFelt,
}

impl Integrator {
    /// A step without stages: [moves](Self::move_active) the particles whose steps end and [evaluates](Self::end_steps)
    /// them.
    ///
    /// # Errors
    /// When the matter moves so fast that no step is short enough.
    pub(super) fn step(&mut self, particles: &mut Particles, instant: &Instant) -> Result<Account, NoStepShortEnough> {
        let drifted = self.move_active(particles, instant);
        Ok(drifted + self.end_steps(particles, instant)?)
    }

    /// Moves the particles whose steps end to their new places, among the expected places of all others.
    pub fn move_active(&mut self, particles: &mut Particles, instant: &Instant) -> Account {
        self.choose_active(instant);
        let drifted = self.drift(particles, instant, WallEffect::Stops);
        self.look_around(particles, instant);
        drifted
    }

    /// Evaluates the particles that have [moved](Self::move_active), and begins their next steps.
    ///
    /// # Errors
    /// When the matter moves so fast that no step is short enough.
    pub fn end_steps(&mut self, particles: &mut Particles, instant: &Instant) -> Result<Account, NoStepShortEnough> {
        let evaluated = self.evaluate(particles, instant)?;
        if self.level_groups(instant) && self.begins_anew(instant) {
            while self.match_all() {}
        }
        Ok(evaluated)
    }

    /// Takes and evaluates all matter at an instant, without stages.
    ///
    /// # Errors
    /// When the matter moves so fast that no step is short enough.
    pub(super) fn refresh(&mut self, particles: &mut Particles, instant: &Instant) -> Result<(), NoStepShortEnough> {
        self.take_anew(particles, instant);
        self.begin_steps(particles, instant)
    }

    /// Sorts and takes all matter at an instant. All that follows depends on the columns of particles alone.
    pub fn take_anew(&mut self, particles: &mut Particles, instant: &Instant) {
        let count = particles.len();
        particles.densities.resize(count, Density::default());
        let positions = &particles.positions;
        self.neighbours.sort(|slot| positions[slot], &particles.numbers);
        particles.reorder_columns(self.neighbours.order());
        self.columns.renew(count, instant.tick());
        self.groups = StepGroups::default();
        self.apart.clear();
        self.active.choose_all(count);
        self.drift(particles, instant, WallEffect::IsFelt);
        self.neighbours.prepare(&self.active);
        self.take_all(particles, instant);
    }

    /// Evaluates all matter that was [taken](Self::take_anew), and begins its first steps.
    ///
    /// # Errors
    /// When the matter moves so fast that no step is short enough.
    pub fn begin_steps(&mut self, particles: &mut Particles, instant: &Instant) -> Result<(), NoStepShortEnough> {
        self.evaluate(particles, instant)?;
        if self.level_groups(instant) {
            while self.match_all() {}
        }
        Ok(())
    }

    /// Marks the particles whose steps end as active.
    pub(super) fn choose_active(&mut self, instant: &Instant) {
        let StepColumns { bins, asleep, .. } = &self.columns;
        // A sleeping particle has the longest step, which does not end.
        if instant.least_bin() == 0 && asleep.contains(&true) {
            self.active.choose_these((0..).zip(asleep).filter(|(_, asleep)| !**asleep).map(|(slot, _)| slot));
        } else {
            self.active.choose(bins, instant.least_bin());
        }
    }

    /// The first kick of the active particles and their drift.
    fn drift(&mut self, particles: &mut Particles, instant: &Instant, contact: WallEffect) -> Account {
        let active = std::mem::take(&mut self.active);
        self.columns.stops.clear();
        let (account, mut missing) = self.drift_some(&active, particles, instant, contact);
        self.active = active;
        while !missing.is_empty() {
            self.boundary.make(&missing.iter().map(|&(_, missing)| missing).collect::<Vec<_>>());
            let mut rest = Active::default();
            rest.choose_these(missing.iter().map(|&(slot, _)| slot));
            // The account already has all particles.
            (_, missing) = self.drift_some(&rest, particles, instant, contact);
        }
        // The stops of one particle stay in order.
        self.columns.stops.sort_by_key(|(number, _)| *number);
        account
    }

    /// The same for some particles. Also returns the particles that wait until a boundary part is
    /// [made](crate::boundary::Boundary::make).
    fn drift_some(
        &mut self,
        some: &Active,
        particles: &mut Particles,
        instant: &Instant,
        contact: WallEffect,
    ) -> (Account, Vec<(u32, Missing)>) {
        let (boundary, solver, gravity) = (self.boundary.at(instant.walls()), &self.solver, self.gravity);
        let (pins, shares) = (&self.pins, &particles.shares);
        let rest = self.rest;
        let StepColumns { walls, forces, began, clear, displacements, .. } = &mut self.columns;
        let (forces, began, sources, numbers) = (&*forces, &*began, &particles.sources, &particles.numbers);
        let state = some.of(&mut particles.positions).into_par_iter().zip(some.of(&mut particles.velocities));
        let parts = some.parts().zip(state).zip(some.of_batches(walls.batches_mut()));
        let turning = some.of_kept(&mut particles.orientations).into_par_iter().zip(some.of_kept(&mut particles.spins));
        let parts = parts.zip(some.of(clear)).zip(some.of(displacements)).zip(turning);
        let parts =
            parts.map(|((((((_, slots), (positions, velocities)), (_, walls)), clear), displacements), turning)| {
                let mut part = Drifted::default();
                for &slot in slots {
                    let (i, n) = (slot as usize, slot as usize % BATCH);
                    let (force, s) = (&forces[i], instant.since(began[i]));
                    let mass = share(shares, i) * solver.mass(sources[i]);
                    let velocity = kicked(velocities[n], force, gravity, walls.of(n), s / 2.0);
                    part.account.kick(mass, (velocities[n], velocity), force, gravity, s / 2.0);
                    let to = positions[n] + velocity * s;
                    if let Some(hold) = instant.held(pins, numbers[i]) {
                        if contact == WallEffect::Stops {
                            part.put_back = part.put_back.max(hold.position.distance(to));
                        }
                        if let Some(rest) = rest {
                            displacements[n] = rest.displacement(displacements[n], hold.position - positions[n]);
                        }
                        (positions[n], velocities[n]) = (hold.position, hold.velocity);
                        (turning.0[n], turning.1[n]) = (hold.orientation, hold.spin);
                        continue;
                    }
                    let drift = Drift { from: positions[n], since: instant.time_of(began[i]), to, velocity };
                    match boundary.touch(&drift, &mut clear[n]) {
                        Err(block) => part.missing.push((slot, block)),
                        Ok(touch) if contact == WallEffect::IsFelt => walls.set(n, touch.wall),
                        Ok(touch) => {
                            if touch.position != to {
                                part.put_back = part.put_back.max(touch.position.distance(to));
                                part.account.stop(mass, to - touch.position, force, gravity);
                            }
                            if let Some(rest) = rest {
                                displacements[n] = rest.displacement(displacements[n], touch.position - positions[n]);
                            }
                            let kick = Kick {
                                mass,
                                place: positions[n],
                                velocities: (velocities[n], velocity),
                                force,
                                seconds: s / 2.0,
                            };
                            kick.press(&mut part.impulses, walls.of(n), gravity);
                            stop(&mut part.impulses, mass, touch.position, velocity, touch.stops.iter());
                            (positions[n], velocities[n]) = (touch.position, touch.velocity);
                            walls.set(n, touch.wall);
                            part.stops.extend(touch.stops.into_iter().map(|stop| (numbers[i], stop)));
                            if let (Some(orientation), Some(spin)) = (turning.0.get_mut(n), turning.1.get_mut(n)) {
                                let inertia = share(shares, i) * solver.inertia(sources[i]);
                                let before = std::mem::replace(spin, instant.spun(*spin, force, s / 2.0));
                                part.account.turn(inertia, (before, *spin), force, s / 2.0);
                                *orientation = turned(*orientation, *spin * s);
                            }
                        }
                    }
                }
                part
            });
        let parts: Vec<Drifted> = parts.collect();
        for (batch, part) in some.batches().zip(&parts).filter(|(_, part)| part.put_back > 0.0) {
            self.velocities[batch as usize].put_back += part.put_back;
        }
        self.columns.stops.extend(parts.iter().flat_map(|part| &part.stops));
        for part in &parts {
            self.impulses.add_all(&part.impulses);
        }
        let account = parts.iter().map(|part| part.account).sum();
        (account, parts.into_iter().flat_map(|part| part.missing).collect())
    }
}

impl Force {
    /// The whole acceleration, m/s^2.
    pub fn acceleration(&self, gravity: DVec3) -> DVec3 {
        (self.pairs + self.walls).as_dvec3() + gravity * f64::from(self.weight)
    }
}

/// DG96 (10) over some seconds, then friction by the walls' push.
pub(super) fn kicked(velocity: DVec3, force: &Force, gravity: DVec3, wall: &Wall, dt: f64) -> DVec3 {
    let velocity = velocity + force.acceleration(gravity) * dt;
    if force.wall_push == Vec3::ZERO { velocity } else { friction(velocity, wall, force.wall_push.as_dvec3(), dt) }
}

/// T92 (38) to (41) with errata 9: turned by a rotation vector about the world's axes.
pub(super) fn turned(orientation: DQuat, by: DVec3) -> DQuat {
    (DQuat::from_scaled_axis(by) * orientation).normalize()
}

/// Coulomb friction: reduces sliding, at most by the friction coefficient times the push.
fn friction(velocity: DVec3, wall: &Wall, push: DVec3, dt: f64) -> DVec3 {
    let strength = push.length();
    let normal = push / strength;
    let relative = velocity - wall.velocity.as_dvec3();
    let sliding = relative - normal * relative.dot(normal);
    let speed = sliding.length();
    let loss = f64::from(wall.friction) * strength * dt;
    velocity - sliding * (loss / speed.max(f64::MIN_POSITIVE)).min(1.0)
}
