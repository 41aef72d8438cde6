//! The speeds of signals, which bound the steps of particles.

use super::PressureLaw;
use crate::timeline::{BOUND_COURANT, VISCOUS_COURANT};

/// Neighbours that approach each other at the speed of sound over this number, or faster, make a shock.
const SHOCK: f32 = 2.0;

/// The signal speeds that bound the step of a particle by DG96 (8), m/s.
pub struct Signals {
    /// Of sound.
    pub sound: f32,
    /// Of viscosity.
    pub viscosity: f32,
}

impl Signals {
    /// DG96 (8) with errata 3 and 4: h over the longest step by sound, and by viscosity, m/s.
    pub fn h_over_steps(&self, max_mu: f32, law: &PressureLaw) -> (f32, f32) {
        if law.bonded {
            return (h_over_bound_step(self.sound, max_mu), h_over_bound_step(self.viscosity, max_mu));
        }
        let by_sound = courant_rule(self.sound, max_mu) / law.courant() as f32;
        (by_sound, h_over_viscous_step(self.viscosity, max_mu))
    }

    /// The shorter of the two.
    pub fn h_over_step(&self, max_mu: f32, law: &PressureLaw) -> f32 {
        let (by_sound, by_viscosity) = self.h_over_steps(max_mu, law);
        by_sound.max(by_viscosity)
    }
}

/// Whether neighbours approach each other, m/s, about as fast as signals or faster.
pub fn is_shock(max_mu: f32, signal_speed: f32) -> bool {
    SHOCK * max_mu > signal_speed
}

/// DG96 (8) with errata 3 and 4: h over the longest step by a viscosity, m/s.
fn h_over_viscous_step(viscosity: f32, max_mu: f32) -> f32 {
    courant_rule(viscosity, max_mu) / VISCOUS_COURANT as f32
}

/// The same for bonded matter, m/s.
pub fn h_over_bound_step(signal_speed: f32, max_mu: f32) -> f32 {
    courant_rule(signal_speed, max_mu) / BOUND_COURANT as f32
}

/// The divisor of DG96 (8), m/s.
fn courant_rule(signal_speed: f32, max_mu: f32) -> f32 {
    signal_speed + 0.6 * (signal_speed + 2.0 * max_mu)
}
