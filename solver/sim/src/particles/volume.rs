//! The volume that a particle of soft matter keeps.

use serde::{Deserialize, Serialize};

/// State of the controller of a particle.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
pub struct Volume {
    /// What its territory is to keep, m^3; zero for what is not soft.
    pub own: f32,
    /// Delta after the offset was set last.
    pub change: f32,
    /// epsilon, m.
    pub offset: f32,
}
