//! `dollop mesh` and `dollop volume`: files made from the particles of a bake, without simulating.

mod budget;
mod listing;
mod settings;
mod target;
mod work;

use crate::failure::{ExitCode, Failure};
use crate::frame_range::FrameList;
use crate::outputs::{MatterExtent, Outputs, WrittenFrame};
use crate::panics::lock;
use crate::particle_frames::particle_frames;
use crate::progress::{Event, FrameEvent, Progress, ProgressKind, ended_early, reporter};
use crate::threads::{start_threads, threads};
use crate::{interrupt, machine, panics};
use budget::Budget;
use dollop_cache::{
    CacheError, FrameRecord, Index, OutputKind, OutputRecord, check_particles, is_whole, read_index, read_particles,
};
use dollop_scene::{Output, VolumeOutput};
use dollop_sim::Frame;
use listing::Listing;
use settings::{GivenSettings, Settings};
use std::collections::BTreeSet;
use std::fmt::Debug;
use std::path::PathBuf;
use std::sync::Mutex;
use std::time::Instant;
use target::{Target, TargetFolder};
use work::Ends;

/// A kind of files that a command makes.
pub trait RebuildKind: Debug + Clone + Send + Sync + 'static {
    /// The kind.
    const KIND: OutputKind;
}

/// `dollop mesh`.
#[derive(Debug, Clone)]
pub struct MeshKind;

impl RebuildKind for MeshKind {
    const KIND: OutputKind = OutputKind::Mesh;
}

/// `dollop volume`.
#[derive(Debug, Clone)]
pub struct VolumeKind;

impl RebuildKind for VolumeKind {
    const KIND: OutputKind = OutputKind::Volume;
}

/// Arguments of `dollop mesh` and `dollop volume`.
#[derive(Debug, clap::Args)]
pub struct RebuildArguments<K: RebuildKind> {
    /// Cache folder of a bake with particles
    pub cache: PathBuf,
    /// Frames to make: 5, 1-6, 1..6, 7-20:2, 1-3,5, -3..2 [default: all that have particles]
    #[arg(long, value_name = "FRAMES", allow_hyphen_values = true)]
    pub frames: Option<FrameList>,
    /// Folder to write into, which becomes a cache: a new or empty one [default: the cache itself]
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,
    /// Leave out frames whose files are there and whole
    #[arg(long, conflicts_with = "out")]
    pub resume: bool,
    /// Replace the cache that the folder of --out holds
    #[arg(long, requires = "out")]
    pub overwrite: bool,
    /// Number of threads; 0 uses all cores. The result does not depend on it
    #[arg(long, value_name = "N", default_value_t = 0, allow_hyphen_values = true, value_parser = threads)]
    pub threads: u16,
    /// How to tell of progress
    #[arg(long, value_enum, default_value_t = ProgressKind::Human)]
    pub progress: ProgressKind,
    #[command(flatten)]
    #[allow(missing_docs, reason = "a sentence would become the help of the command")]
    pub settings: Settings<K>,
}

/// The request of the user.
struct Request {
    kind: OutputKind,
    cache: PathBuf,
    frames: Option<FrameList>,
    /// Whether to leave out existing files.
    resume: bool,
    place: TargetFolder,
    given: GivenSettings,
    progress: ProgressKind,
}

/// Makes the files of a kind.
///
/// # Errors
/// A fault of the cache, the settings, the folder to write into or Dollop. The progress report receives it, too.
pub fn rebuild<K: RebuildKind>(arguments: &RebuildArguments<K>) -> Result<ExitCode, Failure> {
    let RebuildArguments { cache, frames, out, resume, overwrite, threads, progress, settings } = arguments;
    let request = Request {
        kind: K::KIND,
        cache: cache.clone(),
        frames: frames.clone(),
        resume: *resume,
        place: TargetFolder::of(cache, out.as_deref(), *overwrite),
        given: settings.given.clone(),
        progress: *progress,
    };
    let work = || {
        interrupt::listen_to_signals(ended_early(*progress, request.place.folder()));
        start_threads(*threads)?;
        request.run()
    };
    let result = panics::catch(work).and_then(|result| result).map_err(written_elsewhere);
    if let Err(failure) = &result {
        reporter(*progress).tell(&failure.into());
    }
    result
}

/// Write failures are reported as for a bake, whose option for the folder has another name.
fn written_elsewhere(failure: Failure) -> Failure {
    if failure.code != ExitCode::CannotWrite {
        return failure;
    }
    Failure { help: failure.help.map(|help| help.replace("--cache", "--out")), ..failure }
}

impl Request {
    fn run(&self) -> Result<ExitCode, Failure> {
        self.place.check()?;
        // Before any file is written: the memory, estimated from the first frame.
        let index = read_index(&self.cache)?;
        let mut wanted = particle_frames(&self.cache, &index, self.frames.as_ref())?;
        let output = settings::output(&self.cache, &index, self.kind, &self.given)?;
        let mesh = settings::mesh(&self.cache, &index)?;
        let outputs = Outputs::new(&output, mesh.as_ref(), index.particle_spacing, &index.materials())?;
        let first = self.read(&index, &wanted[0])?;
        let records = outputs.records(&first);
        let bytes_per_particle = memory(&outputs, &first) / first.len().max(1) as f64;
        drop(first);
        let warning = self.missing_grids(&output, &records).map(|message| (wanted[0].frame, message));
        if self.resume && self.place.is_beside(&index, self.kind, &records) {
            wanted.retain(|record| !records.iter().all(|output| is_whole(&self.cache, record, output)));
        }
        wanted
            .iter()
            .try_for_each(|record| check_particles(&self.cache, &index, record))
            .map_err(|error| self.unread(error))?;
        if self.place.is_emptied(&index, self.kind, &records) {
            // If damage were found after old files are gone, they would have been removed for nothing.
            wanted.iter().skip(1).try_for_each(|record| self.read(&index, record).map(drop))?;
        }
        interrupt::begin();
        let target = Target::prepare(index.clone(), &self.place, self.kind, records, &wanted)?;
        let mut progress = reporter(self.progress);
        progress.tell(&Event::Rebuild {
            kind: self.kind.name(),
            from: self.cache.display().to_string(),
            cache: self.place.folder().display().to_string(),
            write: wanted.len(),
        });
        if let Some((frame, message)) = warning {
            progress.tell(&Event::Warning { frame, message });
        }
        let work = Work { request: self, source: &index, outputs: &outputs, bytes_per_particle, begun: Instant::now() };
        work.run(&target, &wanted, &mut *progress)
    }

    fn read(&self, index: &Index, record: &FrameRecord) -> Result<Frame, Failure> {
        read_particles(&self.cache, index, record).map_err(|error| self.unread(error))
    }

    /// Unreadable particles. In the same cache the other frames must not alone get files of other settings.
    fn unread(&self, error: CacheError) -> Failure {
        let is_one_frame = matches!(error, CacheError::Particles { .. });
        let failure = Failure::from(error);
        match self.place {
            TargetFolder::Same(_) if is_one_frame => failure.with_help(LEAVE_OUT),
            _ => failure,
        }
    }

    /// Warns of requested grids that this matter does not carry.
    fn missing_grids(&self, output: &Output, records: &[OutputRecord]) -> Option<String> {
        let asked = &output.volume.as_ref().filter(|_| self.kind == OutputKind::Volume)?.grids;
        if *asked == VolumeOutput::default().grids {
            return None;
        }
        let is_there = |name: &str| records.iter().flat_map(|record| &record.attributes).any(|grid| grid.name == name);
        let names = serde_json::to_value(asked).ok()?;
        let missing = names.as_array()?.iter().filter_map(|name| name.as_str()).find(|name| !is_there(name))?;
        Some(format!(
            "--grids asks for `{missing}`, but the particles of this bake have none, so it will not be written; leave the \
             grid out"
        ))
    }
}

const LEAVE_OUT: &str =
    "leave the frame out with --frames and write into another folder with --out, or bake it again with particles";

/// Bytes of a frame and of making its files.
fn memory(outputs: &Outputs, frame: &Frame) -> f64 {
    let matter = MatterExtent::of_frame(frame);
    matter.frame() + outputs.footprint(&matter)
}

/// The conditions that end the work early.
const ENDS: Ends = Ends { is_cancelled: interrupt::requested, is_overdue: interrupt::is_overdue };

/// The work of making the files.
struct Work<'a> {
    request: &'a Request,
    /// The index of the cache with the particles.
    source: &'a Index,
    outputs: &'a Outputs,
    /// Memory of the first frame, per particle.
    bytes_per_particle: f64,
    begun: Instant,
}

/// A finished frame.
struct Made {
    record: FrameRecord,
    written: WrittenFrame,
    seconds: f64,
}

/// Frames that were begun and are not listed yet.
#[derive(Default)]
struct FramesInProgress(Mutex<BTreeSet<i32>>);

impl FramesInProgress {
    fn begin(&self, frame: i32) {
        lock(&self.0).insert(frame);
    }

    fn end(&self, frame: i32) {
        lock(&self.0).remove(&frame);
    }

    fn frames(&self) -> Vec<i32> {
        lock(&self.0).iter().copied().collect()
    }
}

impl Work<'_> {
    fn run(&self, target: &Target, wanted: &[FrameRecord], progress: &mut dyn Progress) -> Result<ExitCode, Failure> {
        let mut listing = Listing::new(target, self.request.kind)?;
        let budget = Budget::new(machine::memory_for_frames());
        let at_hand = FramesInProgress::default();
        let make = |record: &FrameRecord| {
            at_hand.begin(record.frame);
            let clock = Instant::now();
            // Before the frame is read: an estimate.
            let mut loan = budget.lend(self.bytes_per_particle * record.particles as f64);
            let frame = self.request.read(self.source, record)?;
            loan.correct(memory(self.outputs, &frame));
            let written = rayon::scope(|_| self.outputs.write(&target.folder, &frame))?;
            Ok(Made { record: record.clone(), written, seconds: clock.elapsed().as_secs_f64() })
        };
        let mut count = 0;
        let take = |made: Option<Made>| {
            let Some(Made { record, written, seconds }) = made else {
                self.abandon(&mut listing, count, &at_hand.frames(), progress)
            };
            count += 1;
            let names = written.names.clone();
            listing.list(&record, written, seconds)?;
            at_hand.end(record.frame);
            progress.tell(&Event::Frame(FrameEvent {
                frame: record.frame,
                index: count,
                total: wanted.len(),
                particles: record.particles,
                stepped: None,
                seconds,
                eta: Some(self.begun.elapsed().as_secs_f64() / count as f64 * (wanted.len() - count) as f64),
                files: names,
            }));
            Ok(())
        };
        let lanes = rayon::current_num_threads();
        let result = work::side_by_side(wanted, lanes, ENDS, make, take);
        // The cause of the end, a full disk say, may make this fail too; the first failure counts.
        let listed = listing.close(&result);
        let is_complete = result?;
        listed?;
        let (seconds, cache) = (self.begun.elapsed().as_secs_f64(), self.request.place.folder().display().to_string());
        if is_complete {
            progress.tell(&Event::Done { frames: count, seconds, cache, stepping: Vec::new() });
            return Ok(ExitCode::Success);
        }
        progress.tell(&Event::Cancelled { frames: count, seconds, cache });
        Ok(ExitCode::Cancelled)
    }

    /// Ends the process after a request, when unfinished frames take too long; they are dropped.
    fn abandon(&self, listing: &mut Listing, frames: usize, at_hand: &[i32], progress: &mut dyn Progress) -> ! {
        let (seconds, cache) = (self.begun.elapsed().as_secs_f64(), self.request.place.folder().display().to_string());
        match listing.abandon(at_hand).map_err(Failure::from) {
            Ok(()) => progress.tell(&Event::Cancelled { frames, seconds, cache }),
            Err(failure) => {
                progress.tell(&(&failure).into());
                interrupt::end_by(&failure);
            }
        }
        interrupt::end();
    }
}
