//! The loop of a bake, over anything that gives frames.

use super::outputs::{Outputs, Written};
use super::progress::{Event, FrameEvent, Progress};
use super::remaining::Pace;
use crate::failure::{ExitCode, Failure};
use crate::{panics, stepping};
use dollop_cache::{CacheError, CacheFolder, FrameRecord, Index, Status, occupied_bins};
use dollop_sim::{Frame, Simulation};
use std::time::{Duration, Instant};

/// Gives frames one after another.
pub trait FrameSource {
    /// The frame it stands at.
    fn frame(&self) -> Frame;

    /// Goes on to the next frame.
    ///
    /// # Errors
    /// Why there is none, in a sentence for the user.
    fn advance(&mut self) -> Result<(), String>;
}

impl FrameSource for Simulation {
    fn frame(&self) -> Frame {
        self.frame()
    }

    fn advance(&mut self) -> Result<(), String> {
        self.advance().map_err(|error| error.to_string())
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
    folder: CacheFolder,
    outputs: Outputs,
    index: Index,
    /// The frames to write, in rising order.
    pub wanted: Vec<i32>,
    /// Who wants to know.
    pub progress: &'a mut (dyn Progress + Send),
    is_cancelled: fn() -> bool,
    begun: Instant,
    pace: Pace,
    /// When the index was last written, and how long that took.
    listed: (Instant, Duration),
    /// Whether it was told that the matter is crushed.
    told_of_crushing: bool,
}

/// The index grows with the bake, and is written whole: where frames follow each other fast, it waits for several, so
/// that it takes at most about one part in this many of the time.
const INDEX_SHARE: u32 = 20;
/// Density over that at rest, less 1, of matter that is crushed: it will spring apart.
const CRUSHED: f64 = 0.5;
/// Frames that take longer to simulate are listed one by one, s.
const FAST: f64 = 0.1;

impl<'a> Bake<'a> {
    /// A bake that has not begun.
    pub fn new(
        folder: CacheFolder,
        outputs: Outputs,
        index: Index,
        wanted: Vec<i32>,
        progress: &'a mut (dyn Progress + Send),
        is_cancelled: fn() -> bool,
    ) -> Self {
        Self {
            folder,
            outputs,
            index,
            wanted,
            progress,
            is_cancelled,
            begun: Instant::now(),
            pace: Pace::default(),
            listed: (Instant::now(), Duration::ZERO),
            told_of_crushing: false,
        }
    }

    /// Bakes. Whatever happens, the index tells at last how it ended and lists only whole frames.
    ///
    /// # Errors
    /// When a file cannot be written, or the source has no next frame or panics.
    pub fn run(&mut self, source: &mut dyn FrameSource, cache: &str) -> Result<Ending, Failure> {
        self.folder.write_index(&self.index)?;
        let result = panics::catch(|| self.frames(source)).and_then(|result| result);
        match &result {
            Ok(ending) => self.close(*ending, cache)?,
            Err(failure) => {
                self.index.status = Status::Failed;
                self.index.error = Some(failure.message.clone());
                // What ended the bake, a full disk say, may end this too; it is the former that counts.
                let _ = self.folder.write_index(&self.index);
            }
        }
        result
    }

    fn frames(&mut self, source: &mut dyn FrameSource) -> Result<Ending, Failure> {
        let mut frame = source.frame();
        let first = frame.number;
        let last = self.wanted.last().copied().unwrap_or(first);
        for number in first..=last {
            if (self.is_cancelled)() && number > first {
                return Ok(Ending::Cancelled);
            }
            let clock = Instant::now();
            if number > first {
                source.advance().map_err(|reason| Failure::new(ExitCode::BadInput, reason))?;
                frame = source.frame();
            }
            let simulate_seconds = clock.elapsed().as_secs_f64();
            let files = self.keep(&frame, simulate_seconds)?;
            let position = (first.abs_diff(number) as usize + 1, first.abs_diff(last) as usize + 1);
            let seconds = clock.elapsed().as_secs_f64();
            self.pace.add(seconds, simulate_seconds, number > first);
            self.tell(&frame, position, seconds, files);
            self.tell_of_crushing(&frame);
        }
        Ok(Ending::Complete)
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

    /// Writes a frame if it is wanted, and lists it some time after its files are whole. Returns the names of the files.
    fn keep(&mut self, frame: &Frame, simulate_seconds: f64) -> Result<Vec<String>, CacheError> {
        if self.wanted.binary_search(&frame.number).is_err() {
            return Ok(Vec::new());
        }
        let clock = Instant::now();
        let written = self.outputs.write(&self.folder, frame)?;
        let write_seconds = clock.elapsed().as_secs_f64();
        let names = written.names.clone();
        self.index.done.push(record(frame, written, simulate_seconds, write_seconds));
        let is_first = self.index.done.len() == 1;
        if is_first || simulate_seconds > FAST || self.listed.0.elapsed() > self.listed.1 * INDEX_SHARE {
            let clock = Instant::now();
            self.folder.write_index(&self.index)?;
            self.listed = (Instant::now(), clock.elapsed());
        }
        Ok(names)
    }

    fn tell(&mut self, frame: &Frame, (index, total): (usize, usize), seconds: f64, files: Vec<String>) {
        self.progress.tell(&Event::Frame(FrameEvent {
            frame: frame.number,
            index,
            total,
            particles: frame.len(),
            steps: frame.stats.steps,
            force_evaluations: frame.stats.force_evaluations,
            global_force_evaluations: frame.stats.global_force_evaluations,
            bins: occupied_bins(frame),
            energy_drift: frame.stats.energy_drift,
            momentum_drift: frame.stats.momentum_drift,
            seconds,
            eta: self.pace.remaining(total - index),
            files,
        }));
    }

    fn close(&mut self, ending: Ending, cache: &str) -> Result<(), CacheError> {
        let (frames, seconds, cache) = (self.index.done.len(), self.begun.elapsed().as_secs_f64(), cache.to_owned());
        let (status, event) = match ending {
            Ending::Complete => {
                let stepping = stepping::of_bake(&self.index.done);
                (Status::Complete, Event::Done { frames, seconds, cache, stepping })
            }
            Ending::Cancelled => (Status::Cancelled, Event::Cancelled { frames, seconds, cache }),
        };
        self.index.status = status;
        self.folder.write_index(&self.index)?;
        self.progress.tell(&event);
        Ok(())
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
        mesh: written.mesh,
        files: written.sizes,
    }
}

#[cfg(test)]
#[path = "tests.rs"]
mod tests;
