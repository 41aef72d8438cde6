//! The physics through its public interface.
#![allow(clippy::unwrap_used)]

mod common;
mod geometry;
mod kernel;
mod neighbours;
mod timeline;
