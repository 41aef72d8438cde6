//! The field of a soft particle by distance, and the isovalue of the skin.

use crate::lattice::{between_layers_in_space, close_packed_half_space};
use dollop_scene::SoftField;
use glam::DVec3;

/// Distances from a wall, in reaches: up to the first a particle has its whole image behind the wall, from the second
/// on none.
const IMAGE: (f64, f64) = (0.4, 0.6);

/// Exponent of Blinn's bell at the end of its reach.
const BELL: f64 = 4.5;

/// The inverse cube grows no further nearer than this to a particle, in reaches.
const CORE: f64 = 0.2;

/// Points along either side of a cell of the lattice over which the isovalue is averaged.
const SAMPLES: u32 = 12;

/// The properties of a body's skin.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Skin {
    /// The kind of field.
    pub field: SoftField,
    /// Reach of the field, m.
    pub reach: f64,
    /// The value of the field at the skin, s.
    pub isovalue: f64,
}

impl Skin {
    /// The skin of a field of some reach, m, at a particle spacing, m. The skin of a half space on the lattice that
    /// bodies are filled with lies half a layer outside the outermost particles, so that it holds their volume.
    pub fn new(field: SoftField, reach: f64, spacing: f64) -> Self {
        let mut skin = Self { field, reach, isovalue: 0.0 };
        let (half_space, [a, b]) = close_packed_half_space(skin.reach, spacing);
        let up = DVec3::NEG_Z * (between_layers_in_space(spacing) / 2.0);
        let at = |n: u32| (f64::from(n) + 0.5) / f64::from(SAMPLES);
        let points = (0..SAMPLES * SAMPLES).map(|n| a * at(n / SAMPLES) + b * at(n % SAMPLES) + up);
        let value = |point: DVec3| half_space.iter().map(|&place| skin.value(point.distance(place))).sum::<f64>();
        skin.isovalue = points.map(value).sum::<f64>() / f64::from(SAMPLES * SAMPLES);
        skin
    }

    /// h at a distance less the offset, m.
    pub fn value(&self, distance: f64) -> f64 {
        let r = (distance / self.reach).max(0.0);
        if r >= 1.0 {
            return 0.0;
        }
        let rest = 1.0 - r * r;
        match self.field {
            SoftField::Polynomial => rest * rest * rest,
            SoftField::Blinn => ((-BELL * r * r).exp() - tail()) / (1.0 - tail()),
            SoftField::InverseCube => rest * rest / r.max(CORE).powi(3),
        }
    }

    /// Slope of h, 1/m; never positive.
    pub fn slope(&self, distance: f64) -> f64 {
        let r = (distance / self.reach).max(0.0);
        if r >= 1.0 {
            return 0.0;
        }
        let rest = 1.0 - r * r;
        let by_r = match self.field {
            SoftField::Polynomial => -6.0 * r * rest * rest,
            SoftField::Blinn => -2.0 * BELL * r * (-BELL * r * r).exp() / (1.0 - tail()),
            SoftField::InverseCube if r < CORE => -4.0 * r * rest / CORE.powi(3),
            SoftField::InverseCube => -rest * (4.0 * r * r + 3.0 * rest) / r.powi(4),
        };
        by_r / self.reach
    }

    /// How far from a wall particles have images behind it, m.
    pub fn image_reach(&self) -> f64 {
        IMAGE.1 * self.reach
    }

    /// Weight of a particle's image behind a wall at a distance, m, from the particle: matter that lies on a wall has
    /// its skin at the wall.
    pub fn image(&self, distance: f64) -> f64 {
        let t = ((distance / self.reach - IMAGE.0) / (IMAGE.1 - IMAGE.0)).clamp(0.0, 1.0);
        1.0 - t * t * (3.0 - 2.0 * t)
    }

    /// Radius of the skin of a lone particle, m, less its offset; none where its field nowhere reaches the isovalue.
    pub fn lone_radius(&self) -> Option<f64> {
        if self.value(0.0) < self.isovalue {
            return None;
        }
        let (mut low, mut high) = (0.0, self.reach);
        while high - low > 1e-9 * self.reach {
            let middle = low.midpoint(high);
            if self.value(middle) >= self.isovalue { low = middle } else { high = middle }
        }
        Some(low)
    }
}

/// The value of Blinn's bell at the end of its reach.
fn tail() -> f64 {
    (-BELL).exp()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn skins() -> impl Iterator<Item = Skin> {
        let fields = [SoftField::Polynomial, SoftField::Blinn, SoftField::InverseCube];
        fields.into_iter().flat_map(|field| [1.15, 1.25, 1.3].map(|influence| Skin::new(field, influence * 0.1, 0.1)))
    }

    #[test]
    fn slopes_are_derivatives() {
        for skin in skins() {
            for r in (1..150).map(|n| f64::from(n) * 1e-3 + 3e-5) {
                let difference = (skin.value(r + 1e-7) - skin.value(r - 1e-7)) / 2e-7;
                assert!((skin.slope(r) - difference).abs() < 1e-4 * (1.0 + difference.abs()), "{skin:?} {r}");
            }
        }
    }

    /// With any field a lone particle has a skin, which is about as large as its part of a body.
    #[test]
    fn a_lone_particle_has_a_skin() {
        for skin in skins() {
            let radius = skin.lone_radius().unwrap_or(0.0) / 0.1;
            assert!((0.35..0.65).contains(&radius), "{skin:?} {radius}");
        }
    }
}
