//! The pose of a collider over time.

use crate::geometry::rotation;
use dollop_scene::{Key, Transform};
use glam::{DQuat, DVec3};

/// A placement without the base scale, which is part of the collider's shape.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Pose {
    /// Position of the shape's origin, m.
    pub translation: DVec3,
    /// Rotation.
    pub rotation: DQuat,
    /// Factor over the base scale.
    pub scale: f64,
}

impl Pose {
    /// From the world into the shape's coordinates.
    pub fn to_local(&self, p: DVec3) -> DVec3 {
        self.rotation.inverse() * (p - self.translation) / self.scale
    }

    /// From the shape's coordinates into the world.
    pub fn to_world(&self, p: DVec3) -> DVec3 {
        self.translation + self.rotation * (p * self.scale)
    }
}

/// Poses at rising times.
#[derive(Debug, Clone, PartialEq)]
pub struct Motion {
    poses: Vec<(f64, Pose)>,
    base_scale: DVec3,
}

impl Motion {
    /// The motion of a collider; times are seconds from the first frame.
    ///
    /// # Errors
    /// The number of the first key whose scale differs from that of the first key by more than one factor for all axes.
    pub fn new(fixed: &Transform, keys: &[Key], time_of: impl Fn(i32) -> f64) -> Result<Self, usize> {
        let first = DVec3::from(keys.first().map_or(fixed, |key| &key.transform).scale);
        let pose = |transform: &Transform| {
            let ratio = DVec3::from(transform.scale) / first;
            let uniform = (ratio - ratio.x).abs().max_element() <= 1e-4 * ratio.x.abs() && ratio.x > 0.0;
            uniform.then(|| Pose {
                translation: DVec3::from(transform.translation),
                rotation: rotation(transform),
                scale: ratio.x,
            })
        };
        let place =
            |(number, key): (usize, &Key)| pose(&key.transform).map(|pose| (time_of(key.frame), pose)).ok_or(number);
        let mut poses = keys.iter().enumerate().map(place).collect::<Result<Vec<_>, _>>()?;
        if poses.is_empty() {
            poses.extend(pose(fixed).map(|pose| (0.0, pose)));
        }
        // The largest scale is the base, so that the distance field is never coarser in the world than it was made.
        let largest = poses.iter().map(|(_, pose)| pose.scale).fold(1.0, f64::max);
        for (_, pose) in &mut poses {
            pose.scale /= largest;
        }
        Ok(Self { poses, base_scale: first * largest })
    }

    /// The scale to apply to the shape.
    pub fn base_scale(&self) -> DVec3 {
        self.base_scale
    }

    /// The smallest factor over the base scale that any key has, at most 1.
    pub fn smallest_scale(&self) -> f64 {
        self.poses.iter().map(|(_, pose)| pose.scale).fold(1.0, f64::min)
    }

    /// Whether it never moves.
    pub fn is_static(&self) -> bool {
        self.poses.windows(2).all(|pair| pair[0].1 == pair[1].1)
    }

    /// The pose at a time in s: between two keys the position is linear and the rotation turns evenly.
    pub fn pose(&self, time: f64) -> Pose {
        let after = self.poses.partition_point(|&(t, _)| t <= time);
        if after == 0 || after == self.poses.len() {
            return self.poses[after.saturating_sub(1)].1;
        }
        let ((t0, a), (t1, b)) = (self.poses[after - 1], self.poses[after]);
        let t = (time - t0) / (t1 - t0);
        Pose {
            translation: a.translation.lerp(b.translation, t),
            rotation: a.rotation.slerp(b.rotation, t),
            scale: a.scale + (b.scale - a.scale) * t,
        }
    }
}
