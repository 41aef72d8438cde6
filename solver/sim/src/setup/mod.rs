//! Builds a simulation from a scene: checks the scene, fills it with matter, and warns the user before a bake.

mod clearance;
mod colliders;
mod consistency;
mod fill;
mod masses;
mod outline;
mod packing;
mod seats;
mod warnings;

pub use colliders::place_colliders;
pub use consistency::{check, check_output};
pub use fill::{Filled, fill};
pub use masses::with_masses;
pub use outline::{Outline, outlines};
pub use warnings::{of_matter, warnings};
