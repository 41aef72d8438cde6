//! How hard particles of different pieces are pressed together: what fusion is decided by, DG95 section 5.2.
//!
//! What a piece presses a particle with is taken as its running mean over a few times that sound needs across a
//! spacing, so that neither the length of frames nor of steps matters: m' = (F - m) / tau. A pair is judged by the most
//! that there was of it in a frame.

use super::contact::Pressed;
use crate::lattice::between_layers_in_space;
use crate::particles::Renumbering;
use glam::DVec3;
use std::collections::BTreeMap;

/// The time of running means, in times of sound across a spacing of the softest matter.
const CROSSINGS: f64 = 4.0;

/// Means below this pressure are forgotten, Pa.
const FORGOTTEN: f64 = 1e-3;

/// What presses and has pressed particles together.
#[derive(Debug)]
pub struct Pressures {
    /// tau, s.
    response: f64,
    /// What a particle has of a face, m^2.
    area: f64,
    /// Running means of what a piece presses a particle with, N, by particle number and piece.
    means: BTreeMap<(u32, u32), DVec3>,
    /// By particle numbers of a patch, the lower first.
    peaks: BTreeMap<[u32; 2], Peak>,
}

/// The most that each of a pair was pressed with by the piece of the other, Pa.
pub type Peak = [f64; 2];

impl Pressures {
    /// None yet, for matter of which the softest has some stiffness, m^2/s^2, at a spacing, m.
    pub fn new(stiffness: f64, spacing: f64) -> Self {
        let area = spacing.powi(3) / between_layers_in_space(spacing);
        let response = CROSSINGS * spacing / stiffness.sqrt();
        Self { response, area, means: BTreeMap::new(), peaks: BTreeMap::new() }
    }

    /// Adds what presses, some seconds after anything was added last: patches, and for how long each has been pressed,
    /// s.
    pub fn add<'a>(&mut self, since: f64, patches: impl Iterator<Item = (&'a [Pressed], f64)> + Clone) {
        let kept = |seconds: f64| (-seconds / self.response).exp();
        let (area, fades) = (self.area, kept(since));
        self.means.values_mut().for_each(|mean| *mean *= fades);
        self.means.retain(|_, mean| mean.length() > FORGOTTEN * area);
        for (pressed, seconds) in patches.clone() {
            let share = 1.0 - kept(seconds);
            for patch in pressed {
                for (key, sign) in keys(patch).into_iter().zip([1.0, -1.0]) {
                    *self.means.entry(key).or_default() += patch.force * (sign * share);
                }
            }
        }
        for patch in patches.flat_map(|(pressed, _)| pressed) {
            let now = keys(patch).map(|key| self.means.get(&key).map_or(0.0, |mean| mean.length() / area));
            let peak = self.peaks.entry(patch.pair).or_default();
            *peak = [peak[0].max(now[0]), peak[1].max(now[1])];
        }
    }

    /// The running means, N, by particle number and piece: all that is kept from frame to frame.
    pub fn means(&self) -> &BTreeMap<(u32, u32), DVec3> {
        &self.means
    }

    /// Goes on from such means.
    pub fn set_means(&mut self, means: BTreeMap<(u32, u32), DVec3>) {
        self.means = means;
    }

    /// Forgets what has to do with particles that were removed.
    pub fn renumber(&mut self, renumbering: &Renumbering) {
        let means = std::mem::take(&mut self.means);
        let key = |(number, piece)| Some((renumbering.number(number)?, renumbering.piece(piece)?));
        self.means = means.into_iter().filter_map(|(before, mean)| Some((key(before)?, mean))).collect();
        self.peaks.clear();
    }

    /// The peaks of all patches since this was asked last, the lower particle number first. If there were none, nothing
    /// presses any more.
    pub fn take_peaks(&mut self) -> BTreeMap<[u32; 2], Peak> {
        if self.peaks.is_empty() {
            self.means.clear();
        }
        std::mem::take(&mut self.peaks)
    }
}

/// Whose means those of a patch are, by particle number and the piece that presses it.
fn keys(&Pressed { pair: [a, b], pieces: [of_a, of_b], .. }: &Pressed) -> [(u32, u32); 2] {
    [(a, of_b), (b, of_a)]
}

/// The pressure on a pair, Pa: of one that is fused, which others of its lump bear together with, only what the other
/// bears counts.
pub fn on_pair(peak: Peak, fused: [bool; 2]) -> f64 {
    match (peak, fused) {
        ([_, b], [true, false]) => b,
        ([a, _], [false, true]) => a,
        ([a, b], _) => a.midpoint(b),
    }
}
