//! The source of a bake's frames, and the messages from the thread that simulates to the thread that writes.

use dollop_sim::{Frame, Halt, Interrupted, Simulation, State};
use std::sync::Arc;

/// A source of frames.
pub trait FrameSource: Send {
    /// The current frame.
    fn frame(&self) -> Frame;

    /// Advances to the next frame. `tell` receives the finished part of the frame, and may interrupt: then the source
    /// can continue only from an earlier state.
    ///
    /// # Errors
    /// Why there is no next frame, in a sentence for the user.
    fn advance(&mut self, tell: &mut dyn FnMut(f64) -> Result<(), Interrupted>) -> Result<(), Halt<String>>;

    /// The full state to resume from; none if the source cannot resume.
    fn state(&self) -> Option<State> {
        None
    }

    /// Remarks for the user after the scene's last frame, a sentence each.
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

/// The ending of a bake.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ending {
    /// All frames are written.
    Complete,
    /// The user or another program asked for the end.
    Cancelled,
}

/// The range of frames of a bake.
#[derive(Debug, Clone, Copy)]
pub struct FrameSpan {
    /// The scene's first frame.
    pub start: i32,
    /// The frame at which the source stands.
    pub from: i32,
    /// Whether that frame has been written before.
    pub is_resumed: bool,
    /// Frames between checkpoints; zero makes one only when the bake is stopped.
    pub every: u32,
    /// Whether another bake will resume from the last frame.
    pub goes_on: bool,
}

impl FrameSpan {
    /// The first frame to send: a resumed bake has already written the one at which the source stands.
    pub fn first(&self) -> i32 {
        if self.is_resumed { self.from.saturating_add(1) } else { self.from }
    }
}

/// A message from the thread that simulates to the thread that writes.
pub enum Message {
    Frame(Box<Simulated>),
    /// The state of the source at the end of the last frame sent.
    State(Arc<State>, i32),
}

/// A frame, and the duration of its simulation.
pub struct Simulated {
    pub frame: Frame,
    /// Seconds; none for the frame at which the source stood at the start.
    pub seconds: Option<f64>,
}
