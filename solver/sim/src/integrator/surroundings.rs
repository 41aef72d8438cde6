//! The surroundings of active particles: the matter near them at an instant, in valid lists.

use super::Integrator;
use super::bins::pseudo_unit;
use super::expectation::Expectation;
use super::instant::Instant;
use super::velocities::{Range, Velocities};
use crate::material::{Now, Present};
use crate::neighbours::{BATCH, Verdict, items_of};
use crate::particles::Particles;
use glam::DVec3;
use rayon::prelude::*;

/// All particles are taken when at least one in this many is evaluated.
const MANY: usize = 4;

/// Whether the previous lists can be kept.
enum Lists {
    Hold,
    /// Uncertain until all matter is taken.
    Doubtful,
    Fail,
}

impl Integrator {
    /// Takes the matter that the active particles may feel, in valid lists: all of it when many are active or when the
    /// lists are uncertain.
    pub(super) fn look_around(&mut self, particles: &mut Particles, instant: &Instant) {
        let mut all = self.active.len() * MANY >= particles.paired;
        let mut lists = if all { Lists::Doubtful } else { self.keep_lists(particles, instant, false) };
        if let Lists::Doubtful = lists {
            self.take_all(particles, instant);
            all = true;
            lists = self.keep_lists(particles, instant, true);
        }
        if let Lists::Fail = lists {
            self.sort(particles, instant);
            all = false;
        }
        self.neighbours.prepare(&self.active);
        if !all {
            self.take(particles, instant, &self.neighbours.around(&self.active));
        }
    }

    /// Takes all matter and marks all of it as active, in valid lists.
    pub fn see_all(&mut self, particles: &mut Particles, instant: &Instant) {
        self.take_all(particles, instant);
        if let Lists::Fail = self.keep_lists(particles, instant, true) {
            self.sort(particles, instant);
            self.take_all(particles, instant);
        }
        self.active.choose_all(particles.paired);
        self.neighbours.prepare(&self.active);
    }

    /// Whether the lists hold, after the few particles that strayed from all others were caught. `all` tells that all
    /// matter has just been taken.
    fn keep_lists(&mut self, particles: &Particles, instant: &Instant, all: bool) -> Lists {
        let time = instant.time();
        match self.neighbours.judge(|batch| self.velocities[batch].gone(time)) {
            Verdict::Hold => Lists::Hold,
            Verdict::Fail if all => Lists::Fail,
            Verdict::Fail => Lists::Doubtful,
            Verdict::AllBut(batches, others) => {
                if !all {
                    self.take(particles, instant, &batches);
                }
                let matter = Expectation { particles, columns: &self.columns, gravity: self.gravity };
                let caught = self.neighbours.catch(&batches, others, |slot| matter.now(instant, slot).position);
                if caught { Lists::Hold } else { Lists::Fail }
            }
        }
    }

    /// Sorts the particles by their places at an instant.
    fn sort(&mut self, particles: &mut Particles, instant: &Instant) {
        if self.apart.is_watching() {
            let (velocities, time) = (&self.velocities, instant.time());
            self.apart.leave(|batch| velocities[batch].gone(time));
        }
        let matter = Expectation { particles, columns: &self.columns, gravity: self.gravity };
        self.neighbours.sort(|slot| matter.now(instant, slot).position, &particles.numbers[..particles.paired]);
        particles.reorder_paired(self.neighbours.order());
        self.columns.reorder(self.neighbours.order());
        if self.apart.is_watching() {
            self.apart.join(particles);
            // Earlier velocities no longer count in displacements.
            self.velocities.clear();
        }
        for channel in &mut self.channels {
            channel.reorder(particles, self.neighbours.order());
        }
        self.choose_active(instant);
        self.watch(particles, instant, &all_batches(particles));
    }

    /// Takes all matter at an instant.
    pub fn take_all(&mut self, particles: &Particles, instant: &Instant) {
        self.take(particles, instant, &all_batches(particles));
    }

    /// Takes the matter of some batches at an instant.
    fn take(&mut self, particles: &Particles, instant: &Instant, batches: &[u32]) {
        let expectation = Expectation { particles, columns: &self.columns, gravity: self.gravity };
        let matter = particles.matter(&self.columns.walls);
        let (h, forces) = (self.smoothing_length, &self.columns.forces);
        let in_seconds = |slot: usize| match instant {
            Instant::Settling(_) => 1.0 / pseudo_unit(h, &forces[slot]),
            Instant::Tick { .. } => 1.0,
        };
        let now = |slot| {
            let now = expectation.now(instant, slot);
            Now { velocity: now.velocity * in_seconds(slot), ..now }
        };
        let facing = |slot| expectation.facing(instant, slot);
        let shear = |slot| expectation.shear(instant, slot);
        let present = Present { now: &now, facing: &facing, shear: &shear };
        self.solver.take(&mut self.neighbours, batches, &matter, present);
        self.watch(particles, instant, batches);
    }

    /// Records the velocities of some taken batches, in rising order: of the particles whose steps go on.
    fn watch(&mut self, particles: &Particles, instant: &Instant, batches: &[u32]) {
        let mut velocities = std::mem::take(&mut self.velocities);
        if self.apart.is_watching() {
            let seen = batches.iter().map(|&batch| batch as usize);
            let gone = seen.filter_map(|batch| Some((batch, velocities.get(batch)?.gone(instant.time()))));
            gone.for_each(|(batch, gone)| self.apart.go(batch, gone));
        }
        let (limits, least, columns) = (self.limits(), instant.least_bin(), &self.columns);
        let of = |slot: usize| {
            // Sleeping particles count: others may hit them.
            if columns.asleep[slot] {
                return Range::of(DVec3::ZERO, DVec3::ZERO, 0.0);
            }
            let seconds = instant.until_end(columns.bins[slot], columns.began[slot]);
            limits.velocities(seconds, particles.velocities[slot], &columns.forces[slot], columns.walls.of(slot))
        };
        let since = Velocities { range: Range::default(), since: instant.time(), put_back: 0.0 };
        velocities.resize(particles.paired.div_ceil(BATCH), since);
        let watched = items_of(&mut velocities, batches.iter().copied());
        batches.par_iter().zip(watched).with_min_len(16).for_each(|(&batch, velocities)| {
            let slots = (0..particles.paired).skip(batch as usize * BATCH).take(BATCH);
            let on = slots.filter(|&slot| columns.bins[slot] < least || columns.asleep[slot]);
            *velocities = Velocities { range: on.map(of).fold(since.range, Range::union), ..since };
        });
        self.velocities = velocities;
    }
}

/// The numbers of all batches.
fn all_batches(particles: &Particles) -> Vec<u32> {
    (0..particles.paired.div_ceil(BATCH) as u32).collect()
}
