//! Candidates: triangles whose smallest circumscribing sphere holds no other particle of their layer.

use super::neighbours::LayerNeighbours;
use super::particles::SheetParticles;
use glam::DVec3;
use rayon::prelude::*;

/// Largest radius, longest edges. No triangle within an intact sheet has one as large; thin triangles along its
/// boundary do.
pub(super) const MAX_RADIUS: f64 = 0.75;

/// A particle is inside a sphere if it is this far within, as a fraction of the squared radius.
const WITHIN: f64 = 1e-3;

/// The same for a crowded sphere: about the effect of the stretched space on particles on a circle.
const WITHIN_CROWDED: f64 = 0.04;

/// A particle counts as on a sphere up to this far outside, as a fraction of the squared radius.
const AROUND: f64 = 0.2;

/// Number of other particles on a crowded sphere.
const CROWDED_COUNT: usize = 3;

/// Cosine of the largest angle between a triangle and the tangent plane of a corner: 60 degrees.
const MIN_COSINE: f64 = 0.5;

/// Weight of the shortest side against the radius in the cost. The triangle amid six particles on a circle then comes
/// before its neighbours, two of which would leave a hole that cannot be filled.
const SHORTEST_EDGE_WEIGHT: f64 = 0.3;

/// A triangle that may be part of the sheet.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Candidate {
    /// Corners, counter-clockwise seen from where the normals point, the lowest first.
    pub corners: [u32; 3],
    /// Cost, lower is better, longest edges: the radius of the sphere in the stretched space minus a fraction of the
    /// shortest side.
    pub cost: f64,
    /// Whether so many other particles lie near the sphere that another triangle may cross this one without a common
    /// corner.
    pub is_crowded: bool,
}

/// All candidates, sorted by their lowest corner.
pub(super) fn candidates(particles: &SheetParticles, neighbours: &LayerNeighbours) -> Vec<Candidate> {
    (0..particles.len() as u32)
        .into_par_iter()
        .flat_map_iter(|lowest| of_lowest(particles, neighbours, lowest))
        .collect()
}

fn of_lowest(particles: &SheetParticles, neighbours: &LayerNeighbours, lowest: u32) -> Vec<Candidate> {
    let list = neighbours.of(lowest);
    let mut found = vec![];
    for (index, &one) in list.iter().enumerate().filter(|(_, one)| **one > lowest) {
        for &other in list[index + 1..].iter().filter(|other| **other > lowest) {
            found.extend(candidate(particles, neighbours, [lowest, one, other]));
        }
    }
    found
}

fn candidate(particles: &SheetParticles, neighbours: &LayerNeighbours, [a, b, c]: [u32; 3]) -> Option<Candidate> {
    if particles.offset(b, c).length_squared() > 1.0 {
        return None;
    }
    let points = [a, b, c].map(|corner| particles.stretched[corner as usize]);
    let (centre, squared) = sphere(points)?;
    if squared > MAX_RADIUS * MAX_RADIUS {
        return None;
    }
    let (mut around, mut others) = ([None; CROWDED_COUNT], 0);
    let mut is_nearly_empty = false;
    for &other in [a, b, c].iter().flat_map(|corner| neighbours.of(*corner)).filter(|other| ![a, b, c].contains(*other))
    {
        let distance = particles.stretched[other as usize].distance_squared(centre);
        if distance < squared * (1.0 - WITHIN) && [a, b, c].iter().all(|corner| particles.same_layer(*corner, other)) {
            if distance < squared * (1.0 - WITHIN_CROWDED) {
                return None;
            }
            is_nearly_empty = true;
        }
        if distance < squared * (1.0 + AROUND) && others < CROWDED_COUNT && !around.contains(&Some(other)) {
            around[others] = Some(other);
            others += 1;
        }
    }
    let is_crowded = others == CROWDED_COUNT;
    if is_nearly_empty && !is_crowded {
        return None;
    }
    let corners = [[a, b, c], [a, c, b]].into_iter().find(|corners| particles.faces(*corners, MIN_COSINE))?;
    let candidate = || Candidate { corners, cost: cost(points, squared), is_crowded };
    particles.same_layer(b, c).then(candidate)
}

/// Cost of a triangle, given the squared radius of its sphere.
pub(super) fn cost([p, q, r]: [DVec3; 3], squared: f64) -> f64 {
    squared.sqrt() - SHORTEST_EDGE_WEIGHT * p.distance(q).min(q.distance(r)).min(r.distance(p))
}

/// Centre and squared radius of the smallest sphere through three points; none for collinear points.
pub(super) fn sphere([a, b, c]: [DVec3; 3]) -> Option<(DVec3, f64)> {
    let (ab, ac) = (b - a, c - a);
    let normal = ab.cross(ac);
    let (towards_c, towards_b) = (normal.cross(ab) * ac.length_squared(), ac.cross(normal) * ab.length_squared());
    let from_a = (towards_c + towards_b) / (2.0 * normal.length_squared());
    from_a.is_finite().then(|| (a + from_a, from_a.length_squared()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_sphere_passes_through_the_corners() {
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
