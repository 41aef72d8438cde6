//! The binary as users and the add-on run it.
#![allow(clippy::unwrap_used)]

mod bakes;
mod farms;
mod fit;
mod gallery;
mod generated;
mod inputs;
mod on_grid;
mod physics;
mod pictures;
mod rebuilds;
mod resumes;
mod stages;
mod stepping;
mod tools;
