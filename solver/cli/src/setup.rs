//! From a scene file to a simulation that stands at its first frame.

use crate::failure::Failure;
use crate::meshes;
use crate::scene_file::{JsonPath, SceneFile};
use dollop_sim::{MeshLibrary, SetupError, Simulation};
use std::path::Path;

/// A scene with its meshes, and the simulation made of them.
#[derive(Debug)]
pub struct Setup {
    /// The scene.
    pub file: SceneFile,
    /// Its meshes.
    pub meshes: MeshLibrary,
    /// The matter at the first frame.
    pub simulation: Simulation,
}

/// Reads, validates and fills a scene.
///
/// # Errors
/// What is wrong with the scene or its meshes; exit code 2.
pub fn prepare(scene: &Path) -> Result<Setup, Failure> {
    let file = SceneFile::read(scene)?;
    let meshes = meshes::load(&file)?;
    let simulation = Simulation::new(&file.scene, &meshes).map_err(|error| setup_failure(&file, &error))?;
    Ok(Setup { file, meshes, simulation })
}

/// The solver knows no files: a fault in a mesh gets the name of its file here.
fn setup_failure(file: &SceneFile, error: &SetupError) -> Failure {
    let place = JsonPath::parse(&error.path);
    match meshes::path_at(&file.scene, &place) {
        Some(path) => {
            let mesh = file.folder().join(path);
            file.failure(&place, format!("{} (mesh file {})", error.message, mesh.display()))
        }
        None => file.failure(&place, &error.message),
    }
}
