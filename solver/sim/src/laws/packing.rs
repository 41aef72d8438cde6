//! The law by which points within a surface push each other until their density is even up to it (Colagrossi et al.
//! 2012).
//!
//! Each point stands for a volume V, and matter of the same density fills all space beyond the surface. A point at x is
//! pushed against the gradient of the smoothed density, by
//!
//! ```text
//! - sum V grad W(x - x_j) - integral over what lies beyond the surface of grad W(x - y) dy
//! ```
//!
//! By Gauss's theorem the integral is that of W(x - y) n over the surface, with its outward normal n. W is the C2
//! kernel of Wendland 1995, under which near points do not pair.

use crate::kernel::Dimensions;
use glam::DVec3;
use std::f64::consts::PI;

/// The range of pushes, in spacings.
const REACH: f64 = 2.0;

/// How far a point goes for a push, over the square of the reach. With half as much again neighbours overshoot.
const PACE: f64 = 0.1;

/// Pushes of points that stand for a volume.
#[derive(Debug, Clone, Copy)]
pub struct Packing {
    /// The range of pushes, m.
    pub reach: f64,
    /// Displacement by another point over its offset and the fall of the kernel.
    by_point: f64,
    /// Displacement by the surface over its area and the kernel, 1/m.
    by_area: f64,
}

impl Packing {
    /// Pushes of points so many m apart in the mean, in space or in a plane.
    pub fn new(dimensions: Dimensions, spacing: f64) -> Self {
        let reach = REACH * spacing;
        let (factor, volume) = match dimensions {
            Dimensions::Two => (7.0 / (PI * reach.powi(2)), spacing.powi(2)),
            Dimensions::Three => (21.0 / (2.0 * PI * reach.powi(3)), spacing.powi(3)),
        };
        let pace = PACE * reach.powi(2);
        Self { reach, by_point: pace * volume * factor / reach.powi(2), by_area: pace * factor }
    }

    /// The same for points that stand for another part of their volume.
    #[must_use]
    pub fn weighing(self, part: f64) -> Self {
        Self { by_point: self.by_point * part, ..self }
    }

    /// Displacement, m, by another point at an offset from it, m.
    pub fn by_point(&self, offset: DVec3) -> DVec3 {
        let left = self.left(offset);
        if left > 0.0 { offset * (self.by_point * 20.0 * left * left * left) } else { DVec3::ZERO }
    }

    /// W over its value at zero, at an offset, m.
    pub fn weight(&self, offset: DVec3) -> f64 {
        let left = self.left(offset);
        let square = left * left;
        square * square * (5.0 - 4.0 * left)
    }

    /// The part of the reach that is left beyond an offset, m.
    fn left(&self, offset: DVec3) -> f64 {
        let squared = offset.length_squared();
        // Most are beyond it, and need no root.
        if squared < self.reach * self.reach { 1.0 - squared.sqrt() / self.reach } else { 0.0 }
    }

    /// Displacement, m, by a patch of the surface at an offset from it, m, given its area times its outward normal,
    /// m^2; in a plane its length times that, m.
    pub fn by_area(&self, offset: DVec3, area: DVec3) -> DVec3 {
        area * (-self.by_area * self.weight(offset))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_surface_pushes_as_the_matter_beyond_it() {
        let fine = 0.05;
        let place = |n: i32| (f64::from(n) + 0.5) * fine;
        for (dimensions, part) in [(Dimensions::Three, fine * fine * fine), (Dimensions::Two, fine * fine)] {
            let law = Packing::new(dimensions, 1.0);
            let across = || match dimensions {
                Dimensions::Two => 0..1,
                Dimensions::Three => -42..42,
            };
            let flat = |y: i32| if dimensions == Dimensions::Two { 0.0 } else { place(y) };
            let columns = || (-42..42).flat_map(move |x| across().map(move |y| [place(x), flat(y)]));
            for depth in [0.1, 0.5, 1.2] {
                let point = DVec3::new(0.0, 0.0, -depth);
                let beyond = columns().flat_map(|[x, y]| (0..42).map(move |z| DVec3::new(x, y, place(z))));
                let by_matter: DVec3 = beyond.map(|other| law.weighing(part).by_point(point - other)).sum();
                let area = DVec3::Z * part / fine;
                let by_surface: DVec3 = columns().map(|[x, y]| law.by_area(point - DVec3::new(x, y, 0.0), area)).sum();
                assert!((by_matter - by_surface).length() < 0.01 * by_matter.length(), "{by_matter} {by_surface}");
            }
        }
    }
}
