//! Laws of matter: one material a folder, and the solver that brings them together.

mod model;
pub mod oriented;
pub mod smoothed;
pub mod soft;
mod solver;
mod state;
pub mod strength;
pub mod thermal;

pub use model::{BodyInScene, Model, Repulsion, model};
pub use solver::MatterSolver;
pub use state::{Force, Matter, Now};
