//! The closest point of a triangle (Ericson, "Real-Time Collision Detection", 2004, section 5.1.5).

use glam::Vec3;

/// The closest point of a triangle (Ericson, "Real-Time Collision Detection", 2004, section 5.1.5).
pub(crate) fn closest_point(p: Vec3, [a, b, c]: [Vec3; 3]) -> Vec3 {
    let (ab, ac, ap) = (b - a, c - a, p - a);
    let (d1, d2) = (ab.dot(ap), ac.dot(ap));
    if d1 <= 0.0 && d2 <= 0.0 {
        return a;
    }
    let bp = p - b;
    let (d3, d4) = (ab.dot(bp), ac.dot(bp));
    if d3 >= 0.0 && d4 <= d3 {
        return b;
    }
    let cp = p - c;
    let (d5, d6) = (ab.dot(cp), ac.dot(cp));
    if d6 >= 0.0 && d5 <= d6 {
        return c;
    }
    let along = |from: Vec3, direction: Vec3, part: f32, whole: f32| from + direction * (part / whole).clamp(0.0, 1.0);
    let vc = d1 * d4 - d3 * d2;
    if vc <= 0.0 && d1 >= 0.0 && d3 <= 0.0 {
        return along(a, ab, d1, d1 - d3);
    }
    let vb = d5 * d2 - d1 * d6;
    if vb <= 0.0 && d2 >= 0.0 && d6 <= 0.0 {
        return along(a, ac, d2, d2 - d6);
    }
    let va = d3 * d6 - d5 * d4;
    if va <= 0.0 && d4 >= d3 && d5 >= d6 {
        return along(b, c - b, d4 - d3, (d4 - d3) + (d5 - d6));
    }
    a + ab * (vb / (va + vb + vc)) + ac * (vc / (va + vb + vc))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        /// No sampled point of the triangle is closer, and the result lies in the triangle.
        #[test]
        fn no_sampled_point_is_closer(p in prop::array::uniform3(-2.0_f32..2.0), c in prop::array::uniform2(-1.0_f32..1.0)) {
            let (p, triangle) = (Vec3::from(p), [Vec3::ZERO, Vec3::X, Vec3::new(c[0], c[1], 0.3)]);
            let found = closest_point(p, triangle);
            let steps = 24;
            let points = (0..=steps).flat_map(|i| (0..=steps - i).map(move |j| (i as f32, j as f32)));
            let at = |(i, j): (f32, f32)| (triangle[1] * i + triangle[2] * j) / steps as f32;
            let samples: Vec<Vec3> = points.map(at).collect();
            let least = samples.iter().map(|point| point.distance(p)).fold(f32::INFINITY, f32::min);
            prop_assert!(found.distance(p) <= least + 1e-5);
            let of_triangle = samples.iter().map(|point| point.distance(found)).fold(f32::INFINITY, f32::min);
            prop_assert!(of_triangle < 2.0 / steps as f32);
        }
    }
}
