//! Copies of a job's scenes as they are now: later edits of the scene do not affect a running job.

use super::wedge::Combination;
use crate::failure::{ExitCode, Failure};
use crate::meshes;
use crate::scene_file::SceneFile;
use crate::scene_hash::scene_hash;
use dollop_cache::{CacheError, FarmFolder, Stage};
use dollop_scene::JsonPath;
use dollop_sim::MeshLibrary;
use serde_json::Value;
use std::collections::BTreeMap;
use std::fs;
use std::path::{Component, Path, PathBuf};

/// The folder of scenes within a job's folder.
pub const SCENES: &str = "scenes";
/// The folder beside the scenes, of meshes from elsewhere.
const MESHES: &str = "meshes";

/// The scenes and meshes to write.
#[derive(Debug)]
pub struct Snapshot {
    /// First and last frame of all scenes.
    pub frames: (i32, i32),
    /// The outputs made from the simulated frames of all scenes.
    pub stages: Vec<Stage>,
    /// Hash of the scene, if it is the only one.
    pub hash: Option<String>,
    /// Names and documents.
    scenes: Vec<(String, Value)>,
    /// The original path of each mesh, by its path in the job, as the scenes name it.
    meshes: BTreeMap<String, PathBuf>,
}

impl Snapshot {
    /// The scene with each combination of values, or unchanged if there is none. All are checked.
    ///
    /// # Errors
    /// A fault of a scene, or differences between the scenes in frames or kinds of outputs.
    pub fn of(file: &SceneFile, wedges: &[Combination]) -> Result<Self, Failure> {
        let library = check(file)?;
        let mut meshes = BTreeMap::new();
        let own = shape(file);
        let mut scenes = Vec::new();
        for wedge in wedges {
            let mut variant = file.document();
            wedge.put_into(&mut variant)?;
            let with = |failure: Failure| {
                let message = format!("with {}: {}", wedge.name, failure.message);
                Failure { message, ..failure }
            };
            let checked = file.with_document(&variant).and_then(|file| check(&file).map(|_| file)).map_err(with)?;
            if shape(&checked) != own {
                return Err(differs(&wedge.name));
            }
            move_meshes(&checked, &mut variant, &mut meshes);
            scenes.push((wedge.name.clone(), variant));
        }
        if wedges.is_empty() {
            let mut document = file.document();
            move_meshes(file, &mut document, &mut meshes);
            scenes.push(("scene".into(), document));
        }
        let (frames, stages) = own;
        // The hash of the copy, whose meshes may have other names.
        let copied = scenes.first().filter(|_| wedges.is_empty()).map(|(_, document)| file.with_document(document));
        let hash = copied.transpose()?.map(|copy| scene_hash(&copy.scene, &renamed(file, &copy, library)));
        Ok(Self { frames, stages, hash, scenes, meshes })
    }

    /// Writes all files into the folder of a job.
    ///
    /// # Errors
    /// When a file cannot be written, or a mesh can no longer be read.
    pub fn write(&self, folder: &FarmFolder) -> Result<(), Failure> {
        for (name, source) in &self.meshes {
            let bytes =
                meshes::read_bytes(source).map_err(|error| CacheError::Read { path: source.clone(), source: error })?;
            folder.write(&format!("{SCENES}/{name}"), &bytes)?;
        }
        for (name, document) in &self.scenes {
            folder.write(&format!("{SCENES}/{name}.json"), format!("{document:#}\n").as_bytes())?;
        }
        Ok(())
    }
}

/// Checks a scene as a farm does before it bakes, except for memory: a farm's machines have their own.
fn check(file: &SceneFile) -> Result<MeshLibrary, Failure> {
    let meshes = meshes::load(file)?;
    let fault = |error| crate::setup::setup_failure(file, &error);
    dollop_sim::outlines(&file.scene, &meshes).map_err(fault)?;
    Ok(meshes)
}

/// The meshes of a scene by their names in its copy.
fn renamed(file: &SceneFile, copy: &SceneFile, mut library: MeshLibrary) -> MeshLibrary {
    let names = meshes::named(&file.scene).zip(meshes::named(&copy.scene));
    names.filter_map(|((_, old), (_, new))| Some((new.to_owned(), library.remove(old)?))).collect()
}

/// Frames and stages: the data for the tasks of a job.
fn shape(file: &SceneFile) -> ((i32, i32), Vec<Stage>) {
    let (frames, output) = (&file.scene.frames, &file.scene.output);
    let stages = [(output.mesh.is_some(), Stage::Mesh), (output.volume.is_some(), Stage::Volume)];
    ((frames.start, frames.end), stages.into_iter().filter_map(|(is_made, stage)| is_made.then_some(stage)).collect())
}

fn differs(name: &str) -> Failure {
    let message = format!("--wedge: with {name} the scene has other frames or other kinds of outputs");
    Failure::new(ExitCode::BadInput, message).with_help("write a job of its own for each")
}

/// Rewrites the mesh paths of a document to their new places: the same place if it is beside the scene, else among the
/// moved meshes.
fn move_meshes(file: &SceneFile, document: &mut Value, all: &mut BTreeMap<String, PathBuf>) {
    for (place, path) in meshes::named(&file.scene) {
        let source = file.folder().join(path);
        // So that a mesh with two names is copied once. It has just been read.
        let source = fs::canonicalize(&source).unwrap_or(source);
        let name = if is_inside(path) { path.to_owned() } else { moved(&source, all) };
        if let Some(value) = at(document, &place.key("path")) {
            *value = name.clone().into();
        }
        all.insert(name, source);
    }
}

/// Whether a path leads from the scene's folder into that folder, but not into the folders for scenes or moved meshes.
fn is_inside(path: &str) -> bool {
    let path = Path::new(path);
    let is_scene = |part: Component<'_>| Path::new(part.as_os_str()).extension().is_some_and(|own| own == "json");
    path.components().all(|part| matches!(part, Component::Normal(_)))
        && !path.starts_with(MESHES)
        && !path.components().next().is_some_and(is_scene)
}

/// A unique name for a mesh from elsewhere.
fn moved(source: &Path, all: &BTreeMap<String, PathBuf>) -> String {
    if let Some((name, _)) = all.iter().find(|(name, other)| *other == source && name.starts_with(MESHES)) {
        return name.clone();
    }
    let file = source.file_name().map(|name| super::wedge::plain(&name.to_string_lossy())).unwrap_or_default();
    let name = |number: usize| format!("{MESHES}/{number:03}-{file}");
    name(all.keys().filter(|name| name.starts_with(MESHES)).count() + 1)
}

fn at<'a>(document: &'a mut Value, place: &JsonPath) -> Option<&'a mut Value> {
    document.pointer_mut(&place.pointer())
}
