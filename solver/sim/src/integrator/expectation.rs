//! The state of particles between their evaluations.

use super::columns::StepColumns;
use super::instant::Instant;
use super::motion::{kicked, turned};
use crate::material::Now;
use crate::material::oriented::Facing;
use crate::material::strength::Shear;
use crate::particles::{Density, Particles};
use glam::{DQuat, DVec3, Vec3};

/// Largest part of its density by which a particle's expected density may change until its next evaluation.
const MOST_CHANGED: f32 = 0.5;

/// Expected state of particles between their evaluations.
pub struct Expectation<'a> {
    pub particles: &'a Particles,
    pub columns: &'a StepColumns,
    pub gravity: DVec3,
}

impl Expectation<'_> {
    /// The mean velocity from the start of a particle's step until s seconds later.
    pub fn half_kicked(&self, slot: usize, s: f64) -> DVec3 {
        let (force, wall) = (&self.columns.forces[slot], self.columns.walls.of(slot));
        kicked(self.particles.velocities[slot], force, self.gravity, wall, s / 2.0)
    }

    /// A particle at an instant: at the end of its drift if its step ends then, otherwise at its expected place.
    pub fn now(&self, instant: &Instant, slot: usize) -> Now {
        let (tag, density, position) =
            (self.columns.bins[slot], self.particles.densities[slot], self.particles.positions[slot]);
        if self.columns.asleep[slot] {
            return Now { position, velocity: DVec3::ZERO, density: Some(density), tag };
        }
        let (force, s) = (&self.columns.forces[slot], instant.since(self.columns.began[slot]));
        let rest = force.acceleration(self.gravity) * (s / 2.0);
        if tag >= instant.least_bin() {
            return Now { position, velocity: self.particles.velocities[slot] + rest, density: None, tag };
        }
        let mean = self.half_kicked(slot, s);
        let density = expected(density, force.density_rate, s as f32);
        Now { position: position + mean * s, velocity: mean + rest, density: Some(density), tag }
    }

    /// The normal and spin of a particle of a sheet at an instant, like [`now`](Self::now); zero where there is no
    /// sheet.
    pub fn facing(&self, instant: &Instant, slot: usize) -> Facing {
        let Particles { orientations, spins, .. } = self.particles;
        let (Some(&orientation), Some(&spin)) = (orientations.get(slot), spins.get(slot)) else {
            return Facing::default();
        };
        let facing = |orientation: DQuat, spin: DVec3| Facing {
            normal: (orientation * DVec3::Z).as_vec3(),
            spin: spin.as_vec3(),
        };
        if self.columns.asleep[slot] {
            return facing(orientation, DVec3::ZERO);
        }
        let (force, s) = (&self.columns.forces[slot], instant.since(self.columns.began[slot]));
        if self.columns.bins[slot] >= instant.least_bin() {
            return facing(orientation, instant.spun(spin, force, s / 2.0));
        }
        let mean = instant.spun(spin, force, s / 2.0);
        facing(turned(orientation, mean * s), instant.spun(mean, force, s / 2.0))
    }

    /// Velocity and acceleration, friction included, of a particle with strength at an instant. A particle that
    /// friction holds counts as still, or it would seem to creep.
    pub fn shear(&self, instant: &Instant, slot: usize) -> Shear {
        let tension = self.particles.stresses[slot].tension;
        if self.columns.asleep[slot] {
            return Shear { velocity: Vec3::ZERO, acceleration: Vec3::ZERO, tension };
        }
        let s = instant.since(self.columns.began[slot]);
        let ends = self.columns.bins[slot] >= instant.least_bin();
        let mean = if ends { self.particles.velocities[slot] } else { self.half_kicked(slot, s) };
        if s <= 0.0 {
            return Shear { velocity: mean.as_vec3(), acceleration: Vec3::ZERO, tension };
        }
        let (force, wall) = (&self.columns.forces[slot], self.columns.walls.of(slot));
        let velocity = kicked(mean, force, self.gravity, wall, s / 2.0);
        Shear { velocity: velocity.as_vec3(), acceleration: ((velocity - mean) / (s / 2.0)).as_vec3(), tension }
    }
}

/// A density some seconds later.
fn expected(density: Density, rate: Density, s: f32) -> Density {
    let later = |density: f32, rate: f32| {
        density + (rate * s).clamp(-MOST_CHANGED * density.abs(), MOST_CHANGED * density.abs())
    };
    Density { total: later(density.total, rate.total), held: later(density.held, rate.held) }
}
