//! The forces of the matter on colliders.

use glam::DVec3;

/// The force of the matter on a collider on the way to a frame, as the mean over the time since the frame before.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Reaction {
    /// Number of the collider, counted from 0 as in the scene.
    pub collider: u32,
    /// Force, N.
    pub force: DVec3,
    /// Torque about the origin of the collider half way between both frames, N m.
    pub torque: DVec3,
}
