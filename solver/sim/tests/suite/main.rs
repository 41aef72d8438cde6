//! The physics through its public interface.
#![allow(clippy::unwrap_used)]

mod common;
mod conservation;
mod extremes;
mod field;
mod geometry;
mod kernel;
mod neighbours;
mod rest;
mod timeline;
mod walls;
