//! The physics of Dollop: no files, no printing, no clock.
//!
//! A [`Simulation`] is made from a scene and its meshes and advances frame by frame; it shows surfaces and files a
//! [`Frame`].
//!
//! DG96, DG95, T92 and numbers of errata refer to `docs/papers.md`.

pub mod boundary;
mod bounds;
mod columns;
mod cost;
mod estimate;
mod fault;
pub mod frame;
pub mod geometry;
mod grid;
mod hash_grid;
mod heat;
mod integrator;
pub mod kernel;
mod lanes;
pub mod lattice;
mod laws;
pub mod material;
pub mod neighbours;
mod numbers;
mod packed;
mod pairs;
mod particles;
mod pins;
mod region;
mod reshape;
mod setup;
mod simulation;
mod stages;
pub mod timeline;
mod tools;
mod union;
pub mod wording;

pub use bounds::Bounds;
pub use cost::{Cause, Estimate, Limit, Meeting};
pub use estimate::{GridSteps, estimate, meeting, on_grid};
pub use fault::SetupError;
pub use frame::field::{self, Field, FieldData, Quantity};
pub use frame::{Frame, FrameStats, HeatStats};
pub use geometry::{MeshFault, MeshLibrary, TriangleMesh};
pub use integrator::{Halt, Interrupted, Settling, SimulationError, Stepping};
pub use kernel::SmoothingKernel;
pub use laws::well;
pub use material::model;
pub use pins::PinTitle;
pub use setup::{Outline, check, check_output, outlines, warnings};
pub use simulation::{Simulation, State, StateFault};
