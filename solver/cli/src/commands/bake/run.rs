//! The loop of a bake, over anything that gives frames. While the files of a frame are made, the next one is simulated,
//! where there is more than one thread. A third looks after the end: once one was asked for, it comes soon, whatever is at hand.

use super::journey::{Journey, Parcel, Simulated};
use super::remaining::Pace;
use crate::failure::{ExitCode, Failure};
use crate::interrupt;
use crate::ledger::Ledger;
use crate::outputs::{Outputs, Written};
use crate::panics::{self, lock};
use crate::progress::{AdvanceEvent, Event, FrameEvent, Progress, SteppedEvent};
use crate::stepping;
use dollop_cache::{
    CacheError, CacheFolder, Checkpoint, FrameRecord, Index, OutputKind, Stage, Status, occupied_bins, read_index,
};
use dollop_sim::{Frame, Halt, Interrupted, Simulation, State};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender, SyncSender, TrySendError};
use std::sync::{Arc, Mutex};
use std::thread::{self, Scope};
use std::time::{Duration, Instant};

/// Gives frames one after another.
pub trait FrameSource: Send {
    /// The frame it stands at.
    fn frame(&self) -> Frame;

    /// Goes on to the next frame. `tell` hears what part of it is done, and may interrupt: then nothing but a state of before can
    /// go on.
    ///
    /// # Errors
    /// Why there is none, in a sentence for the user.
    fn advance(&mut self, tell: &mut dyn FnMut(f64) -> Result<(), Interrupted>) -> Result<(), Halt<String>>;

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

    fn advance(&mut self, tell: &mut dyn FnMut(f64) -> Result<(), Interrupted>) -> Result<(), Halt<String>> {
        self.advance_while(tell).map_err(|halt| match halt {
            Halt::Interrupted(interrupted) => Halt::Interrupted(interrupted),
            Halt::Failed(error) => Halt::Failed(error.to_string()),
        })
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
        let keeper = Keeper {
            folder,
            ledger: Mutex::new(Ledger::new(folder, index)),
            outputs,
            wanted,
            earlier: Vec::new(),
            progress: Mutex::new(progress),
            begun: Instant::now(),
            pace: Mutex::default(),
            held: Mutex::default(),
            kept: Mutex::default(),
            time_left: interrupt::time_left,
            told_of_crushing: AtomicBool::new(false),
            is_advancing: AtomicBool::new(false),
            is_ending: AtomicBool::new(false),
            is_abandoned: AtomicBool::new(false),
            has_failed: AtomicBool::new(false),
        };
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
        lock(&self.keeper.ledger).write()?;
        self.keeper.unmark()?;
        let (over, wait) = mpsc::channel::<()>();
        thread::scope(|scope| {
            let keeper = &self.keeper;
            thread::Builder::new()
                .spawn_scoped(scope, move || keeper.watch(scope, &wait, cache))
                .map_err(|error| Failure::new(ExitCode::Unexpected, format!("a thread cannot be started: {error}")))?;
            let result = self.frames(source).and_then(|ending| {
                if ending == Ending::Complete {
                    keeper.tell_remarks(&*source);
                }
                keeper.close(ending, cache, self.way.goes_on)?;
                Ok(ending)
            });
            if let Err(failure) = &result {
                keeper.fail(failure);
            }
            drop(over);
            result
        })
    }

    /// Simulates here, and makes and writes files on another thread, one frame behind.
    fn frames(&self, source: &mut dyn FrameSource) -> Result<Ending, Failure> {
        let Self { keeper, way, is_cancelled } = self;
        let last = keeper.wanted.last().copied().unwrap_or(way.from);
        let span = (way.first(), last);
        let journey = Journey { way: *way, last, is_cancelled: *is_cancelled, keeper };
        if rayon::current_num_threads() == 1 {
            let mut keep = |next| keeper.keep(next, span).map(|()| true);
            return panics::catch(|| journey.simulate(source, &mut keep))?;
        }
        // Nobody waits in the channel: a frame is handed over when the one before is whole, so there are two at most.
        let (sender, receiver) = mpsc::sync_channel(0);
        thread::scope(|scope| {
            let keep_all = || {
                let kept = panics::catch(|| keeper.keep_all(receiver, span)).and_then(|kept| kept);
                kept.inspect_err(|_| keeper.has_failed.store(true, Ordering::SeqCst))
            };
            let keeping = thread::Builder::new()
                .spawn_scoped(scope, keep_all)
                .map_err(|error| Failure::new(ExitCode::Unexpected, format!("a thread cannot be started: {error}")))?;
            let mut keep = |next| Ok(hand_over(next, &sender));
            let simulated = panics::catch(|| journey.simulate(source, &mut keep)).and_then(|ending| ending);
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

/// How often the end is looked after.
const WATCH: Duration = Duration::from_millis(100);

/// How long who ends the process may take to tidy up and to tell of it.
const GRACE: Duration = Duration::from_millis(300);

/// Makes, writes, lists and tells of frames. No two locks are held at once, but by who writes a checkpoint or ends the process.
pub struct Keeper<'a> {
    folder: &'a CacheFolder,
    ledger: Mutex<Ledger<'a>>,
    outputs: Outputs,
    /// The frames to write, in rising order.
    wanted: Vec<i32>,
    /// Frames with files of other kinds, which stay listed.
    earlier: Vec<FrameRecord>,
    /// Who wants to know.
    progress: Mutex<&'a mut (dyn Progress + Send)>,
    begun: Instant,
    pace: Mutex<Pace>,
    /// What the source was at the end of the frame before that which is simulated.
    held: Mutex<Option<(Arc<State>, i32)>>,
    /// The frame of the last checkpoint that was written, and how long that took. Locked while one is written.
    kept: Mutex<Option<(i32, Duration)>>,
    /// How long what ends the bake may still take, where an end was asked for.
    time_left: fn() -> Option<Duration>,
    /// Whether it was told that the matter is crushed.
    told_of_crushing: AtomicBool,
    /// Whether a frame is simulated now.
    is_advancing: AtomicBool,
    /// Whether somebody ends the bake.
    is_ending: AtomicBool,
    /// Whether the process is ended whatever other threads do.
    is_abandoned: AtomicBool,
    /// Whether what was handed over could not be written, so that nothing more is asked for.
    has_failed: AtomicBool,
}

/// Density over that at rest, less 1, of matter that is crushed: it will spring apart.
const CRUSHED: f64 = 0.5;

impl Keeper<'_> {
    fn keep_all(&self, parcels: Receiver<Parcel>, span: (i32, i32)) -> Result<(), Failure> {
        parcels.into_iter().try_for_each(|next| self.keep(next, span))
    }

    fn keep(&self, next: Parcel, span: (i32, i32)) -> Result<(), Failure> {
        match next {
            Parcel::Frame(frame) => self.keep_frame(&frame, span),
            Parcel::State(state, frame) => Ok(self.keep_state(&state, frame)?),
        }
    }

    /// Holds what the source is, at the end of a frame.
    pub fn hold(&self, state: Option<Arc<State>>, frame: i32) {
        *lock(&self.held) = state.map(|state| (state, frame));
    }

    /// Notes whether a frame is simulated from now on.
    pub fn advances(&self, does: bool) {
        self.is_advancing.store(does, Ordering::SeqCst);
    }

    /// Gives up what was held, unless it was given up before.
    pub fn release(&self) -> Option<Parcel> {
        lock(&self.held).take().map(|(state, frame)| Parcel::State(state, frame))
    }

    /// Whether what is handed over is of no use any more.
    pub fn has_failed(&self) -> bool {
        self.has_failed.load(Ordering::SeqCst)
    }

    /// Writes a checkpoint, once the index tells of all frames up to there: unless it is there, or the one before took longer
    /// than there is time for.
    fn keep_state(&self, state: &State, frame: i32) -> Result<(), CacheError> {
        let mut kept = lock(&self.kept);
        let is_short = |took: Duration| (self.time_left)().is_some_and(|left| left < took);
        if kept.is_some_and(|(before, took)| before == frame || is_short(took)) {
            return Ok(());
        }
        let clock = Instant::now();
        let checkpoint = {
            let ledger = lock(&self.ledger);
            ledger.write()?;
            let Index { dollop, scene, .. } = &ledger.index;
            Checkpoint { dollop: dollop.clone(), scene: scene.sha256.clone(), frame, state }
        };
        self.folder.write_checkpoint(&checkpoint)?;
        *kept = Some((frame, clock.elapsed()));
        Ok(())
    }

    /// Writes a frame if it is wanted, and lists it some time after its files are whole.
    fn keep_frame(&self, next: &Simulated, (first, last): (i32, i32)) -> Result<(), Failure> {
        let clock = Instant::now();
        let files = self.write(next)?;
        let seconds = clock.elapsed().as_secs_f64();
        lock(&self.pace).add(next.seconds, seconds);
        let number = next.frame.number;
        let position = (first.abs_diff(number) as usize + 1, first.abs_diff(last) as usize + 1);
        self.tell_frame(&next.frame, position, next.seconds.unwrap_or(0.0) + seconds, files);
        self.tell_of_crushing(&next.frame);
        Ok(())
    }

    /// Returns the names of the files.
    fn write(&self, Simulated { frame, seconds }: &Simulated) -> Result<Vec<String>, CacheError> {
        if self.wanted.binary_search(&frame.number).is_err() {
            return Ok(Vec::new());
        }
        let clock = Instant::now();
        let simulate_seconds = seconds.unwrap_or(0.0);
        let listed = |written: Written| {
            let names = written.names.clone();
            let record = record(frame, written, simulate_seconds, clock.elapsed().as_secs_f64());
            self.folder.check_frame(&record).map(|()| (names, record))
        };
        let written = self.outputs.write(self.folder, frame).and_then(listed);
        let (names, record) = written.inspect_err(|_| self.outputs.remove(self.folder, frame))?;
        let mut ledger = lock(&self.ledger);
        if self.is_abandoned.load(Ordering::SeqCst) {
            // The index is closed, and these files are removed.
            drop(ledger);
            interrupt::wait_for_the_end();
        }
        self.list(&mut ledger.index, record);
        ledger.frame_listed(simulate_seconds)?;
        Ok(names)
    }

    /// Lists a frame, among those of other segments.
    fn list(&self, index: &mut Index, mut record: FrameRecord) {
        if let Some(earlier) = self.earlier.iter().find(|earlier| earlier.frame == record.frame) {
            record.files.extend(&earlier.files);
            record.mesh = record.mesh.or(earlier.mesh.filter(|_| earlier.files.contains_key(&OutputKind::Mesh)));
        }
        let done = &mut index.done;
        match done.binary_search_by_key(&record.frame, |other| other.frame) {
            Ok(at) => done[at] = record,
            Err(at) => done.insert(at, record),
        }
    }

    fn tell(&self, event: &Event) {
        lock(&self.progress).tell(event);
    }

    /// Tells how far within a frame it is after so many seconds.
    pub fn tell_advance(&self, frame: i32, (first, last): (i32, i32), part: f64, seconds: f64) {
        if part <= 0.0 {
            return;
        }
        let (index, total) = (first.abs_diff(frame) as usize + 1, first.abs_diff(last) as usize + 1);
        let left = lock(&self.pace).left(part, seconds, total - index);
        let (frame_eta, eta) = (left.of_frame, left.of_all);
        self.tell(&Event::Advance(AdvanceEvent { frame, index, total, part, seconds, frame_eta, eta }));
    }

    /// Tells once that matter is pressed beyond what its law is meant for.
    fn tell_of_crushing(&self, frame: &Frame) {
        let compression = frame.stats.max_compression;
        if compression < CRUSHED || self.told_of_crushing.swap(true, Ordering::Relaxed) {
            return;
        }
        let message = format!(
            "in frame {} matter is pressed to {:.1} times its density at rest, and may spring apart; raise the stiffness, \
             lower the speeds, or leave it more room between colliders",
            frame.number,
            1.0 + compression
        );
        self.tell(&Event::Warning { frame: frame.number, message });
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
    fn tell_remarks(&self, source: &dyn FrameSource) {
        let frame = lock(&self.ledger).index.frames.end;
        if self.wanted.last() == Some(&frame) {
            source.remarks().into_iter().for_each(|message| self.tell(&Event::Warning { frame, message }));
        }
    }

    fn tell_frame(&self, frame: &Frame, (index, total): (usize, usize), seconds: f64, files: Vec<String>) {
        let eta = lock(&self.pace).remaining(total - index);
        self.tell(&Event::Frame(FrameEvent {
            frame: frame.number,
            index,
            total,
            particles: frame.len(),
            stepped: Some(SteppedEvent { stats: Box::new(frame.stats), bins: occupied_bins(frame) }),
            seconds,
            eta,
            files,
        }));
    }

    fn close(&self, ending: Ending, cache: &str, goes_on: bool) -> Result<(), CacheError> {
        if self.is_ending.swap(true, Ordering::SeqCst) {
            interrupt::wait_for_the_end();
        }
        let event = self.end_index(ending, cache);
        lock(&self.ledger).write()?;
        self.mark()?;
        if ending == Ending::Complete && !goes_on {
            self.folder.remove_checkpoints()?;
        }
        self.tell(&event);
        Ok(())
    }

    /// Lets the index, which is not written yet, tell how the bake ended; returns what progress is to tell.
    fn end_index(&self, ending: Ending, cache: &str) -> Event {
        let mut ledger = lock(&self.ledger);
        let done = &ledger.index.done;
        let (frames, seconds, cache) = (done.len(), self.begun.elapsed().as_secs_f64(), cache.to_owned());
        let (status, event) = match ending {
            Ending::Complete => {
                let stepping = stepping::of_bake(done);
                (Status::Complete, Event::Done { frames, seconds, cache, stepping })
            }
            Ending::Cancelled => (Status::Cancelled, Event::Cancelled { frames, seconds, cache }),
        };
        ledger.index.status = status;
        event
    }

    /// Ends the process where the bake has not ended some time after an end was asked for: within a long step, or while the
    /// files of a frame are made. `over` hangs up when it has.
    fn watch<'scope>(&'scope self, scope: &'scope Scope<'scope, '_>, over: &Receiver<()>, cache: &'scope str) {
        while over.recv_timeout(WATCH) == Err(RecvTimeoutError::Timeout) {
            let is_overdue = interrupt::is_overdue() || (interrupt::is_awaited() && self.has_all_but_a_step());
            if is_overdue && !self.is_ending.swap(true, Ordering::SeqCst) {
                self.abandon(scope, cache);
            }
            if (self.time_left)().is_some_and(|left| left.is_zero()) {
                self.cut();
            }
        }
    }

    /// Whether nothing is at hand but a frame that is simulated, and where that began is held.
    fn has_all_but_a_step(&self) -> bool {
        let held = lock(&self.held).as_ref().map(|(_, frame)| *frame);
        self.is_advancing.load(Ordering::SeqCst) && held.is_some_and(|frame| self.has_all_to(frame))
    }

    /// Ends the process where who was to end it waits for a disk, or for a reader of its lines.
    fn cut(&self) -> ! {
        let _ = self.folder.shut();
        interrupt::end();
    }

    /// Ends the process; what is at hand is dropped, but for a checkpoint that is whole in time.
    fn abandon<'scope>(&'scope self, scope: &'scope Scope<'scope, '_>, cache: &'scope str) -> ! {
        self.is_abandoned.store(true, Ordering::SeqCst);
        let (sender, told) = mpsc::channel();
        // Where no thread can be started, nothing more is kept.
        let _ = thread::Builder::new().spawn_scoped(scope, move || self.keep_last(cache, &sender));
        let mut closed = None;
        while let Ok(next) = told.recv_timeout((self.time_left)().unwrap_or_default()) {
            closed = Some(next);
        }
        let _ = thread::Builder::new().spawn_scoped(scope, || {
            thread::sleep(GRACE);
            self.cut();
        });
        let dropped = self.drop_at_hand().map_err(Failure::from);
        // Nothing is told after this.
        let mut progress = lock(&self.progress);
        match closed.transpose().and_then(|event| dropped.map(|()| event)) {
            Ok(event) => event.iter().for_each(|event| progress.tell(event)),
            Err(failure) => {
                progress.tell(&(&failure).into());
                interrupt::end_by(&failure);
            }
        }
        interrupt::end();
    }

    /// Lets the index tell that the bake was cancelled, and makes sure of the last checkpoint. Tells what progress is to tell,
    /// and then why that failed.
    fn keep_last(&self, cache: &str, told: &Sender<Result<Event, Failure>>) {
        let keep = || {
            let _ = told.send(Ok(self.end_index(Ending::Cancelled, cache)));
            lock(&self.ledger).write()?;
            self.mark()?;
            self.keep_held()
        };
        if let Err(failure) = panics::catch(keep).and_then(|kept| Ok(kept?)) {
            let _ = told.send(Err(failure));
        }
    }

    /// Writes a checkpoint of what is held, where that can be gone on from; waits for one that is being written.
    fn keep_held(&self) -> Result<(), CacheError> {
        let held = lock(&self.held).take();
        if let Some((state, frame)) = held.filter(|(_, frame)| self.has_all_to(*frame)) {
            return self.keep_state(&state, frame);
        }
        drop(lock(&self.kept));
        Ok(())
    }

    /// Ends all writing, and removes the files of the frame at hand that are there already.
    fn drop_at_hand(&self) -> Result<(), CacheError> {
        let ledger = lock(&self.ledger);
        self.folder.abandon(&ledger.index, &self.outputs.kinds(), self.at_hand(&ledger.index).as_slice())
    }

    /// Whether all frames that are wanted up to one are listed.
    fn has_all_to(&self, frame: i32) -> bool {
        let ledger = lock(&self.ledger);
        self.wanted.iter().take_while(|&&wanted| wanted <= frame).all(|&wanted| ledger.index.frame(wanted).is_some())
    }

    /// The frame that is wanted next, whose files may be in the making.
    fn at_hand(&self, index: &Index) -> Option<i32> {
        self.wanted.iter().copied().find(|&frame| index.frame(frame).is_none())
    }

    fn fail(&self, failure: &Failure) {
        if self.is_abandoned.load(Ordering::SeqCst) {
            // What failed is that files at hand were removed.
            interrupt::wait_for_the_end();
        }
        let mut ledger = lock(&self.ledger);
        ledger.index.status = Status::Failed;
        ledger.index.error = Some(failure.message.clone());
        // What ended the bake, a full disk say, may end this too; it is the former that counts.
        let _ = ledger.write();
    }
}

fn record(frame: &Frame, written: Written, simulate_seconds: f64, write_seconds: f64) -> FrameRecord {
    let (mesh, files) = (written.mesh, written.sizes);
    FrameRecord { simulate_seconds, write_seconds, mesh, files, ..FrameRecord::of(frame) }
}

#[cfg(test)]
#[path = "tests.rs"]
mod tests;
