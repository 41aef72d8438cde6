//! Volume control, DG95 section 3.3.
//!
//! With Delta = V / V0 - 1 the controller is, with errata 10, d epsilon / dt = -d (alpha Delta + beta d Delta / dt),
//! where d is the particle spacing. It is implicit: at the end of each frame it takes Delta as it will be then. V grows
//! with the offset as seeds lengthen.
//!
//! Delta is that of a particle's surroundings, and offsets spread to neighbours at the rate alpha. A lone particle in a
//! place with little or much room would never reach its volume, and its offset would grow until the skin had a dent or
//! a bump there.
//!
//! Where pieces touch, offsets stay: moving a pressed skin would do work, and colliding lumps would fly apart faster
//! than they came. The particles around make up for the volume.

use super::territory::{SoftParticle, Territories, Territory};
use crate::particles::Volume;
use rayon::prelude::*;
use std::f64::consts::PI;

/// The largest offset either way, in spacings.
const MOST: f64 = 0.35;

/// Ratio of skin area to that of balls of the particles' volumes from which the offset makes up all of the missing
/// volume; with less skin it makes up less.
const COVERED: f64 = 0.1;

/// The speed of a body's controller.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Control {
    /// alpha, 1/s.
    pub rate: f64,
    /// beta.
    pub damping: f64,
}

/// Sums over the surroundings of a particle, with the most weight on its own territory.
#[derive(Debug, Clone, Copy, Default)]
struct VolumeSurroundings {
    /// Present and target volume of the territories, m^3.
    volume: f64,
    own: f64,
    /// Area of the skin, gain of volume by offsets, and area of balls of the target volumes, m^2.
    skin: f64,
    gain: f64,
    balls: f64,
    /// Sum of offsets, m, times areas of the skin, m^2.
    offsets: f64,
}

/// Sets all offsets at a frame's end, some seconds after the last, at a spacing, m. Input and output are in the order
/// of the soft particles.
pub fn control(
    soft_particles: &[SoftParticle],
    volumes: &[(Volume, Control)],
    seconds: f64,
    spacing: f64,
) -> Vec<Volume> {
    let territories = Territories::new(soft_particles);
    let all = territories.all();
    let follow = |at: usize| {
        let (volume, control) = volumes[at];
        let near = territories.around(at).into_iter();
        let felt = near.fold(VolumeSurroundings::default(), |sum, (other, weight)| {
            sum.and(&all[other], &volumes[other].0, weight)
        });
        volume.following(&felt, control, all[at].touches, seconds, spacing)
    };
    (0..soft_particles.len()).into_par_iter().with_min_len(64).map(follow).collect()
}

impl VolumeSurroundings {
    fn and(self, Territory { volume, skin, gain, .. }: &Territory, state: &Volume, weight: f64) -> Self {
        let own = f64::from(state.own);
        Self {
            volume: self.volume + weight * volume,
            own: self.own + weight * own,
            skin: self.skin + weight * skin,
            gain: self.gain + weight * gain,
            balls: self.balls + weight * (36.0 * PI * own * own).cbrt(),
            offsets: self.offsets + weight * skin * f64::from(state.offset),
        }
    }
}

impl Volume {
    /// The volume state of newly made matter.
    pub fn new(territory: &Territory) -> Self {
        Self { own: territory.volume as f32, ..Self::default() }
    }

    #[must_use]
    fn following(
        self,
        felt: &VolumeSurroundings,
        Control { rate, damping }: Control,
        touches: bool,
        seconds: f64,
        spacing: f64,
    ) -> Self {
        if rate == 0.0 || felt.own <= 0.0 {
            return self;
        }
        let now = felt.volume / felt.own - 1.0;
        if touches {
            return Self { change: now as f32, ..self };
        }
        // The slope of Delta by the offset over the spacing.
        let gain = felt.gain * spacing / felt.own;
        let covered = (felt.skin / (COVERED * felt.balls)).min(1.0);
        let pull = rate * seconds * now + damping * (now - f64::from(self.change));
        let step = -pull / (1.0 + gain * (rate * seconds + damping)) * covered;
        let before = f64::from(self.offset) / spacing;
        let around = if felt.skin > 0.0 { felt.offsets / felt.skin / spacing * covered } else { 0.0 };
        let back = (before - around) * rate * seconds / (1.0 + rate * seconds);
        let even = before - back;
        let after = (even + step).clamp(-MOST, MOST);
        Self { offset: (after * spacing) as f32, change: (now + gain * (after - even)) as f32, ..self }
    }
}
