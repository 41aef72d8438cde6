//! The shape of a blob; symbols as in [`sources`](super::sources).

use glam::Vec3;

/// A symmetric matrix: xx, yy, zz, yz, xz, xy.
pub(crate) type Symmetric = [f32; 6];

/// The ellipsoid of a blob.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Ellipsoid {
    /// From the particle to the blob's centre, m.
    pub shift: Vec3,
    /// M, 1/m^2.
    pub metric: Symmetric,
    /// Half the edges of the bounding box, m.
    pub extent: Vec3,
    /// Radius of the bounding ball, m.
    pub radius: f32,
    /// Square root of the determinant of M, 1/m^3.
    pub density: f32,
}

impl Ellipsoid {
    /// A ball with this radius, m.
    pub fn round(radius: f64) -> Self {
        let per_square = (1.0 / (radius * radius)) as f32;
        Self {
            shift: Vec3::ZERO,
            metric: [per_square, per_square, per_square, 0.0, 0.0, 0.0],
            extent: Vec3::splat(radius as f32),
            radius: radius as f32,
            density: (1.0 / radius.powi(3)) as f32,
        }
    }
}
