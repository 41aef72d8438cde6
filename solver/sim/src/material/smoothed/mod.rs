//! `smoothed`: soft, viscous matter of smoothed particles (Desbrun and Gascuel 1996, DG96).
//!
//! | symbol | meaning | unit |
//! |---|---|---|
//! | V | volume of a particle at rest, spacing^3 | m^3 |
//! | m | mass, rest density times V | kg |
//! | delta | density over rest density | 1 |
//! | P | pressure | Pa |
//! | k | stiffness, the square of the speed of sound | m^2/s^2 |
//! | c | viscosity | m/s |
//! | q | r / h | 1 |
//!
//! Departures from print:
//! - (3) is summed as a volume, `delta_i = a + b sum_j V W_ij` over the *other* particles, and rho = rho0 delta. The
//!   paper's sum counts the particle itself by W(0), 60 % of the whole at h = spacing, so that it hardly answers to
//!   compression. a and b are such that matter on the close-packed lattice has delta = 1 and d delta / d ln V = -1
//!   ([`Calibration`](crate::lattice::Calibration)). Summing volumes instead of masses keeps bodies of unequal
//!   densities from pulling on each other.
//! - (7) divides by rho^2; where matter is thinner than at rest, the divisor stays rho0^2, as the pull of stray
//!   particles would grow without bound.
//! - (6) is one of several state equations ([`Equation`](crate::material::pressure::Equation)), all of them made of the
//!   derivatives of an elastic energy.
//! - The output pressure is not that of (6) but the one that the forces carry: the virial of a particle's halves of its
//!   pair forces and of the walls' forces, over its volume. The packing of settled matter differs from the lattice,
//!   above all along walls; there (6) reads up to 20 % high in single rows and 5 % in a tank's mean, while the virial
//!   balances the weight above.
//! - (8) uses max |mu| over approaching neighbours, and max(c, the local speed of sound) for c (errata 3, 4).

mod model;
mod solver;

pub use model::compressed;
pub use solver::SmoothedSolver;
