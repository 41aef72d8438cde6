//! Reasons to stop within a frame.

use super::SimulationError;

/// A requested stop within a frame.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Interrupted;

/// Reasons to stop within a frame.
#[derive(Debug, Clone, PartialEq)]
pub enum Halt<E = SimulationError> {
    /// A stop was requested.
    Interrupted(Interrupted),
    /// The frame cannot be advanced.
    Failed(E),
}

impl<E> From<Interrupted> for Halt<E> {
    fn from(interrupted: Interrupted) -> Self {
        Self::Interrupted(interrupted)
    }
}

impl From<SimulationError> for Halt {
    fn from(error: SimulationError) -> Self {
        Self::Failed(error)
    }
}
