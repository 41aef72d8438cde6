//! The stress of a particle of matter with strength.

use serde::{Deserialize, Serialize};

/// Stress of a particle, and its effect on the neighbours.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
pub struct Stress {
    /// Deviator S, Pa: xx, yy, zz, xy, xz, yz.
    pub deviator: [f32; 6],
    /// Rows of T, which gives the force for offsets in units of the smoothing length, N.
    pub tension: [[f32; 3]; 3],
}
