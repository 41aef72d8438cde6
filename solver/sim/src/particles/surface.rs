//! What a particle shows to matter across the interface of a grid and other matter.

use glam::Vec3;

/// The surface of its matter at a particle.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Surface {
    /// Outward; zero where there is none.
    pub normal: Vec3,
    /// How flat it is, from 1 on; zero where there is no normal.
    pub flatness: f32,
    /// Of matter on a grid: the mean load of its contacts over their weight in the part of the frame before, N.
    /// Negative where it had none.
    pub press: f32,
    /// The same of the friction on it, N, so that what rests does not creep.
    pub traction: Vec3,
}
