//! Densities and forces of the particles whose step ends, then at once for each: the second kick, and the start of the
//! next step.

use super::account::Account;
use super::bins::{Limits, NoStepShortEnough, most_apart};
use super::columns::{StageForce, StepColumns, stops_of};
use super::instant::Instant;
use super::motion::kicked;
use super::reactions::{Kick, stop};
use super::sleep::is_astray;
use super::velocities::Range;
use super::{Integrator, Stepping};
use crate::boundary::Impulses;
use crate::material::{Force, Matter};
use crate::neighbours::BATCH;
use crate::particles::Particles;
use crate::pins::borne;
use crate::timeline::{MAX_BIN, TICKS};
use glam::Vec3;
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
        let Particles { numbers, sources, melted, welds, ties, shares, memberships, densities, stresses, .. } =
            &mut *particles;
        let matter = Matter { numbers, sources, walls: &self.columns.walls, melted, welds, ties, shares, memberships };
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
        let (solver, neighbours, gravity, active) = (&self.solver, &self.neighbours, self.gravity, &self.active);
        let (pins, participation) = (&self.pins, &self.participation);
        let StepColumns {
            walls, forces, began, counts_from, bins, displacements, least_bins, by_stages, stops, ..
        } = &mut self.columns;
        let (least_bins, by_stages, stops) = (&*least_bins, &*by_stages, &*stops);
        let Particles {
            numbers,
            positions,
            velocities,
            densities,
            stresses,
            spins,
            sources,
            melted,
            welds,
            ties,
            shares,
            memberships,
            ..
        } = particles;
        let (positions, densities, stresses, sources) = (&*positions, &*densities, &*stresses, &*sources);
        let (matter, displacements) =
            (Matter { numbers, sources, walls, melted, welds, ties, shares, memberships }, &*displacements);
        let state = active.of(velocities).into_par_iter().zip(active.of(forces));
        let times = active.of(began).into_par_iter().zip(active.of(counts_from));
        let columns = state.zip(times).zip(active.of(bins)).zip(active.of_kept(spins));
        let parts = active.parts().zip(columns).map(
            |((_, slots), ((((velocities, forces), (began, counts_from)), bins), spins))| {
                let mut part = Evaluated::default();
                let mut found = [Force::default(); BATCH];
                solver.forces(neighbours, slots, &matter, densities, stresses, &mut found);
                for (&slot, force) in slots.iter().zip(&mut found) {
                    let (i, n) = (slot as usize, slot as usize % BATCH);
                    if let Instant::Settling(_) = instant {
                        limits.pace(force);
                        participation.apply(numbers[i], force);
                    }
                    if let Some(by_stages) = by_stages.get(i) {
                        push(force, by_stages);
                    }
                    let (before_cut, since_cut) =
                        (instant.between(began[n], counts_from[n]) / 2.0, instant.since(counts_from[n]) / 2.0);
                    let share = matter.share(i);
                    let (mass, inertia) = (share * solver.mass(sources[i]), share * solver.inertia(sources[i]));
                    let held = pins.holds(numbers[i]);
                    if held {
                        *force = borne(*force, mass, inertia, velocities[n], spins[n]);
                    }
                    part.account.ticks[instant.octave(bins[n])] += u64::from(instant.tick() - began[n]);
                    let wall = matter.walls.of(i);
                    // The old force counts until a cut of the step, the present one since then. Both use the present
                    // wall: a step is short beside the distance between walls.
                    let kicks = [(&forces[n], before_cut), (&*force, since_cut)];
                    for (force, dt) in kicks.into_iter().filter(|(_, dt)| *dt > 0.0) {
                        let before = velocities[n];
                        velocities[n] = kicked(before, force, gravity, wall, dt);
                        part.account.kick(mass, (before, velocities[n]), force, gravity, dt);
                        if !held {
                            let velocities = (before, velocities[n]);
                            let kick = Kick { mass, place: positions[i], velocities, force, seconds: dt };
                            kick.press(&mut part.impulses, wall, gravity);
                        }
                        if let Some(spin) = spins.get_mut(n) {
                            let before = std::mem::replace(spin, instant.spun(*spin, force, dt));
                            part.account.turn(inertia, (before, *spin), force, dt);
                        }
                    }
                    // A particle that lies on a wall stays there under any pressure.
                    let own = stops_of(numbers[i], stops);
                    velocities[n] = stop(&mut part.impulses, mass, positions[i], velocities[n], own);
                    (forces[n], began[n], counts_from[n]) = (*force, instant.tick(), instant.tick());
                    match limits.bin(positions[i], velocities[n], force, instant) {
                        Ok(bin) => part.begin(slot, &mut bins[n], bin.max(least_bins[i]), force, displacements[i]),
                        Err(wanted) => part.shorten_steps(NoStepShortEnough { slot: i, wanted }),
                    }
                    let seconds = instant.until_end(bins[n], began[n]);
                    part.velocities = part.velocities.union(limits.velocities(seconds, velocities[n], force, wall));
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

/// Adds the acceleration by stages.
fn push(force: &mut Force, &StageForce { elastic, friction }: &StageForce) {
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
