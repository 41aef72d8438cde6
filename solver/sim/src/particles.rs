//! The particles: one column a field, in the order of particle numbers.

use glam::DVec3;

/// Density over rest density at a particle.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Density {
    /// With all that the walls stand for; it pushes.
    pub total: f32,
    /// With the part of the walls that the matter wets; it pulls.
    pub held: f32,
}

/// State and properties of all particles. Positions and velocities are kept in double precision, so that a small step
/// far from the origin is not lost; the loops over pairs work on single precision differences.
#[derive(Debug, Clone, Default)]
pub struct Particles {
    /// Positions, m.
    pub positions: Vec<DVec3>,
    /// Velocities, m/s.
    pub velocities: Vec<DVec3>,
    /// Accelerations at the last evaluation, gravity included, m/s^2.
    pub accelerations: Vec<DVec3>,
    /// Densities over rest density at the last evaluation.
    pub densities: Vec<Density>,
    /// Pressures that the forces carried at the last evaluation, over that of the ambient air, Pa.
    pub pressures: Vec<f32>,
    /// Body of each particle.
    pub sources: Vec<u32>,
    /// Temperatures, K; empty where the scene has none.
    pub temperatures: Vec<f32>,
}

impl Particles {
    /// Number of particles.
    pub fn len(&self) -> usize {
        self.positions.len()
    }
}
