//! From a scene file to a simulation at its first frame.

use crate::failure::{ExitCode, Failure};
use crate::machine;
use crate::meshes;
use crate::outputs::{MatterExtent, outputs_of};
use crate::scene_file::SceneFile;
use dollop_cache::UnknownFormat;
use dollop_scene::{Body, JsonPath, Scene};
use dollop_sim::wording::{bytes, grouped, rounded_up};
use dollop_sim::{
    Estimate, GridSteps, MeshFault, MeshLibrary, Outline, SetupError, Simulation, SmoothingKernel, model,
};
use std::path::Path;

/// A scene of more particles is not filled merely for an estimate.
const LARGE: f64 = 2e6;

/// More particles are refused on any machine: their numbers must fit into files and indices.
const MOST_PARTICLES: f64 = 2e8;

/// The limit for scenes with soft matter: files number its pieces and lumps by particles, as 32-bit floats.
const MOST_WITH_SOFT: f64 = 16_777_216.0;

/// How often the search halves the range of a factor.
const HALVINGS: usize = 40;

/// Memory of the program without any matter, bytes.
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
    /// The estimate from the volume of the bodies, for a scene of many particles.
    pub foreseen: Option<Estimate>,
}

impl Plan {
    /// Reads and validates a scene.
    ///
    /// # Errors
    /// A fault of the scene or its meshes, or that the bake does not fit into the memory; exit code 2.
    pub fn read(scene: &Path) -> Result<Self, Failure> {
        let file = SceneFile::read(scene)?;
        let meshes = meshes::load(&file)?;
        let fault = |error: SetupError| setup_failure(&file, &error);
        let outlines = dollop_sim::outlines(&file.scene, &meshes).map_err(fault)?;
        let foreseen = (total(&outlines) > LARGE).then(|| foresee(&file, &meshes, &outlines)).transpose()?;
        Ok(Self { file, meshes, outlines, foreseen })
    }

    /// Estimated number of particles in the bodies.
    pub fn particles(&self) -> u64 {
        total(&self.outlines).round() as u64
    }

    /// Fills the bodies.
    ///
    /// # Errors
    /// A fault of a body or a collider; exit code 2.
    pub fn fill(&self) -> Result<Simulation, Failure> {
        Simulation::new(&self.file.scene, &self.meshes).map_err(|error| setup_failure(&self.file, &error))
    }

    /// The estimate with the memory for the outputs, the steps of matter on a grid, and all warnings.
    ///
    /// # Errors
    /// When the scene requests an unknown format, or matter on a grid lies beyond its reach.
    pub fn completed(&self, estimate: Estimate) -> Result<Estimate, Failure> {
        let scene = &self.file.scene;
        let on_grid = dollop_sim::on_grid(scene, &self.meshes, &self.outlines);
        let on_grid = on_grid.map_err(|error| setup_failure(&self.file, &error))?;
        let estimate = match on_grid {
            Some(GridSteps { steps_per_frame, limit }) if steps_per_frame >= estimate.steps_per_frame => {
                Estimate { steps_per_frame, limit, ..estimate }
            }
            _ => estimate,
        };
        let memory = memory(scene, &self.outlines, &estimate)? as usize;
        let warnings = dollop_sim::warnings(scene, &self.outlines, &estimate);
        Ok(Estimate { memory, warnings, ..estimate })
    }

    /// The estimate with the bodies that will need shorter steps after they meet.
    pub fn with_meeting(&self, estimate: Estimate) -> Estimate {
        let meeting = dollop_sim::meeting(&self.file.scene, estimate.steps_per_frame);
        Estimate { meeting, ..estimate }
    }
}

/// Bytes of a bake at its start, outputs included.
fn memory(scene: &Scene, outlines: &[Outline], estimate: &Estimate) -> Result<f64, UnknownFormat> {
    let matter = MatterExtent::new(scene, outlines);
    // While the files of a frame are made, the next frame is made.
    Ok(PROGRAM + estimate.memory as f64 + matter.frame() + outputs_of(scene)?.footprint(&matter))
}

fn total(outlines: &[Outline]) -> f64 {
    outlines.iter().map(|outline| outline.particles).sum()
}

/// The maximum number of particles of a scene on any machine.
fn most_particles(scene: &Scene) -> f64 {
    let is_soft = |body: &Body| model(&body.material).is_soft();
    if scene.bodies.iter().any(is_soft) { MOST_WITH_SOFT } else { MOST_PARTICLES }
}

/// The estimate of a bake from the volume of its bodies.
///
/// # Errors
/// When the bake does not fit into the memory, or no time step is short enough.
fn foresee(file: &SceneFile, meshes: &MeshLibrary, outlines: &[Outline]) -> Result<Estimate, Failure> {
    let scene = &file.scene;
    let found = dollop_sim::estimate(scene, meshes, outlines);
    let needed = match &found {
        Ok(estimate) => Some(memory(scene, outlines, estimate)?),
        // If the steps are too short because there are too many particles, report the particles.
        Err(_) => memory_by_coarser(scene, meshes, outlines),
    };
    needed.map_or(Ok(()), |needed| refuse_too_large(file, outlines, needed))?;
    found.map_err(|error| setup_failure(file, &error))
}

/// Memory of a bake with too many particles, bytes, scaled from one with the maximum number.
fn memory_by_coarser(scene: &Scene, meshes: &MeshLibrary, outlines: &[Outline]) -> Option<f64> {
    let fewer = Some(total(outlines) / most_particles(scene)).filter(|fewer| *fewer > 1.0)?;
    let coarse = Scene { particle_spacing: scene.particle_spacing * coarser(scene, outlines, fewer), ..scene.clone() };
    let of_coarse = dollop_sim::outlines(&coarse, meshes).ok()?;
    let estimate = dollop_sim::estimate(&coarse, meshes, &of_coarse).ok()?;
    Some(memory(&coarse, &of_coarse, &estimate).ok()? * total(outlines) / total(&of_coarse))
}

fn refuse_too_large(file: &SceneFile, outlines: &[Outline], memory: f64) -> Result<(), Failure> {
    let total = total(outlines);
    let available = machine::memory().unwrap_or(f64::INFINITY);
    let most = most_particles(&file.scene);
    let excess = (memory / available).max(total / most);
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
    let of_soft = if most < MOST_PARTICLES { " with soft matter" } else { "" };
    let limit = if memory > available { room } else { format!("at most {} are possible{of_soft}", about(most)) };
    let message = format!(
        "at a particle_spacing of {spacing} m, body \"{name}\" would hold about {} particles{all}, and a bake would take \
         about {} of memory; {limit}",
        about(outline.particles),
        bytes(memory.min(1e30) as u64),
    );
    let help =
        format!("a particle_spacing of {} m would fit", rounded_up(spacing * coarser(&file.scene, outlines, excess)));
    Err(Failure { code: ExitCode::BadInput, ..file.failure(&place(number), message) }.with_help(help))
}

/// The factor on the spacing that leaves so many times fewer particles; particles of sheets fill areas.
fn coarser(scene: &Scene, outlines: &[Outline], fewer: f64) -> f64 {
    let is_sheet = |body: &Body| model(&body.material).thickness().is_some();
    let of = |(body, outline): (&Body, &Outline)| {
        if is_sheet(body) { [outline.particles, 0.0] } else { [0.0, outline.particles] }
    };
    let bodies = scene.bodies.iter().zip(outlines).map(of);
    let [areas, volumes] = bodies.fold([0.0; 2], |[a, v], [area, volume]| [a + area, v + volume]);
    let dimensions = SmoothingKernel::of(scene).dimension_count();
    let fits = |times: f64| areas / times.powi(2) + volumes / times.powf(dimensions) <= (areas + volumes) / fewer;
    let (mut least, mut most) = (1.0, fewer.sqrt());
    for _ in 0..HALVINGS {
        let middle = (least * most).sqrt();
        (least, most) = if fits(middle) { (least, middle) } else { (middle, most) };
    }
    most
}

/// A large count in words.
fn about(count: f64) -> String {
    if count < 1e12 { grouped(count.round() as u64) } else { format!("{count:.1e}") }
}

/// The solver does not read files: a fault in a mesh gets the name of its file here.
pub fn setup_failure(file: &SceneFile, error: &SetupError) -> Failure {
    let SetupError { path: place, message, mesh } = error;
    match meshes::path_at(&file.scene, place) {
        Some(path) => {
            let mesh_file = file.folder().join(path);
            let failure = file.failure(place, format!("{message} (mesh file {})", mesh_file.display()));
            if let Some(MeshFault::Open { .. }) = mesh { failure.with_help(CLOSE_IN_BLENDER) } else { failure }
        }
        None => file.failure(place, message),
    }
}

const CLOSE_IN_BLENDER: &str = "in Blender's edit mode: Mesh > Merge > By Distance joins split vertices, Mesh > Clean Up > \
                                Fill Holes closes holes, Mesh > Normals > Recalculate Outside turns faces around; or add a \
                                Remesh modifier";
