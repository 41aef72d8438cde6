//! Progress for people, on standard error. The code that ends the process prints errors.

use super::{AdvanceEvent, Event, FrameEvent, Progress, SteppedEvent};
use crate::console;
use dollop_sim::wording::{counted, duration, times_fewer};
use indicatif::{ProgressBar, ProgressStyle};
use std::time::{Duration, Instant};

/// A bar on a terminal.
#[derive(Default)]
pub struct Bar {
    bar: Option<ProgressBar>,
}

impl Bar {
    fn clear(&mut self) {
        if let Some(bar) = self.bar.take() {
            bar.finish_and_clear();
        }
    }

    fn begin(&mut self, total: usize) {
        let bar = ProgressBar::new(total as u64 * UNITS).with_style(style());
        self.bar = Some(bar.with_prefix(format!("0/{total}")));
    }

    /// Moves to so many finished frames; never back, as a frame is simulated while older ones are written.
    fn put(&self, done: f64, index: usize, total: usize, words: String) {
        let Some(bar) = &self.bar else { return };
        bar.set_prefix(format!("{index}/{total}"));
        bar.set_message(words);
        bar.set_position(bar.position().max((done * UNITS as f64) as u64));
    }
}

impl Progress for Bar {
    fn tell(&mut self, event: &Event) {
        match event {
            Event::Fill { bodies, particles } => console::error_line(&filling(*bodies, *particles)),
            Event::Settle { step, most } => {
                let bar = self.bar.get_or_insert_with(|| ProgressBar::new(u64::from(*most)).with_style(style()));
                bar.set_message(SETTLING);
                bar.set_prefix(format!("{step}/{most}"));
                bar.set_position(u64::from(*step));
            }
            Event::Start { total, steps, warnings, .. } => {
                self.clear();
                console::error_line(&taking(steps));
                console::warn(warnings);
                self.begin(*total);
            }
            Event::Rebuild { write, .. } => self.begin(*write),
            Event::Warning { message, .. } => {
                let warn = || console::warn(std::slice::from_ref(message));
                self.bar.as_ref().map_or_else(warn, |bar| bar.suspend(warn));
            }
            Event::Frame(frame) => {
                self.put(frame.index as f64, frame.index, frame.total, sentence(frame));
            }
            Event::Advance(frame) => {
                self.put(frame.done(), frame.index - 1, frame.total, advance_sentence(frame));
            }
            _ => {
                self.clear();
                ending(event);
            }
        }
    }
}

/// Units of a bar per frame.
const UNITS: u64 = 100;

/// Minimum time between two lines within a frame.
const QUIET: Duration = Duration::from_secs(10);

/// A line for each frame, if there is no terminal, and some within long frames.
#[derive(Default)]
pub struct ProgressLines {
    /// The time of the last line on a frame.
    told: Option<Instant>,
}

impl ProgressLines {
    /// Whether the last line on a frame is so old that a line within a frame is due.
    pub fn is_quiet(&self) -> bool {
        self.told.is_none_or(|told| told.elapsed() >= QUIET)
    }
}

impl Progress for ProgressLines {
    fn tell(&mut self, event: &Event) {
        if matches!(event, Event::Start { .. } | Event::Frame(_)) {
            self.told = Some(Instant::now());
        }
        match event {
            Event::Fill { bodies, particles } => console::error_line(&filling(*bodies, *particles)),
            Event::Settle { step: 0, .. } => console::error_line(SETTLING),
            Event::Start { write, total, particles, steps, warnings, .. } => {
                console::warn(warnings);
                let (frames, particles) = (counted(*total, "frame"), counted(*particles, "particle"));
                console::error_line(&format!("baking {write} of {frames}, {particles}"));
                console::error_line(&taking(steps));
            }
            Event::Rebuild { kind, write, .. } => {
                console::error_line(&format!("making the {kind} of {} from particles", counted(*write, "frame")));
            }
            Event::Warning { message, .. } => console::warn(std::slice::from_ref(message)),
            Event::Frame(frame) => {
                console::error_line(&format!("{}/{}  {}", frame.index, frame.total, sentence(frame)));
            }
            Event::Advance(frame) if self.is_quiet() => {
                self.told = Some(Instant::now());
                console::error_line(&format!("{}/{}  {}", frame.index - 1, frame.total, advance_sentence(frame)));
            }
            Event::Settle { .. } | Event::Advance(_) => {}
            _ => ending(event),
        }
    }
}

const SETTLING: &str = "letting the matter settle";

fn style() -> ProgressStyle {
    // The template is constant; if it were refused, the default bar of indicatif would do.
    let style = ProgressStyle::with_template("{bar:30} {prefix}  {msg}");
    style.unwrap_or_else(|_| ProgressStyle::default_bar())
}

pub fn sentence(frame: &FrameEvent) -> String {
    let FrameEvent { frame: number, particles, stepped, eta, .. } = frame;
    let steps = stepped.as_ref().map(steps).unwrap_or_default();
    let left = eta.map(|seconds| format!(", {} left", duration(seconds))).unwrap_or_default();
    format!("frame {number}, {}{steps}{left}", counted(*particles, "particle"))
}

/// The line within a frame.
pub fn advance_sentence(AdvanceEvent { frame, part, frame_eta, eta, .. }: &AdvanceEvent) -> String {
    let (of_frame, of_all) = (duration(*frame_eta), duration(*eta));
    format!("frame {frame} is {:.0} % simulated, {of_frame} left of it, {of_all} in all", (100.0 * part).floor())
}

/// The steps, and the savings by individual steps if they are worth mentioning.
fn steps(SteppedEvent { stats: stepped, .. }: &SteppedEvent) -> String {
    let ratio = times_fewer(stepped.force_evaluations, stepped.global_force_evaluations).filter(|&ratio| ratio >= 1.05);
    let saved = ratio.map(|ratio| format!(", {ratio:.1} times fewer evaluations than one step for all"));
    format!(", {}{}", counted(stepped.steps as usize, "step"), saved.unwrap_or_default())
}

/// The steps of a frame.
fn taking(steps: &str) -> String {
    format!("steps: {steps}")
}

fn filling(bodies: usize, particles: u64) -> String {
    let bodies = if bodies == 1 { "the body".into() } else { format!("{bodies} bodies") };
    format!("filling {bodies} with about {}", counted(particles.max(1) as usize, "particle"))
}

fn ending(event: &Event) {
    match event {
        Event::Done { frames, seconds, cache, stepping } => {
            for line in stepping {
                console::error_line(line);
            }
            let (frames, time) = (counted(*frames, "frame"), duration(*seconds));
            console::error_line(&format!("wrote {frames} into {cache} in {time}"));
        }
        Event::Cancelled { frames: 0, cache, .. } => {
            console::error_line(&format!("cancelled; no frame was written into {cache}"));
        }
        Event::Cancelled { frames, cache, .. } => {
            let (frames, are) = (counted(*frames, "frame"), if *frames == 1 { "is" } else { "are" });
            console::error_line(&format!("cancelled; the {frames} in {cache} {are} whole"));
        }
        _ => {}
    }
}
