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
use crate::particles::Particles;
use crate::timeline::{self, COURANT, MOST_APART, TICKS};
use glam::DVec3;
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
        let own = self.own_bins(particles, instant)?;
        match self.stepping {
            Stepping::Individual => {
                let shortened = self.set_bins(&own);
                self.ask_neighbours(&shortened);
                while instant.tick() == 0 && self.ask_all() {}
            }
            Stepping::Global => self.columns.bins.fill(own.into_iter().max().unwrap_or(0)),
            Stepping::Fixed(bin) => self.columns.bins.fill(bin),
        }
        self.note_velocities(particles);
        Ok(())
    }

    /// Sets the bins of the active particles. Returns which of their steps became shorter.
    fn set_bins(&mut self, own: &[u8]) -> Vec<bool> {
        let set = |(&slot, &own): (&u32, &u8)| {
            let before = std::mem::replace(&mut self.columns.bins[slot as usize], own);
            own > before
        };
        self.active.slots().iter().zip(own).map(set).collect()
    }

    /// Notes the velocities that particles have from now on: of those whose steps begin, or of all where none are noted.
    fn note_velocities(&mut self, particles: &Particles) {
        let (columns, gravity) = (&self.columns, self.gravity);
        let range = |slot: usize| {
            let step = timeline::seconds(timeline::ticks(columns.bins[slot]), self.interval);
            let first = particles.velocities[slot];
            let last = first + columns.forces[slot].acceleration(gravity) * step;
            (first.min(last), first.max(last))
        };
        let none = || (DVec3::INFINITY, DVec3::NEG_INFINITY);
        let union = |a: (DVec3, DVec3), b: (DVec3, DVec3)| (a.0.min(b.0), a.1.max(b.1));
        let (low, high) = if self.velocities.fresh {
            (0..particles.len()).into_par_iter().with_min_len(1024).map(range).reduce(none, union)
        } else {
            let active = self.active.slots().par_iter().with_min_len(1024);
            active.map(|&slot| range(slot as usize)).reduce(none, union)
        };
        self.velocities = self.velocities.with(low, high);
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
    fn own_bins(&self, particles: &Particles, instant: &Instant) -> Result<Vec<u8>, Hasty> {
        let longest = timeline::longest_at(instant.tick());
        let own = |&slot: &u32| {
            let slot = slot as usize;
            let wanted = self.wanted(particles, slot);
            let bin = timeline::bin(self.interval, wanted).map_err(|_| Hasty { slot, wanted })?;
            let met = self.columns.forces[slot].tags.1.saturating_sub(self.most_apart(slot));
            Ok(bin.max(longest).max(met))
        };
        let bins: Vec<Result<u8, Hasty>> = self.active.slots().par_iter().with_min_len(256).map(own).collect();
        let hasty = bins.iter().filter_map(|bin| bin.err());
        let worst = hasty.reduce(|a, b| if b.wanted < a.wanted { b } else { a });
        worst.map_or_else(|| Ok(bins.into_iter().filter_map(Result::ok).collect()), Err)
    }

    /// Lets active particles whose steps became shorter, or that came upon longer ones, ask their neighbours.
    fn ask_neighbours(&mut self, shortened: &[bool]) {
        let asks = |&(&slot, &shortened): &(&u32, &bool)| {
            let slot = slot as usize;
            let longest_around = self.columns.forces[slot].tags.0;
            shortened || self.columns.bins[slot] > longest_around + self.most_apart(slot)
        };
        let askers = self.active.slots().par_iter().zip(shortened).with_min_len(256).filter(asks);
        let asked = askers.flat_map_iter(|(&slot, _)| self.asked_by(slot as usize)).collect();
        self.answer(asked);
    }

    /// Lets all particles ask their neighbours. Tells whether any step became shorter.
    fn ask_all(&mut self) -> bool {
        let all = (0..self.columns.bins.len()).into_par_iter().with_min_len(256);
        self.answer(all.flat_map_iter(|slot| self.asked_by(slot)).collect())
    }

    /// The neighbours of a particle whose steps are too long for it, and the bins that they should have.
    fn asked_by(&self, slot: usize) -> impl Iterator<Item = (u32, u8)> {
        let bin = self.columns.bins[slot].saturating_sub(self.most_apart(slot));
        let neighbours = if bin > 0 { self.neighbours.of(slot) } else { &[] };
        neighbours.iter().filter(move |&&other| self.columns.bins[other as usize] < bin).map(move |&other| (other, bin))
    }

    /// Shortens the steps of those who were asked. Tells whether there were any.
    fn answer(&mut self, asked: Vec<(u32, u8)>) -> bool {
        for &(slot, bin) in &asked {
            let own = &mut self.columns.bins[slot as usize];
            *own = bin.max(*own);
        }
        !asked.is_empty()
    }

    /// By how many bins a particle's neighbours may be behind it.
    fn most_apart(&self, slot: usize) -> u8 {
        if self.columns.forces[slot].shocked { 0 } else { MOST_APART }
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
