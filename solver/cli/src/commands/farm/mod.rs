//! `dollop farm`: writes a job for a render farm. Simulation runs in segments, one after the other; meshes, volumes and
//! pictures of a segment are made in chunks that depend on that segment alone.

pub mod engines;
mod job;
mod snapshot;
mod wedge;

use crate::console;
use crate::failure::{ExitCode, Failure, FileLocation};
use crate::scene_file::SceneFile;
use crate::threads::threads;
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use dollop_cache::{CacheError, FARM_FOLDER, FarmFolder};
use engines::{Engine, WrittenFiles};
use job::{Job, Size};
use serde_json::json;
use snapshot::Snapshot;
use std::fs;
use std::path::{Path, PathBuf};
use wedge::{Combination, Wedge};

/// Arguments of `dollop farm`.
#[derive(Debug, clap::Args)]
pub struct FarmArguments {
    /// Which farm
    #[arg(value_parser = engine())]
    pub engine: &'static dyn Engine,
    /// Scene file (JSON); - reads standard input
    pub scene: PathBuf,
    /// Folder that the farm will write into, which all of its machines see by the same path: a new or empty one, or a
    /// cache of this scene to go on with
    #[arg(long, value_name = "DIR")]
    pub cache: PathBuf,
    /// Frames that are simulated by one task before another goes on; 0 simulates all by one
    #[arg(long, value_name = "N", default_value_t = 50, value_parser = clap::value_parser!(u32).range(0..=1_000_000))]
    pub segment: u32,
    /// Frames whose meshes, volumes or pictures are made by one task
    #[arg(long, value_name = "N", default_value_t = 10, value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    pub chunk: u32,
    /// Bake the scene several times, with each of these values of a setting: bodies[0].material.stiffness=50,100.
    /// Several of these options give all combinations
    #[arg(long, value_name = "SETTING=VALUES")]
    pub wedge: Vec<Wedge>,
    /// Render the frames, too, of this Blender file, which shows a bake
    #[arg(long, value_name = "BLEND")]
    pub render: Option<PathBuf>,
    /// Blender on the farm: the name or the path of a program
    #[arg(long, value_name = "PROGRAM")]
    pub blender: Option<String>,
    /// Dollop on the farm: the name or the path of a program [default: this very one, by its path]
    #[arg(long, value_name = "PROGRAM")]
    pub dollop: Option<String>,
    /// Number of threads of a task; 0 uses all that it is given
    #[arg(long, value_name = "N", default_value_t = 0, value_parser = threads)]
    pub threads: u16,
    /// Replace the job in the folder
    #[arg(long)]
    pub overwrite: bool,
    /// Print one JSON object
    #[arg(long)]
    pub json: bool,
}

/// Reads the name of an engine.
fn engine() -> impl TypedValueParser<Value = &'static dyn Engine> {
    let told = |engine: &&dyn Engine| {
        PossibleValue::new(engine.name()).help(format!("{}: {}", engine.title(), engine.description()))
    };
    // The names come from the list of engines, so all are found.
    PossibleValuesParser::new(engines::ALL.iter().map(told))
        .try_map(|name| engines::named(&name).ok_or_else(|| format!("there is no engine {name:?}")))
}

/// Maximum letters in the name of a job, in any engine.
const LONGEST_NAME: usize = 100;

/// Writes a job.
///
/// # Errors
/// A fault of the scene, a wedge or the folder; then no file is written.
pub fn farm(arguments: &FarmArguments) -> Result<ExitCode, Failure> {
    let file = SceneFile::read(&arguments.scene)?;
    let wedges = wedge::combinations(&arguments.wedge)?;
    let snapshot = Snapshot::of(&file, &wedges)?;
    let job = job(arguments, &snapshot, &wedges)?;
    let engine = arguments.engine;
    let written = engine.write(&job)?;
    let folder = FarmFolder::make(&arguments.cache, snapshot.hash.as_deref(), arguments.overwrite, &own_files())?;
    snapshot.write(&folder)?;
    for (name, text) in &written.files {
        let path = folder.write(&format!("{}/{name}", engine.name()), text.as_bytes())?;
        if text.starts_with("#!") {
            make_executable(&path)?;
        }
    }
    if job.render.is_some() {
        folder.write(job::RENDER_SCRIPT, include_bytes!("render.py"))?;
    }
    folder.tell(engine.name(), &job.about())?;
    tell(&job, arguments, &written)?;
    Ok(ExitCode::Success)
}

/// The folders of a job, each with the extensions of files that an older job may have left there.
fn own_files() -> Vec<(&'static str, &'static [&'static str])> {
    let of_engines = engines::ALL.iter().map(|engine| (engine.name(), engine.extensions()));
    of_engines.chain([(snapshot::SCENES, &["json"][..])]).collect()
}

fn job(arguments: &FarmArguments, snapshot: &Snapshot, wedges: &[Combination]) -> Result<Job, Failure> {
    let blender = arguments.blender.as_deref().unwrap_or_else(|| arguments.engine.blender());
    Ok(Job {
        name: name(&arguments.scene),
        dollop: arguments.dollop.as_deref().map_or_else(this_program, program)?,
        blender: program(blender)?,
        render: arguments.render.as_deref().map(blend).transpose()?,
        threads: arguments.threads,
        size: Size { segment: arguments.segment, chunk: arguments.chunk },
        frames: snapshot.frames,
        stages: snapshot.stages.clone(),
        wedges: wedges.iter().map(|wedge| wedge.name.clone()).collect(),
        root: whole(&arguments.cache)?,
    })
}

fn tell(job: &Job, arguments: &FarmArguments, written: &WrittenFiles) -> Result<(), Failure> {
    let main = format!("{}/{FARM_FOLDER}/{}/{}", job.root, arguments.engine.name(), written.main);
    if arguments.json {
        let caches = job.caches().map(|cache| json!({"name": cache.name, "cache": cache.folder, "scene": cache.scene}));
        let about = json!({
            "engine": arguments.engine.name(), "job": main, "submit": written.submit,
            "caches": caches.collect::<Vec<_>>(), "frames": [job.frames.0, job.frames.1],
        });
        return console::line(&about.to_string());
    }
    console::line(&format!("wrote {main}\nsubmit it by: {}", written.submit))
}

/// The path of a Blender file on the farm.
fn blend(file: &Path) -> Result<String, Failure> {
    let fault = |message: String| Failure::input(FileLocation::file(file), message);
    let about = fs::metadata(file).map_err(|error| fault(crate::meshes::unread(&error).0))?;
    if !about.is_file() {
        return Err(fault("is no file; --render wants a Blender file".into()));
    }
    whole(file)
}

/// An absolute path, as the user names it: a link may lead elsewhere on other machines.
fn whole(path: &Path) -> Result<String, Failure> {
    let failed = |error| Failure::new(ExitCode::Unexpected, format!("{}: {error}", path.display()));
    text(&std::path::absolute(path).map_err(failed)?)
}

/// A program by its name, or by its absolute path.
fn program(command: &str) -> Result<String, Failure> {
    if command.is_empty() {
        return Err(Failure::new(ExitCode::BadInput, "--dollop and --blender want the name or the path of a program"));
    }
    if command.contains(std::path::is_separator) { whole(Path::new(command)) } else { text(Path::new(command)) }
}

/// A path as text, for use in a job.
fn text(path: &Path) -> Result<String, Failure> {
    let odd = || {
        let message = format!("{}: a job cannot name this path: it is not UTF-8, or has a line break", path.display());
        Failure::new(ExitCode::BadInput, message).with_help("rename the folder")
    };
    let text = path.to_str().ok_or_else(odd)?;
    if text.chars().any(char::is_control) { Err(odd()) } else { Ok(text.to_owned()) }
}

fn this_program() -> Result<String, Failure> {
    let path = std::env::current_exe().map_err(|error| {
        Failure::new(ExitCode::Unexpected, format!("this program does not find itself: {error}"))
            .with_help("name it with --dollop")
    })?;
    text(&path)
}

/// The name of a job: from its scene, in letters that every engine accepts.
fn name(scene: &Path) -> String {
    let stem = scene.file_stem().map(|stem| stem.to_string_lossy().into_owned()).unwrap_or_default();
    let name: String = wedge::plain(&stem).chars().take(LONGEST_NAME).collect();
    if name.is_empty() { "scene".into() } else { name }
}

#[cfg(unix)]
fn make_executable(path: &Path) -> Result<(), CacheError> {
    use std::os::unix::fs::PermissionsExt;
    let executable = || {
        let mut rights = fs::metadata(path)?.permissions();
        // Every user who may read it may run it.
        rights.set_mode(rights.mode() | (rights.mode() >> 2) & 0o111);
        fs::set_permissions(path, rights)
    };
    executable().map_err(|source| CacheError::Write { path: path.to_owned(), source })
}

#[cfg(not(unix))]
fn make_executable(_path: &Path) -> Result<(), CacheError> {
    Ok(())
}
