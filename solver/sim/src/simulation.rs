//! A simulation: the matter of a scene, advanced frame by frame.

use crate::{Frame, MeshLibrary};
use dollop_scene::Scene;

/// The matter of a scene at a frame boundary.
#[derive(Debug)]
pub struct Simulation {
    frame: Frame,
}

/// What a bake will take, measured on the filled bodies.
#[derive(Debug, Clone, PartialEq)]
pub struct Estimate {
    /// Particles of each body, in scene order.
    pub particles: Vec<usize>,
    /// Mean number of neighbours at the start.
    pub neighbours: f64,
    /// Memory of the simulation, bytes.
    pub memory: usize,
    /// Time steps a frame, when nothing moves faster than at the start.
    pub steps_per_frame: u64,
    /// Warnings for the user: one sentence each, saying what to do.
    pub warnings: Vec<String>,
}

/// Why a scene cannot be simulated. `path` is the place in the scene, such as `bodies[0].shape`.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[error("{path}: {message}")]
pub struct SetupError {
    /// Place in the scene file.
    pub path: String,
    /// What is wrong and what to do.
    pub message: String,
}

impl Simulation {
    /// Fills the bodies and places the colliders.
    ///
    /// # Errors
    /// When a mesh is empty or open, a body holds no particle, or a placement makes no sense.
    pub fn new(_scene: &Scene, _meshes: &MeshLibrary) -> Result<Self, SetupError> {
        Err(SetupError { path: String::new(), message: "not yet".into() })
    }

    /// The matter as it stands.
    pub fn frame(&self) -> &Frame {
        &self.frame
    }

    /// Advances by one frame.
    pub fn advance(&mut self) -> &Frame {
        &self.frame
    }

    /// What the bake will take.
    pub fn estimate(&self) -> Estimate {
        Estimate { particles: vec![], neighbours: 0.0, memory: 0, steps_per_frame: 0, warnings: vec![] }
    }
}
