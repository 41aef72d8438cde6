//! Writes the frames of a bake: files, the index, checkpoints, and reports to the user.

use super::remaining::Pace;
use super::source::{Ending, FrameSource, Message, Simulated};
use crate::failure::Failure;
use crate::interrupt;
use crate::ledger::Ledger;
use crate::outputs::{Outputs, WrittenFrame};
use crate::panics::lock;
use crate::progress::{AdvanceEvent, Event, FrameEvent, Progress, SteppedEvent};
use crate::stepping;
use dollop_cache::{
    CacheError, CacheFolder, Checkpoint, FrameRecord, Index, OutputKind, Stage, Status, occupied_bins, read_index,
};
use dollop_sim::{Frame, State};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::Receiver;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

/// Makes, writes, lists and reports frames. A thread holds two locks at once only to write a checkpoint or to end the
/// process.
pub struct FrameWriter<'a> {
    pub(super) folder: &'a CacheFolder,
    pub(super) ledger: Mutex<Ledger<'a>>,
    pub(super) outputs: Outputs,
    /// The frames to write, in rising order.
    pub(super) wanted: Vec<i32>,
    /// Frames with files of other kinds, which stay listed.
    pub(super) earlier: Vec<FrameRecord>,
    /// The progress report.
    pub(super) progress: Mutex<&'a mut (dyn Progress + Send)>,
    pub(super) begun: Instant,
    pub(super) pace: Mutex<Pace>,
    /// The state of the source at the end of the frame before the one that is being simulated.
    pub(super) held: Mutex<Option<(Arc<State>, i32)>>,
    /// The frame of the last written checkpoint, and the duration of writing it. Locked while a checkpoint is written.
    pub(super) kept: Mutex<Option<(i32, Duration)>>,
    /// Time left for ending the bake; none before a request.
    pub(super) time_left: fn() -> Option<Duration>,
    /// Whether the user was warned that the matter is crushed.
    pub(super) told_of_crushing: AtomicBool,
    /// Whether a frame is being simulated now.
    pub(super) is_advancing: AtomicBool,
    /// Whether a thread is ending the bake.
    pub(super) is_ending: AtomicBool,
    /// Whether the process ends regardless of other threads.
    pub(super) is_abandoned: AtomicBool,
    /// Whether a message could not be written, so that no more messages are wanted.
    pub(super) has_failed: AtomicBool,
}

/// Relative density, less 1, above which matter is crushed: it will spring apart.
const CRUSHED: f64 = 0.5;

impl<'a> FrameWriter<'a> {
    /// A writer of the frames `wanted`, in rising order, into a folder with that index.
    pub fn new(
        folder: &'a CacheFolder,
        outputs: Outputs,
        index: Index,
        wanted: Vec<i32>,
        progress: &'a mut (dyn Progress + Send),
    ) -> Self {
        Self {
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
        }
    }
}

impl FrameWriter<'_> {
    pub(super) fn keep_all(&self, messages: Receiver<Message>, span: (i32, i32)) -> Result<(), Failure> {
        messages.into_iter().try_for_each(|next| self.keep(next, span))
    }

    pub(super) fn keep(&self, next: Message, span: (i32, i32)) -> Result<(), Failure> {
        match next {
            Message::Frame(frame) => self.keep_frame(&frame, span),
            Message::State(state, frame) => Ok(self.keep_state(&state, frame)?),
        }
    }

    /// Holds the state of the source at the end of a frame.
    pub fn hold(&self, state: Option<Arc<State>>, frame: i32) {
        *lock(&self.held) = state.map(|state| (state, frame));
    }

    /// Sets whether a frame is being simulated.
    pub fn advances(&self, does: bool) {
        self.is_advancing.store(does, Ordering::SeqCst);
    }

    /// Returns the held state as a message, unless it was taken before.
    pub fn release(&self) -> Option<Message> {
        lock(&self.held).take().map(|(state, frame)| Message::State(state, frame))
    }

    /// Whether writing has failed, so that further messages are useless.
    pub fn has_failed(&self) -> bool {
        self.has_failed.load(Ordering::SeqCst)
    }

    /// Writes a checkpoint, after an index that lists all frames up to there. Skips one that exists, and one for which
    /// the time left is too short, judged by the last one.
    pub(super) fn keep_state(&self, state: &State, frame: i32) -> Result<(), CacheError> {
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

    /// Writes a frame if it is wanted, and lists it after its files are complete.
    fn keep_frame(&self, next: &Simulated, (first, last): (i32, i32)) -> Result<(), Failure> {
        let clock = Instant::now();
        let files = self.write(next)?;
        let seconds = clock.elapsed().as_secs_f64();
        lock(&self.pace).add(next.seconds, seconds);
        let number = next.frame.number;
        let (index, total) = (first.abs_diff(number) as usize + 1, first.abs_diff(last) as usize + 1);
        self.tell_frame(&next.frame, index, total, next.seconds.unwrap_or(0.0) + seconds, files);
        self.tell_of_crushing(&next.frame);
        Ok(())
    }

    /// Writes a frame if it is wanted. Returns the names of its files.
    pub(super) fn write(&self, Simulated { frame, seconds }: &Simulated) -> Result<Vec<String>, CacheError> {
        if self.wanted.binary_search(&frame.number).is_err() {
            return Ok(Vec::new());
        }
        let clock = Instant::now();
        let simulate_seconds = seconds.unwrap_or(0.0);
        let listed = |written: WrittenFrame| {
            let names = written.names.clone();
            let record = record(frame, written, simulate_seconds, clock.elapsed().as_secs_f64());
            self.folder.check_frame(&record).map(|()| (names, record))
        };
        let written = self.outputs.write(self.folder, frame).and_then(listed);
        let (names, record) = written.inspect_err(|_| self.outputs.remove(self.folder, frame))?;
        let mut ledger = lock(&self.ledger);
        if self.is_abandoned.load(Ordering::SeqCst) {
            // The index is closed, and the ending thread removes these files.
            drop(ledger);
            interrupt::wait_for_the_end();
        }
        self.list(&mut ledger.index, record);
        ledger.frame_listed(simulate_seconds)?;
        Ok(names)
    }

    /// Adds a frame to the list, which may hold frames of other segments.
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

    pub(super) fn tell(&self, event: &Event) {
        lock(&self.progress).tell(event);
    }

    /// Reports the progress within a frame after so many seconds.
    pub fn tell_advance(&self, frame: i32, (first, last): (i32, i32), part: f64, seconds: f64) {
        if part <= 0.0 {
            return;
        }
        let (index, total) = (first.abs_diff(frame) as usize + 1, first.abs_diff(last) as usize + 1);
        let left = lock(&self.pace).left(part, seconds, total - index);
        let (frame_eta, eta) = (left.of_frame, left.of_all);
        self.tell(&Event::Advance(AdvanceEvent { frame, index, total, part, seconds, frame_eta, eta }));
    }

    /// Warns once of matter that is compressed beyond the range of its law.
    fn tell_of_crushing(&self, frame: &Frame) {
        let compression = frame.stats.max_compression;
        if compression < CRUSHED || self.told_of_crushing.swap(true, Ordering::Relaxed) {
            return;
        }
        let message = format!(
            "in frame {} matter is pressed to {:.1} times its density at rest, and may spring apart; lower the \
             speeds, leave it more room between colliders and other bodies, or raise its `stiffness` where it has one",
            frame.number,
            1.0 + compression
        );
        self.tell(&Event::Warning { frame: frame.number, message });
    }

    /// Removes the markers of stages that are no longer finished.
    pub(super) fn unmark(&self) -> Result<(), CacheError> {
        let index = read_index(self.folder.root())?;
        Stage::ALL.iter().try_for_each(|&stage| self.folder.unmark(stage, &index))
    }

    /// Writes the markers of finished stages; other processes may have finished them meanwhile.
    pub(super) fn mark(&self) -> Result<(), CacheError> {
        let index = read_index(self.folder.root())?;
        Stage::ALL.iter().try_for_each(|&stage| self.folder.mark(stage, &index))
    }

    /// Reports the remarks on the whole bake, once the whole scene has been simulated.
    pub(super) fn tell_remarks(&self, source: &dyn FrameSource) {
        let frame = lock(&self.ledger).index.frames.end;
        if self.wanted.last() == Some(&frame) {
            source.remarks().into_iter().for_each(|message| self.tell(&Event::Warning { frame, message }));
        }
    }

    fn tell_frame(&self, frame: &Frame, index: usize, total: usize, seconds: f64, files: Vec<String>) {
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

    pub(super) fn close(&self, ending: Ending, cache: &str, goes_on: bool) -> Result<(), CacheError> {
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

    /// Puts the ending of the bake into the index, which is not written yet; returns the event to report.
    pub(super) fn end_index(&self, ending: Ending, cache: &str) -> Event {
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

    /// Whether all wanted frames up to this one are listed.
    pub(super) fn has_all_to(&self, frame: i32) -> bool {
        let ledger = lock(&self.ledger);
        self.wanted.iter().take_while(|&&wanted| wanted <= frame).all(|&wanted| ledger.index.frame(wanted).is_some())
    }

    /// The next wanted frame; its files may be unfinished.
    pub(super) fn at_hand(&self, index: &Index) -> Option<i32> {
        self.wanted.iter().copied().find(|&frame| index.frame(frame).is_none())
    }

    pub(super) fn fail(&self, failure: &Failure) {
        if self.is_abandoned.load(Ordering::SeqCst) {
            // The failure follows from the ending thread, which has removed the unfinished files.
            interrupt::wait_for_the_end();
        }
        let mut ledger = lock(&self.ledger);
        ledger.index.status = Status::Failed;
        ledger.index.error = Some(failure.message.clone());
        // The cause of the end, a full disk say, may make this fail too; the first failure counts.
        let _ = ledger.write();
    }
}

fn record(frame: &Frame, written: WrittenFrame, simulate_seconds: f64, write_seconds: f64) -> FrameRecord {
    let (mesh, files) = (written.mesh, written.sizes);
    FrameRecord { simulate_seconds, write_seconds, mesh, files, ..FrameRecord::of(frame) }
}
