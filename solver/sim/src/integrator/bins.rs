//! The step of each particle (DG96 section 5.2).
//!
//! A particle's own limits give the longest step. Neighbours' steps may differ by [`MOST_APART`] bins at most (DG96
//! errata 6); otherwise resting particles would not see a fast one that hits them until their long steps end. A
//! particle that begins a shorter step asks its neighbours for steps as short, and their steps are cut at the next tick
//! of such a step. In a shock, where forces change within a step, neighbours take the same steps; otherwise the two
//! ends of a pair would get different impulses. So do particles with firm bonds: kicks at different times at the ends
//! of stiff springs feed energy in.

use super::account::Account;
use super::columns::StepColumns;
use super::instant::Instant;
use super::sleep::is_astray;
use super::velocities::Range;
use super::{Integrator, Stepping};
use crate::boundary::{Approach, Wall};
use crate::cost::Cause;
use crate::material::Force;
use crate::numbers::greatest;
use crate::particles::Particles;
use crate::timeline::{BOUND_COURANT, MOST_APART, TICKS};
use glam::DVec3;
use rayon::prelude::*;

/// A particle for which no step is short enough.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct NoStepShortEnough {
    /// Its slot in the columns.
    pub slot: usize,
    /// The step that it needs, s.
    pub wanted: f64,
}

impl NoStepShortEnough {
    /// The particle that needs the shorter step; the first where both need the same.
    pub fn worse(self, other: Self) -> Self {
        if other.wanted < self.wanted { other } else { self }
    }
}

/// The limits of steps.
#[derive(Debug, Clone, Copy)]
pub struct Limits<'a> {
    pub smoothing_length: f64,
    pub gravity: DVec3,
    /// Seconds of a frame over the smoothing length, squared, s^2/m^2.
    pub frame_over_h_squared: f64,
    /// Whether the steps of neighbours count.
    pub met: bool,
    /// Moving walls.
    pub approaches: &'a [Approach],
}

impl Limits<'_> {
    /// The square of the smoothing length over the longest step of a particle by its own limits, m^2/s^2; NaN where any
    /// of these is.
    #[inline]
    fn h_over_step_squared(&self, position: DVec3, velocity: DVec3, force: &Force) -> f64 {
        // A particle must not jump over an obstacle within a step either.
        let speed_squared = greatest(velocity.length_squared(), self.wall_speed(position).powi(2));
        self.by_motion(f64::from(force.h_over_step), speed_squared, force)
    }

    /// The square of the frame's length over the longest step of a particle by its own limits.
    pub fn ratio_squared(&self, position: DVec3, velocity: DVec3, force: &Force) -> f64 {
        self.h_over_step_squared(position, velocity, force) * self.frame_over_h_squared
    }

    /// The same square, given the speed of the Courant rule, m/s, and the square of a speed.
    #[inline]
    fn by_motion(&self, courant: f64, speed_squared: f64, force: &Force) -> f64 {
        const SHORTER: f64 = 1.0 / (BOUND_COURANT * BOUND_COURANT);
        let thrown = force.acceleration(self.gravity).length() * self.smoothing_length;
        greatest(courant * courant, greatest(speed_squared, thrown) * SHORTER)
    }

    /// The square of the smoothing length over the longest step of a particle by its own limits, m^2/s^2, and the cause
    /// of the limit, unless it is a force between particles.
    pub fn asks(&self, position: DVec3, velocity: DVec3, force: &Force) -> (f64, Option<Cause>) {
        let all = self.h_over_step_squared(position, velocity, force);
        let cause = if self.by_motion(f64::from(force.h_over_step), 0.0, force) < all {
            let chased = self.wall_speed(position) > velocity.length();
            Some(if chased { Cause::Collider } else { Cause::Speed })
        } else {
            Some(Cause::Acceleration).filter(|_| self.by_motion(0.0, 0.0, force) >= all)
        };
        (all, cause)
    }

    /// Converts a force to [pseudo time](pseudo_unit).
    pub fn pace(&self, force: &mut Force) {
        let pace = pseudo_unit(self.smoothing_length, force).powi(2) as f32;
        force.pairs *= pace;
        force.walls *= pace;
        force.dissipation *= pace;
        force.wall_push *= pace;
        force.weight *= pace;
    }

    /// The longest step of a particle in units of its pseudo time, as are velocity and force.
    pub fn longest_paced(&self, velocity: DVec3, force: &Force) -> f64 {
        let h = self.smoothing_length;
        h / self.by_motion(h, velocity.length_squared(), force).sqrt()
    }

    /// Speed of the fastest wall that approaches a place, m/s.
    pub fn wall_speed(&self, position: DVec3) -> f64 {
        self.approaches.iter().map(|approach| approach.speed(position)).fold(0.0, f64::max)
    }

    /// The bin of the step that a particle begins at an instant, by its own limits and the steps of its neighbours.
    ///
    /// # Errors
    /// The step that it needs, s, where none is short enough.
    #[inline]
    pub fn bin(&self, position: DVec3, velocity: DVec3, force: &Force, instant: &Instant) -> Result<u8, f64> {
        let Instant::Tick { tick, timeline, .. } = *instant else { return Ok(0) };
        let squared = self.ratio_squared(position, velocity, force);
        let own =
            timeline.bin(squared).map_err(|_| (self.frame_over_h_squared / squared).sqrt() * self.smoothing_length)?;
        let met = if self.met { force.tags.1.saturating_sub(most_apart(force)) } else { 0 };
        Ok(own.max(timeline.longest_at(tick)).max(met))
    }

    /// The velocities of a particle over a step of some seconds.
    #[inline]
    pub fn velocities(&self, seconds: f64, velocity: DVec3, force: &Force, wall: &Wall) -> Range {
        let range = Range::of(velocity, force.acceleration(self.gravity), seconds);
        let friction_speed = f64::from(wall.friction * force.wall_push.length()) * seconds;
        if friction_speed > 0.0 { range.wider(friction_speed) } else { range }
    }
}

/// The unit of a particle's pseudo time, s: its own step by the Courant rule. Settling matter need not share seconds,
/// and soft matter need not wait for stiff matter.
pub fn pseudo_unit(smoothing_length: f64, force: &Force) -> f64 {
    smoothing_length / f64::from(force.h_over_step)
}

/// The most bins by which a particle's neighbours may be behind it.
pub fn most_apart(force: &Force) -> u8 {
    if force.shocked || force.bound { 0 } else { MOST_APART }
}

impl Integrator {
    /// The present limits of steps.
    pub(super) fn limits(&self) -> Limits<'_> {
        Limits {
            smoothing_length: self.smoothing_length,
            gravity: self.gravity,
            frame_over_h_squared: (self.interval / self.smoothing_length).powi(2),
            met: self.stepping == Stepping::Individual,
            approaches: &self.approaches,
        }
    }

    /// Lets some particles, whose steps became shorter or that met longer ones, ask their neighbours. Returns the
    /// account of the sleep of the particles that this wakes.
    pub(super) fn ask_neighbours(&mut self, askers: &[u32], particles: &Particles, instant: &Instant) -> Account {
        let askers = askers.par_iter().with_min_len(256);
        let asked: Vec<_> = askers.flat_map_iter(|&slot| self.asked_by(slot as usize)).collect();
        let mut account = Account::default();
        for (slot, bin) in asked {
            if self.columns.asleep[slot as usize] {
                account += self.wake(slot as usize, particles, instant);
            }
            self.columns.cut_short(slot as usize, bin, instant);
        }
        account
    }

    /// Shortens the steps of all particles whose neighbours need shorter ones. Returns whether there were any.
    pub(super) fn match_all(&mut self) -> bool {
        let StepColumns { bins, forces, asleep, .. } = &self.columns;
        let least = |&other: &u32| bins[other as usize].saturating_sub(most_apart(&forces[other as usize]));
        let matched = |slot: usize| {
            if asleep[slot] {
                return bins[slot];
            }
            self.neighbours.of(slot).iter().map(least).fold(bins[slot], u8::max)
        };
        let matched: Vec<u8> = (0..bins.len()).into_par_iter().with_min_len(256).map(matched).collect();
        let any = matched != *bins;
        self.columns.bins = matched;
        any
    }

    /// The neighbours of a particle whose steps are too long for it, and the bins that they should have; sleeping
    /// neighbours only if the particle went astray.
    fn asked_by(&self, slot: usize) -> impl Iterator<Item = (u32, u8)> {
        let StepColumns { bins, forces, asleep, displacements, .. } = &self.columns;
        let bin = bins[slot].saturating_sub(most_apart(&forces[slot]));
        let wakes = is_astray(displacements[slot]);
        let too_long = move |other: usize| if asleep[other] { wakes } else { bins[other] < bin };
        let neighbours = if bin > 0 || wakes { self.neighbours.of(slot) } else { &[] };
        neighbours.iter().filter(move |&&other| too_long(other as usize)).map(move |&other| (other, bin))
    }

    /// Whether steps are chosen anew at an instant, as at the start of a frame: at its quarters, where all steps end.
    /// At other times steps that have to be alike would never become longer, as each sees its neighbours' previous
    /// ones.
    pub(super) fn begins_anew(&self, instant: &Instant) -> bool {
        let Instant::Tick { tick, .. } = *instant else { return false };
        let is_quarter = tick % (TICKS / 4) == 0 && tick < TICKS;
        let awake = || self.columns.asleep.iter().filter(|asleep| !**asleep).count();
        self.stepping == Stepping::Individual && is_quarter && self.active.len() == awake()
    }

    /// The next tick at which a step ends.
    pub fn next_tick(&self, tick: u32) -> u32 {
        let shortest = self.columns.bins.par_iter().with_min_len(4096).copied().max();
        shortest.map_or(TICKS, |bin| self.timeline.end_after(bin, tick))
    }
}
