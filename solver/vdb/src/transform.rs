//! The transform from index to world coordinates.

use crate::bytes::{put_f64s, put_str};

/// World position of voxel (i, j, k): `voxel_size * (i, j, k) + translation`, axis by axis.
///
/// In OpenVDB a voxel is sampled at its index; for data at cell centres, the translation is the centre of cell (0, 0,
/// 0).
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct GridTransform {
    /// Edge lengths of a voxel, m; above zero.
    pub voxel_size: [f64; 3],
    /// World position of voxel (0, 0, 0), m.
    pub translation: [f64; 3],
}

impl GridTransform {
    /// Cubic voxels with this edge length, m; voxel (0, 0, 0) is at the origin.
    pub fn uniform(voxel_size: f64) -> Self {
        Self { voxel_size: [voxel_size; 3], translation: [0.0; 3] }
    }

    /// The same voxels with voxel (0, 0, 0) at `translation` (m).
    #[must_use]
    pub fn with_translation(self, translation: [f64; 3]) -> Self {
        Self { translation, ..self }
    }

    /// Whether the transform and its inverse have finite coefficients.
    pub(crate) fn is_valid(&self) -> bool {
        let invertible = |size: &f64| *size > 0.0 && size.is_finite() && (1.0 / (size * size)).is_finite();
        self.voxel_size.iter().all(invertible) && self.translation.iter().all(|axis| axis.is_finite())
    }

    pub(crate) fn put(&self, out: &mut Vec<u8>) {
        let size = self.voxel_size;
        let uniform = size[0].to_bits() == size[1].to_bits() && size[1].to_bits() == size[2].to_bits();
        put_str(out, if uniform { "UniformScaleTranslateMap" } else { "ScaleTranslateMap" });
        put_f64s(out, &self.translation);
        put_f64s(out, &size);
        // The voxel size is the magnitude of the scale, and the scale is positive.
        put_f64s(out, &size);
        put_f64s(out, &size.map(|axis| 1.0 / axis));
        put_f64s(out, &size.map(|axis| 1.0 / (axis * axis)));
        put_f64s(out, &size.map(|axis| 0.5 / axis));
    }
}
