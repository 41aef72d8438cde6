//! `dollop bake`: simulate and write, frame by frame.

mod footprint;
pub mod interrupt;
mod journey;
mod outputs;
pub mod progress;
mod remaining;
mod resume;
mod run;

pub use footprint::Matter;
pub use outputs::{Outputs, Written};

use crate::arguments::{BakeArguments, ProgressKind, SimulateArguments};
use crate::failure::{ExitCode, Failure};
use crate::frame_range::FrameList;
use crate::panics;
use crate::scene_file::{SceneFile, is_standard_input};
use crate::scene_hash::scene_hash;
use crate::setup::{Plan, setup_failure};
use crate::steps;
use dollop_cache::{
    BodyRecord, CacheFolder, FORMAT, FrameRange, Index, OutputKind, SceneRecord, Status, UnknownFormat, VERSION,
};
use dollop_scene::{Body, JsonPath, Output, Scene};
use dollop_sim::{Estimate, Settling, Simulation, SimulationError};
use progress::{Event, Progress, reporter};
use rayon::ThreadPoolBuilder;
use resume::{Opened, Past};
use run::{Bake, Ending, Way};
use std::collections::HashMap;
use std::path::Path;
use std::time::Instant;

/// What is to be done.
struct Task<'a> {
    arguments: &'a SimulateArguments,
    /// Whether to go on with what the folder holds.
    resume: bool,
    /// Whether to write particles alone, and leave all else that the scene asks for to others.
    particles_alone: bool,
}

/// Bakes a scene.
///
/// # Errors
/// What is wrong with the scene, the cache folder or Dollop. It is also told to the progress report.
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

/// Starts the common pool of threads, which the loops of a bake and of rebuilt files run on.
///
/// # Errors
/// When they cannot be started.
pub fn start_threads(threads: u16) -> Result<(), Failure> {
    start_pool(ThreadPoolBuilder::new(), threads)
}

/// Starts the common pool of threads with this one as the first. What runs here is then never handed over to the pool as a
/// whole, where a thread that waits for a part of other work might take it up and hold that work until it ends.
///
/// # Errors
/// When they cannot be started.
pub fn start_threads_here(threads: u16) -> Result<(), Failure> {
    start_pool(ThreadPoolBuilder::new().use_current_thread(), threads)
}

fn start_pool(pool: ThreadPoolBuilder, threads: u16) -> Result<(), Failure> {
    let started = pool.num_threads(threads.into()).build_global();
    started.map_err(|error| Failure::new(ExitCode::Unexpected, format!("{threads} threads cannot be started: {error}")))
}

/// Listens for what may end the bake early. An end before the bake began is told as any other.
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

/// What tells that an end was asked for before anything was written.
pub fn ended_early(kind: ProgressKind, cache: &Path) -> impl Fn() + Clone + Send + 'static {
    let (cache, begun) = (cache.display().to_string(), Instant::now());
    move || {
        let (cache, seconds) = (cache.clone(), begun.elapsed().as_secs_f64());
        reporter(kind).tell(&Event::Cancelled { frames: 0, seconds, cache });
    }
}

/// Tells an error in the command line itself as an event, where the command line asks for events.
pub fn tell_usage_error(error: &clap::Error) {
    let words: Vec<_> = std::env::args_os().skip(1).collect();
    let pair = words.windows(2).any(|pair| pair[0] == "--progress" && pair[1] == "json");
    let command =
        words.first().filter(|&word| ["bake", "simulate", "mesh", "volume"].iter().any(|command| word == command));
    if let Some(command) = command.map(|word| word.display())
        && (pair || words.iter().any(|word| word == "--progress=json"))
    {
        let text = error.to_string();
        let message = text.lines().take_while(|line| !line.is_empty()).map(str::trim).collect::<Vec<_>>().join(" ");
        let message = message.strip_prefix("error: ").unwrap_or(&message);
        let failure = Failure::new(ExitCode::BadInput, message).with_help(format!("see dollop {command} --help"));
        reporter(ProgressKind::Json).tell(&(&failure).into());
    }
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
        let mut past = Past::look(self, (first, &hash), (&wanted, &kinds))?;
        if past.has_all() {
            past.tell_done(&cache, progress)?;
            return Ok(ExitCode::Success);
        }
        progress.tell(&Event::Fill { bodies: plan.outlines.len(), particles: plan.particles() });
        let mut simulation = plan.fill()?;
        past.go_on(&mut simulation);
        settle(&mut simulation, progress).map_err(|error| setup_failure(&plan.file, &error.into()))?;
        let mut estimate = plan.completed(simulation.estimate())?;
        let index = index((&plan, hash), &simulation, (&list, wanted.len()), &estimate, &outputs);
        estimate.warnings.append(&mut past.remarks);
        if !past.is_resumed() {
            // Else it was told when the bake began, and takes long where there are many materials.
            estimate = plan.with_meeting(estimate);
        }
        interrupt::begin();
        let from = simulation.frame_number();
        let goes_on = resume && wanted.last().is_some_and(|&last| last < scene.frames.end);
        let way = Way { start: first, from, is_resumed: past.is_resumed(), every: arguments.checkpoint, goes_on };
        let Opened { folder, index, earlier } = past.open(self, index, &kinds)?;
        progress.tell(&start(scene, &wanted, (way.first(), &cache), &estimate));
        let bake = Bake::new(&folder, outputs, index, wanted, way, progress, interrupt::requested);
        let mut bake = bake.with_earlier(earlier);
        let ending = bake.run(&mut simulation, &cache)?;
        Ok(if ending == Ending::Complete { ExitCode::Success } else { ExitCode::Cancelled })
    }
}

/// What a scene asks for, of which particles alone are made now.
fn particles_of(scene: &Scene) -> Result<Outputs, UnknownFormat> {
    let particles = scene.output.particles.clone().unwrap_or_default();
    let output = Output { particles: Some(particles), ..scene.output.clone() };
    let outputs = Outputs::new(&output, output.mesh.as_ref(), scene.particle_spacing, &materials(scene));
    Ok(outputs?.making(OutputKind::Particles))
}

/// What a scene asks for.
///
/// # Errors
/// When that is a format that there is not.
pub fn outputs_of(scene: &Scene) -> Result<Outputs, UnknownFormat> {
    Outputs::new(&scene.output, scene.output.mesh.as_ref(), scene.particle_spacing, &materials(scene))
}

/// For each body the number of the first of the same material.
fn materials(scene: &Scene) -> Vec<u32> {
    let mut firsts: HashMap<String, u32> = HashMap::new();
    let told = |body: &Body| serde_json::to_string(&body.material).unwrap_or_else(|_| body.name.clone());
    (0..).zip(&scene.bodies).map(|(number, body)| *firsts.entry(told(body)).or_insert(number)).collect()
}

/// Seconds between two events while matter settles.
const SETTLING_PACE: f64 = 1.0;

/// Lets the matter settle, where it has not, and finds the steps that it takes from there.
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

/// The frames to write: the list as the index tells it, and each.
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

fn start(scene: &Scene, wanted: &[i32], (first, cache): (i32, &str), estimate: &Estimate) -> Event {
    let last = wanted.last().copied().unwrap_or(first);
    Event::Start {
        cache: cache.to_owned(),
        first,
        last,
        total: first.abs_diff(last) as usize + 1,
        write: wanted.len(),
        particles: estimate.particles.iter().sum(),
        steps: steps::sentence(scene, estimate),
        warnings: estimate.warnings.clone(),
    }
}

fn index(
    (plan, sha256): (&Plan, String),
    simulation: &Simulation,
    (list, count): (&FrameList, usize),
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
                skin: frame.skins.get(source as usize).and_then(|skin| skin.map(Into::into)),
            })
            .collect(),
        outputs: outputs.records(&frame),
        done: Vec::new(),
    }
}
