//! Resumes an interrupted bake.

use super::{SimulateArguments, Task};
use crate::failure::{ExitCode, Failure};
use crate::frame_range::FrameList;
use crate::progress::{Event, Progress};
use crate::stepping;
use dollop_cache::{CacheError, CacheFolder, Checkpoint, FrameRecord, Index, OutputKind, Stage, Status, is_whole};
use dollop_sim::Simulation;
use std::collections::BTreeSet;

/// The part of the wanted bake that the folder already holds.
#[derive(Default)]
pub struct ExistingBake {
    /// The folder and its index, if it holds a bake to resume.
    held: Option<(CacheFolder, Index)>,
    checkpoint: Option<Checkpoint>,
    /// The frame of the checkpoint from which the simulation resumed.
    from: Option<i32>,
    has_all: bool,
    /// Frames that exist and are not wanted now, so that they need not be made again.
    spared: BTreeSet<i32>,
    /// Sentences for the user.
    pub remarks: Vec<String>,
}

impl ExistingBake {
    /// Examines the folder if the task is to resume, given the scene's first frame and its hash, and the wanted frames
    /// and kinds of files.
    ///
    /// # Errors
    /// When the folder's bake has another scene or Dollop version, or another process writes into the folder.
    pub fn look(
        task: &Task<'_>,
        first: i32,
        scene: &str,
        wanted: &[i32],
        kinds: &[OutputKind],
    ) -> Result<Self, Failure> {
        let arguments = task.arguments;
        if !task.resume {
            return Ok(Self::default());
        }
        let (folder, index) = match CacheFolder::open_soon(&arguments.cache) {
            Err(CacheError::NotACache(_)) => return Ok(Self::default()),
            opened => opened?,
        };
        folder.sweep(kinds)?;
        if index.scene.sha256 != scene {
            return Err(refusal(
                arguments,
                "holds a bake of another scene, or of this one with other settings or meshes",
            ));
        }
        if index.dollop != env!("CARGO_PKG_VERSION") {
            let by = format!("holds a bake by Dollop {}, which this one cannot go on with", index.dollop);
            return Err(refusal(arguments, &by));
        }
        let whole = whole(arguments, &index, kinds);
        let last = wanted.last().copied().unwrap_or(first);
        let reaches =
            |frame: i32| wanted.iter().take_while(|&&other| other <= frame).all(|other| whole.contains(other));
        let has_all = reaches(i32::MAX);
        let fits = |frame: i32| (first..=last).contains(&frame) && reaches(frame);
        let found = folder.newest_checkpoint(&index.dollop, scene, fits)?;
        let spared = whole.iter().copied().filter(|frame| wanted.binary_search(frame).is_err()).collect();
        let held = Some((folder, index));
        Ok(Self { held, checkpoint: found.newest, from: None, has_all, spared, remarks: found.passed_over })
    }

    /// Whether all wanted frames exist.
    pub fn has_all(&self) -> bool {
        self.has_all
    }

    /// Whether it resumes from a checkpoint.
    pub fn is_resumed(&self) -> bool {
        self.from.is_some()
    }

    /// Reports a bake that is already complete.
    ///
    /// # Errors
    /// When its index cannot be written.
    pub fn tell_done(&mut self, cache: &str, progress: &mut (dyn Progress + Send)) -> Result<(), CacheError> {
        let Some((folder, index)) = &mut self.held else { return Ok(()) };
        if index.done.last().is_some_and(|last| last.frame >= index.frames.end) {
            folder.remove_checkpoints()?;
        }
        // Unless another segment has begun frames and not finished them.
        if index.status != Status::Complete && index.done.len() >= index.frames.count {
            (index.status, index.error) = (Status::Complete, None);
            folder.write_index(index)?;
        }
        Stage::ALL.iter().try_for_each(|&stage| folder.mark(stage, index))?;
        let stepping = stepping::of_bake(&index.done);
        progress.tell(&Event::Done { frames: index.done.len(), seconds: 0.0, cache: cache.to_owned(), stepping });
        Ok(())
    }

    /// Sets a simulation to the checkpoint, if there is one that fits.
    pub fn go_on(&mut self, simulation: &mut Simulation) {
        let Some(Checkpoint { state, frame, .. }) = self.checkpoint.take() else { return };
        match simulation.resume(state, frame) {
            Ok(()) => self.from = Some(frame),
            Err(fault) => self.remarks.push(format!("the checkpoint of frame {frame} is passed over: {fault}")),
        }
    }

    /// The folder to write into, and its present content.
    ///
    /// # Errors
    /// When it does not exist and cannot be made.
    pub fn open(self, task: &Task<'_>, index: Index, made: &[OutputKind]) -> Result<Opened, CacheError> {
        let arguments = task.arguments;
        let Some((folder, before)) = self.held else {
            return match CacheFolder::create(&arguments.cache, arguments.overwrite) {
                // Another process has begun the same bake while this one filled the bodies.
                Err(CacheError::Exists(root)) if task.resume => Err(CacheError::Busy(root)),
                created => Ok(Opened { folder: created?, index, earlier: vec![] }),
            };
        };
        let is_before = |frame: i32| self.from.is_some_and(|from| frame <= from);
        let is_kept = |record: &FrameRecord| is_before(record.frame) || self.spared.contains(&record.frame);
        let (mut index, before) = agreed(index, before, made);
        let (done, mut earlier): (Vec<_>, Vec<_>) = before.done.into_iter().partition(is_kept);
        for record in &mut earlier {
            record.files.retain(|kind, _| !made.contains(kind));
        }
        index = joined(index, done, arguments.frames.as_ref());
        Ok(Opened { folder, index, earlier })
    }
}

/// A folder to bake into.
pub struct Opened {
    /// The folder.
    pub folder: CacheFolder,
    /// The index of its present and future files.
    pub index: Index,
    /// Frames that will be simulated again, with their files of kinds that are not made now: these files stay.
    pub earlier: Vec<FrameRecord>,
}

/// Makes an index and the older one list the same files. Old files of the kinds that are made now are dropped if their
/// settings differ; other kinds stay as listed.
fn agreed(mut index: Index, mut before: Index, made: &[OutputKind]) -> (Index, Index) {
    for output in &mut index.outputs {
        let Some(old) = before.outputs.iter().find(|old| old.kind == output.kind && *old != output) else { continue };
        if !made.contains(&output.kind) {
            *output = old.clone();
            continue;
        }
        for frame in &mut before.done {
            frame.files.remove(&output.kind);
            if output.kind == OutputKind::Mesh {
                frame.mesh = None;
            }
        }
    }
    (index, before)
}

/// The index with the requested frames and the finished ones.
fn joined(index: Index, done: Vec<FrameRecord>, list: Option<&FrameList>) -> Index {
    let mut frames = index.frames.clone();
    if let Some(list) = list {
        let asked = list.within(frames.start, frames.end).unwrap_or_default();
        let all: BTreeSet<i32> = asked.into_iter().chain(done.iter().map(|record| record.frame)).collect();
        let all: Vec<i32> = all.into_iter().collect();
        (frames.requested, frames.count) = (FrameList::of(&all).to_string(), all.len());
    }
    Index { frames, done, ..index }
}

/// The frames of an index with all of their files.
fn whole(arguments: &SimulateArguments, index: &Index, kinds: &[OutputKind]) -> BTreeSet<i32> {
    let is_there = |record: &FrameRecord, kind: OutputKind| {
        index.output(kind).is_some_and(|output| is_whole(&arguments.cache, record, output))
    };
    let has_all = |record: &&FrameRecord| kinds.iter().all(|&kind| is_there(record, kind));
    index.done.iter().filter(has_all).map(|record| record.frame).collect()
}

fn refusal(arguments: &SimulateArguments, what: &str) -> Failure {
    Failure::new(ExitCode::Refused, format!("{}: {what}", arguments.cache.display()))
        .with_help("name another folder with --cache, or use --overwrite instead of --resume to replace it")
}
