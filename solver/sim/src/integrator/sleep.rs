//! Particles at rest fall asleep: they are evaluated once a frame.
//!
//! Liquid at rest still hums with sound, and its particles creep past each other to lower energy, each in its own
//! direction, for seconds. It is at rest if neighbourhoods as a whole do not move. Connected matter stops at the end of
//! a frame in which none of it has moved: its zero velocity is all that the frame passes on. In the next frame,
//! connected matter that has stopped and has no moving wall near sleeps in its place. Either all of it sleeps or none:
//! sleeping parts amid creeping ones would hold these up and stir them. Within a frame a particle wakes if a neighbour
//! goes astray, and with the next frame all matter connected to it wakes.

use super::account::Account;
use super::instant::Instant;
use super::reactions::Kick;
use super::{Integrator, Stepping};
use crate::neighbours::BATCH;
use crate::particles::Particles;
use crate::timeline::MAX_BIN;
use glam::{DVec3, Vec3};
use rayon::prelude::*;

/// Least seconds in which matter at rest goes a spacing ...
const SECONDS_A_SPACING: f64 = 16.0;
/// ... and frames.
const FRAMES_A_SPACING: f64 = 400.0;
/// Largest speed of matter at rest, as a part of the speed that falling matter gains in a frame.
const OF_FALLING: f64 = 0.01;
/// Part of the weight of connected matter that may be unsupported: matter that turns back in the air is not at rest.
const UNCARRIED: f64 = 0.5;
/// How much faster than its connected matter a neighbourhood may be ...
const IN_PLACES: f64 = 3.0;
/// ... and a single particle in it.
const ALONE: f64 = 20.0;

/// The criterion of rest.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Rest {
    /// Root mean square speed, m/s, of neighbourhoods as a whole.
    speed: f64,
    /// Seconds of a frame.
    interval: f64,
}

impl Rest {
    /// The criterion for particles at a spacing, m, under gravity, m/s^2, in frames of some seconds. Without gravity
    /// matter is never at rest.
    pub fn new(spacing: f64, gravity: DVec3, interval: f64) -> Self {
        let speed = (spacing / SECONDS_A_SPACING).min(spacing / (FRAMES_A_SPACING * interval));
        Self { speed: speed.min(OF_FALLING * gravity.length() * interval), interval }
    }

    /// The same criterion over other times than frames, s: gravity gives less speed in a shorter time.
    #[must_use]
    pub fn over(self, interval: f64) -> Self {
        Self { speed: self.speed * interval / self.interval, interval }
    }

    /// A particle's displacement since its frame began, with another piece, m; infinite for good once it has gone
    /// astray.
    pub fn displacement(&self, before: Vec3, piece: DVec3) -> Vec3 {
        let displacement = before + piece.as_vec3();
        let most = (ALONE * self.speed * self.interval) as f32;
        if displacement.length_squared() <= most * most { displacement } else { Vec3::INFINITY }
    }

    /// Whether a particle among others at rest may have such a velocity, given its displacement.
    fn allows(&self, displacement: Vec3, velocity: DVec3) -> bool {
        !is_astray(displacement) && velocity.length_squared() <= (ALONE * self.speed).powi(2)
    }

    /// The square of the speed of a neighbourhood over that of matter at rest, given its mean displacement over a frame
    /// and its mean velocity at the end; none where it cannot be at rest.
    fn of_neighbourhood(&self, displacement: DVec3, velocity: DVec3) -> Option<f64> {
        let squared =
            velocity.length_squared().max((displacement / self.interval).length_squared()) / (self.speed * self.speed);
        (squared <= IN_PLACES * IN_PLACES).then_some(squared)
    }
}

/// Whether a [displacement](Rest::displacement) marks a particle that went astray.
pub fn is_astray(displacement: Vec3) -> bool {
    !displacement.is_finite()
}

/// Particles that are connected by neighbours.
#[derive(Debug, Default)]
struct RestingGroup {
    slots: Vec<u32>,
    /// Sum of their unrest; infinite where a particle that is not at rest is connected to them.
    unrest: f64,
    /// Sums of mass times acceleration, and of gravity's part in that, N.
    force: DVec3,
    weight: DVec3,
}

impl RestingGroup {
    fn is_at_rest(&self) -> bool {
        self.unrest <= self.slots.len() as f64 && self.force.length() < UNCARRIED * self.weight.length()
    }
}

impl Integrator {
    /// The criterion of rest, if matter may sleep now.
    fn resting(&self) -> Option<Rest> {
        self.rest.filter(|_| self.stepping == Stepping::Individual)
    }

    /// At the start of a frame, after all is evaluated: lets particles at rest fall asleep.
    pub(super) fn fall_asleep(&mut self, particles: &Particles, instant: &Instant) {
        self.supports.clear();
        // Before the first frame no matter has proved to be at rest.
        if self.resting().is_none() || instant.time() <= 0.0 {
            return;
        }
        let limits = self.limits();
        let unrest = |slot: usize| {
            let number = particles.numbers[slot];
            let stopped = particles.velocities[slot] == DVec3::ZERO
                && !self.pins.moves(number, instant.time(), instant.time() + self.interval);
            let may_sleep = stopped && !self.solver.is_led(particles.sources[slot]);
            (may_sleep && limits.wall_speed(particles.positions[slot]) == 0.0).then_some(0.0)
        };
        let groups = self.resting_groups(particles, &of_each(particles.paired, unrest));
        self.supports = groups.iter().flat_map(|group| self.supports(group, particles)).collect();
        let asleep = chosen(particles.paired, &groups);
        for (bin, _) in self.columns.bins.iter_mut().zip(&asleep).filter(|(_, asleep)| **asleep) {
            *bin = 0;
        }
        self.columns.asleep = asleep;
    }

    /// Wakes a particle at an instant. Returns the account of its sleep.
    pub(super) fn wake(&mut self, slot: usize, particles: &Particles, instant: &Instant) -> Account {
        let slept = self.end_sleep(slot, particles, instant);
        let (limits, columns, velocity) = (self.limits(), &self.columns, particles.velocities[slot]);
        let (force, wall) = (&columns.forces[slot], columns.walls.of(slot));
        // The evaluation returns any error for a step too short.
        let bin = limits.bin(particles.positions[slot], velocity, force, instant).unwrap_or(MAX_BIN);
        let range = limits.velocities(instant.until_end(bin, instant.tick()), velocity, force, wall);
        let of_batch = &mut self.velocities[slot / BATCH].range;
        *of_batch = of_batch.union(range);
        let columns = &mut self.columns;
        (columns.asleep[slot], columns.bins[slot]) = (false, bin);
        (columns.began[slot], columns.counts_from[slot]) = (instant.tick(), instant.tick());
        slept
    }

    /// The account of the sleep of a particle from the start of a frame until an instant.
    fn end_sleep(&mut self, slot: usize, particles: &Particles, instant: &Instant) -> Account {
        let mut account = Account::default();
        let (force, still) = (&self.columns.forces[slot], (DVec3::ZERO, DVec3::ZERO));
        let mass = particles.mass(slot, &self.solver);
        account.kick(mass, still, force, self.gravity, instant.since(0));
        if !self.pins.holds(particles.numbers[slot]) {
            let (place, seconds) = (particles.positions[slot], instant.since(0));
            let kick = Kick { mass, place, velocities: still, force, seconds };
            kick.press(&mut self.impulses, self.columns.walls.of(slot), self.gravity);
            if let Some(&support) = self.supports.get(&particles.numbers[slot]) {
                self.impulses.add(self.columns.walls.of(slot), place, support * seconds, 0.0);
            }
        }
        account.ticks[0] += u64::from(instant.tick());
        account
    }

    /// At the end of a frame, when all steps have ended: stops the particles at rest. Returns the account of all
    /// particles that slept on.
    pub fn come_to_rest(&mut self, particles: &mut Particles, end: &Instant) -> Account {
        let Some(rest) = self.resting() else { return Account::default() };
        let unrest = of_each(particles.paired, |slot| self.unrest(slot, particles, &rest));
        let at_rest = chosen(particles.paired, &self.resting_groups(particles, &unrest));
        for (velocity, _) in particles.velocities.iter_mut().zip(&at_rest).filter(|(_, rests)| **rests) {
            *velocity = DVec3::ZERO;
        }
        for (spin, _) in particles.spins.iter_mut().zip(&at_rest).filter(|(_, rests)| **rests) {
            *spin = DVec3::ZERO;
        }
        let asleep: Vec<usize> = (0..particles.paired).filter(|&slot| self.columns.asleep[slot]).collect();
        asleep.into_iter().map(|slot| self.end_sleep(slot, particles, end)).sum()
    }

    /// The [unrest](Rest::of_neighbourhood) of the neighbourhood of an awake particle.
    fn unrest(&self, slot: usize, particles: &Particles, rest: &Rest) -> Option<f64> {
        let (displacements, velocities) = (&self.columns.displacements, &particles.velocities);
        let is_led = self.solver.is_led(particles.sources[slot]);
        let may_rest = !is_led && !self.columns.asleep[slot] && rest.allows(displacements[slot], velocities[slot]);
        if !may_rest || self.limits().wall_speed(particles.positions[slot]) > 0.0 {
            return None;
        }
        let others = self.neighbours.of(slot).iter().map(|&other| other as usize).filter(|&other| other != slot);
        let with = |(count, displacement, velocity): (f64, DVec3, DVec3), other: usize| {
            (count + 1.0, displacement + displacements[other].as_dvec3(), velocity + velocities[other])
        };
        let (count, displacement, velocity) =
            others.fold((1.0, displacements[slot].as_dvec3(), velocities[slot]), with);
        rest.of_neighbourhood(displacement / count, velocity / count)
    }

    /// The connected groups of particles at rest, given the [unrest](Rest::of_neighbourhood) of each. Sleeping
    /// particles connect nothing.
    fn resting_groups(&self, particles: &Particles, unrest: &[Option<f64>]) -> Vec<RestingGroup> {
        let (mut groups, mut known) = (Vec::new(), vec![false; unrest.len()]);
        for first in 0..unrest.len() {
            if known[first] || unrest[first].is_none() {
                continue;
            }
            let connected = self.connected(first, particles, unrest, &mut known);
            if connected.is_at_rest() {
                groups.push(connected);
            }
        }
        groups
    }

    /// The support of a sleeping group beyond the forces at the start of its sleep, N, by the numbers of the particles
    /// that touch a wall. Sleeping particles stay in place, so walls bear the remaining forces on the particles that
    /// touch none. Pinned particles bear their share.
    fn supports(&self, group: &RestingGroup, particles: &Particles) -> Vec<(u32, DVec3)> {
        let (mut left, mut bearers, mut total) = (DVec3::ZERO, Vec::new(), 0.0);
        for slot in group.slots.iter().map(|&slot| slot as usize) {
            let (force, mass) = (&self.columns.forces[slot], particles.mass(slot, &self.solver));
            let number = particles.numbers[slot];
            if self.columns.walls.of(slot).share > 0.0 || self.pins.holds(number) {
                let borne = force.without_walls(self.gravity).length() * mass;
                bearers.push((number, borne));
                total += borne;
            } else {
                left += force.acceleration(self.gravity) * mass;
            }
        }
        let part = |(number, borne): (u32, f64)| (number, left * (-borne / total));
        if total > 0.0 { bearers.into_iter().map(part).collect() } else { Vec::new() }
    }

    /// The particles that others with some unrest connect to a particle, itself among them.
    fn connected(
        &self,
        first: usize,
        particles: &Particles,
        unrest: &[Option<f64>],
        known: &mut [bool],
    ) -> RestingGroup {
        let (mut connected, mut done) = (RestingGroup { slots: vec![first as u32], ..RestingGroup::default() }, 0);
        known[first] = true;
        // Goes on after a particle that is not at rest, so that the whole group is known.
        while let Some(&slot) = connected.slots.get(done) {
            done += 1;
            let at = slot as usize;
            let (force, mass) = (&self.columns.forces[at], particles.mass(at, &self.solver));
            connected.unrest += unrest[at].unwrap_or(f64::INFINITY);
            connected.force += force.acceleration(self.gravity) * mass;
            connected.weight += self.gravity * (f64::from(force.weight) * mass);
            for &other in self.neighbours.of(at) {
                let at = other as usize;
                if unrest[at].is_none() && !self.columns.asleep[at] {
                    connected.unrest = f64::INFINITY;
                } else if unrest[at].is_some() && !std::mem::replace(&mut known[at], true) {
                    connected.slots.push(other);
                }
            }
        }
        connected
    }
}

/// Whether each of a number of slots is in a group.
fn chosen(count: usize, groups: &[RestingGroup]) -> Vec<bool> {
    let mut chosen = vec![false; count];
    for &slot in groups.iter().flat_map(|group| &group.slots) {
        chosen[slot as usize] = true;
    }
    chosen
}

fn of_each<T: Send>(count: usize, value: impl Fn(usize) -> T + Sync + Send) -> Vec<T> {
    (0..count).into_par_iter().with_min_len(BATCH).map(value).collect()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    /// Matter that turns back in the air is not at rest, over however short a time.
    #[test]
    fn falling_matter_is_not_at_rest() {
        let (gravity, frame) = (DVec3::Z * -9.81, 1.0 / 24.0);
        for part in [1.0, 1.0 / 4.0, 1.0 / 64.0] {
            let rest = Rest::new(0.02, gravity, frame).over(part * frame);
            let unrest = |velocity: DVec3| rest.of_neighbourhood(DVec3::ZERO, velocity).unwrap_or(f64::INFINITY);
            assert!(unrest(gravity * part * frame) > 1.0 && unrest(gravity * 1e-4 * part * frame) < 1.0, "{part}");
            // As if made for such frames, as far as gravity limits it, and back again.
            let again = rest.over(frame);
            assert!((again.speed / Rest::new(0.02, gravity, frame).speed - 1.0).abs() < 1e-12);
        }
    }
}
