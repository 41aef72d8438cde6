//! Quality of triangles: their least angles. For tests here and in dependent crates, and for comparisons.

use super::SurfaceMesh;
use glam::DVec3;

/// The least angles of the triangles of a mesh: 60 degrees for an equilateral triangle, 0 for a degenerate one.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Quality {
    /// The least angle of each triangle, degrees, sorted.
    angles: Vec<f32>,
}

impl Quality {
    /// The quality of triangles given by their corners, in any unit.
    pub fn of(triangles: impl Iterator<Item = [DVec3; 3]>) -> Self {
        let mut angles: Vec<f32> = triangles.map(least_angle).collect();
        angles.sort_unstable_by(f32::total_cmp);
        Self { angles }
    }

    /// Number of triangles.
    pub fn len(&self) -> usize {
        self.angles.len()
    }

    /// Whether there are no triangles.
    pub fn is_empty(&self) -> bool {
        self.angles.is_empty()
    }

    /// Fraction of triangles whose least angle is below `degrees`.
    pub fn part_below(&self, degrees: f32) -> f64 {
        let count = self.angles.partition_point(|angle| *angle < degrees);
        count as f64 / self.angles.len().max(1) as f64
    }

    /// The quantile of the least angles, degrees: the minimum for 0, the median for 0.5. 60 for an empty mesh.
    pub fn angle_of_part(&self, part: f64) -> f32 {
        let last = self.angles.len().saturating_sub(1);
        self.angles.get(((part * last as f64) as usize).min(last)).copied().unwrap_or(60.0)
    }

    /// The least angle of all triangles, degrees.
    pub fn least(&self) -> f32 {
        self.angle_of_part(0.0)
    }
}

/// The least angle of a triangle, degrees; 0 if two corners coincide.
fn least_angle([a, b, c]: [DVec3; 3]) -> f32 {
    let twice_area = (b - a).cross(c - a).length();
    // The least angle lies between the two longer sides. Its sine over its cosine is the least of the three.
    let angle = |at: DVec3, one: DVec3, other: DVec3| twice_area.atan2((one - at).dot(other - at)).to_degrees();
    [angle(a, b, c), angle(b, c, a), angle(c, a, b)].into_iter().fold(180.0, f64::min) as f32
}

impl SurfaceMesh {
    /// The quality of the triangles.
    pub fn quality(&self) -> Quality {
        Quality::of(self.corners())
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::float_cmp)]
    use super::*;

    fn angle_of(a: [f64; 3], b: [f64; 3], c: [f64; 3]) -> f32 {
        least_angle([a, b, c].map(DVec3::from_array))
    }

    #[test]
    fn angles_of_known_triangles() {
        let (right, equal) = ([1.0, 0.0, 0.0], [0.5, 0.75_f64.sqrt(), 0.0]);
        assert!((angle_of([0.0; 3], right, [0.0, 1.0, 0.0]) - 45.0).abs() < 1e-5);
        assert!((angle_of([0.0; 3], right, equal) - 60.0).abs() < 1e-5);
        assert!((angle_of([0.0; 3], right, [0.5, 0.01, 0.0]) - 0.02_f64.atan().to_degrees() as f32).abs() < 1e-5);
        assert_eq!((angle_of([0.0; 3], right, right), angle_of([0.0; 3], right, [3.0, 0.0, 0.0])), (0.0, 0.0));
    }

    #[test]
    fn parts_and_angles_agree() {
        let thin = |height: f64| [DVec3::ZERO, DVec3::X, DVec3::new(0.0, height, 0.0)];
        let heights = [1.0, 0.5, 0.1, 0.2].into_iter();
        let quality = Quality::of(heights.map(thin));
        let parts = [5.0, 10.0, 20.0, 30.0, 46.0].map(|degrees| quality.part_below(degrees));
        assert!(parts.iter().zip([0.0, 0.25, 0.5, 0.75, 1.0]).all(|(part, wanted)| (part - wanted).abs() < 1e-12));
        assert!((quality.least() - 0.1_f64.atan().to_degrees() as f32).abs() < 1e-4);
        assert!((quality.angle_of_part(1.0) - 45.0).abs() < 1e-4);
        assert_eq!((Quality::default().least(), Quality::default().part_below(60.0)), (60.0, 0.0));
    }
}
