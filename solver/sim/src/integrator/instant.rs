//! An instant at which the steps of some particles end.

use crate::boundary::Times;
use crate::material::Force;
use crate::pins::{Hold, Pins};
use crate::timeline::{self, MAX_BIN, TICKS, Timeline};
use glam::DVec3;

/// An instant, and the steps that end at it.
#[derive(Debug, Clone, Copy)]
pub enum Instant {
    /// All steps, of a number of units of [pseudo time](super::bins::pseudo_unit), while matter settles before time
    /// begins.
    Settling(f64),
    /// The steps that end at a tick of a frame.
    Tick {
        /// The tick.
        tick: u32,
        /// Start of the frame, s.
        start: f64,
        /// Seconds of the frame.
        interval: f64,
        /// The division of the frame.
        timeline: Timeline,
        /// Whether the steps that meet the tick have ended, and the next begun.
        has_begun: bool,
    },
}

impl Instant {
    /// The instant of a tick at which steps end, in a frame that begins at a time, s.
    pub fn at(tick: u32, start: f64, interval: f64, timeline: Timeline) -> Self {
        Self::Tick { tick, start, interval, timeline, has_begun: false }
    }

    /// Seconds since a step began at a tick.
    pub fn since(&self, began: u32) -> f64 {
        match *self {
            Self::Settling(dt) => dt,
            Self::Tick { tick, interval, .. } => timeline::seconds(tick - began, interval),
        }
    }

    /// Seconds between two ticks of a frame; none while matter settles.
    pub fn between(&self, earlier: u32, later: u32) -> f64 {
        match *self {
            Self::Settling(_) => 0.0,
            Self::Tick { interval, .. } => timeline::seconds(later - earlier, interval),
        }
    }

    /// An angular velocity, rad/s, some seconds after it was kicked; nothing turns while matter settles.
    pub fn spun(&self, spin: DVec3, force: &Force, dt: f64) -> DVec3 {
        match self {
            Self::Settling(_) => DVec3::ZERO,
            Self::Tick { .. } => spin + force.turn.as_dvec3() * dt,
        }
    }

    /// Place and motion of a held particle; held particles stay while matter settles.
    pub fn held(&self, pins: &Pins, number: u32) -> Option<Hold> {
        let hold = pins.hold(number, self.time())?;
        Some(match self {
            Self::Settling(_) => Hold { velocity: DVec3::ZERO, spin: DVec3::ZERO, ..hold },
            Self::Tick { .. } => hold,
        })
    }

    /// Seconds from the tick at which a step of a bin began, now or earlier, until the step ends.
    pub fn until_end(&self, bin: u8, began: u32) -> f64 {
        match *self {
            Self::Settling(dt) => dt,
            Self::Tick { tick, interval, timeline, .. } => {
                timeline::seconds(timeline.end_after(bin, tick) - began, interval)
            }
        }
    }

    /// The same instant after its steps have ended and the next have begun.
    pub fn begun(mut self) -> Self {
        if let Self::Tick { has_begun, .. } = &mut self {
            *has_begun = true;
        }
        self
    }

    /// The least bin whose steps end now.
    pub fn least_bin(&self) -> u8 {
        match *self {
            Self::Settling(_) => 0,
            Self::Tick { has_begun: true, .. } => MAX_BIN + 1,
            Self::Tick { tick, timeline, .. } => timeline.longest_at(tick),
        }
    }

    /// The octave under which the steps of a bin are counted: with 2^n to 2^(n + 1) - 1 of them in a frame.
    pub fn octave(&self, bin: u8) -> usize {
        match *self {
            Self::Settling(_) => usize::from(bin),
            Self::Tick { timeline, .. } => timeline.steps(bin).ilog2() as usize,
        }
    }

    /// Whether the matter at this instant is part of the output.
    pub fn is_told(&self) -> bool {
        matches!(self, Self::Tick { tick: 0 | TICKS, .. })
    }

    /// The tick at which the next steps begin.
    pub fn tick(&self) -> u32 {
        match *self {
            Self::Settling(_) => 0,
            Self::Tick { tick, .. } => tick,
        }
    }

    /// Seconds since the first frame; none pass while matter settles.
    pub fn time(&self) -> f64 {
        self.time_of(self.tick())
    }

    /// Seconds from the first frame to a tick.
    pub fn time_of(&self, tick: u32) -> f64 {
        match *self {
            Self::Settling(_) => 0.0,
            Self::Tick { start, interval, .. } => start + timeline::seconds(tick, interval),
        }
    }

    /// The times at which walls are taken.
    pub fn walls(&self) -> Times {
        match *self {
            Self::Settling(_) => Times::Still(0.0),
            Self::Tick { .. } => Times::At(self.time()),
        }
    }
}
