//! From a scene to a simulation: what is wrong with it, what fills it, and what a user should know before it is baked.

mod clearance;
mod colliders;
mod consistency;
mod fault;
mod fill;
mod masses;
mod outline;
mod seats;
mod warnings;

pub use colliders::place_colliders;
pub use consistency::{check, check_output};
pub use fault::SetupError;
pub use fill::{Filled, fill};
pub use masses::with_masses;
pub use outline::{Outline, estimate, outlines};
pub use warnings::{of_matter, warnings};
