//! Estimates the cost of a bake with small samples of its matter.

mod fall;
mod meeting;
mod on_grid;
mod sample;

pub use meeting::meeting;
pub use on_grid::{GridSteps, on_grid};
pub use sample::estimate;
