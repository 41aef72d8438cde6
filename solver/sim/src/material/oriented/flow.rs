//! Woven sheets that give way for good: those that grow where they are drawn out, and those that heat has softened.

use super::cloth::between;
use super::sheet::Sheet;
use super::ties::{Tie, change};
use crate::particles::{Particles, share};

/// Bounds of a tie's length at rest, in distances of nearest neighbours. A longer one would end beyond the support before it tears.
const LENGTHS: (f32, f32) = (0.5, 1.3);

/// How a sheet gives way.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Flow {
    /// By which factor its area may grow.
    pub growth: f64,
    /// By which factor neighbours are drawn apart when it gives way, as it was made and when it is thinned to nothing.
    pub yields: (f64, f64),
    /// Time in which it forgets its shape when all is soft, s.
    pub relaxation: f64,
}

impl Flow {
    /// By which factor neighbours of which one has some share of the mass of one are drawn apart when the sheet gives way. It rises, so that what has
    /// grown is firmer than what has not.
    fn yields(&self, share: f64) -> f64 {
        self.yields.1 + (self.yields.0 - self.yields.1) * share.min(1.0)
    }

    /// Whether a particle that has some share of the mass of one may give of it.
    pub fn may_grow(&self, share: f64) -> bool {
        share * self.growth > 1.0
    }
}

/// Lets the ties of a frame of some seconds give way, at a distance of nearest neighbours, m.
pub fn flow(particles: &mut Particles, sheets: &[Option<Sheet>], nearest: f64, seconds: f64) {
    let gives = Sheet::grows;
    if particles.ties.is_empty() || particles.melted.is_empty() && !sheets.iter().flatten().any(gives) {
        return;
    }
    change(particles, |particles, slot, other, tie| {
        let Some(sheet) = sheets[particles.sources[slot] as usize] else { return Some(tie) };
        let tie = if tie.joins { tie } else { grown(particles, (slot, other), tie, &sheet.flow, nearest) };
        Some(softened(particles, (slot, other), tie, &sheet.flow, (nearest, seconds)))
    });
}

fn grown(particles: &Particles, (slot, other): (usize, usize), tie: Tie, flow: &Flow, nearest: f64) -> Tie {
    let least = share(&particles.shares, slot).min(share(&particles.shares, other));
    let at_rest = between(particles, slot, other).0 / nearest / flow.yields(least);
    if !flow.may_grow(least) || at_rest <= f64::from(tie.length) {
        return tie;
    }
    Tie { length: (at_rest as f32).min(LENGTHS.1.max(tie.length)), ..tie }
}

fn softened(
    particles: &Particles,
    (slot, other): (usize, usize),
    tie: Tie,
    flow: &Flow,
    (nearest, seconds): (f64, f64),
) -> Tie {
    let melted = |slot: usize| particles.melted.get(slot).map_or(0.0, |&melted| f64::from(melted));
    let soft = melted(slot).min(melted(other));
    if soft <= 0.0 {
        return tie;
    }
    let part = -(-soft * seconds / flow.relaxation).exp_m1() as f32;
    let (distance, curvature) = between(particles, slot, other);
    let towards = |from: f32, to: f64| from + part * (to as f32 - from);
    Tie {
        length: towards(tie.length, distance / nearest).clamp(LENGTHS.0, LENGTHS.1),
        curvature: towards(tie.curvature, curvature * nearest),
        ..tie
    }
}
