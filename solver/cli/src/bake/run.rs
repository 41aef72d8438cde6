//! The loop of a bake, over anything that gives frames. While the files of a frame are made, the next one is simulated,
//! where there is more than one thread.

use super::outputs::{Outputs, Written};
use super::progress::{Event, FrameEvent, Progress, SteppedEvent};
use super::remaining::Pace;
use crate::failure::{ExitCode, Failure};
use crate::ledger::Ledger;
use crate::{panics, stepping};
use dollop_cache::{
    CacheError, CacheFolder, Checkpoint, FrameRecord, Index, OutputKind, Stage, Status, occupied_bins, read_index,
};
use dollop_sim::{Frame, Simulation, State};
use std::sync::mpsc::{self, Receiver, SyncSender, TrySendError};
use std::thread;
use std::time::{Duration, Instant};

/// Gives frames one after another.
pub trait FrameSource: Send {
    /// The frame it stands at.
    fn frame(&self) -> Frame;

    /// Goes on to the next frame.
    ///
    /// # Errors
    /// Why there is none, in a sentence for the user.
    fn advance(&mut self) -> Result<(), String>;

    /// All that it takes to go on from here; none of what cannot.
    fn state(&self) -> Option<State> {
        None
    }

    /// What to tell the user when the scene's last frame is done, a sentence each.
    fn remarks(&self) -> Vec<String> {
        Vec::new()
    }
}

impl FrameSource for Simulation {
    fn frame(&self) -> Frame {
        self.frame()
    }

    fn advance(&mut self) -> Result<(), String> {
        self.advance().map_err(|error| error.to_string())
    }

    fn state(&self) -> Option<State> {
        Some(self.state())
    }

    fn remarks(&self) -> Vec<String> {
        self.remarks()
    }
}

/// How a bake ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ending {
    /// All frames are written.
    Complete,
    /// An end was asked for.
    Cancelled,
}

/// A bake under way.
pub struct Bake<'a> {
    keeper: Keeper<'a>,
    way: Way,
    is_cancelled: fn() -> bool,
}

/// From where to where a bake goes.
#[derive(Debug, Clone, Copy)]
pub struct Way {
    /// The scene's first frame.
    pub start: i32,
    /// The frame that the source stands at.
    pub from: i32,
    /// Whether that has been written before.
    pub is_resumed: bool,
    /// Frames from checkpoint to checkpoint; zero for none but where it is stopped.
    pub every: u32,
    /// Whether another bake will go on from the last frame.
    pub goes_on: bool,
}

impl Way {
    /// The first frame that is handed over: where it goes on, what it stands at was written before.
    pub fn first(&self) -> i32 {
        if self.is_resumed { self.from.saturating_add(1) } else { self.from }
    }
}

/// What is handed over from where it is simulated to where it is written.
enum Parcel {
    Frame(Box<Simulated>),
    /// What the source was at the end of the frame handed over before.
    State(Box<State>, i32),
}

/// A frame that is there, and how long it took to get to it.
struct Simulated {
    frame: Frame,
    /// None for the frame that was there at the start, s.
    seconds: Option<f64>,
}

impl<'a> Bake<'a> {
    /// A bake that has not begun, of the frames `wanted` in rising order.
    pub fn new(
        folder: &'a CacheFolder,
        outputs: Outputs,
        index: Index,
        wanted: Vec<i32>,
        way: Way,
        progress: &'a mut (dyn Progress + Send),
        is_cancelled: fn() -> bool,
    ) -> Self {
        let (ledger, pace) = (Ledger::new(folder, index), Pace::default());
        let (begun, earlier) = (Instant::now(), Vec::new());
        let keeper =
            Keeper { folder, ledger, outputs, wanted, earlier, progress, begun, pace, told_of_crushing: false };
        Self { keeper, way, is_cancelled }
    }

    /// The same where files of kinds that are not made now are there of some frames.
    pub fn with_earlier(mut self, earlier: Vec<FrameRecord>) -> Self {
        self.keeper.earlier = earlier;
        self
    }

    /// Bakes. Whatever happens, the index tells at last how it ended and lists only whole frames. The loops of the source run
    /// on the common pool of threads, which the calling thread had best be one of (`start_threads_here`).
    ///
    /// # Errors
    /// When a file cannot be written, or the source has no next frame or panics.
    pub fn run(&mut self, source: &mut dyn FrameSource, cache: &str) -> Result<Ending, Failure> {
        self.keeper.ledger.write()?;
        self.keeper.unmark()?;
        let result = self.frames(source);
        if let Ok(Ending::Complete) = result {
            self.keeper.tell_remarks(&*source);
        }
        match &result {
            Ok(ending) => self.keeper.close(*ending, cache, self.way.goes_on)?,
            Err(failure) => self.keeper.fail(failure),
        }
        result
    }

    /// Simulates here, and makes and writes files on another thread, one frame behind.
    fn frames(&mut self, source: &mut dyn FrameSource) -> Result<Ending, Failure> {
        let (way, is_cancelled) = (self.way, self.is_cancelled);
        let last = self.keeper.wanted.last().copied().unwrap_or(way.from);
        let journey = Journey { way, last, is_cancelled };
        let (keeper, span) = (&mut self.keeper, (way.first(), last));
        if rayon::current_num_threads() == 1 {
            let keep = |next| keeper.keep(next, span).map(|()| true);
            return panics::catch(|| journey.simulate(source, keep))?;
        }
        // Nobody waits in the channel: a frame is handed over when the one before is whole, so there are two at most.
        let (sender, receiver) = mpsc::sync_channel(0);
        thread::scope(|scope| {
            let keep_all = move || panics::catch(|| keeper.keep_all(receiver, span)).and_then(|kept| kept);
            let keeping = thread::Builder::new()
                .spawn_scoped(scope, keep_all)
                .map_err(|error| Failure::new(ExitCode::Unexpected, format!("a thread cannot be started: {error}")))?;
            let keep = |next| Ok(hand_over(next, &sender));
            let simulated = panics::catch(|| journey.simulate(source, keep)).and_then(|ending| ending);
            drop(sender);
            while !keeping.is_finished() {
                help();
            }
            // Of an earlier frame, so it comes first. A panic there was caught.
            keeping.join().unwrap_or(Ok(()))?;
            simulated
        })
    }
}

/// No more than this and a frame is lost when a bake is killed, where frames take long.
const LONGEST_UNKEPT: Duration = Duration::from_mins(1);

/// What is simulated.
struct Journey {
    way: Way,
    last: i32,
    is_cancelled: fn() -> bool,
}

impl Journey {
    /// Hands over frame after frame, and checkpoints between, until one is not taken any more.
    fn simulate(
        &self,
        source: &mut dyn FrameSource,
        mut keep: impl FnMut(Parcel) -> Result<bool, Failure>,
    ) -> Result<Ending, Failure> {
        let Way { start, from, every, goes_on, .. } = self.way;
        let mut kept = Instant::now();
        for number in self.way.first()..=self.last {
            if (self.is_cancelled)() && number > start {
                if let Some(state) = source.state() {
                    keep(Parcel::State(Box::new(state), number - 1))?;
                }
                return Ok(Ending::Cancelled);
            }
            let next =
                if number == from { Simulated { frame: source.frame(), seconds: None } } else { advanced(source)? };
            if !keep(Parcel::Frame(Box::new(next)))? {
                return Ok(Ending::Cancelled);
            }
            let is_late = kept.elapsed() > LONGEST_UNKEPT;
            let is_due = every > 0 && number > start && (is_late || start.abs_diff(number).is_multiple_of(every));
            let is_wanted = if number == self.last { goes_on } else { is_due };
            if is_wanted && let Some(state) = source.state() {
                if !keep(Parcel::State(Box::new(state), number))? {
                    return Ok(Ending::Cancelled);
                }
                kept = Instant::now();
            }
        }
        Ok(Ending::Complete)
    }
}

fn advanced(source: &mut dyn FrameSource) -> Result<Simulated, Failure> {
    let clock = Instant::now();
    source.advance().map_err(|reason| Failure::new(ExitCode::BadInput, reason))?;
    Ok(Simulated { frame: source.frame(), seconds: Some(clock.elapsed().as_secs_f64()) })
}

/// Hands something over once it is asked for; tells whether anybody still asks.
fn hand_over(mut next: Parcel, to: &SyncSender<Parcel>) -> bool {
    loop {
        match to.try_send(next) {
            Ok(()) => return true,
            Err(TrySendError::Disconnected(_)) => return false,
            Err(TrySendError::Full(waiting)) => next = waiting,
        }
        help();
    }
}

/// How long a thread with nothing to help with sleeps.
const NAP: Duration = Duration::from_micros(500);

/// For one that waits: works where it is one of the pool's threads, as what it waits for runs there, too.
fn help() {
    if rayon::yield_now() != Some(rayon::Yield::Executed) {
        thread::sleep(NAP);
    }
}

/// Makes, writes, lists and tells of frames.
struct Keeper<'a> {
    folder: &'a CacheFolder,
    ledger: Ledger<'a>,
    outputs: Outputs,
    /// The frames to write, in rising order.
    wanted: Vec<i32>,
    /// Frames with files of other kinds, which stay listed.
    earlier: Vec<FrameRecord>,
    /// Who wants to know.
    progress: &'a mut (dyn Progress + Send),
    begun: Instant,
    pace: Pace,
    /// Whether it was told that the matter is crushed.
    told_of_crushing: bool,
}

/// Density over that at rest, less 1, of matter that is crushed: it will spring apart.
const CRUSHED: f64 = 0.5;

impl Keeper<'_> {
    fn keep_all(&mut self, parcels: Receiver<Parcel>, span: (i32, i32)) -> Result<(), Failure> {
        parcels.into_iter().try_for_each(|next| self.keep(next, span))
    }

    fn keep(&mut self, next: Parcel, span: (i32, i32)) -> Result<(), Failure> {
        match next {
            Parcel::Frame(frame) => self.keep_frame(&frame, span),
            Parcel::State(state, frame) => Ok(self.keep_state(*state, frame)?),
        }
    }

    /// Writes a checkpoint, once the index tells of all frames up to there.
    fn keep_state(&mut self, state: State, frame: i32) -> Result<(), CacheError> {
        self.ledger.write()?;
        let Index { dollop, scene, .. } = &self.ledger.index;
        let (dollop, scene) = (dollop.clone(), scene.sha256.clone());
        self.folder.write_checkpoint(&Checkpoint { dollop, scene, frame, state })
    }

    /// Writes a frame if it is wanted, and lists it some time after its files are whole.
    fn keep_frame(&mut self, next: &Simulated, (first, last): (i32, i32)) -> Result<(), Failure> {
        let clock = Instant::now();
        let files = self.write(next)?;
        let seconds = clock.elapsed().as_secs_f64();
        self.pace.add(next.seconds, seconds);
        let number = next.frame.number;
        let position = (first.abs_diff(number) as usize + 1, first.abs_diff(last) as usize + 1);
        self.tell(&next.frame, position, next.seconds.unwrap_or(0.0) + seconds, files);
        self.tell_of_crushing(&next.frame);
        Ok(())
    }

    /// Returns the names of the files.
    fn write(&mut self, Simulated { frame, seconds }: &Simulated) -> Result<Vec<String>, CacheError> {
        if self.wanted.binary_search(&frame.number).is_err() {
            return Ok(Vec::new());
        }
        let clock = Instant::now();
        let written =
            self.outputs.write(self.folder, frame).inspect_err(|_| self.outputs.remove(self.folder, frame))?;
        let (names, write_seconds) = (written.names.clone(), clock.elapsed().as_secs_f64());
        let simulate_seconds = seconds.unwrap_or(0.0);
        self.list(record(frame, written, simulate_seconds, write_seconds));
        self.ledger.frame_listed(simulate_seconds)?;
        Ok(names)
    }

    /// Lists a frame, among those of other segments.
    fn list(&mut self, mut record: FrameRecord) {
        if let Some(earlier) = self.earlier.iter().find(|earlier| earlier.frame == record.frame) {
            record.files.extend(&earlier.files);
            record.mesh = record.mesh.or(earlier.mesh.filter(|_| earlier.files.contains_key(&OutputKind::Mesh)));
        }
        let done = &mut self.ledger.index.done;
        match done.binary_search_by_key(&record.frame, |other| other.frame) {
            Ok(at) => done[at] = record,
            Err(at) => done.insert(at, record),
        }
    }

    /// Tells once that matter is pressed beyond what its law is meant for.
    fn tell_of_crushing(&mut self, frame: &Frame) {
        let compression = frame.stats.max_compression;
        if compression < CRUSHED || self.told_of_crushing {
            return;
        }
        self.told_of_crushing = true;
        let message = format!(
            "in frame {} matter is pressed to {:.1} times its density at rest, and may spring apart; raise the stiffness, \
             lower the speeds, or leave it more room between colliders",
            frame.number,
            1.0 + compression
        );
        self.progress.tell(&Event::Warning { frame: frame.number, message });
    }

    /// Takes markers of stages away that are no longer done.
    fn unmark(&self) -> Result<(), CacheError> {
        let index = read_index(self.folder.root())?;
        Stage::ALL.iter().try_for_each(|&stage| self.folder.unmark(stage, &index))
    }

    /// Puts markers of stages there that are done, also by others meanwhile.
    fn mark(&self) -> Result<(), CacheError> {
        let index = read_index(self.folder.root())?;
        Stage::ALL.iter().try_for_each(|&stage| self.folder.mark(stage, &index))
    }

    /// Tells what is to be said of the whole, once all of the scene has been simulated.
    fn tell_remarks(&mut self, source: &dyn FrameSource) {
        let frame = self.ledger.index.frames.end;
        if self.wanted.last() == Some(&frame) {
            source.remarks().into_iter().for_each(|message| self.progress.tell(&Event::Warning { frame, message }));
        }
    }

    fn tell(&mut self, frame: &Frame, (index, total): (usize, usize), seconds: f64, files: Vec<String>) {
        self.progress.tell(&Event::Frame(FrameEvent {
            frame: frame.number,
            index,
            total,
            particles: frame.len(),
            stepped: Some(stepped(frame)),
            seconds,
            eta: self.pace.remaining(total - index),
            files,
        }));
    }

    fn close(&mut self, ending: Ending, cache: &str, goes_on: bool) -> Result<(), CacheError> {
        let (frames, seconds, cache) =
            (self.ledger.index.done.len(), self.begun.elapsed().as_secs_f64(), cache.to_owned());
        let (status, event) = match ending {
            Ending::Complete => {
                let stepping = stepping::of_bake(&self.ledger.index.done);
                (Status::Complete, Event::Done { frames, seconds, cache, stepping })
            }
            Ending::Cancelled => (Status::Cancelled, Event::Cancelled { frames, seconds, cache }),
        };
        self.ledger.index.status = status;
        self.ledger.write()?;
        self.mark()?;
        if status == Status::Complete && !goes_on {
            self.folder.remove_checkpoints()?;
        }
        self.progress.tell(&event);
        Ok(())
    }

    fn fail(&mut self, failure: &Failure) {
        self.ledger.index.status = Status::Failed;
        self.ledger.index.error = Some(failure.message.clone());
        // What ended the bake, a full disk say, may end this too; it is the former that counts.
        let _ = self.ledger.write();
    }
}

fn stepped(frame: &Frame) -> SteppedEvent {
    let stats = &frame.stats;
    SteppedEvent {
        steps: stats.steps,
        force_evaluations: stats.force_evaluations,
        global_force_evaluations: stats.global_force_evaluations,
        bins: occupied_bins(frame),
        energy_drift: stats.energy_drift,
        momentum_drift: stats.momentum_drift,
    }
}

fn record(frame: &Frame, written: Written, simulate_seconds: f64, write_seconds: f64) -> FrameRecord {
    let stats = &frame.stats;
    FrameRecord {
        frame: frame.number,
        time: frame.time,
        particles: frame.len(),
        steps: stats.steps,
        smallest_step: stats.smallest_step,
        force_evaluations: stats.force_evaluations,
        global_force_evaluations: stats.global_force_evaluations,
        bins: occupied_bins(frame),
        neighbours: stats.neighbours,
        kinetic_energy: stats.kinetic_energy,
        elastic_energy: stats.elastic_energy,
        energy_drift: stats.energy_drift,
        momentum: stats.momentum,
        momentum_drift: stats.momentum_drift,
        max_speed: stats.max_speed,
        max_compression: stats.max_compression,
        simulate_seconds,
        write_seconds,
        heat: stats.heat.map(Into::into),
        mesh: written.mesh,
        files: written.sizes,
    }
}

#[cfg(test)]
#[path = "tests.rs"]
mod tests;
