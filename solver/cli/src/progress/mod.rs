//! Reports of the progress of a bake.

mod human;
mod json;
mod openjd;

use crate::failure::Failure;
use clap::ValueEnum;
use dollop_cache::BinRecord;
use dollop_sim::FrameStats;
use serde::ser::SerializeMap;
use serde::{Serialize, Serializer};
use std::io::IsTerminal;
use std::path::Path;
use std::time::Instant;

/// Kinds of progress report.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum ProgressKind {
    /// A bar on a terminal, otherwise a line for each frame, on standard error
    Human,
    /// A JSON object a line on standard output; see docs/command-line.md
    Json,
    /// As human, and lines for Open Job Description on standard output
    Openjd,
    /// None
    None,
}

/// A progress event. Its JSON form is documented in docs/command-line.md.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(tag = "event", rename_all = "kebab-case")]
pub enum Event {
    /// The scene is read and valid; its bodies are being filled.
    Fill {
        /// Number of bodies.
        bodies: usize,
        /// Estimated number of particles, from the volume of the bodies.
        particles: u64,
    },
    /// The matter settles before the first frame.
    Settle {
        /// Steps done.
        step: u32,
        /// Maximum number of steps.
        most: u32,
    },
    /// The bodies are filled, the matter has settled if requested, and the cache folder is ready.
    Start {
        /// Cache folder.
        cache: String,
        /// First frame to simulate.
        first: i32,
        /// Last frame to simulate.
        last: i32,
        /// Frames to simulate.
        total: usize,
        /// Frames to write.
        write: usize,
        /// Number of particles.
        particles: usize,
        /// The steps of a frame, and their limit: a sentence for the user.
        steps: String,
        /// Sentences for the user.
        warnings: Vec<String>,
    },
    /// Files of a kind are being made from the particles of a cache, and their folder is ready.
    Rebuild {
        /// The kind.
        kind: &'static str,
        /// The cache with the particles.
        from: String,
        /// Cache folder that is written into.
        cache: String,
        /// Frames to make.
        write: usize,
    },
    /// A frame is being simulated, for more than a second.
    Advance(AdvanceEvent),
    /// A frame was simulated, and written if requested; or it was made from its particles.
    Frame(FrameEvent),
    /// A warning about the matter.
    Warning {
        /// Frame number.
        frame: i32,
        /// A sentence with advice.
        message: String,
    },
    /// All frames are written.
    Done {
        /// Frames written.
        frames: usize,
        /// Seconds since the start.
        seconds: f64,
        /// Cache folder.
        cache: String,
        /// Lines for people on the steps of the whole bake; events have them frame by frame.
        #[serde(skip)]
        stepping: Vec<String>,
    },
    /// The user stopped the bake.
    Cancelled {
        /// Frames written.
        frames: usize,
        /// Seconds since the start.
        seconds: f64,
        /// Cache folder.
        cache: String,
    },
    /// The bake cannot start or go on.
    Error {
        /// Exit code.
        code: u8,
        /// The message.
        message: String,
        /// Advice.
        help: Option<String>,
        /// The faulty file.
        file: Option<String>,
        /// Line in it, from 1.
        line: Option<usize>,
        /// Column in it, from 1.
        column: Option<usize>,
        /// JSON path in it.
        path: Option<String>,
    },
}

/// A frame is being simulated.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct AdvanceEvent {
    /// Frame number.
    pub frame: i32,
    /// Its position among the frames to do, from 1.
    pub index: usize,
    /// Frames to do.
    pub total: usize,
    /// The finished part of it, 0 to 1.
    pub part: f64,
    /// Seconds since its beginning.
    pub seconds: f64,
    /// Estimated seconds until it is simulated.
    pub frame_eta: f64,
    /// Estimated seconds for all the rest.
    pub eta: f64,
}

impl AdvanceEvent {
    /// Number of finished frames, including the finished part of this one.
    pub fn done(&self) -> f64 {
        (self.index - 1) as f64 + self.part
    }
}

/// A frame was simulated, and written if requested; or it was made from its particles.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct FrameEvent {
    /// Frame number.
    pub frame: i32,
    /// Number of finished frames, including this one.
    pub index: usize,
    /// Frames to do.
    pub total: usize,
    /// Number of particles.
    pub particles: usize,
    /// Data of its simulation, if it was simulated.
    #[serde(flatten)]
    pub stepped: Option<SteppedEvent>,
    /// Seconds that this frame took, writing included.
    pub seconds: f64,
    /// Estimated seconds for the rest, from the last frames; unknown before a frame was simulated.
    pub eta: Option<f64>,
    /// Files written, from the cache folder on; empty if the frame was not requested.
    pub files: Vec<String>,
}

/// Data of the simulation of a frame from the one before.
#[derive(Debug, Clone, PartialEq)]
pub struct SteppedEvent {
    /// Statistics of the frame.
    pub stats: Box<FrameStats>,
    /// The step lengths of the particles.
    pub bins: Vec<BinRecord>,
}

/// The statistics in events, beside the bins.
const TOLD: [&str; 5] = ["steps", "force_evaluations", "global_force_evaluations", "energy_drift", "momentum_drift"];

impl Serialize for SteppedEvent {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut event = serializer.serialize_map(None)?;
        for name in TOLD {
            event.serialize_entry(name, &self.stats.amount(name))?;
        }
        event.serialize_entry("bins", &self.bins)?;
        event.end()
    }
}

impl From<&Failure> for Event {
    fn from(failure: &Failure) -> Self {
        let place = failure.place.as_ref();
        Self::Error {
            code: failure.code as u8,
            message: failure.message.clone(),
            help: failure.help.clone(),
            file: place.map(|place| place.file.display().to_string()),
            line: place.and_then(|place| place.line),
            column: place.and_then(|place| place.column),
            path: place.and_then(|place| place.path.clone()),
        }
    }
}

/// A receiver of progress events.
pub trait Progress {
    /// Reports an event.
    fn tell(&mut self, event: &Event);
}

/// The report of the kind that the user chose.
pub fn reporter(kind: ProgressKind) -> Box<dyn Progress + Send> {
    match kind {
        ProgressKind::Human if std::io::stderr().is_terminal() => Box::new(human::Bar::default()),
        ProgressKind::Human => Box::new(human::ProgressLines::default()),
        ProgressKind::Openjd => Box::new(openjd::OpenJobLines::default()),
        ProgressKind::Json => Box::new(json::JsonLines),
        ProgressKind::None => Box::new(Silence),
    }
}

/// A function that reports an end before any file was written.
pub fn ended_early(kind: ProgressKind, cache: &Path) -> impl Fn() + Clone + Send + 'static {
    let (cache, begun) = (cache.display().to_string(), Instant::now());
    move || {
        let (cache, seconds) = (cache.clone(), begun.elapsed().as_secs_f64());
        reporter(kind).tell(&Event::Cancelled { frames: 0, seconds, cache });
    }
}

struct Silence;

impl Progress for Silence {
    fn tell(&mut self, _event: &Event) {}
}
