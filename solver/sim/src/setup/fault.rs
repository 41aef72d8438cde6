//! Why a scene cannot be simulated.

use crate::geometry::MeshFault;
use crate::simulation::SimulationError;
use dollop_scene::JsonPath;

/// Why a scene cannot be simulated.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[error("{path}: {message}")]
pub struct SetupError {
    /// PackedPosition in the scene file.
    pub path: JsonPath,
    /// What is wrong and what to do.
    pub message: String,
    /// What is wrong with the mesh there, if that is the fault.
    pub mesh: Option<MeshFault>,
}

impl From<SimulationError> for SetupError {
    fn from(error: SimulationError) -> Self {
        Self::new(error.place(), error.to_string())
    }
}

impl SetupError {
    /// A fault at a place of a scene.
    pub fn new(path: JsonPath, message: impl Into<String>) -> Self {
        Self { path, message: message.into(), mesh: None }
    }

    /// A mesh at a place of a scene that cannot be used, and what it has to be.
    pub fn of_mesh(path: JsonPath, fault: MeshFault, needed: &str) -> Self {
        Self { path, message: format!("{fault}; {needed}"), mesh: Some(fault) }
    }
}
