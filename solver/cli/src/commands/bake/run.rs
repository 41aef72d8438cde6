//! The loop of a bake, over anything that gives frames. While the files of a frame are made, the next one is simulated,
//! where there is more than one thread. A third looks after the end: once one was asked for, it comes soon, whatever is
//! at hand.

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

/// A bake under way.
pub struct Bake<'a> {
    frame_writer: FrameWriter<'a>,
    way: FrameSpan,
    is_cancelled: fn() -> bool,
}

impl<'a> Bake<'a> {
    /// A bake that has not begun, of the frames `wanted` in rising order.
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

    /// The same where files of kinds that are not made now are there of some frames.
    pub fn with_earlier(mut self, earlier: Vec<FrameRecord>) -> Self {
        self.frame_writer.earlier = earlier;
        self
    }

    /// Bakes. Whatever happens, the index tells at last how it ended and lists only whole frames. The loops of the
    /// source run on the common pool of threads, which the calling thread had best be one of (`start_threads_here`).
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

    /// Simulates here, and makes and writes files on another thread, one frame behind.
    fn frames(&self, source: &mut dyn FrameSource) -> Result<Ending, Failure> {
        let Self { frame_writer, way, is_cancelled } = self;
        let last = frame_writer.wanted.last().copied().unwrap_or(way.from);
        let span = (way.first(), last);
        let producer = FrameProducer { way: *way, last, is_cancelled: *is_cancelled, frame_writer };
        if rayon::current_num_threads() == 1 {
            let mut keep = |next| frame_writer.keep(next, span).map(|()| true);
            return panics::catch(|| producer.simulate(source, &mut keep))?;
        }
        // Nobody waits in the channel: a frame is handed over when the one before is whole, so there are two at most.
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
            // Of an earlier frame, so it comes first. A panic there was caught.
            keeping.join().unwrap_or(Ok(()))?;
            simulated
        })
    }
}

/// Hands something over once it is asked for; tells whether anybody still asks.
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

/// How long a thread with nothing to help with sleeps.
const NAP: Duration = Duration::from_micros(500);

/// For one that waits: works where it is one of the pool's threads, as what it waits for runs there, too.
fn help() {
    if rayon::yield_now() != Some(rayon::Yield::Executed) {
        thread::sleep(NAP);
    }
}

#[cfg(test)]
#[path = "tests.rs"]
mod tests;
