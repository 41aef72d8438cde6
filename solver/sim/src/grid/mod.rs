//! The grid under the particles: the implicit step of viscous, incompressible matter.
//!
//! | module | what it knows |
//! |---|---|
//! | [`rows`] | which cells there are, and where they are stored |
//! | [`fields`] | numbers of cells, and passes over them on all threads |
//! | [`stencils`] | means and differences of neighbours |
//! | [`level`] | the equations of a step, and their operators |
//! | [`transfer`] | between a level and the next coarser one |
//! | [`equations`] | what of them a multigrid solves |
//! | [`multigrid`] | about the solution, in a cycle over all levels |
//! | [`ties`] | where islands touch |
//! | [`coupled`] | velocities and pressures together |

mod coupled;
mod equations;
mod fields;
mod level;
mod multigrid;
mod rows;
mod stencils;
mod ties;
mod transfer;

pub use coupled::{Flow, Island, solve_together};
pub use fields::{Field, Fields, pass_by, zeros};
pub use level::{Level, others};
pub use multigrid::Multigrid;
pub use rows::{Rows, cells_around, cells_within, corner, weighted_corners};
pub use stencils::{corner_differences, corner_means, means_of_corners, smoothed, sums_of_differences};
pub use ties::{Tie, Touched};

#[cfg(test)]
mod tests;
