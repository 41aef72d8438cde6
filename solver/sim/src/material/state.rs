//! What materials take of particles, and what they tell of them.

use crate::boundary::WallColumn;
use crate::particles::{Density, Membership, Ties, share};
use glam::{DVec3, Vec3};

/// What acts on a particle.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Force {
    /// Acceleration by other particles, m/s^2.
    pub pairs: Vec3,
    /// Acceleration by walls, m/s^2.
    pub walls: Vec3,
    /// The part of both that takes energy instead of storing it: viscosity and the walls' damping, m/s^2.
    pub dissipation: Vec3,
    /// The part of the walls' that presses matter on them, which friction grows with, m/s^2.
    pub wall_push: Vec3,
    /// How hard walls press by their pressure, m^2/s^2: what they give of [`walls`](Self::walls) for each unit of the
    /// gradient of their share.
    pub wall_pressure: f32,
    /// The part of [`walls`](Self::walls) that the air takes, and no wall bears, m/s^2.
    pub air: Vec3,
    /// Power that moving walls do on the particle's elastic energy, W.
    pub wall_power: f32,
    /// Which part of gravity acts.
    pub weight: f32,
    /// Pressure that the forces carry, over that of the ambient air, Pa.
    pub pressure: f32,
    /// Rate of the densities, 1/s.
    pub density_rate: Density,
    /// h over the longest step by DG96 (8), m/s.
    pub h_over_step: f32,
    /// Lowest and highest tag of a [`PackedPosition`](crate::neighbours::PackedPosition) among the neighbours and the
    /// particle itself.
    pub tags: (u8, u8),
    /// Whether neighbours come upon it about as fast as sound or faster.
    pub shocked: bool,
    /// Whether it is bound so firmly that its neighbours have to take its steps.
    pub bound: bool,
    /// Share of the energy of bonds.
    pub depth: f32,
    /// Angular acceleration of a particle of a sheet, rad/s^2.
    pub turn: Vec3,
    /// The part of it that takes energy, rad/s^2.
    pub turn_dissipation: Vec3,
    /// Share of the energy of its sheet, J.
    pub sheet_energy: f32,
    /// Square of the size of the [stress](crate::particles::Stress::size_squared), Pa^2.
    pub shear_squared: f32,
}

impl Force {
    /// All of the acceleration but what walls give, m/s^2.
    pub fn without_walls(&self, gravity: DVec3) -> DVec3 {
        (self.pairs + self.air).as_dvec3() + gravity * f64::from(self.weight)
    }
}

/// The matter that is evaluated: one entry a slot.
#[derive(Debug, Clone, Copy)]
pub struct Matter<'a> {
    /// Particle numbers.
    pub numbers: &'a [u32],
    /// Bodies.
    pub sources: &'a [u32],
    /// Walls at the last evaluation; those of active slots where they are now.
    pub walls: &'a WallColumn,
    /// Which part of each has melted; empty where heat does not flow, as is the next.
    pub melted: &'a [f32],
    /// How well each bonds with what it was not one with from the start, 0 to 1.
    pub welds: &'a [f32],
    /// What each of a woven sheet is bound to; empty where there is none.
    pub ties: &'a [Ties],
    /// Which part of its mass each has; empty where no sheet grows.
    pub shares: &'a [f32],
    /// What of soft matter each belongs to; empty where there is none.
    pub memberships: &'a [Membership],
}

impl Matter<'_> {
    /// Which part of a slot's matter has melted.
    pub fn melted(&self, slot: usize) -> f32 {
        self.melted.get(slot).copied().unwrap_or(0.0)
    }

    /// What of soft matter a slot belongs to.
    pub fn membership(&self, slot: usize) -> Membership {
        self.memberships.get(slot).copied().unwrap_or(Membership::NONE)
    }

    /// Which part of its mass a slot has.
    pub fn share(&self, slot: usize) -> f64 {
        share(self.shares, slot)
    }

    /// How well a slot's matter bonds with what it was not one with from the start, 0 to 1.
    pub fn weld(&self, slot: usize) -> f32 {
        self.welds.get(slot).copied().unwrap_or(0.0)
    }
}

/// A particle as it is, or is expected to be, at some time.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Now {
    /// Position, m.
    pub position: DVec3,
    /// Velocity, m/s.
    pub velocity: DVec3,
    /// Density; none where it is going to be found.
    pub density: Option<Density>,
    /// Tag for its [`PackedPosition`](crate::neighbours::PackedPosition).
    pub tag: u8,
}
