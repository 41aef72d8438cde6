//! Quadric error metrics: sums of squared distances to planes (Garland and Heckbert, "Surface simplification using
//! quadric error metrics", 1997).

use glam::{DMat3, DVec3, Vec3};

/// The sum over planes of weight times squared distance, as a function of the point x: x A x - 2 b x + c.
#[derive(Debug, Clone, Copy)]
pub(super) struct Quadric {
    a: DMat3,
    b: DVec3,
    c: f64,
}

impl Quadric {
    /// The quadric of no plane.
    pub const ZERO: Self = Self { a: DMat3::ZERO, b: DVec3::ZERO, c: 0.0 };

    /// The quadric of the plane of a triangle, weighted by a third of its area; zero for a degenerate triangle.
    pub fn of([a, b, c]: [Vec3; 3]) -> Self {
        let [a, b, c] = [a, b, c].map(Vec3::as_dvec3);
        let cross = (b - a).cross(c - a);
        let (normal, weight) = (cross.normalize_or_zero(), cross.length() / 6.0);
        let (weighted, height) = (weight * normal, normal.dot(a));
        let columns = [weighted * normal.x, weighted * normal.y, weighted * normal.z];
        Self {
            a: DMat3::from_cols(columns[0], columns[1], columns[2]),
            b: height * weighted,
            c: weight * height * height,
        }
    }

    /// Value at a point.
    pub fn at(&self, point: Vec3) -> f64 {
        let x = point.as_dvec3();
        (x.dot(self.a * x) - 2.0 * self.b.dot(x) + self.c).max(0.0)
    }
}

impl std::ops::AddAssign for Quadric {
    fn add_assign(&mut self, other: Self) {
        self.a += other.a;
        self.b += other.b;
        self.c += other.c;
    }
}

impl std::ops::Add for Quadric {
    type Output = Self;

    fn add(mut self, other: Self) -> Self {
        self += other;
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quadrics_sum_weighted_squared_distances() {
        let floor = Quadric::of([Vec3::Z, Vec3::Z + Vec3::X, Vec3::Z + Vec3::Y]);
        let wall = Quadric::of([Vec3::ZERO, 2.0 * Vec3::Y, Vec3::Z]);
        let at = Vec3::new(3.0, -7.0, 5.0);
        assert!((floor.at(at) - 16.0 * 0.5 / 3.0).abs() < 1e-12);
        assert!(((floor + wall).at(at) - (16.0 * 0.5 + 9.0) / 3.0).abs() < 1e-12);
        assert!(Quadric::of([Vec3::ONE; 3]).at(at) < 1e-12 && Quadric::ZERO.at(at) < 1e-12);
    }
}
