//! The volume that a particle of soft matter keeps.

use serde::{Deserialize, Serialize};

/// State of the volume controller of a particle.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
pub struct Volume {
    /// The volume that its territory should keep, m^3; zero for matter that is not soft.
    pub own: f32,
    /// Delta after the last setting of the offset.
    pub change: f32,
    /// epsilon, m.
    pub offset: f32,
}
