//! What a bake is of, and what of it is handed over from where it is simulated to where it is written.

use dollop_sim::{Frame, Halt, Interrupted, Simulation, State};
use std::sync::Arc;

/// Gives frames one after another.
pub trait FrameSource: Send {
    /// The frame it stands at.
    fn frame(&self) -> Frame;

    /// Goes on to the next frame. `tell` hears what part of it is done, and may interrupt: then nothing but a state of
    /// before can go on.
    ///
    /// # Errors
    /// Why there is none, in a sentence for the user.
    fn advance(&mut self, tell: &mut dyn FnMut(f64) -> Result<(), Interrupted>) -> Result<(), Halt<String>>;

    /// All that it takes to go on from here; none of what cannot.
    fn state(&self) -> Option<State> {
        None
    }

    /// What to tell the user when the scene's last frame is done, a sentence each.
    fn remarks(&self) -> Vec<String> {
        Vec::new()
    }
}

impl FrameSource for Simulation {
    fn frame(&self) -> Frame {
        self.frame()
    }

    fn advance(&mut self, tell: &mut dyn FnMut(f64) -> Result<(), Interrupted>) -> Result<(), Halt<String>> {
        self.advance_while(tell).map_err(|halt| match halt {
            Halt::Interrupted(interrupted) => Halt::Interrupted(interrupted),
            Halt::Failed(error) => Halt::Failed(error.to_string()),
        })
    }

    fn state(&self) -> Option<State> {
        Some(self.state())
    }

    fn remarks(&self) -> Vec<String> {
        self.remarks()
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

/// From where to where a bake goes.
#[derive(Debug, Clone, Copy)]
pub struct FrameSpan {
    /// The scene's first frame.
    pub start: i32,
    /// The frame that the source stands at.
    pub from: i32,
    /// Whether that has been written before.
    pub is_resumed: bool,
    /// Frames from checkpoint to checkpoint; zero for none but where it is stopped.
    pub every: u32,
    /// Whether another bake will go on from the last frame.
    pub goes_on: bool,
}

impl FrameSpan {
    /// The first frame that is handed over: where it goes on, what it stands at was written before.
    pub fn first(&self) -> i32 {
        if self.is_resumed { self.from.saturating_add(1) } else { self.from }
    }
}

/// What is handed over from where it is simulated to where it is written.
pub enum Message {
    Frame(Box<Simulated>),
    /// What the source was at the end of the frame handed over before.
    State(Arc<State>, i32),
}

/// A frame that is there, and how long it took to get to it.
pub struct Simulated {
    pub frame: Frame,
    /// None for the frame that was there at the start, s.
    pub seconds: Option<f64>,
}
