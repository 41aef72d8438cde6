//! Strength: below its yield stress matter stands as an elastic solid, above it matter flows (an elastic, perfectly
//! plastic deviatoric stress a particle, after Gray, Monaghan and Swift, SPH elastic dynamics, 2001).
//!
//! | symbol | meaning | unit |
//! |---|---|---|
//! | S | deviator of the stress at a particle, by volume at rest | Pa |
//! | J | its size, the root of S:S / 2: the shear stress in pure shear | Pa |
//! | G | shear modulus | Pa |
//! | V | volume of a particle at rest | m^3 |
//! | W | the kernel's polynomial in q, as the weight of a neighbour | 1 |
//! | r | offset to a neighbour, `r_j - r_i` | m |
//! | u | displacement of a neighbour over a step less the own | m |
//! | M | sum of r r W | m^2 |
//! | E | gradient of the displacements, sum of u r W, times M^-1 | 1 |
//! | c | how far a particle has enough neighbours around it, 0 to 1 | 1 |
//!
//! A viscosity that grows where matter is slow would be simpler, but creeps with explicit steps. A stored stress does
//! not.
//!
//! - E is exact for displacements linear in space, also at surfaces and between few neighbours; rigid turns give no
//!   false strain.
//! - S turns by the Cayley transform of the skew part of E, taken to the middle of the step, which is exact for rigid
//!   turns of any size (Hughes and Winget 1980; to first order the Jaumann rate), and gains 2 G c times the deviator of
//!   the symmetric part of E.
//! - Stress above the yield stress is scaled back to it (von Mises, radial return). Its energy is dissipated.
//! - The force on a particle is the sum of `(T_i + T_j)` r W with T = V c S M^-1: the derivative of the elastic energy
//!   V J^2 / (2 G) by its place. Pairs act on each other oppositely; as rotations do not change E, angular momentum is
//!   kept, too. Gray's own form has neither correction, and rigid rotations strain its surfaces.
//! - Where neighbours lie in a plane, on a line, or are missing, c goes to zero: threads and sheets of single particles
//!   have no strength.
//! - Only matter with a yield stress counts as neighbour, of any body; other matter slides by, and walls hold by their
//!   friction.
//! - In a plane S has no component across it.

mod solver;
mod stress;

pub use solver::{Shear, StrengthSolver};
