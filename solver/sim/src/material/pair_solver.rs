//! The interface of a force between particles to the solver of all matter.

use super::oriented::Facing;
use super::pressure::PressureForces;
use super::strength::Shear;
use super::{Force, Matter, Now};
use crate::cost::Cause;
use crate::laws::masses::Masses;
use crate::neighbours::{Active, BATCH, Neighbours, PackedPosition};
use crate::particles::{Density, Stress};
use glam::Vec3;
use std::fmt::Debug;

/// A force binds a particle firmly if it alone needs more than this part of the particle's step rate.
pub const FIRM: f32 = 0.5;

/// The present or expected state of particles, by slot.
#[derive(Clone, Copy)]
pub struct Present<'a> {
    /// Place, velocity and density.
    pub now: &'a (dyn Fn(usize) -> Now + Sync),
    /// Normal and spin.
    pub facing: &'a (dyn Fn(usize) -> Facing + Sync),
    /// Velocity and acceleration of a particle with strength.
    pub shear: &'a (dyn Fn(usize) -> Shear + Sync),
}

/// What the forces on some matter depend on, besides the matter that was [taken](PairSolver::take).
#[derive(Debug, Clone, Copy)]
pub struct Surroundings<'a> {
    /// Laws of pressure.
    pub pressure: &'a PressureForces,
    /// Neighbours.
    pub neighbours: &'a Neighbours,
    /// Evaluated matter.
    pub matter: &'a Matter<'a>,
    /// Masses of particles; none where all are alike.
    pub masses: Option<Masses<'a>>,
}

/// Forces of one kind between the particles of a scene.
pub trait PairSolver: Debug + Send + Sync {
    /// Takes the present matter of some batches, between the walls of its last evaluation. The batches must include all
    /// that the forces read.
    fn take(
        &mut self,
        pressure: &PressureForces,
        neighbours: &mut Neighbours,
        batches: &[u32],
        matter: &Matter,
        present: Present,
    );

    /// Finds the densities of the active slots, where the forces depend on them.
    fn find_densities(
        &mut self,
        _pressure: &PressureForces,
        _neighbours: &Neighbours,
        _active: &Active,
        _matter: &Matter,
        _densities: &mut [Density],
    ) {
    }

    /// Finds the stresses of the active slots after their steps of some seconds. Returns the energy that went into
    /// flow, J.
    fn find_stresses(
        &mut self,
        _pressure: &PressureForces,
        _neighbours: &Neighbours,
        _active: &Active,
        _matter: &Matter,
        _seconds: &(dyn Fn(usize) -> f64 + Sync),
        _stresses: &mut [Stress],
    ) -> f64 {
        0.0
    }

    /// Adds the forces on some slots of one batch, the first of them first, given all densities and stresses.
    fn add(
        &self,
        surroundings: &Surroundings,
        slots: &[u32],
        densities: &[Density],
        stresses: &[Stress],
        forces: &mut [Force; BATCH],
    );

    /// Tag and velocity, m/s, of a slot that was [taken](Self::take), where its rows hold both.
    fn motion(&self, _slot: usize) -> Option<(u8, Vec3)> {
        None
    }

    /// The limits of the step of a slot, as h over the longest step, m/s, and their causes.
    fn causes(&self, _surroundings: &Surroundings, _slot: usize) -> Vec<(f32, Cause)> {
        Vec::new()
    }

    /// Elastic energy, J, of a slot of the matter, given the force on it.
    fn elastic_energy(&self, _pressure: &PressureForces, _slot: usize, _matter: &Matter, _force: &Force) -> f64 {
        0.0
    }

    /// Elastic energy, J, that a particle of a body gains when its molten part changes, given the force on it.
    fn softened(&self, _pressure: &PressureForces, _source: u32, _force: &Force, _melted: (f32, f32)) -> f64 {
        0.0
    }

    /// Sets whether matter settles, in times that are no seconds.
    fn set_settling(&mut self, _settles: bool) {}

    /// The equilibrium separation of a lone pair of a body, m.
    fn separation(&self, _source: u32) -> Option<f64> {
        None
    }

    /// The part of a body's matter that is still molten some seconds after a given part was, however cold it is.
    fn after_setting(&self, _source: u32, _melted: f32, _seconds: f64) -> Option<f32> {
        None
    }

    /// The time in which a body's matter sets by a small part, s.
    fn setting_step(&self, _source: u32) -> Option<f64> {
        None
    }

    /// Moment of inertia of a particle of a body, kg m^2; zero where it does not turn.
    fn inertia(&self, _source: u32) -> f64 {
        0.0
    }

    /// Memory for a number of particles, bytes.
    fn memory(&self, particles: usize) -> usize;
}

/// Tag and velocity, m/s, of a row, by its place and its motion.
pub fn tag_and_velocity(place: PackedPosition, [x, y, z, _]: [f32; 4]) -> (u8, Vec3) {
    (place[3] as u8, Vec3::new(x, y, z))
}
