//! Simulates the frames of a bake one after another, and keeps checkpoints.

use super::frame_writer::FrameWriter;
use super::source::{Ending, FrameSource, FrameSpan, Message, Simulated};
use crate::failure::{ExitCode, Failure};
use dollop_sim::{Halt, Interrupted, State};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// A killed bake of long frames loses no more than this and one frame.
const LONGEST_UNKEPT: Duration = Duration::from_mins(1);

/// Time between two reports on a frame, and before the first.
const PACE: Duration = Duration::from_secs(1);

/// The simulating side of a bake.
pub struct FrameProducer<'k, 'a> {
    pub way: FrameSpan,
    pub last: i32,
    pub is_cancelled: fn() -> bool,
    pub frame_writer: &'k FrameWriter<'a>,
}

/// Accepts a message; returns whether more are wanted.
type HandOver<'a> = dyn FnMut(Message) -> Result<bool, Failure> + 'a;

impl FrameProducer<'_, '_> {
    /// Sends frame after frame, and checkpoints between them, until one is no longer accepted.
    pub fn simulate(&self, source: &mut dyn FrameSource, keep: &mut HandOver<'_>) -> Result<Ending, Failure> {
        let FrameSpan { start, from, every, goes_on, .. } = self.way;
        let mut kept = Instant::now();
        if self.way.is_resumed {
            self.hold(source, from);
        }
        for number in self.way.first()..=self.last {
            if (self.is_cancelled)() && number > start {
                return self.release(keep).map(|_| Ending::Cancelled);
            }
            let next = if number == from {
                Some(Simulated { frame: source.frame(), seconds: None })
            } else {
                self.advanced(source, number, keep, &mut kept)?
            };
            let Some(next) = next else { return Ok(Ending::Cancelled) };
            if !keep(Message::Frame(Box::new(next)))? {
                return Ok(Ending::Cancelled);
            }
            let is_late = kept.elapsed() > LONGEST_UNKEPT;
            let is_due = every > 0 && number > start && (is_late || start.abs_diff(number).is_multiple_of(every));
            let is_wanted = if number == self.last { goes_on } else { is_due };
            // The state at the end of the last frame is useful only to a bake that resumes there.
            let state = if is_wanted || number < self.last { self.hold(source, number) } else { None };
            if is_wanted && let Some(state) = state {
                if !keep(Message::State(state, number))? {
                    return Ok(Ending::Cancelled);
                }
                kept = Instant::now();
            }
        }
        Ok(Ending::Complete)
    }

    /// Holds the state of the source at the end of a frame, for a checkpoint there.
    fn hold(&self, source: &dyn FrameSource, number: i32) -> Option<Arc<State>> {
        // Released first, as each state is about as large as the matter.
        drop(self.frame_writer.release());
        let state = source.state().map(Arc::new);
        self.frame_writer.hold(state.clone(), number);
        state
    }

    /// The next frame; none if it was interrupted.
    fn advanced(
        &self,
        source: &mut dyn FrameSource,
        number: i32,
        keep: &mut HandOver<'_>,
        kept: &mut Instant,
    ) -> Result<Option<Simulated>, Failure> {
        let clock = Instant::now();
        let (mut told, mut taken) = (clock, Ok(true));
        self.frame_writer.advances(true);
        let advanced = source.advance(&mut |part| {
            if (self.is_cancelled)() {
                return Err(Interrupted);
            }
            if self.way.every > 0 && kept.elapsed() > LONGEST_UNKEPT {
                taken = self.release(keep);
                *kept = Instant::now();
            }
            if told.elapsed() > PACE {
                told = Instant::now();
                let span = (self.way.first(), self.last);
                self.frame_writer.tell_advance(number, span, part, clock.elapsed().as_secs_f64());
            }
            if matches!(taken, Ok(true)) && !self.frame_writer.has_failed() { Ok(()) } else { Err(Interrupted) }
        });
        self.frame_writer.advances(false);
        taken?;
        match advanced {
            Ok(()) => {
                let seconds = Some(clock.elapsed().as_secs_f64());
                Ok(Some(Simulated { frame: source.frame(), seconds }))
            }
            Err(Halt::Failed(reason)) => Err(Failure::new(ExitCode::BadInput, reason)),
            Err(Halt::Interrupted(_)) => self.release(keep).map(|_| None),
        }
    }

    /// Sends the state at the end of the last frame, if it was not sent; returns whether more messages are wanted.
    fn release(&self, keep: &mut HandOver<'_>) -> Result<bool, Failure> {
        self.frame_writer.release().map_or(Ok(true), keep)
    }
}
