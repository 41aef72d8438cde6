//! Plastic flow of woven sheets: growth where they are drawn out, and creep where heat has softened them.

use super::cloth::{Between, between};
use super::sheet::Sheet;
use super::ties::change;
use crate::particles::{Particles, Tie, share, slots};
use rayon::prelude::*;

/// Bounds of the rest length of a tie that grows or softens, in distances of nearest neighbours.
pub const LENGTHS: (f32, f32) = (0.5, 1.3);

/// How far neighbours may be drawn apart before the sheet gives way: this part of the range from yield to tear.
const LATE: f64 = 0.25;

/// How a sheet gives way.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SheetFlow {
    /// The factor by which its area may grow.
    pub growth: f64,
    /// The stretch factors of neighbours at yield: as made, and when thinned to nothing.
    pub yields: (f64, f64),
    /// The stretch factor at which it tears.
    pub tears: f64,
    /// Time in which it forgets its shape when wholly soft, s.
    pub relaxation: f64,
}

impl SheetFlow {
    /// The stretch factor at which neighbours yield, given the mass share of one of them. It rises, so that grown parts
    /// are firmer than others.
    fn yields(&self, share: f64) -> f64 {
        self.yields.1 + (self.yields.0 - self.yields.1) * share.min(1.0)
    }

    /// Whether a particle of some mass share may give of its mass.
    pub fn may_grow(&self, share: f64) -> bool {
        share * self.growth > 1.0
    }
}

/// Lets ties give way over some seconds, at a distance of nearest neighbours, m.
pub fn flow(particles: &mut Particles, sheets: &[Option<Sheet>], nearest: f64, seconds: f64) {
    let gives = Sheet::grows;
    if particles.ties.is_empty() || particles.melted.is_empty() && !sheets.iter().flatten().any(gives) {
        return;
    }
    change(particles, |particles, slot, other, tie| {
        let Some(sheet) = sheets[particles.sources[slot] as usize] else { return Some(tie) };
        let tie = if tie.sewn { tie } else { grown(particles, slot, other, tie, &sheet.flow, nearest) };
        let relaxation = relaxation(sheets, [slot, other].map(|slot| particles.sources[slot]));
        Some(softened(particles, slot, other, tie, relaxation, nearest, seconds))
    });
}

/// The time, s, for which no tie of a growing sheet is drawn much beyond its yield at the present velocities, at a
/// distance of nearest neighbours, m.
pub fn longest_part(particles: &Particles, sheets: &[Option<Sheet>], nearest: f64) -> f64 {
    if particles.shares.is_empty() {
        return f64::INFINITY;
    }
    let slots = slots(particles);
    let of = |slot: usize| {
        let grows = sheets[particles.sources[slot] as usize].filter(Sheet::grows);
        let ties = grows.into_iter().flat_map(|sheet| particles.ties[slot].iter().map(move |tie| (sheet.flow, tie)));
        ties.map(|(flow, tie)| until_late(particles, [slot, slots[tie.number as usize] as usize], tie, &flow, nearest))
            .fold(f64::INFINITY, f64::min)
    };
    (0..particles.len()).into_par_iter().with_min_len(1024).map(of).reduce(|| f64::INFINITY, f64::min)
}

fn until_late(particles: &Particles, [slot, other]: [usize; 2], tie: Tie, flow: &SheetFlow, nearest: f64) -> f64 {
    let least = share(&particles.shares, slot).min(share(&particles.shares, other));
    let offset = particles.positions[other] - particles.positions[slot];
    let parting = (particles.velocities[other] - particles.velocities[slot]).dot(offset) / offset.length();
    if tie.sewn || !flow.may_grow(least) || parting.is_nan() || parting <= 0.0 {
        return f64::INFINITY;
    }
    let (at_rest, yields) = (f64::from(tie.length) * nearest, flow.yields(least));
    // The present stretch is yielded first.
    let now = offset.length().min(yields * at_rest);
    let late = at_rest * (yields + LATE * (flow.tears - yields));
    (late - now).max(0.0) / parting
}

/// The time in which a tie between two bodies forgets its shape, s: that of the slower body, the same from either side.
fn relaxation(sheets: &[Option<Sheet>], bodies: [u32; 2]) -> f64 {
    let of = |body: u32| sheets[body as usize].map_or(0.0, |sheet| sheet.flow.relaxation);
    of(bodies[0]).max(of(bodies[1]))
}

fn grown(particles: &Particles, slot: usize, other: usize, tie: Tie, flow: &SheetFlow, nearest: f64) -> Tie {
    let least = share(&particles.shares, slot).min(share(&particles.shares, other));
    let at_rest = between(particles, slot, other).distance / nearest / flow.yields(least);
    if !flow.may_grow(least) || at_rest <= f64::from(tie.length) {
        return tie;
    }
    Tie { length: (at_rest as f32).min(LENGTHS.1.max(tie.length)), ..tie }
}

fn softened(
    particles: &Particles,
    slot: usize,
    other: usize,
    tie: Tie,
    relaxation: f64,
    nearest: f64,
    seconds: f64,
) -> Tie {
    let melted = |slot: usize| particles.melted.get(slot).map_or(0.0, |&melted| f64::from(melted));
    let soft = melted(slot).min(melted(other));
    if soft <= 0.0 {
        return tie;
    }
    let part = -(-soft * seconds / relaxation).exp_m1() as f32;
    let Between { distance, curvature, skew } = between(particles, slot, other);
    let towards = |from: f32, to: f64| from + part * (to as f32 - from);
    Tie {
        length: towards(tie.length, distance / nearest).clamp(LENGTHS.0.min(tie.length), LENGTHS.1.max(tie.length)),
        curvature: towards(tie.curvature, curvature * nearest),
        skew: towards(tie.skew, skew / nearest),
        ..tie
    }
}
