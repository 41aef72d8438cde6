//! Input of materials from particles, and their output.

use super::MatterSolver;
use crate::boundary::WallColumn;
use crate::particles::{Density, Membership, Particles, Surface, Ties, share};
use glam::{DVec3, Vec3};

/// The force on a particle.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Force {
    /// Acceleration by other particles, m/s^2.
    pub pairs: Vec3,
    /// Acceleration by what holds a particle of a grid to its way, m/s^2.
    pub held: Vec3,
    /// Acceleration by walls, m/s^2.
    pub walls: Vec3,
    /// The dissipative part of both, viscosity and the walls' damping, m/s^2.
    pub dissipation: Vec3,
    /// The part of the walls' that presses matter on them, which limits friction, m/s^2.
    pub wall_push: Vec3,
    /// The walls' pressure, m^2/s^2: the part of [`walls`](Self::walls) for each unit of the gradient of their share.
    pub wall_pressure: f32,
    /// The part of [`walls`](Self::walls) that comes from the air and that no wall bears, m/s^2.
    pub air: Vec3,
    /// Power of moving walls on the particle's elastic energy, W.
    pub wall_power: f32,
    /// The part of gravity that acts.
    pub weight: f32,
    /// Pressure that the forces carry, relative to the ambient air, Pa.
    pub pressure: f32,
    /// Rate of the densities, 1/s.
    pub density_rate: Density,
    /// h over the longest step by DG96 (8), m/s.
    pub h_over_step: f32,
    /// Lowest and highest tag of a [`PackedPosition`](crate::neighbours::PackedPosition) among the neighbours and the
    /// particle itself.
    pub tags: (u8, u8),
    /// Whether neighbours approach it about as fast as sound or faster.
    pub shocked: bool,
    /// Whether it is bound so firmly that its neighbours must take its steps.
    pub bound: bool,
    /// Share of the energy of bonds.
    pub depth: f32,
    /// Angular acceleration of a particle of a sheet, rad/s^2.
    pub turn: Vec3,
    /// The dissipative part of it, rad/s^2.
    pub turn_dissipation: Vec3,
    /// Share of the energy of its sheet, J.
    pub sheet_energy: f32,
    /// Half of the energy of its contact across the interface of matter on a grid and other matter, J.
    pub interface_energy: f32,
    /// What presses on it across that interface, N.
    pub load: f32,
    /// Sum of the weights of its contacts there.
    pub touch: f32,
    /// The friction of these contacts on it, N.
    pub friction: Vec3,
    /// Square of the size of the [stress](crate::particles::Stress::size_squared), Pa^2.
    pub shear_squared: f32,
}

impl Force {
    /// Takes in the lowest and highest tag among some neighbours.
    pub fn meet(&mut self, (low, high): (u8, u8)) {
        self.tags = (self.tags.0.min(low), self.tags.1.max(high));
    }

    /// The acceleration without the walls' part, m/s^2.
    pub fn without_walls(&self, gravity: DVec3) -> DVec3 {
        (self.pairs + self.held + self.air).as_dvec3() + gravity * f64::from(self.weight)
    }
}

/// What pushes did to a particle of a grid at its interface with other matter since the part of the frame began.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Received {
    /// Change of its velocity, m/s.
    pub push: DVec3,
    /// What pressed on it times the time, N s.
    pub load: f64,
    /// The weight of its contacts times the time, s.
    pub touch: f64,
    /// Friction on it times the time, N s.
    pub friction: DVec3,
}

impl Received {
    /// Adds a force over some seconds.
    pub fn add(&mut self, force: &Force, seconds: f64) {
        self.push += force.pairs.as_dvec3() * seconds;
        self.load += f64::from(force.load) * seconds;
        self.touch += f64::from(force.touch) * seconds;
        self.friction += force.friction.as_dvec3() * seconds;
    }

    /// The mean load and friction over the mean weight of contacts, N; none where there was no contact.
    pub fn traction(&self) -> Option<(f64, DVec3)> {
        (self.touch > 0.0).then(|| (self.load / self.touch, self.friction / self.touch))
    }
}

/// The evaluated matter: one entry a slot.
#[derive(Debug, Clone, Copy)]
pub struct Matter<'a> {
    /// Particle numbers.
    pub numbers: &'a [u32],
    /// Bodies.
    pub sources: &'a [u32],
    /// Walls at the last evaluation; for active slots the present walls.
    pub walls: &'a WallColumn,
    /// The molten part of each particle; empty, like the next, where heat does not flow.
    pub melted: &'a [f32],
    /// The temperature of each particle, K; empty where there is none.
    pub temperatures: &'a [f32],
    /// How well each particle bonds with matter outside its initial bond group, 0 to 1.
    pub welds: &'a [f32],
    /// The ties of each particle of a woven sheet; empty where there is none.
    pub ties: &'a [Ties],
    /// The mass share of each particle; empty where no sheet grows.
    pub shares: &'a [f32],
    /// The piece and lump of each soft particle; empty where there is none.
    pub memberships: &'a [Membership],
    /// The surface of each particle; empty where no matter on a grid touches other matter.
    pub surfaces: &'a [Surface],
}

impl Matter<'_> {
    /// The molten part of a slot's matter.
    pub fn melted(&self, slot: usize) -> f32 {
        self.melted.get(slot).copied().unwrap_or(0.0)
    }

    /// The temperature of a slot's matter, K; zero where there is none.
    pub fn temperature(&self, slot: usize) -> f32 {
        self.temperatures.get(slot).copied().unwrap_or(0.0)
    }

    /// The surface at a slot.
    pub fn surface(&self, slot: usize) -> Surface {
        self.surfaces.get(slot).copied().unwrap_or_default()
    }

    /// The piece and lump of a slot.
    pub fn membership(&self, slot: usize) -> Membership {
        self.memberships.get(slot).copied().unwrap_or(Membership::NONE)
    }

    /// The mass share of a slot.
    pub fn share(&self, slot: usize) -> f64 {
        share(self.shares, slot)
    }

    /// How well a slot's matter bonds with matter outside its initial bond group, 0 to 1.
    pub fn weld(&self, slot: usize) -> f32 {
        self.welds.get(slot).copied().unwrap_or(0.0)
    }
}

/// A particle in its present or expected state at some time.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Now {
    /// Position, m.
    pub position: DVec3,
    /// Velocity, m/s.
    pub velocity: DVec3,
    /// Density; none where it is yet to be found.
    pub density: Option<Density>,
    /// Tag for its [`PackedPosition`](crate::neighbours::PackedPosition).
    pub tag: u8,
}

impl Particles {
    /// The data that the material's solver needs, with the walls.
    pub fn matter<'a>(&'a self, walls: &'a WallColumn) -> Matter<'a> {
        let Self { numbers, sources, melted, temperatures, welds, ties, shares, memberships, surfaces, .. } = self;
        Matter { numbers, sources, walls, melted, temperatures, welds, ties, shares, memberships, surfaces }
    }

    /// Mass of a slot, kg.
    pub fn mass(&self, slot: usize, solver: &MatterSolver) -> f64 {
        share(&self.shares, slot) * solver.mass(self.sources[slot])
    }
}
