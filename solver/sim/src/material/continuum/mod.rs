//! Incompressible matter that moves on a grid: what an artist calls water, honey, dough, jelly or clay.
//!
//! | module | what it knows |
//! |---|---|
//! | [`model`] | the material's settings |
//! | [`law`] | stress, and how matter flows |
//! | [`cells`] | the particles, sorted by cells of the grid |
//! | [`islands`] | matter that lies apart |
//! | [`weights`] | how much each particle counts at the nodes around it |
//! | [`scatter`] | from particles to the grid |
//! | [`gather`] | from the grid to particles |
//! | [`walls`] | what of the grid walls cover, and how they drag |
//! | [`wetting`] | where matter lies at walls |
//! | [`elastic`] | the stresses of particles in a step |
//! | [`assembly`] | the equations of a step |
//! | [`ghosts`] | velocities in walls, by which particles follow them |
//! | [`closeness`] | how particles that come close make room |
//! | [`crowding`] | how crowded cells make room |
//! | [`step`] | one step of all of it |

mod advection;
mod assembly;
mod cells;
mod closeness;
mod crowding;
mod elastic;
mod gather;
mod ghosts;
mod islands;
mod law;
mod model;
mod scatter;
mod step;
mod walls;
mod weights;
mod wetting;

pub use law::UNSTRETCHED;
pub use model::Fluid;
pub use step::{GridFlow, WAVE_STEPS};
