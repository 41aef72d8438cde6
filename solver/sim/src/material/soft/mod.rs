//! `soft`: dough, clay and toffee: few particles, and a skin around them that takes part in the physics (Desbrun and
//! Gascuel 1995, DG95).
//!
//! | symbol | meaning | unit |
//! |---|---|---|
//! | k | stiffness | m^2/s^2 |
//! | m | mass of a particle | kg |
//! | R | radius of influence of a particle's field | m |
//! | h | field of a particle by the distance ([`Skin`]) | 1 |
//! | s | isovalue: the skin is where the sum of fields is s | 1 |
//! | epsilon | offset of a particle: its field is h(d - epsilon) | m |
//! | V | volume of a particle's territory: of the part of the matter in which its field is the largest | m^3 |
//!
//! Pairs attract and repel each other by (1), which is the Lennard-Jones potential with exponents 8 and 4, and a
//! dissociation energy of lambda / 8 = m k / 32: the [bonds](super::thermal) of a lattice that carries sound at the
//! speed sqrt(k). They have friction by (2), and viscous damping besides.
//!
//! Departures from print:
//! - (2) has the square of the whole difference of velocities, which would turn a body that spins: friction here acts
//!   along the line between a pair, by the square of the speed at which that gets longer or shorter.
//! - The volume controller has the sign of errata 10, and is [implicit](volume): with the paper's own alpha and beta an
//!   explicit one diverges.
//! - The controller works at frames, the only visible states. Matter without a skin above it, which cannot give volume,
//!   goes back to an offset of zero.
//! - Membership in [pieces] replaces lists of blending particles: parts of the influence graph stay parted, so a
//!   particle blends with its own piece.

mod bodies;
mod contact;
mod model;
mod pieces;
mod pressure;
mod seed;
mod territory;
mod volume;

#[cfg(test)]
mod tests;

pub use bodies::{SoftBodies, SoftBody, skin_of};
pub use contact::{ContactParticle, FARTHEST, MARGIN, Moment, Nearness, Overspeed, Touching, felt_reach};
pub use pressure::{Peak, Pressures};
pub use territory::{SoftParticle, Territories};
