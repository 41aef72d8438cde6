//! `thermal`: matter with bonds between its particles, which melts (Tonnesen 1992, T92, section 4.1).
//!
//! | symbol | meaning | unit |
//! |---|---|---|
//! | V | volume of a particle at rest, spacing^3 | m^3 |
//! | m | mass, rest density times V | kg |
//! | e | dissociation energy by mass | J/kg |
//! | u | potential of a pair as a part of its dissociation energy ([`Well`]) | 1 |
//!
//! The energy of a pair is the root of the product of its dissociation energies m e (Berthelot's rule of mixtures)
//! times the mean u for the exponents of both bodies. The arithmetic mean of the energies would bind melt to solid half
//! as strongly as solids: the melt would be drawn in with that energy, and thrown about.
//!
//! A lattice of these bonds carries longitudinal sound along its axes at the speed sqrt(n m e), with the exponents n
//! and m, at any spacing: bonds are as stiff in fine matter as in coarse.
//!
//! Departures from print:
//! - (19) has the sign of errata 7, and a cut-off ([`Well`]).
//! - Bonds alone make no liquid: cold particles stay on their lattice however weak their bonds are, and pile up as
//!   cannonballs do. So this matter also resists compression by its density, as `smoothed` matter does, with the
//!   stiffness of the melt; molten matter has only weak bonds besides, which are its surface tension. Where no heat
//!   flows and all matter is bonded, that resistance is left out: bonds alone hold it, and walls push it by their
//!   share.
//! - Bodies that never melted do not attract each other: cold pieces do not weld. Matter that has melted by more than
//!   half welds by the excess over half, and with the lesser of both energies: melt that wets other matter gains no
//!   more by it than its own surface tension.
//! - Likewise, walls with adhesion hold it by the energy of the bonds that it lacks on their side.
//! - Molten matter takes some time to set, however cold it is ([`BondSolver::after_setting`]).

mod bonds;
mod model;
mod solver;

#[cfg(test)]
mod tests;

pub use bonds::BodyBonds;
pub use solver::{BondSolver, damping};
