//! Densities and forces of the particles whose step ends, then at once for each: the second kick, and the start of the
//! next step.

use super::account::Account;
use super::bins::{Limits, NoStepShortEnough, most_apart};
use super::columns::{StepColumns, stops_of};
use super::groups::{Channel, StageAcceleration};
use super::instant::Instant;
use super::motion::kicked;
use super::reactions::{Kick, stop};
use super::sleep::is_astray;
use super::standing::Participation;
use super::velocities::Range;
use super::{Integrator, Stepping};
use crate::boundary::{Impulses, Stop};
use crate::material::continuum::Way;
use crate::material::{Force, Matter, MatterSolver, Received};
use crate::neighbours::BATCH;
use crate::particles::Particles;
use crate::pins::borne;
use crate::timeline::{MAX_BIN, TICKS};
use glam::{DVec3, Vec3};
use rayon::prelude::*;

/// The results for the active particles of one batch.
#[derive(Default)]
struct Evaluated {
    account: Account,
    impulses: Impulses,
    velocities: Range,
    /// Particles that have to ask their neighbours for shorter steps.
    askers: Vec<u32>,
    unstable: Option<NoStepShortEnough>,
}

/// What the ends of steps depend on.
struct StepInputs<'a> {
    instant: &'a Instant,
    matter: Matter<'a>,
    solver: &'a MatterSolver,
    limits: Limits<'a>,
    gravity: DVec3,
    participation: &'a Participation,
    /// See [`Integrator::interface`].
    interface: &'a [Option<Way>],
    positions: &'a [DVec3],
    displacements: &'a [Vec3],
    least_bins: &'a [u8],
    channels: &'a [Channel],
    stops: &'a [(u32, Stop)],
}

/// A particle whose step ends.
struct Ending<'a> {
    slot: usize,
    /// Mass, kg.
    mass: f64,
    /// Moment of inertia, kg m^2.
    inertia: f64,
    /// Whether a pin holds it.
    is_held: bool,
    velocity: &'a mut DVec3,
    /// Its spin, where particles turn.
    spin: Option<&'a mut DVec3>,
    /// The force at its last evaluation.
    force_before: &'a mut Force,
    /// Where any particle of a grid lies at other matter.
    received: Option<&'a mut Received>,
    began: &'a mut u32,
    counts_from: &'a mut u32,
    bin: &'a mut u8,
}

impl Integrator {
    /// Evaluates the active particles, whose lists are made, among the matter that was taken, and begins their next
    /// steps.
    ///
    /// # Errors
    /// When the matter moves so fast that no step is short enough.
    pub(super) fn evaluate(
        &mut self,
        particles: &mut Particles,
        instant: &Instant,
    ) -> Result<Account, NoStepShortEnough> {
        let Particles {
            numbers,
            sources,
            melted,
            temperatures,
            welds,
            ties,
            shares,
            memberships,
            surfaces,
            densities,
            stresses,
            ..
        } = &mut *particles;
        let walls = &self.columns.walls;
        let matter =
            Matter { numbers, sources, walls, melted, temperatures, welds, ties, shares, memberships, surfaces };
        self.solver.find_densities(&self.neighbours, &self.active, &matter, instant.is_told(), densities);
        let began = &self.columns.began;
        let seconds = |slot: usize| instant.since(began[slot]);
        let flowed = self.solver.find_stresses(&self.neighbours, &self.active, &matter, seconds, stresses);
        let parts = self.find_forces(particles, instant);
        if let Some(worst) = parts.iter().filter_map(|part| part.unstable).reduce(NoStepShortEnough::worse) {
            return Err(worst);
        }
        for (batch, part) in self.active.batches().zip(&parts) {
            let range = &mut self.velocities[batch as usize].range;
            *range = range.union(part.velocities);
            self.impulses.add_all(&part.impulses);
        }
        let mut account: Account = parts.iter().map(|part| part.account).sum();
        account.work += flowed;
        let askers: Vec<u32> = parts.into_iter().flat_map(|part| part.askers).collect();
        Ok(account + self.match_steps(&askers, particles, instant))
    }

    fn find_forces(&mut self, particles: &mut Particles, instant: &Instant) -> Vec<Evaluated> {
        // The borrows of the columns must be separate.
        let met = self.limits().met && !self.begins_anew(instant);
        let limits = Limits { approaches: &self.approaches, met, ..self.limits() };
        let (solver, neighbours, active) = (&self.solver, &self.neighbours, &self.active);
        let StepColumns { walls, forces, began, counts_from, bins, displacements, least_bins, received, stops, .. } =
            &mut self.columns;
        let Particles {
            numbers,
            positions,
            velocities,
            densities,
            stresses,
            spins,
            sources,
            melted,
            temperatures,
            welds,
            ties,
            shares,
            memberships,
            surfaces,
            ..
        } = particles;
        let matter =
            Matter { numbers, sources, walls, melted, temperatures, welds, ties, shares, memberships, surfaces };
        let (pins, participation, gravity, channels) = (&self.pins, &self.participation, self.gravity, &self.channels);
        let inputs = StepInputs {
            instant,
            matter,
            solver,
            limits,
            gravity,
            participation,
            interface: &self.interface,
            positions,
            displacements,
            least_bins,
            channels,
            stops,
        };
        let state = active.of(velocities).into_par_iter().zip(active.of(forces));
        let times = active.of(began).into_par_iter().zip(active.of(counts_from));
        let columns = state
            .zip(times)
            .zip(active.of(bins).into_par_iter().zip(active.of_kept(received)))
            .zip(active.of_kept(spins));
        let parts = active.parts().zip(columns).map(
            |((_, slots), ((((velocities, forces), (began, counts_from)), (bins, received)), spins))| {
                let mut part = Evaluated::default();
                let mut found = [Force::default(); BATCH];
                solver.forces(neighbours, slots, &matter, densities, stresses, &mut found);
                for (&slot, &force) in slots.iter().zip(&found) {
                    let (slot, n) = (slot as usize, slot as usize % BATCH);
                    let (velocity, spin, force_before) = (&mut velocities[n], spins.get_mut(n), &mut forces[n]);
                    let (began, counts_from, bin) = (&mut began[n], &mut counts_from[n], &mut bins[n]);
                    let received = received.get_mut(n);
                    let (mass, inertia) = inputs.inertia(slot);
                    let is_held = pins.holds(matter.numbers[slot]);
                    let own = Ending {
                        slot,
                        mass,
                        inertia,
                        is_held,
                        velocity,
                        spin,
                        force_before,
                        received,
                        began,
                        counts_from,
                        bin,
                    };
                    inputs.end(own, force, &mut part);
                }
                part
            },
        );
        parts.collect()
    }

    /// Matches the steps of neighbours, as far as the stepping requires. Returns the account of the sleep of the
    /// particles that this wakes.
    fn match_steps(&mut self, askers: &[u32], particles: &Particles, instant: &Instant) -> Account {
        match (self.stepping, instant) {
            // Steps are chosen anew at the start of the next frame.
            (_, Instant::Settling(_) | Instant::Tick { tick: TICKS, .. }) => {}
            (Stepping::Individual, Instant::Tick { tick: 0, .. }) => {
                self.fall_asleep(particles, instant);
                self.divide(particles, instant);
                // All particles at once.
                while self.match_all() {}
            }
            (Stepping::Individual, _) => {
                if self.begins_anew(instant) {
                    while self.match_all() {}
                }
                return self.ask_neighbours(askers, particles, instant);
            }
            (Stepping::Global, _) => {
                if instant.tick() == 0 {
                    self.divide(particles, instant);
                }
                let shortest = self.columns.bins.iter().copied().max().unwrap_or(0);
                self.columns.bins.fill(shortest);
            }
            (Stepping::Fixed(bin), _) => self.columns.bins.fill(bin.min(MAX_BIN)),
        }
        Account::default()
    }
}

impl StepInputs<'_> {
    /// Ends the step of a particle with the present force of other matter on it, and begins the next.
    fn end(&self, mut own: Ending, mut force: Force, part: &mut Evaluated) {
        self.complete(&own, &mut force);
        self.kick(&mut own, &force, part);
        self.begin(&mut own, force, part);
    }

    /// Mass, kg, and moment of inertia, kg m^2.
    fn inertia(&self, slot: usize) -> (f64, f64) {
        let (share, source) = (self.matter.share(slot), self.matter.sources[slot]);
        (share * self.solver.mass(source), share * self.solver.inertia(source))
    }

    /// The way of a particle of a grid at other matter.
    fn way(&self, slot: usize) -> Option<&Way> {
        self.interface.get(self.matter.numbers[slot] as usize)?.as_ref()
    }

    /// Adds what is no force of other matter.
    fn complete(&self, own: &Ending, force: &mut Force) {
        let slot = own.slot;
        if let Instant::Settling(_) = self.instant {
            self.limits.pace(force);
            self.participation.apply(self.matter.numbers[slot], force);
        }
        if let Some(way) = self.way(slot) {
            let since = self.instant.since(0);
            force.held = way.acceleration(force.pairs.as_dvec3(), self.positions[slot], *own.velocity, since).as_vec3();
            let least = self.limits.smoothing_length / way.longest_step();
            force.h_over_step = force.h_over_step.max(least as f32);
        }
        for acceleration in self.channels.iter().filter_map(|channel| channel.acceleration(slot)) {
            push(force, acceleration);
        }
        if own.is_held {
            let spin = own.spin.as_deref().copied().unwrap_or_default();
            *force = borne(*force, own.mass, own.inertia, *own.velocity, spin);
        }
    }

    /// The second kick.
    fn kick(&self, own: &mut Ending, force: &Force, part: &mut Evaluated) {
        let (instant, slot, place) = (self.instant, own.slot, self.positions[own.slot]);
        let (before_cut, since_cut) =
            (instant.between(*own.began, *own.counts_from) / 2.0, instant.since(*own.counts_from) / 2.0);
        let &mut Ending { mass, inertia, is_held, .. } = own;
        part.account.ticks[instant.octave(*own.bin)] += u64::from(instant.tick() - *own.began);
        let (wall, is_on_way) = (self.matter.walls.of(slot), self.way(slot).is_some());
        // A grid presses on walls by itself.
        let on_walls = if is_on_way { 0.0 } else { mass };
        // The old force counts until a cut of the step, the present one since then. Both use the present wall: a step
        // is short beside the distance between walls.
        let kicks = [(&*own.force_before, before_cut), (force, since_cut)];
        for (force, dt) in kicks.into_iter().filter(|(_, dt)| *dt > 0.0) {
            let before = *own.velocity;
            *own.velocity = kicked(before, force, self.gravity, wall, dt);
            let velocities = (before, *own.velocity);
            part.account.kick(mass, velocities, force, self.gravity, dt);
            if let Some(received) = own.received.as_deref_mut().filter(|_| is_on_way) {
                received.add(force, dt);
            }
            if !is_held {
                let kick = Kick { mass: on_walls, place, velocities, force, seconds: dt };
                kick.press(&mut part.impulses, wall, self.gravity);
            }
            if let Some(spin) = own.spin.as_deref_mut() {
                let before = std::mem::replace(spin, instant.spun(*spin, force, dt));
                part.account.turn(inertia, (before, *spin), force, dt);
            }
        }
        // The kick with which the step began.
        if let Some(received) = own.received.as_deref_mut().filter(|_| is_on_way) {
            received.add(own.force_before, instant.since(*own.began) / 2.0);
        }
        // A particle that lies on a wall stays there under any pressure.
        let stops = stops_of(self.matter.numbers[slot], self.stops);
        *own.velocity = stop(&mut part.impulses, on_walls, place, *own.velocity, stops);
    }

    /// Begins the next step.
    fn begin(&self, own: &mut Ending, force: Force, part: &mut Evaluated) {
        let (instant, limits, slot) = (self.instant, &self.limits, own.slot);
        let (velocity, place) = (*own.velocity, self.positions[slot]);
        (*own.force_before, *own.began, *own.counts_from) = (force, instant.tick(), instant.tick());
        match limits.bin(place, velocity, &force, instant) {
            Ok(bin) => {
                part.begin(slot as u32, own.bin, bin.max(self.least_bins[slot]), &force, self.displacements[slot]);
            }
            Err(wanted) => part.shorten_steps(NoStepShortEnough { slot, wanted }),
        }
        let (seconds, wall) = (instant.until_end(*own.bin, *own.began), self.matter.walls.of(slot));
        part.velocities = part.velocities.union(limits.velocities(seconds, velocity, &force, wall));
    }
}

/// Adds the acceleration by stages.
fn push(force: &mut Force, &StageAcceleration { elastic, friction }: &StageAcceleration) {
    force.pairs += elastic + friction;
    force.dissipation += friction;
}

impl Evaluated {
    fn shorten_steps(&mut self, unstable: NoStepShortEnough) {
        self.unstable = Some(self.unstable.map_or(unstable, |worst| worst.worse(unstable)));
    }

    /// Records that a step begins, at a displacement since the frame began.
    fn begin(&mut self, slot: u32, bin: &mut u8, next: u8, force: &Force, displacement: Vec3) {
        let wakes = force.tags.0 == 0 && is_astray(displacement);
        if next > *bin || force.shocked || wakes || next > force.tags.0 + most_apart(force) {
            self.askers.push(slot);
        }
        *bin = next;
    }
}
