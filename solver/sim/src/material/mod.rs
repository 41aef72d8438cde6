//! Laws of matter: one folder for each material, and the solver that combines them.

pub mod continuum;
mod model;
pub mod oriented;
mod pair_solver;
pub mod pressure;
pub mod smoothed;
pub mod soft;
mod solver;
mod state;
pub mod strength;
pub mod thermal;

pub use model::{BodyInScene, Model, Repulsion, is_on_grid, model};
pub use pair_solver::{FIRM, PairSolver, Present, Surroundings, tag_and_velocity};
pub use solver::MatterSolver;
pub use state::{Force, Matter, Now, Received};
