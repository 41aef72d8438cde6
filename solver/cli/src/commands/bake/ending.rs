//! The end of a bake that was asked to end: it comes soon, whatever is at hand.

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

/// How often the end is looked after.
const WATCH: Duration = Duration::from_millis(100);

/// How long who ends the process may take to tidy up and to tell of it.
const GRACE: Duration = Duration::from_millis(300);

impl FrameWriter<'_> {
    /// Ends the process where the bake has not ended some time after an end was asked for: within a long step, or while
    /// the files of a frame are made. `over` hangs up when it has.
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

    /// Whether nothing is at hand but a frame that is simulated, and where that began is held.
    pub(super) fn has_all_but_a_step(&self) -> bool {
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

    /// Lets the index tell that the bake was cancelled, and makes sure of the last checkpoint. Tells what progress is
    /// to tell, and then why that failed.
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

    /// Writes a checkpoint of what is held, where that can be gone on from; waits for one that is being written.
    pub(super) fn keep_held(&self) -> Result<(), CacheError> {
        let held = lock(&self.held).take();
        if let Some((state, frame)) = held.filter(|(_, frame)| self.has_all_to(*frame)) {
            return self.keep_state(&state, frame);
        }
        drop(lock(&self.kept));
        Ok(())
    }

    /// Ends all writing, and removes the files of the frame at hand that are there already.
    pub(super) fn drop_at_hand(&self) -> Result<(), CacheError> {
        let ledger = lock(&self.ledger);
        self.folder.abandon(&ledger.index, &self.outputs.kinds(), self.at_hand(&ledger.index).as_slice())
    }
}
