//! Why a frame is not advanced to its end.

use super::SimulationError;

/// An end that was asked for within a frame.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Interrupted;

/// Why a frame is not advanced to its end.
#[derive(Debug, Clone, PartialEq)]
pub enum Halt<E = SimulationError> {
    /// An end was asked for.
    Interrupted(Interrupted),
    /// It cannot be.
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
