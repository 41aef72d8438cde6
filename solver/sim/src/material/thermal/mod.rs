//! `thermal`: matter whose particles are bonded to each other, and which melts (Tonnesen 1992, T92, section 4.1).
//!
//! | symbol | meaning | unit |
//! |---|---|---|
//! | V | volume of a particle at rest, spacing^3 | m^3 |
//! | m | mass, rest density times V | kg |
//! | e | dissociation energy by mass | J/kg |
//! | u | potential of a pair as a part of its dissociation energy ([`Well`]) | 1 |
//!
//! The energy of a pair is the root of the product of its dissociation energies m e (Berthelot's rule of mixtures)
//! times u, the mean of those by the exponents of both bodies. The mean of the energies would bind what has melted to
//! what is solid half as strongly as solids: it would be drawn in with that energy, and thrown about.
//!
//! What bonds are about: a lattice of them carries longitudinal sound along its axes at the speed sqrt(n m e), with the
//! exponents n and m, whatever the spacing: bonds are as stiff in fine matter as in coarse.
//!
//! Where this departs from print:
//! - (19) has the sign of errata 7, and a cut-off ([`Well`]).
//! - Bonds alone make no liquid: cold particles stay on their lattice however weak their bonds are, and pile up as
//!   cannonballs do. So this matter resists compression by its density besides, as `smoothed` matter does, with the
//!   stiffness of the melt; what has melted has only weak bonds left beside that, which are its surface tension. Where
//!   no heat flows and all matter is bonded that is left out: bonds alone hold it, and walls push it by their share.
//! - Between bodies that never melted nothing pulls: cold pieces do not weld. What has melted by more than half does,
//!   by as much as has melted beyond that, and with the lesser of both energies: melt that wets other matter gains no
//!   more by it than its own surface tension.
//! - Walls with adhesion hold it, likewise, by as much as bonds would that it lacks on their side.
//! - What has melted takes some time to set, however cold it is ([`BondSolver::after_setting`]).

mod model;
mod solver;

#[cfg(test)]
mod tests;

pub use solver::{BodyBonds, BondSolver, damping};
