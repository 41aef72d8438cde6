//! The loop of a bake over any source of frames. If there are several threads, one makes the files of a frame while
//! another simulates the next. A third watches for a request to end, and ends the bake soon after it.

use super::frame_writer::FrameWriter;
use super::producer::FrameProducer;
use super::source::{Ending, FrameSource, FrameSpan, Message};
use crate::failure::{ExitCode, Failure};
use crate::outputs::Outputs;
use crate::panics::{self, lock};
use crate::progress::Progress;
use dollop_cache::{CacheFolder, FrameRecord, Index};
use std::sync::atomic::Ordering;
use std::sync::mpsc::{self, SyncSender, TrySendError};
use std::thread;
use std::time::Duration;

/// A running bake.
pub struct Bake<'a> {
    frame_writer: FrameWriter<'a>,
    way: FrameSpan,
    is_cancelled: fn() -> bool,
}

impl<'a> Bake<'a> {
    /// A new bake of the frames `wanted`, in rising order.
    pub fn new(
        folder: &'a CacheFolder,
        outputs: Outputs,
        index: Index,
        wanted: Vec<i32>,
        way: FrameSpan,
        progress: &'a mut (dyn Progress + Send),
        is_cancelled: fn() -> bool,
    ) -> Self {
        Self { frame_writer: FrameWriter::new(folder, outputs, index, wanted, progress), way, is_cancelled }
    }

    /// The same bake, with frames that have files of kinds which are not made now.
    pub fn with_earlier(mut self, earlier: Vec<FrameRecord>) -> Self {
        self.frame_writer.earlier = earlier;
        self
    }

    /// Bakes. In every case the index at last holds the ending, and lists only complete frames. The loops of the source
    /// run on the common pool of threads; the calling thread had best belong to it (`start_threads_here`).
    ///
    /// # Errors
    /// When a file cannot be written, or the source has no next frame or panics.
    pub fn run(&mut self, source: &mut dyn FrameSource, cache: &str) -> Result<Ending, Failure> {
        lock(&self.frame_writer.ledger).write()?;
        self.frame_writer.unmark()?;
        let (over, wait) = mpsc::channel::<()>();
        thread::scope(|scope| {
            let frame_writer = &self.frame_writer;
            thread::Builder::new()
                .spawn_scoped(scope, move || frame_writer.watch(scope, &wait, cache))
                .map_err(|error| Failure::new(ExitCode::Unexpected, format!("a thread cannot be started: {error}")))?;
            let result = self.frames(source).and_then(|ending| {
                if ending == Ending::Complete {
                    frame_writer.tell_remarks(&*source);
                }
                frame_writer.close(ending, cache, self.way.goes_on)?;
                Ok(ending)
            });
            if let Err(failure) = &result {
                frame_writer.fail(failure);
            }
            drop(over);
            result
        })
    }

    /// Simulates on this thread, and makes and writes files on another, one frame behind.
    fn frames(&self, source: &mut dyn FrameSource) -> Result<Ending, Failure> {
        let Self { frame_writer, way, is_cancelled } = self;
        let last = frame_writer.wanted.last().copied().unwrap_or(way.from);
        let span = (way.first(), last);
        let producer = FrameProducer { way: *way, last, is_cancelled: *is_cancelled, frame_writer };
        if rayon::current_num_threads() == 1 {
            let mut keep = |next| frame_writer.keep(next, span).map(|()| true);
            return panics::catch(|| producer.simulate(source, &mut keep))?;
        }
        // The channel has no room: it passes a frame on when the last one is written, so at most two exist.
        let (sender, receiver) = mpsc::sync_channel(0);
        thread::scope(|scope| {
            let keep_all = || {
                let kept = panics::catch(|| frame_writer.keep_all(receiver, span)).and_then(|kept| kept);
                kept.inspect_err(|_| frame_writer.has_failed.store(true, Ordering::SeqCst))
            };
            let keeping = thread::Builder::new()
                .spawn_scoped(scope, keep_all)
                .map_err(|error| Failure::new(ExitCode::Unexpected, format!("a thread cannot be started: {error}")))?;
            let mut keep = |next| Ok(hand_over(next, &sender));
            let simulated = panics::catch(|| producer.simulate(source, &mut keep)).and_then(|ending| ending);
            drop(sender);
            while !keeping.is_finished() {
                help();
            }
            // Its failure comes first, as it belongs to an earlier frame. A panic there was caught.
            keeping.join().unwrap_or(Ok(()))?;
            simulated
        })
    }
}

/// Sends a message once the receiver is ready; returns whether the receiver still exists.
fn hand_over(mut next: Message, to: &SyncSender<Message>) -> bool {
    loop {
        match to.try_send(next) {
            Ok(()) => return true,
            Err(TrySendError::Disconnected(_)) => return false,
            Err(TrySendError::Full(waiting)) => next = waiting,
        }
        help();
    }
}

/// Pause of a thread that has no work.
const NAP: Duration = Duration::from_micros(500);

/// Used while waiting: a thread of the pool runs other work meanwhile, as the awaited work needs the pool, too.
fn help() {
    if rayon::yield_now() != Some(rayon::Yield::Executed) {
        thread::sleep(NAP);
    }
}

#[cfg(test)]
#[path = "tests.rs"]
mod tests;
