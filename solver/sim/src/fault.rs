//! The reason that a scene cannot be simulated.

use crate::geometry::MeshFault;
use dollop_scene::JsonPath;

/// The reason that a scene cannot be simulated.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[error("{path}: {message}")]
pub struct SetupError {
    /// Place in the scene file.
    pub path: JsonPath,
    /// A sentence with the fault and the remedy.
    pub message: String,
    /// The fault of the mesh there, if that is the cause.
    pub mesh: Option<MeshFault>,
}

impl SetupError {
    /// A fault at a place of a scene.
    pub fn new(path: JsonPath, message: impl Into<String>) -> Self {
        Self { path, message: message.into(), mesh: None }
    }

    /// A fault of a mesh at a place of a scene, and the properties that the mesh needs.
    pub fn of_mesh(path: JsonPath, fault: MeshFault, needed: &str) -> Self {
        Self { path, message: format!("{fault}; {needed}"), mesh: Some(fault) }
    }
}
