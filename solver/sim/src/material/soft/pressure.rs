//! The pressure between particles of different pieces, which decides on fusion, DG95 section 5.2.
//!
//! The force of a piece on a particle is taken as its running mean over a few times that sound needs across a spacing,
//! so that the lengths of frames and steps do not matter: m' = (F - m) / tau. A pair is judged by its peak in a frame.

use super::contact::Pressed;
use crate::lattice::between_layers_in_space;
use crate::particles::Renumbering;
use glam::DVec3;
use std::collections::BTreeMap;

/// The time of running means, in times of sound across a spacing of the softest matter.
const CROSSINGS: f64 = 4.0;

/// Means below this pressure are forgotten, Pa.
const FORGOTTEN: f64 = 1e-3;

/// Present and peak pressures between particles.
#[derive(Debug)]
pub struct Pressures {
    /// tau, s.
    response: f64,
    /// The face area of a particle, m^2.
    area: f64,
    /// Running means of the force of a piece on a particle, N, by particle number and piece.
    means: BTreeMap<(u32, u32), DVec3>,
    /// Peaks by the particle numbers of a patch, the lower first.
    peaks: BTreeMap<[u32; 2], Peak>,
}

/// The peak pressure of each of a pair from the piece of the other, Pa.
pub type Peak = [f64; 2];

impl Pressures {
    /// No pressures yet, for matter whose softest stiffness, m^2/s^2, and spacing, m, are given.
    pub fn new(stiffness: f64, spacing: f64) -> Self {
        let area = spacing.powi(3) / between_layers_in_space(spacing);
        let response = CROSSINGS * spacing / stiffness.sqrt();
        Self { response, area, means: BTreeMap::new(), peaks: BTreeMap::new() }
    }

    /// Adds the forces of patches, some seconds after the last addition, and for how long each patch has been pressed,
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

    /// The running means, N, by particle number and piece: the only state kept from frame to frame.
    pub fn means(&self) -> &BTreeMap<(u32, u32), DVec3> {
        &self.means
    }

    /// Continues from stored means.
    pub fn set_means(&mut self, means: BTreeMap<(u32, u32), DVec3>) {
        self.means = means;
    }

    /// Begins a frame without peaks.
    pub fn forget_peaks(&mut self) {
        self.peaks.clear();
    }

    /// Removes the means and peaks of removed particles.
    pub fn renumber(&mut self, renumbering: &Renumbering) {
        let means = std::mem::take(&mut self.means);
        let key = |(number, piece)| Some((renumbering.number(number)?, renumbering.piece(piece)?));
        self.means = means.into_iter().filter_map(|(before, mean)| Some((key(before)?, mean))).collect();
        let peaks = std::mem::take(&mut self.peaks);
        let pair = |[a, b]: [u32; 2]| Some([renumbering.number(a)?, renumbering.number(b)?]);
        self.peaks = peaks.into_iter().filter_map(|(before, peak)| Some((pair(before)?, peak))).collect();
    }

    /// The peaks of all patches since the last call, the lower particle number first. If there are none, no patch is
    /// pressed any more, and the means are cleared.
    pub fn take_peaks(&mut self) -> BTreeMap<[u32; 2], Peak> {
        if self.peaks.is_empty() {
            self.means.clear();
        }
        std::mem::take(&mut self.peaks)
    }
}

/// The keys of the means of a patch: a particle number and the piece that presses it.
fn keys(&Pressed { pair: [a, b], pieces: [of_a, of_b], .. }: &Pressed) -> [(u32, u32); 2] {
    [(a, of_b), (b, of_a)]
}

/// The pressure on a pair, Pa. If one of them is fused, other particles of its lump bear load with it, and only the
/// load of the other counts.
pub fn on_pair(peak: Peak, fused: [bool; 2]) -> f64 {
    match (peak, fused) {
        ([_, b], [true, false]) => b,
        ([a, _], [false, true]) => a,
        ([a, b], _) => a.midpoint(b),
    }
}
