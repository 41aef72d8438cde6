//! Ends a bake soon after a request, whatever the bake is doing.

use super::frame_writer::FrameWriter;
use super::source::Ending;
use crate::failure::Failure;
use crate::panics::lock;
use crate::progress::Event;
use crate::{interrupt, panics};
use dollop_cache::CacheError;
use std::sync::atomic::Ordering;
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender};
use std::thread::{self, Scope};
use std::time::Duration;

/// How often the thread checks for the end.
const WATCH: Duration = Duration::from_millis(100);

/// Time for tidying up and reporting before the process ends.
const GRACE: Duration = Duration::from_millis(300);

impl FrameWriter<'_> {
    /// Ends the process if the bake has not ended some time after a request: within a long step, or while the files of
    /// a frame are made. `over` disconnects when the bake has ended.
    pub(super) fn watch<'scope>(
        &'scope self,
        scope: &'scope Scope<'scope, '_>,
        over: &Receiver<()>,
        cache: &'scope str,
    ) {
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

    /// Whether the bake only simulates a frame, whose first state is held.
    pub(super) fn has_all_but_a_step(&self) -> bool {
        let held = lock(&self.held).as_ref().map(|(_, frame)| *frame);
        self.is_advancing.load(Ordering::SeqCst) && held.is_some_and(|frame| self.has_all_to(frame))
    }

    /// Ends the process while the ending thread waits for a disk, or for a reader of its lines.
    fn cut(&self) -> ! {
        let _ = self.folder.shut();
        interrupt::end();
    }

    /// Ends the process. Unfinished work is dropped, except for a checkpoint that is complete in time.
    fn abandon<'scope>(&'scope self, scope: &'scope Scope<'scope, '_>, cache: &'scope str) -> ! {
        self.is_abandoned.store(true, Ordering::SeqCst);
        let (sender, told) = mpsc::channel();
        // If no thread can be started, no more is kept.
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
        // No later event may be reported.
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

    /// Marks the bake as cancelled in the index, and makes sure of the last checkpoint. Sends the event to report, and
    /// then the failure, if any.
    pub(super) fn keep_last(&self, cache: &str, told: &Sender<Result<Event, Failure>>) {
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

    /// Writes the held state as a checkpoint, if a bake can resume from it; waits for a checkpoint that is being
    /// written.
    pub(super) fn keep_held(&self) -> Result<(), CacheError> {
        let held = lock(&self.held).take();
        if let Some((state, frame)) = held.filter(|(_, frame)| self.has_all_to(*frame)) {
            return self.keep_state(&state, frame);
        }
        drop(lock(&self.kept));
        Ok(())
    }

    /// Stops all writing, and removes the files of the unfinished frame.
    pub(super) fn drop_at_hand(&self) -> Result<(), CacheError> {
        let ledger = lock(&self.ledger);
        self.folder.abandon(&ledger.index, &self.outputs.kinds(), self.at_hand(&ledger.index).as_slice())
    }
}
