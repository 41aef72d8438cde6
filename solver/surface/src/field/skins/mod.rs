//! The fields of the skins of soft matter (Desbrun and Gascuel 1995).
//!
//! | symbol | meaning |
//! |---|---|
//! | `f_g` | field of a piece g: sum of h(d - epsilon) / s over its particles and over fused particles of its lump |
//! | s | isovalue |
//! | f | field of a lump: the largest over its pieces, DG95 section 5.2 |
//! | `f_o` | the largest field of another lump |
//! | D | signed distance of a point from the [walls](dollop_sim::frame::wall) that the lump lies on |
//!
//! The surface of a lump is where `min(f, 1 + f - f_o, 1 + D / c)` is 1, for some length c. Usually that is where its
//! own field is 1. Where another lump's field is as large, both end at f = `f_o`: DG95's exact contact surface (section
//! 2.1, with the deformation terms s - f). Two lumps touch without a gap and without an overlap, and never blend. A
//! particle near a wall has a mirror image behind it, so skins extend up to walls, where they are cut off.
//!
//! | module | what |
//! |---|---|
//! | `evaluate` | the fields of soft particles and of their mirror images |
//! | `columns` | the soft particles of a frame |
//! | `on_lattice` | soft particles sorted into cubes of a lattice, and the fields at its nodes |
//! | `local` | the field of a lump near a block, with the values that it carries |

mod columns;
mod evaluate;
mod local;
mod on_lattice;

pub(crate) use columns::is_soft;
pub(crate) use evaluate::{SkinEvaluator, SkinParticle};
pub(crate) use local::SkinField;
pub(crate) use on_lattice::{LumpBlock, SkinParticles, skin_field};
