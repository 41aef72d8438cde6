//! The plane between the particles of two bodies that touch.
//!
//! A mean of slopes of what bodies fill leans at rims, where one body ends on the other, and then what slides meets
//! resistance there. The plane that separates the particles themselves does not (Nairn, Hammerquist, Smith 2020, "New
//! material point method contact algorithms for improved accuracy, large-deformation problems, and proper null-space
//! filtering", Computer Methods in Applied Mechanics and Engineering 362, which fits it by logistic regression). Here
//! it is that of a support vector machine with squared loss (Mangasarian 2002, "A finite Newton method for
//! classification"): the sum over particles of
//!
//! ```text
//! w max(0, 1 - s (a x + b))^2 + r a^2
//! ```
//!
//! is least, with s 1 for one body and -1 for the other. The normal is a, and only the layers next to each other count.

use glam::{DMat4, DVec3, DVec4, Vec3};

/// r, as a part of the sum of all weights.
const RIDGE: f64 = 1e-3;
/// Iterations, after which the layers that count are known, nearly always.
const MOST: usize = 8;
/// A plane whose margin is wider than this many times the way to its points separates nothing.
const WIDEST: f64 = 8.0;

/// A particle near the plane.
#[derive(Debug, Clone, Copy)]
pub struct Sample {
    /// From where the plane is about, in cells.
    pub place: Vec3,
    /// 1 or -1.
    pub side: f32,
    pub weight: f32,
}

/// A plane between samples.
#[derive(Debug, Clone, Copy)]
pub struct Plane {
    /// To the side of 1.
    pub normal: Vec3,
    /// Of its nearest point, along the normal.
    pub offset: f32,
}

/// The plane between samples of both sides, given about its normal; none without samples on both.
pub fn plane_between(samples: &[Sample], about: Vec3) -> Option<Plane> {
    let has = |side: f32| samples.iter().any(|sample| sample.side * side > 0.0);
    if !(has(1.0) && has(-1.0)) {
        return None;
    }
    let all: f64 = samples.iter().map(|sample| f64::from(sample.weight)).sum();
    let mut plane = about.as_dvec3().extend(0.0) * 2.0;
    for _ in 0..MOST {
        let (mut left, mut right) = (ridge(all), DVec4::ZERO);
        for &Sample { place, side, weight } in samples {
            let (own, side, weight) = (place.as_dvec3().extend(1.0), f64::from(side), f64::from(weight));
            if side * plane.dot(own) < 1.0 {
                left += DMat4::from_cols(own * own.x, own * own.y, own * own.z, own * own.w) * weight;
                right += own * (side * weight);
            }
        }
        let next = left.inverse() * right;
        if !next.is_finite() || next == plane {
            break;
        }
        plane = next;
    }
    let slope = plane.truncate();
    let length = slope.length();
    (length > 1.0 / WIDEST).then(|| Plane { normal: (slope / length).as_vec3(), offset: (-plane.w / length) as f32 })
}

fn ridge(all: f64) -> DMat4 {
    let ridge = RIDGE * all;
    DMat4::from_diagonal(DVec3::splat(ridge).extend(ridge * 1e-3))
}

#[cfg(test)]
mod tests {
    use super::*;
    use glam::IVec3;

    fn samples(is_there: impl Fn(Vec3) -> bool) -> Vec<Sample> {
        let mut all = Vec::new();
        for n in 0..512 {
            let place = (IVec3::new(n % 8, n / 8 % 8, n / 64).as_vec3() - 3.5) * 0.5;
            let weight = (1.0 - place.length_squared() / 3.0).max(0.0);
            if is_there(place) && weight > 0.0 {
                all.push(Sample { place, side: place.z.signum(), weight });
            }
        }
        all
    }

    #[test]
    fn a_rim_does_not_lean_the_plane() {
        for edge in [2.0, 0.5, 0.0] {
            let ends = samples(|place| place.z < 0.0 || place.x < edge);
            let plane = plane_between(&ends, Vec3::new(0.5, 0.0, 1.0).normalize()).expect("both sides have samples");
            assert!(plane.normal.z > 0.999, "{edge}: {plane:?}");
            assert!(plane.offset.abs() < 0.02, "{edge}: {plane:?}");
        }
    }

    #[test]
    fn matter_of_one_side_has_no_plane() {
        assert!(plane_between(&samples(|place| place.z < 0.0), Vec3::Z).is_none());
        assert!(plane_between(&[], Vec3::Z).is_none());
    }
}
