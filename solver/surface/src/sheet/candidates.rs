//! Triangles whose smallest circumscribing sphere holds no other particle of their layer.

use super::lists::Lists;
use super::particles::Particles;
use glam::DVec3;
use rayon::prelude::*;

/// The largest radius, longest edges: no triangle within an unbroken sheet has one as large, and thin ones along its rim have
/// larger ones.
pub(super) const LARGEST: f64 = 0.75;

/// How far, as a part of the squared radius, a particle must be within a sphere to be in it.
const WITHIN: f64 = 1e-3;

/// The same where a sphere is crowded: about what the stretch of space makes of particles on a circle.
const WITHIN_CROWDED: f64 = 0.04;

/// How far, as a part of the squared radius, a particle outside of a sphere counts as on it.
const AROUND: f64 = 0.2;

/// With so many other particles on a sphere it is crowded.
const CROWD: usize = 3;

/// The cosine of the angle between a triangle and the tangent plane of a corner: 60 degrees.
const LEAST_COSINE: f64 = 0.5;

/// How much of its shortest side counts for a triangle against its radius: the triangle in the midst of six particles on a circle
/// comes before those beside it, as two of these would leave a hole that can not be filled.
const SHORTEST_COUNTS: f64 = 0.3;

/// A triangle that may be part of the sheet.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Candidate {
    /// Counter-clockwise seen from where the normals point, the lowest first.
    pub corners: [u32; 3],
    /// The less the better, longest edges: the radius of the sphere in the stretched space, and a part of the shortest side off.
    pub cost: f64,
    /// Whether so many others lie about on the sphere that another triangle may cross this one without a common corner.
    pub is_crowded: bool,
}

/// All such triangles, those with a lower lowest corner first.
pub(super) fn candidates(particles: &Particles, lists: &Lists) -> Vec<Candidate> {
    (0..particles.len() as u32).into_par_iter().flat_map_iter(|lowest| of_lowest(particles, lists, lowest)).collect()
}

fn of_lowest(particles: &Particles, lists: &Lists, lowest: u32) -> Vec<Candidate> {
    let list = lists.of(lowest);
    let mut found = vec![];
    for (place, &one) in list.iter().enumerate().filter(|(_, one)| **one > lowest) {
        for &other in list[place + 1..].iter().filter(|other| **other > lowest) {
            found.extend(candidate(particles, lists, [lowest, one, other]));
        }
    }
    found
}

fn candidate(particles: &Particles, lists: &Lists, [a, b, c]: [u32; 3]) -> Option<Candidate> {
    if particles.way(b, c).length_squared() > 1.0 {
        return None;
    }
    let points = [a, b, c].map(|corner| particles.stretched[corner as usize]);
    let (centre, squared) = sphere(points)?;
    if squared > LARGEST * LARGEST {
        return None;
    }
    let (mut around, mut others) = ([None; CROWD], 0);
    let mut is_nearly_empty = false;
    for &other in [a, b, c].iter().flat_map(|corner| lists.of(*corner)).filter(|other| ![a, b, c].contains(*other)) {
        let distance = particles.stretched[other as usize].distance_squared(centre);
        if distance < squared * (1.0 - WITHIN) && [a, b, c].iter().all(|corner| particles.same_layer(*corner, other)) {
            if distance < squared * (1.0 - WITHIN_CROWDED) {
                return None;
            }
            is_nearly_empty = true;
        }
        if distance < squared * (1.0 + AROUND) && others < CROWD && !around.contains(&Some(other)) {
            around[others] = Some(other);
            others += 1;
        }
    }
    let is_crowded = others == CROWD;
    if is_nearly_empty && !is_crowded {
        return None;
    }
    let corners = [[a, b, c], [a, c, b]].into_iter().find(|corners| particles.faces(*corners, LEAST_COSINE))?;
    let candidate = || Candidate { corners, cost: cost(points, squared), is_crowded };
    particles.same_layer(b, c).then(candidate)
}

/// What a triangle costs, given the squared radius of its sphere.
pub(super) fn cost([p, q, r]: [DVec3; 3], squared: f64) -> f64 {
    squared.sqrt() - SHORTEST_COUNTS * p.distance(q).min(q.distance(r)).min(r.distance(p))
}

/// Centre and squared radius of the smallest sphere through three points; none if they lie on a line.
pub(super) fn sphere([a, b, c]: [DVec3; 3]) -> Option<(DVec3, f64)> {
    let (ab, ac) = (b - a, c - a);
    let across = ab.cross(ac);
    let (towards_c, towards_b) = (across.cross(ab) * ac.length_squared(), ac.cross(across) * ab.length_squared());
    let from_a = (towards_c + towards_b) / (2.0 * across.length_squared());
    from_a.is_finite().then(|| (a + from_a, from_a.length_squared()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_sphere_goes_through_the_corners() {
        let corners = [DVec3::new(1.0, 2.0, 3.0), DVec3::new(1.4, 1.8, 3.5), DVec3::new(0.7, 2.9, 3.1)];
        let (centre, squared) = sphere(corners).expect("a sphere");
        for corner in corners {
            assert!((corner.distance_squared(centre) - squared).abs() < 1e-12);
        }
        let normal = (corners[1] - corners[0]).cross(corners[2] - corners[0]);
        assert!((centre - corners[0]).dot(normal).abs() < 1e-12, "the centre lies in the plane");
        assert_eq!(sphere([DVec3::ZERO, DVec3::X, 2.0 * DVec3::X]), None);
    }
}
