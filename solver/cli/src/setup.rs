//! From a scene file to a simulation that stands at its first frame.

use crate::bake::{Matter, outputs_of};
use crate::failure::{ExitCode, Failure};
use crate::machine;
use crate::meshes;
use crate::number::{bytes, grouped, rounded_up};
use crate::scene_file::{JsonPath, SceneFile};
use crate::warnings;
use dollop_scene::{Body, Scene};
use dollop_sim::{Estimate, MeshLibrary, Outline, SetupError, Simulation, SmoothingKernel};
use std::path::Path;

/// A scene of more particles is not filled just to tell what it takes.
const LARGE: f64 = 2e6;

/// More particles are refused on any machine: their numbers have to fit into files and indices.
const MOST_PARTICLES: f64 = 2e8;

/// What the program takes before it has any matter, bytes.
const PROGRAM: f64 = 8e6;

/// A valid scene with its meshes, small enough for this machine. No body is filled yet.
#[derive(Debug)]
pub struct Plan {
    /// The scene.
    pub file: SceneFile,
    /// Its meshes.
    pub meshes: MeshLibrary,
    /// Its bodies, by their shapes.
    pub outlines: Vec<Outline>,
    /// What a bake takes by the volume of the bodies, for a scene of many particles.
    pub foreseen: Option<Estimate>,
}

impl Plan {
    /// Reads and validates a scene.
    ///
    /// # Errors
    /// What is wrong with the scene or its meshes, or that it does not fit into the memory; exit code 2.
    pub fn read(scene: &Path) -> Result<Self, Failure> {
        let file = SceneFile::read(scene)?;
        let meshes = meshes::load(&file)?;
        let fault = |error: SetupError| setup_failure(&file, &error);
        let outlines = dollop_sim::outlines(&file.scene, &meshes).map_err(fault)?;
        let total: f64 = outlines.iter().map(|outline| outline.particles).sum();
        let foreseen = if total > LARGE {
            let estimate = dollop_sim::estimate(&file.scene, &meshes, &outlines).map_err(fault)?;
            refuse_too_large(&file, &outlines, memory(&file.scene, &outlines, &estimate))?;
            Some(estimate)
        } else {
            None
        };
        Ok(Self { file, meshes, outlines, foreseen })
    }

    /// About how many particles the bodies will hold.
    pub fn particles(&self) -> u64 {
        self.outlines.iter().map(|outline| outline.particles).sum::<f64>().round() as u64
    }

    /// Fills the bodies.
    ///
    /// # Errors
    /// What is wrong with a body or a collider; exit code 2.
    pub fn fill(&self) -> Result<Simulation, Failure> {
        Simulation::new(&self.file.scene, &self.meshes).map_err(|error| setup_failure(&self.file, &error))
    }

    /// The estimate with the memory that the outputs take, and with all warnings.
    pub fn completed(&self, estimate: Estimate) -> Estimate {
        let scene = &self.file.scene;
        let memory = memory(scene, &self.outlines, &estimate) as usize;
        let mut warnings = warnings::of(scene, &self.outlines, &estimate);
        warnings.extend(estimate.warnings);
        Estimate { memory, warnings, ..estimate }
    }
}

/// Bytes that a bake takes at its start, outputs included.
fn memory(scene: &Scene, outlines: &[Outline], estimate: &Estimate) -> f64 {
    let matter = Matter::new(scene, outlines);
    // While the files of a frame are made, the next one comes.
    PROGRAM + estimate.memory as f64 + matter.frame() + outputs_of(scene).footprint(&matter)
}

fn refuse_too_large(file: &SceneFile, outlines: &[Outline], memory: f64) -> Result<(), Failure> {
    let total: f64 = outlines.iter().map(|outline| outline.particles).sum();
    let available = machine::memory().unwrap_or(f64::INFINITY);
    let excess = (memory / available).max(total / MOST_PARTICLES);
    if excess <= 1.0 {
        return Ok(());
    }
    let place = |number| JsonPath::default().key("bodies").index(number).key("shape");
    let bodies = file.scene.bodies.iter().zip(outlines).enumerate();
    let Some((number, (Body { name, .. }, outline))) =
        bodies.max_by(|(_, (_, a)), (_, (_, b))| a.particles.total_cmp(&b.particles))
    else {
        return Ok(());
    };
    let spacing = file.scene.particle_spacing;
    let all = if outlines.len() == 1 { String::new() } else { format!(" of {} in all", about(total)) };
    let room =
        if available.is_finite() { format!("this machine has {}", bytes(available as u64)) } else { String::new() };
    let limit = if memory > available { room } else { format!("at most {} are possible", about(MOST_PARTICLES)) };
    let message = format!(
        "at a particle_spacing of {spacing} m, body \"{name}\" would hold about {} particles{all}, and a bake would take \
         about {} of memory; {limit}",
        about(outline.particles),
        bytes(memory.min(1e30) as u64),
    );
    let help = format!(
        "a particle_spacing of {} m would fit",
        rounded_up(spacing * excess.powf(1.0 / SmoothingKernel::of(&file.scene).dimension_count()))
    );
    Err(Failure { code: ExitCode::BadInput, ..file.failure(&place(number), message) }.with_help(help))
}

/// A large count in words.
fn about(count: f64) -> String {
    if count < 1e12 { grouped(count.round() as u64) } else { format!("{count:.1e}") }
}

/// The solver knows no files: a fault in a mesh gets the name of its file here.
fn setup_failure(file: &SceneFile, error: &SetupError) -> Failure {
    let place = JsonPath::parse(&error.path);
    match meshes::path_at(&file.scene, &place) {
        Some(path) => {
            let mesh = file.folder().join(path);
            let failure = file.failure(&place, format!("{} (mesh file {})", error.message, mesh.display()));
            if error.message.contains("the mesh is open") { failure.with_help(CLOSE_IN_BLENDER) } else { failure }
        }
        None => file.failure(&place, &error.message),
    }
}

const CLOSE_IN_BLENDER: &str = "in Blender's edit mode: Mesh > Merge > By Distance joins split vertices, Mesh > Clean Up > \
                                Fill Holes closes holes, Mesh > Normals > Recalculate Outside turns faces around; or add a \
                                Remesh modifier";
