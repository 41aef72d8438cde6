//! The first kick and the drift of particles, between walls.

use super::Integrator;
use super::account::Account;
use super::columns::StepColumns;
use super::instant::Instant;
use super::motion::{kicked, turned};
use super::reactions::{Kick, stop};
use super::sleep::Rest;
use crate::boundary::{BatchWalls, Drift, Impulses, Missing, Stop, Touch, Walls};
use crate::material::{Force, MatterSolver};
use crate::neighbours::{Active, BATCH};
use crate::particles::{Particles, share};
use crate::pins::{Hold, Pins};
use glam::{DQuat, DVec3, Vec3};
use rayon::prelude::*;

/// The effect of walls on drifting particles.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum WallEffect {
    /// Walls stop the particles.
    Stops,
    /// Walls are felt, but move no particle.
    IsFelt,
}

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

/// What the drift of particles depends on.
struct DriftInputs<'a> {
    instant: &'a Instant,
    effect: WallEffect,
    boundary: &'a Walls<'a>,
    solver: &'a MatterSolver,
    gravity: DVec3,
    pins: &'a Pins,
    rest: Option<Rest>,
    numbers: &'a [u32],
    sources: &'a [u32],
    shares: &'a [f32],
    forces: &'a [Force],
    began: &'a [u32],
}

/// A drifting particle.
struct Drifting<'a> {
    slot: usize,
    position: &'a mut DVec3,
    velocity: &'a mut DVec3,
    /// Its orientation and spin, where particles turn.
    turning: Option<(&'a mut DQuat, &'a mut DVec3)>,
    walls: &'a mut BatchWalls,
    clear: &'a mut f32,
    displacement: &'a mut Vec3,
}

impl Integrator {
    /// The first kick of the active particles and their drift.
    pub(super) fn drift(&mut self, particles: &mut Particles, instant: &Instant, effect: WallEffect) -> Account {
        let active = std::mem::take(&mut self.active);
        self.columns.stops.clear();
        let (account, mut missing) = self.drift_some(&active, particles, instant, effect);
        self.active = active;
        while !missing.is_empty() {
            self.boundary.make(&missing.iter().map(|&(_, missing)| missing).collect::<Vec<_>>());
            let mut rest = Active::default();
            rest.choose_these(missing.iter().map(|&(slot, _)| slot));
            // The account already has all particles.
            (_, missing) = self.drift_some(&rest, particles, instant, effect);
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
        effect: WallEffect,
    ) -> (Account, Vec<(u32, Missing)>) {
        let StepColumns { walls, forces, began, clear, displacements, .. } = &mut self.columns;
        let Particles { positions, velocities, orientations, spins, numbers, sources, shares, .. } = particles;
        let (boundary, solver, pins) = (&self.boundary.at(instant.walls()), &self.solver, &self.pins);
        let (gravity, rest) = (self.gravity, self.rest);
        let inputs = DriftInputs {
            instant,
            effect,
            boundary,
            solver,
            gravity,
            pins,
            rest,
            numbers,
            sources,
            shares,
            forces,
            began,
        };
        let state = some.of(positions).into_par_iter().zip(some.of(velocities));
        let parts = some.parts().zip(state).zip(some.of_batches(walls.batches_mut()));
        let turning = some.of_kept(orientations).into_par_iter().zip(some.of_kept(spins));
        let parts = parts.zip(some.of(clear)).zip(some.of(displacements)).zip(turning);
        let parts = parts.map(
            |((((((_, slots), (positions, velocities)), (_, walls)), clear), displacements), (orientations, spins))| {
                let mut part = Drifted::default();
                for &slot in slots {
                    let (slot, n) = (slot as usize, slot as usize % BATCH);
                    let turning = orientations.get_mut(n).zip(spins.get_mut(n));
                    let (position, velocity) = (&mut positions[n], &mut velocities[n]);
                    let (clear, displacement) = (&mut clear[n], &mut displacements[n]);
                    inputs.drift(Drifting { slot, position, velocity, turning, walls, clear, displacement }, &mut part);
                }
                part
            },
        );
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

impl DriftInputs<'_> {
    /// The first kick of a particle, and its drift.
    fn drift(&self, mut own: Drifting, part: &mut Drifted) {
        let slot = own.slot;
        let (force, s) = (&self.forces[slot], self.instant.since(self.began[slot]));
        let mass = share(self.shares, slot) * self.solver.mass(self.sources[slot]);
        let wall = own.walls.of(slot % BATCH);
        let velocity = kicked(*own.velocity, force, self.gravity, wall, s / 2.0);
        part.account.kick(mass, (*own.velocity, velocity), force, self.gravity, s / 2.0);
        let to = *own.position + velocity * s;
        if let Some(hold) = self.instant.held(self.pins, self.numbers[slot]) {
            if self.effect == WallEffect::Stops {
                part.put_back = part.put_back.max(hold.position.distance(to));
            }
            self.hold(own, &hold);
            return;
        }
        let since = self.instant.time_of(self.began[slot]);
        let drift = Drift { from: *own.position, since, to, velocity };
        let touch = match self.boundary.touch(&drift, own.clear) {
            Err(block) => return part.missing.push((slot as u32, block)),
            Ok(touch) => touch,
        };
        if self.effect == WallEffect::IsFelt {
            return own.walls.set(slot % BATCH, touch.map(|touch| touch.wall));
        }
        if let Some(touch) = touch.as_ref().filter(|touch| touch.position != to) {
            part.put_back = part.put_back.max(touch.position.distance(to));
            part.account.stop(mass, to - touch.position, force, self.gravity);
        }
        self.turn(&mut own, force, s, part);
        // A grid presses on walls by itself.
        let mass = if self.solver.is_led(self.sources[slot]) { 0.0 } else { mass };
        let kick = Kick { mass, place: *own.position, velocities: (*own.velocity, velocity), force, seconds: s / 2.0 };
        kick.press(&mut part.impulses, own.walls.of(slot % BATCH), self.gravity);
        self.arrive(&mut own, &drift, touch, mass, part);
    }

    fn count(&self, displacement: &mut Vec3, by: DVec3) {
        if let Some(rest) = self.rest {
            *displacement = rest.displacement(*displacement, by);
        }
    }

    /// Puts a held particle where its pin is.
    fn hold(&self, own: Drifting, hold: &Hold) {
        self.count(own.displacement, hold.position - *own.position);
        (*own.position, *own.velocity) = (hold.position, hold.velocity);
        if let Some((orientation, spin)) = own.turning {
            (*orientation, *spin) = (hold.orientation, hold.spin);
        }
    }

    /// Puts a particle that presses on walls with a mass, kg, where its drift leads, or where the walls let it go.
    fn arrive(&self, own: &mut Drifting, drift: &Drift, touch: Option<Touch>, mass: f64, part: &mut Drifted) {
        let n = own.slot % BATCH;
        let Some(Touch { position, velocity, stops, wall }) = touch else {
            self.count(own.displacement, drift.to - *own.position);
            (*own.position, *own.velocity) = (drift.to, drift.velocity);
            return own.walls.set(n, None);
        };
        self.count(own.displacement, position - *own.position);
        (*own.position, *own.velocity) = (position, velocity);
        own.walls.set(n, Some(wall));
        stop(&mut part.impulses, mass, position, drift.velocity, stops.iter());
        part.stops.extend(stops.into_iter().map(|stop| (self.numbers[own.slot], stop)));
    }

    /// The first kick of a particle's spin, and its turn over some seconds.
    fn turn(&self, own: &mut Drifting, force: &Force, s: f64, part: &mut Drifted) {
        let Some((orientation, spin)) = &mut own.turning else { return };
        let inertia = share(self.shares, own.slot) * self.solver.inertia(self.sources[own.slot]);
        let before = std::mem::replace(*spin, self.instant.spun(**spin, force, s / 2.0));
        part.account.turn(inertia, (before, **spin), force, s / 2.0);
        **orientation = turned(**orientation, **spin * s);
    }
}
