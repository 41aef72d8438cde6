//! `oriented`: sheets of particles that each stand for a piece of a surface (Tonnesen 1992, T92, section 4.3).
//!
//! | symbol | meaning | unit |
//! |---|---|---|
//! | d | distance of nearest neighbours in a sheet at rest | m |
//! | A | area of a particle, sqrt(3) / 2 d^2 | m^2 |
//! | n | normal of a particle, the third column of its rotation | 1 |
//! | r | offset from particle i to j | m |
//! | a, b, c | `n_i` r, `n_j` r, `n_i` `n_j` | m, m, 1 |
//! | beta | weight of a pair as particle i sees it, (31) | 1 |
//! | kappa | preferred curvature | 1/m |
//!
//! The energy of all ordered pairs is that of (32): Lennard-Jones (19), co-planarity (27), co-normality (28) and
//! co-circularity (29). Forces and torques are its exact gradients.
//!
//! Co-circularity is zero for any evenly bent sheet, and yet holds normals perpendicular to the sheet. So all sheets
//! have some, in proportion to their stiffness under tension: bending stiffness alone, which may be small, would let
//! normals tumble.
//!
//! A sheet may be woven: the well then binds particles that lay beside each other at the first frame, at their distance
//! then, and pushes all others away. Otherwise it slips along the rows of its lattice when it is sheared, as a crystal
//! does; so does the paper's, and so it can join ([`Ties`]).
//!
//! Sums over the hexagonal lattice map the artist's settings to the potentials: the depth of the well gives the
//! stiffness under tension, exponents from a list of widths give the stretch at which it tears, and co-planarity and
//! co-normality in equal parts give the bending stiffness ([`Sheet`]).
//!
//! Departures from print:
//! - (31), an exponential of x^2 + y^2 and z^2, never ends. Here it is (1 - s / 4)^4 for its exponent s, which has the
//!   same start and is zero from the support on. b is such that a particle does not feel another layer of the sheet
//!   above it.
//! - (19) attracts in all directions, so a fold would stick to itself and crumple. Here the well attracts only
//!   particles near the tangent planes of both, and only pushes others away. The switch ends it short of the second
//!   neighbours.
//! - (27) and (28) include the preferred curvature: they are zero on a sphere of it.
//! - (41) turns about the world's axes (errata 9).

mod birth;
mod cloth;
mod damping;
mod flow;
mod model;
mod pieces;
mod rebinding;
mod sheet;
mod solver;
mod ties;

#[cfg(test)]
mod tests;

pub use birth::births;
pub use cloth::Cloth;
pub use damping::{MEMORY as DAMPING_MEMORY, damp, is_damped};
pub use flow::{flow, longest_part};
pub use pieces::pieces;
pub use sheet::{Sheet, area, hexagonal, sheets};
pub use solver::{Facing, OtherMatter, SOUND, SheetForce, SheetSolver, contact_well, joint_well};
pub use ties::{change, face, seams, tear, told_normals, weave, woven_normals};
