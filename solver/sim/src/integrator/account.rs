//! The error in energy and momentum of steps of unequal length.
//!
//! The work of forces that store energy (pressure, the walls' push, gravity) equals the loss of that energy, apart from
//! the loss by friction and viscosity; the difference is the error of the integration. Forces between particles give no
//! net momentum; with steps of unequal length they do, as the two ends of a pair are evaluated at different times.

use crate::material::Force;
use crate::timeline::BINS;
use glam::DVec3;
use std::iter::Sum;
use std::ops::{Add, AddAssign};

/// Work and impulse of the forces over some time, and the steps taken.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Account {
    /// Work of the forces that store energy, less the work of moving walls on that energy, plus its part that went into
    /// the flow of matter with strength, J.
    pub work: f64,
    /// Impulse of the forces between particles, kg m/s; zero but for the error.
    pub impulse: DVec3,
    /// Ticks of the steps that ended, by their bins.
    pub ticks: [u64; BINS],
}

impl Account {
    /// Adds half a kick over some seconds of a particle with a mass, kg, and velocities before and after it, m/s.
    pub fn kick(&mut self, mass: f64, (before, after): (DVec3, DVec3), force: &Force, gravity: DVec3, dt: f64) {
        self.work += dt * (mass * storing(force, gravity).dot((before + after) / 2.0) - f64::from(force.wall_power));
        self.impulse += force.pairs.as_dvec3() * (mass * dt);
    }

    /// Adds half a kick over some seconds of the spin of a particle with a moment of inertia, kg m^2, and angular
    /// velocities before and after it, rad/s.
    pub fn turn(&mut self, inertia: f64, (before, after): (DVec3, DVec3), force: &Force, dt: f64) {
        let storing = (force.turn - force.turn_dissipation).as_dvec3();
        self.work += dt * inertia * storing.dot((before + after) / 2.0);
    }

    /// Subtracts the work over a displacement, m, by which a wall shortened the drift of a particle with a mass, kg:
    /// half of it, as the other half belongs to the kick that ends the step.
    pub fn stop(&mut self, mass: f64, less: DVec3, force: &Force, gravity: DVec3) {
        self.work -= mass / 2.0 * storing(force, gravity).dot(less);
    }
}

/// Acceleration by the forces that store energy, m/s^2. The air's lift is not stored with height.
fn storing(force: &Force, gravity: DVec3) -> DVec3 {
    (force.pairs + force.walls - force.dissipation).as_dvec3() + gravity
}

impl Add for Account {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        let ticks = std::array::from_fn(|bin| self.ticks[bin] + other.ticks[bin]);
        Self { work: self.work + other.work, impulse: self.impulse + other.impulse, ticks }
    }
}

impl AddAssign for Account {
    fn add_assign(&mut self, other: Self) {
        *self = *self + other;
    }
}

impl Sum for Account {
    fn sum<I: Iterator<Item = Self>>(accounts: I) -> Self {
        accounts.fold(Self::default(), Add::add)
    }
}
