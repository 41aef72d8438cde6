//! `dollop bake`: simulate and write, frame by frame.

mod interrupt;
mod outputs;
mod progress;
mod run;

use crate::arguments::BakeArguments;
use crate::failure::{ExitCode, Failure};
use crate::frame_range::FrameList;
use crate::panics;
use crate::scene_file::{JsonPath, SceneFile};
use crate::scene_hash::scene_hash;
use crate::setup::{Setup, prepare};
use dollop_cache::{BodyRecord, CacheFolder, FORMAT, FrameRange, Index, SceneRecord, Status, VERSION};
use dollop_sim::Estimate;
use outputs::Outputs;
use progress::{Event, Progress, reporter};
use run::{Bake, Ending};

/// Bakes a scene.
///
/// # Errors
/// What is wrong with the scene, the cache folder or Dollop. It is also told to the progress report.
pub fn bake(arguments: &BakeArguments) -> Result<ExitCode, Failure> {
    interrupt::listen();
    let mut progress = reporter(arguments.progress);
    let work = || pool(arguments.threads)?.install(|| simulate(arguments, &mut *progress));
    let result = panics::catch(work).and_then(|result| result);
    if let Err(failure) = &result {
        reporter(arguments.progress).tell(&failure.into());
    }
    result
}

fn pool(threads: u16) -> Result<rayon::ThreadPool, Failure> {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads.into()).build();
    pool.map_err(|error| Failure::new(ExitCode::Unexpected, format!("{threads} threads cannot be started: {error}")))
}

fn simulate(arguments: &BakeArguments, progress: &mut (dyn Progress + Send)) -> Result<ExitCode, Failure> {
    let mut setup = prepare(&arguments.scene)?;
    let (list, wanted) = wanted(&setup.file, arguments.frames.as_ref())?;
    let outputs = Outputs::new(&setup.file.scene);
    let estimate = setup.simulation.estimate();
    let index = index(&setup, &list, wanted.len(), &estimate, &outputs);
    let folder = CacheFolder::create(&arguments.cache, arguments.overwrite)?;
    let cache = arguments.cache.display().to_string();
    let mut bake = Bake::new(folder, outputs, index, wanted, progress, interrupt::requested);
    bake.progress.tell(&start(&bake.wanted, setup.file.scene.frames.start, &cache, &estimate));
    let ending = bake.run(&mut setup.simulation, &cache)?;
    Ok(if ending == Ending::Complete { ExitCode::Success } else { ExitCode::Cancelled })
}

/// The frames to write: the list as the index tells it, and each.
fn wanted(file: &SceneFile, list: Option<&FrameList>) -> Result<(FrameList, Vec<i32>), Failure> {
    let frames = &file.scene.frames;
    let list = list.cloned().unwrap_or_else(|| FrameList::all(frames.start, frames.end));
    let wanted = list.within(frames.start, frames.end).map_err(|outside| {
        let message = format!("the scene has frames {} to {}; --frames asks for {outside}", frames.start, frames.end);
        file.failure(&JsonPath::default().key("frames"), message)
    })?;
    Ok((list, wanted))
}

fn start(wanted: &[i32], first: i32, cache: &str, estimate: &Estimate) -> Event {
    let last = wanted.last().copied().unwrap_or(first);
    Event::Start {
        cache: cache.to_owned(),
        first,
        last,
        total: first.abs_diff(last) as usize + 1,
        write: wanted.len(),
        particles: estimate.particles.iter().sum(),
        warnings: estimate.warnings.clone(),
    }
}

fn index(setup: &Setup, list: &FrameList, count: usize, estimate: &Estimate, outputs: &Outputs) -> Index {
    let scene = &setup.file.scene;
    let bodies = scene.bodies.iter().zip(&estimate.particles).zip(0..);
    Index {
        format: FORMAT.into(),
        version: VERSION,
        dollop: env!("CARGO_PKG_VERSION").into(),
        status: Status::Running,
        error: None,
        scene: SceneRecord { path: setup.file.file.display().to_string(), sha256: scene_hash(scene, &setup.meshes) },
        frames: FrameRange {
            start: scene.frames.start,
            end: scene.frames.end,
            rate: scene.frames.rate,
            requested: list.to_string(),
            count,
        },
        particle_spacing: scene.particle_spacing,
        bodies: bodies
            .map(|((body, &particles), source)| BodyRecord { source, name: body.name.clone(), particles })
            .collect(),
        outputs: outputs.records(&setup.simulation.frame()),
        done: Vec::new(),
    }
}
