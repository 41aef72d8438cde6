//! Contact of pieces by their skins, DG95 section 5.
//!
//! Where two pieces overlap, each feels the other. In the middle P between a particle i of one and j of the other, both
//! fields exceed their isovalue by a = `f_1` / s - 1 and b = `f_2` / s - 1. The energy of that patch of the contact
//! surface `f_1` = `f_2` is
//!
//! E = w(r) S u^2 with u = a b / (a + b), which is smooth, and zero where a or b is,
//!
//! where w falls with the distance r of i and j, and S makes flat faces that are pressed together as stiff as the
//! matter. The push is its exact gradient: on all particles whose fields make `f_1` and `f_2`, along the lines from P
//! to them, and back on i and j by halves. So action equals reaction, and there is no net torque. A pair push, which
//! stores m k / 2, parts particles that have come far into each other. Particles that approach faster than sqrt(2 k)
//! may pass, and are reported.
//!
//! Friction is Coulomb's: at most its coefficient times the force on a patch along the normal of the contact surface.
//! Below that limit a spring and a damper hold each patch; the slip since the frame began draws the spring. Their
//! stiffness follows from each particle's load in all patches together and its step, so that they take only a part of
//! the slip in a step, however many patches there are.
//!
//! Departure from print: there the force is (s - f) N at seeds, which have no dynamics of their own. Seeds that stand
//! off their particles would turn bodies, and pairs of territories touch in the middle between them.

mod nearness;
mod patch;
mod touching;

#[cfg(test)]
mod tests;

pub use nearness::{Moment, Nearness, felt_reach};
pub use patch::{Overspeed, Pressed};
pub use touching::Touching;

use crate::particles::Membership;
use glam::DVec3;

/// Largest distance of the particles of a patch, spacings.
pub const FARTHEST: f64 = 1.6;

/// How far particles may move relative to each other before contact candidates are found again, spacings.
pub const MARGIN: f64 = 0.4;

/// A soft particle as it moves.
#[derive(Debug, Clone, Copy)]
pub struct ContactParticle {
    /// Particle number.
    pub number: u32,
    /// Position, m.
    pub place: DVec3,
    /// Velocity, m/s.
    pub velocity: DVec3,
    /// epsilon, m.
    pub offset: f64,
    /// Its piece and lump.
    pub membership: Membership,
    /// Its body, as an index among the [touching](Touching) bodies.
    pub body: u32,
}
