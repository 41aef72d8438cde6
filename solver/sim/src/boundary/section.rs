//! Walls as matter in the plane y = 0 meets them: by their cut with the plane.
//!
//! If a wall stands at a slant to the plane, the distance to it along the plane exceeds the straight distance by the
//! length of its gradient over that of the gradient's part in the plane. So distances are exact along flat walls of any
//! tilt, and to first order along curved ones; their zeros, where matter touches, are exact. In space nothing changes.

use super::{Pose, Sample};
use crate::kernel::Dimensions;
use glam::DVec3;

/// Smallest part of a gradient that is taken to lie in the plane: flatter cuts have no direction.
const FLATTEST: f64 = 0.05;

/// Restricts the effect of walls to the dimensions of the matter.
#[derive(Debug, Clone, Copy)]
pub struct Section(pub Dimensions);

impl Section {
    /// 1 for each axis along which matter has room to move, 0 for the others.
    pub fn axes(self) -> DVec3 {
        match self.0 {
            Dimensions::Two => DVec3::new(1.0, 0.0, 1.0),
            Dimensions::Three => DVec3::ONE,
        }
    }

    /// The part of a vector along the axes of motion.
    pub fn within(self, v: DVec3) -> DVec3 {
        v * self.axes()
    }

    /// The direction of a surface's cut, given that of the surface; zero where there is no cut.
    pub fn direction(self, normal: DVec3) -> DVec3 {
        match self.0 {
            Dimensions::Two => self.within(normal).normalize_or_zero(),
            Dimensions::Three => normal,
        }
    }

    /// Distance to a cut and its gradient, given those to the surface of a collider with that pose in its own
    /// coordinates.
    pub fn sample(self, sample: Sample, pose: &Pose) -> Sample {
        if self.0 == Dimensions::Three {
            return sample;
        }
        let gradient = pose.rotation * sample.gradient;
        let longer = self.longer(gradient);
        Sample {
            distance: sample.distance * longer,
            gradient: pose.rotation.inverse() * (self.within(gradient) * longer),
            thin: sample.thin,
        }
    }

    /// The distance along the axes of motion over the straight one, given the gradient of that.
    pub fn longer(self, gradient: DVec3) -> f64 {
        let within = self.within(gradient);
        gradient.length() / within.length().max(FLATTEST * gradient.length()).max(f64::MIN_POSITIVE)
    }

    /// Velocity of a cut, m/s, given that of the surface and the surface's normal: a slanted wall that moves across the
    /// plane moves its cut along the plane.
    pub fn velocity(self, velocity: DVec3, normal: DVec3) -> DVec3 {
        let within = self.within(normal);
        let across = (velocity - self.within(velocity)).dot(normal);
        self.within(velocity)
            + within
                * (across
                    / within.length_squared().max(FLATTEST * FLATTEST * normal.length_squared()).max(f64::MIN_POSITIVE))
    }
}
