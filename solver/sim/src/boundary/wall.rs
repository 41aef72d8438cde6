//! The effect of all walls around a particle.

use super::MovingSurface;
use super::reaction::{Parts, TouchedColliders};
use super::touch::WallContact;
use glam::{DVec3, Vec3};

/// The effect of all walls around a particle.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Wall {
    /// The walls' share of the volume sum.
    pub share: f32,
    /// Gradient of the share, 1/m; points into the walls.
    pub gradient: Vec3,
    /// The part of the share that matter can adhere to.
    pub adhesive_share: f32,
    /// Gradient of the adhesive share, 1/m.
    pub adhesive_gradient: Vec3,
    /// Decrease of the share as the distances grow, over their relative growth.
    pub dilation: f32,
    /// Decrease of the adhesive share as the distances grow, over their relative growth.
    pub adhesive_dilation: f32,
    /// Velocity of the wall's surface, m/s.
    pub velocity: Vec3,
    /// Rate at which the walls' own motion increases the share, 1/s.
    pub closing: f32,
    /// Sum of the lengths of the gradients of all walls, 1/m; the gradient itself may vanish between two walls.
    pub steepness: f32,
    /// Coulomb friction coefficient.
    pub friction: f32,
    /// The colliders that the walls belong to.
    pub felt: TouchedColliders,
}

/// The walls around one particle, combined.
///
/// Shares combine as the root of the sum of their squares: where colliders lie one behind the other, as a bowl on a
/// table, the nearer one counts; in the corner between two, both do. The result is a function of the shares alone, so
/// the push stays the gradient of one energy.
#[derive(Debug, Default)]
pub struct WallSum {
    pub share: f64,
    gradient: DVec3,
    adhesive_share: f64,
    adhesive_gradient: DVec3,
    dilation: f64,
    adhesive_dilation: f64,
    velocity: DVec3,
    closing: f64,
    friction: f64,
    weight: f64,
    parts: Parts,
}

impl WallSum {
    pub fn add(&mut self, number: usize, collider: &MovingSurface, contact: &WallContact, share: f64, slope: f64) {
        let gradient = contact.normal * slope;
        let held = collider.adhesion * collider.adhesion;
        self.share += share * share;
        self.gradient += gradient * share;
        self.parts.add(number, gradient * share);
        self.closing += contact.velocity.dot(gradient) * share;
        self.adhesive_share += held * share * share;
        self.adhesive_gradient += gradient * (held * share);
        let dilation = -slope * contact.distance * share;
        self.dilation += dilation;
        self.adhesive_dilation += held * dilation;
        // Between walls of different motion and friction the wall that pushes harder counts more.
        let weight = share * gradient.length();
        self.velocity += contact.velocity * weight;
        self.friction += collider.friction * weight;
        self.weight += weight;
    }

    pub fn total(&self) -> Wall {
        let (share, adhesive_share) = (self.share.sqrt(), self.adhesive_share.sqrt());
        let ratio = |value: f64, by: f64| if by > 0.0 { (value / by) as f32 } else { 0.0 };
        let over = |vector: DVec3, by: f64| if by > 0.0 { (vector / by).as_vec3() } else { Vec3::ZERO };
        Wall {
            share: share as f32,
            gradient: over(self.gradient, share),
            adhesive_share: adhesive_share as f32,
            adhesive_gradient: over(self.adhesive_gradient, adhesive_share),
            dilation: ratio(self.dilation, share),
            adhesive_dilation: ratio(self.adhesive_dilation, adhesive_share),
            velocity: over(self.velocity, self.weight),
            // The sign is negative because the wall approaches the particle against the gradient of its share.
            closing: ratio(-self.closing, share),
            steepness: ratio(self.weight, share),
            friction: ratio(self.friction, self.weight),
            felt: self.parts.felt(share),
        }
    }
}
