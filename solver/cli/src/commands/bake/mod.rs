//! `dollop bake`: simulate and write, frame by frame.

mod ending;
mod frame_writer;
mod producer;
mod remaining;
mod resume;
mod run;
mod source;

use crate::failure::{ExitCode, Failure};
use crate::frame_range::FrameList;
use crate::outputs::{Outputs, materials, outputs_of, particles_of};
use crate::progress::{Event, Progress, ProgressKind, ended_early, reporter};
use crate::scene_file::{SceneFile, is_standard_input};
use crate::scene_hash::scene_hash;
use crate::setup::{Plan, setup_failure};
use crate::steps;
use crate::threads::{start_threads_here, threads};
use crate::{interrupt, panics};
use dollop_cache::{BodyRecord, CacheFolder, FORMAT, FrameRange, Index, SceneRecord, Status, VERSION};
use dollop_scene::{JsonPath, Scene};
use dollop_sim::{Estimate, Settling, Simulation, SimulationError};
use resume::{ExistingBake, Opened};
use run::Bake;
use source::{Ending, FrameSpan};
use std::path::PathBuf;
use std::time::Instant;

/// Arguments of `dollop bake`.
#[derive(Debug, clap::Args)]
pub struct BakeArguments {
    #[command(flatten)]
    #[allow(missing_docs, reason = "a sentence would become the help of the command")]
    pub common: SimulateArguments,
    /// Go on with the bake of this scene that the folder holds, from its last checkpoint; begin one if there is none
    #[arg(long, conflicts_with = "overwrite")]
    pub resume: bool,
}

/// Arguments of `dollop simulate`, and of `dollop bake` as far as they are the same.
#[derive(Debug, clap::Args)]
pub struct SimulateArguments {
    /// Scene file (JSON); - reads standard input
    pub scene: PathBuf,
    /// Folder to write into: a new or empty one
    #[arg(long, value_name = "DIR")]
    pub cache: PathBuf,
    /// Frames to write: 5, 1-6, 1..6, 7-20:2, 1-3,5, -3..2. Time always runs from the scene's first frame [default:
    /// all]
    #[arg(long, value_name = "FRAMES", allow_hyphen_values = true)]
    pub frames: Option<FrameList>,
    /// Number of threads; 0 uses all cores. The result does not depend on it
    #[arg(long, value_name = "N", default_value_t = 0, allow_hyphen_values = true, value_parser = threads)]
    pub threads: u16,
    /// How to tell of progress
    #[arg(long, value_enum, default_value_t = ProgressKind::Human)]
    pub progress: ProgressKind,
    /// Replace the bake that the folder holds
    #[arg(long)]
    pub overwrite: bool,
    /// Frames between two checkpoints, or fewer where these take more than a minute; 0 makes one only where a bake is
    /// stopped
    #[arg(long, value_name = "N", default_value_t = 10)]
    pub checkpoint: u32,
    /// End, as by Ctrl-C, when standard input is closed: when the program that holds it open has gone
    #[arg(long)]
    pub until_stdin_closes: bool,
}

/// The task of a bake.
struct Task<'a> {
    arguments: &'a SimulateArguments,
    /// Whether to resume the bake in the folder.
    resume: bool,
    /// Whether to write particles alone, and leave the scene's other outputs to other commands.
    particles_alone: bool,
}

/// Bakes a scene.
///
/// # Errors
/// A fault of the scene, the cache folder or Dollop. The progress report receives it, too.
pub fn bake(BakeArguments { common, resume }: &BakeArguments) -> Result<ExitCode, Failure> {
    Task { arguments: common, resume: *resume, particles_alone: false }.run()
}

/// Simulates a scene, or goes on with it.
///
/// # Errors
/// As [`bake`].
pub fn simulate(arguments: &SimulateArguments) -> Result<ExitCode, Failure> {
    Task { arguments, resume: !arguments.overwrite, particles_alone: true }.run()
}

/// Starts the listeners for signals and input that end the bake early. An end before the bake began is reported as any
/// other.
fn listen(arguments: &SimulateArguments) -> Result<(), Failure> {
    let tell = ended_early(arguments.progress, &arguments.cache);
    interrupt::listen_to_signals(tell.clone());
    if !arguments.until_stdin_closes {
        return Ok(());
    }
    if is_standard_input(&arguments.scene) {
        let message = "--until-stdin-closes waits for the end of standard input, and - reads the scene from it";
        return Err(Failure::new(ExitCode::BadInput, message).with_help("save the scene and name its file"));
    }
    interrupt::listen_to_input(tell)
        .map_err(|error| Failure::new(ExitCode::Unexpected, format!("a thread cannot be started: {error}")))
}

impl Task<'_> {
    fn run(&self) -> Result<ExitCode, Failure> {
        let kind = self.arguments.progress;
        let mut progress = reporter(kind);
        let work = || {
            listen(self.arguments)?;
            start_threads_here(self.arguments.threads)?;
            self.work(&mut *progress)
        };
        let result = panics::catch(work).and_then(|result| result);
        if let Err(failure) = &result {
            reporter(kind).tell(&failure.into());
        }
        result
    }

    fn work(&self, progress: &mut (dyn Progress + Send)) -> Result<ExitCode, Failure> {
        let Self { arguments, resume, .. } = *self;
        let plan = Plan::read(&arguments.scene)?;
        let scene = &plan.file.scene;
        let (list, wanted) = wanted(&plan.file, arguments.frames.as_ref())?;
        CacheFolder::check(&arguments.cache, arguments.overwrite || resume)?;
        let cache = arguments.cache.display().to_string();
        let first = scene.frames.start;
        let hash = scene_hash(scene, &plan.meshes);
        let outputs = if self.particles_alone { particles_of(scene)? } else { outputs_of(scene)? };
        let kinds = outputs.kinds();
        let mut past = ExistingBake::look(self, first, &hash, &wanted, &kinds)?;
        if past.has_all() {
            past.tell_done(&cache, progress)?;
            return Ok(ExitCode::Success);
        }
        progress.tell(&Event::Fill { bodies: plan.outlines.len(), particles: plan.particles() });
        let mut simulation = plan.fill()?;
        past.go_on(&mut simulation);
        settle(&mut simulation, progress).map_err(|error| setup_failure(&plan.file, &error.into()))?;
        let mut estimate = plan.completed(simulation.estimate())?;
        let index = index(&plan, hash, &simulation, &list, wanted.len(), &estimate, &outputs);
        estimate.warnings.append(&mut past.remarks);
        if !past.is_resumed() {
            // A resumed bake reported it at its beginning, and it takes long where there are many materials.
            estimate = plan.with_meeting(estimate);
        }
        interrupt::begin();
        let from = simulation.frame_number();
        let goes_on = resume && wanted.last().is_some_and(|&last| last < scene.frames.end);
        let way = FrameSpan { start: first, from, is_resumed: past.is_resumed(), every: arguments.checkpoint, goes_on };
        let Opened { folder, index, earlier } = past.open(self, index, &kinds)?;
        progress.tell(&start(scene, &wanted, way.first(), &cache, &estimate));
        let bake = Bake::new(&folder, outputs, index, wanted, way, progress, interrupt::requested);
        let mut bake = bake.with_earlier(earlier);
        let ending = bake.run(&mut simulation, &cache)?;
        Ok(if ending == Ending::Complete { ExitCode::Success } else { ExitCode::Cancelled })
    }
}

/// Seconds between two events while matter settles.
const SETTLING_PACE: f64 = 1.0;

/// Lets the matter settle, if it has not, and finds its steps from there on.
fn settle(simulation: &mut Simulation, progress: &mut (dyn Progress + Send)) -> Result<(), SimulationError> {
    let mut told: Option<Instant> = None;
    simulation.settle(|Settling { step, most }| {
        if told.is_none_or(|told| told.elapsed().as_secs_f64() > SETTLING_PACE) {
            progress.tell(&Event::Settle { step, most });
            told = Some(Instant::now());
        }
    })?;
    simulation.find_steps()
}

/// The frames to write: as the text in the index, and one by one.
fn wanted(file: &SceneFile, list: Option<&FrameList>) -> Result<(FrameList, Vec<i32>), Failure> {
    let frames = &file.scene.frames;
    let list = list.cloned().unwrap_or_else(|| FrameList::all(frames.start, frames.end));
    let wanted = list.within(frames.start, frames.end).map_err(|outside| {
        let (start, end) = (frames.start, frames.end);
        let message = format!("the scene has frames {start} to {end}; --frames asks for {}", list.asked(outside));
        file.failure(&JsonPath::default().key("frames"), message)
    })?;
    Ok((list, wanted))
}

fn start(scene: &Scene, wanted: &[i32], first: i32, cache: &str, estimate: &Estimate) -> Event {
    let last = wanted.last().copied().unwrap_or(first);
    Event::Start {
        cache: cache.to_owned(),
        first,
        last,
        total: first.abs_diff(last) as usize + 1,
        write: wanted.iter().filter(|frame| (first..=last).contains(frame)).count(),
        particles: estimate.particles.iter().sum(),
        steps: steps::sentence(scene, estimate),
        warnings: estimate.warnings.clone(),
    }
}

fn index(
    plan: &Plan,
    sha256: String,
    simulation: &Simulation,
    list: &FrameList,
    count: usize,
    estimate: &Estimate,
    outputs: &Outputs,
) -> Index {
    let scene = &plan.file.scene;
    let bodies = scene.bodies.iter().zip(&estimate.particles).zip(0..);
    let frame = simulation.frame();
    Index {
        format: FORMAT.into(),
        version: VERSION,
        dollop: env!("CARGO_PKG_VERSION").into(),
        status: Status::Running,
        error: None,
        scene: SceneRecord { path: plan.file.file.display().to_string(), sha256 },
        frames: FrameRange {
            start: scene.frames.start,
            end: scene.frames.end,
            rate: scene.frames.rate,
            requested: list.to_string(),
            count,
        },
        particle_spacing: scene.particle_spacing,
        kernel: Some(frame.kernel.into()),
        bodies: bodies
            .zip(materials(scene))
            .map(|(((body, &particles), source), material)| BodyRecord {
                source,
                name: body.name.clone(),
                particles,
                material: Some(material),
                lasting: frame.lasting.get(source as usize).is_some_and(|lasting| *lasting),
                apart: frame.is_apart(source),
                skin: frame.skins.get(source as usize).and_then(|skin| skin.map(Into::into)),
            })
            .collect(),
        colliders: scene.colliders.iter().map(|collider| collider.name.clone()).collect(),
        outputs: outputs.records(&frame),
        done: Vec::new(),
    }
}
