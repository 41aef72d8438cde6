//! Which step each particle takes (DG96 section 5.2).
//!
//! A particle's own limits give the longest step; neighbours' steps may differ by [`MOST_APART`] bins at most (PHYSICS
//! errata 6), or a fast particle that comes upon resting ones would not be seen until their long steps end. Who begins a
//! shorter step asks its neighbours for steps as short, and theirs are cut at the next tick that such a step meets. In a
//! shock, where forces change within a step, neighbours take the same steps, or the two ends of a pair would be given
//! different impulses.

use super::instant::Instant;
use super::{Integrator, Stepping};
use crate::boundary::Approach;
use crate::neighbours::BATCH;
use crate::particles::Particles;
use crate::timeline::{self, COURANT, MOST_APART, TICKS};
use rayon::prelude::*;

/// A particle that no step is short enough for.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Hasty {
    /// Where it stands in the columns.
    pub slot: usize,
    /// The step that it needs, s.
    pub wanted: f64,
}

impl Integrator {
    /// Chooses the steps that begin at an instant. At the start of a frame the steps of all neighbours are matched at
    /// once.
    pub(super) fn choose_steps(&mut self, particles: &Particles, instant: &Instant) -> Result<(), Hasty> {
        let before = self.columns.bins.clone();
        self.choose_own(particles, instant)?;
        match self.stepping {
            Stepping::Individual if instant.tick() == 0 => while self.ask_all() {},
            Stepping::Individual => self.ask_neighbours(&before),
            Stepping::Global => self.share_shortest(),
            Stepping::Fixed(bin) => self.columns.bins.fill(bin),
        }
        Ok(())
    }

    /// The step that a particle wants for itself, s.
    pub(super) fn wanted(&self, particles: &Particles, slot: usize) -> f64 {
        let h = self.smoothing_length;
        let force = &self.columns.forces[slot];
        let over = |way: f64, speed: f64| COURANT * way / speed.max(f64::MIN_POSITIVE);
        let courant = f64::from(force.step_over_h) * h;
        // A particle must not jump over what it is about to hit within a step either.
        let by_speed = over(h, particles.velocities[slot].length());
        let by_force = COURANT * (h / force.acceleration(self.gravity).length().max(f64::MIN_POSITIVE)).sqrt();
        let by_walls = over(h, self.wall_speed(particles, slot));
        [courant, by_speed, by_force, by_walls].into_iter().fold(f64::INFINITY, least)
    }

    /// Speed of the fastest wall that comes upon a particle, m/s.
    pub(super) fn wall_speed(&self, particles: &Particles, slot: usize) -> f64 {
        let speed = |approach: &Approach| approach.speed(particles.positions[slot]);
        self.approaches.iter().map(speed).fold(0.0, f64::max)
    }

    /// The bins of the active particles by their own limits and their neighbours' steps.
    fn choose_own(&mut self, particles: &Particles, instant: &Instant) -> Result<(), Hasty> {
        let longest = timeline::longest_at(instant.tick());
        let own = |slot: usize| {
            let wanted = self.wanted(particles, slot);
            let bin = timeline::bin(self.interval, wanted).map_err(|_| Hasty { slot, wanted })?;
            let met = if instant.tick() == 0 {
                0
            } else {
                self.columns.forces[slot].tags.1.saturating_sub(self.most_apart(slot))
            };
            Ok(bin.max(longest).max(met))
        };
        let mut bins = self.columns.bins.clone();
        let chunks = bins.par_chunks_mut(BATCH).enumerate();
        let faults = chunks.map(|(batch, bins)| {
            self.active.of(batch).iter().try_for_each(|&slot| {
                bins[slot as usize % BATCH] = own(slot as usize)?;
                Ok(())
            })
        });
        let hasty: Vec<Hasty> = faults.filter_map(Result::err).collect();
        if let Some(worst) = hasty.into_iter().reduce(|a, b| if b.wanted < a.wanted { b } else { a }) {
            return Err(worst);
        }
        self.columns.bins = bins;
        Ok(())
    }

    /// Lets active particles whose steps became shorter, or that came upon longer ones, ask their neighbours.
    fn ask_neighbours(&mut self, before: &[u8]) {
        let bins = &self.columns.bins;
        self.active.slots().par_iter().with_min_len(256).for_each(|&slot| {
            let slot = slot as usize;
            let longest_around = self.columns.forces[slot].tags.0;
            if bins[slot] > before[slot] || bins[slot] > longest_around + self.most_apart(slot) {
                self.ask_around(slot);
            }
        });
        self.columns.answer();
    }

    /// Lets all particles ask their neighbours. Tells whether any step became shorter.
    fn ask_all(&mut self) -> bool {
        (0..self.columns.bins.len()).into_par_iter().with_min_len(256).for_each(|slot| self.ask_around(slot));
        self.columns.answer()
    }

    fn ask_around(&self, slot: usize) {
        let bin = self.columns.bins[slot].saturating_sub(self.most_apart(slot));
        if bin == 0 {
            return;
        }
        for &neighbour in self.neighbours.of(slot) {
            if self.columns.bins[neighbour as usize] < bin {
                self.columns.ask(neighbour as usize, bin);
            }
        }
    }

    /// By how many bins a particle's neighbours may be behind it.
    fn most_apart(&self, slot: usize) -> u8 {
        if self.columns.forces[slot].shocked { 0 } else { MOST_APART }
    }

    fn share_shortest(&mut self) {
        let shortest = self.columns.bins.par_iter().copied().max().unwrap_or(0);
        self.columns.bins.fill(shortest);
    }

    /// The next tick at which a step ends.
    pub(super) fn next_tick(&self, tick: u32) -> u32 {
        let shortest = self.columns.bins.par_iter().with_min_len(4096).copied().max();
        shortest.map_or(TICKS, |bin| timeline::end_after(bin, tick))
    }
}

/// The smaller number; not a number if either is not.
pub(super) fn least(a: f64, b: f64) -> f64 {
    if a < b || a.is_nan() { a } else { b }
}
