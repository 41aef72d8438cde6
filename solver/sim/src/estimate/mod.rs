//! Estimates the cost of a bake with small samples of its matter.

mod meeting;
mod sample;

pub use meeting::meeting;
pub use sample::estimate;
