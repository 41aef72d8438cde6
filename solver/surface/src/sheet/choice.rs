//! Chooses among overlapping candidates by cost: small spheres, long shortest sides.

use super::candidates::Candidate;
use super::neighbours::LayerNeighbours;
use super::particles::SheetParticles;
use super::stars::{Sector, Stars, overlap, sectors};
use glam::DVec3;
use rayon::prelude::*;

/// Sides touch rather than cross below this: twice the area of a triangle over a side, squares of the longest edge.
const TOUCHING: f64 = 1e-3;

/// Chooses the candidates that overlap no other; then, by ascending cost, those that overlap none chosen before.
pub(super) fn choose(particles: &SheetParticles, neighbours: &LayerNeighbours, candidates: &[Candidate]) -> Stars {
    let at = Incidences::new(particles.len(), candidates);
    let is_contested = |(number, candidate): (usize, &Candidate)| {
        candidate.is_crowded
            || sectors(candidate.corners)
                .into_iter()
                .any(|(corner, sector)| at.overlap(particles, number, corner, sector))
    };
    let contested: Vec<bool> = candidates.par_iter().enumerate().map(is_contested).collect();
    let mut stars = Stars { sectors: at.stars(|number| !contested[number]) };
    let mut rest: Vec<Candidate> = candidates.iter().zip(&contested).filter(|(_, is)| **is).map(|(c, _)| *c).collect();
    rest.sort_unstable_by(|a, b| a.cost.total_cmp(&b.cost).then(a.corners.cmp(&b.corners)));
    for candidate in rest {
        let near = candidate.corners.into_iter().flat_map(|corner| neighbours.of(corner)).copied();
        let is_crossed = || candidate.is_crowded && is_crossed(particles, &stars, candidate.corners, near);
        if !stars.overlaps(particles, candidate.corners) && !is_crossed() {
            stars.add(candidate.corners);
        }
    }
    stars
}

/// The candidates at each particle, with their sectors.
struct Incidences {
    starts: Vec<usize>,
    items: Vec<(u32, Sector)>,
}

impl Incidences {
    fn new(count: usize, candidates: &[Candidate]) -> Self {
        let mut starts = vec![0; count + 1];
        for corner in candidates.iter().flat_map(|candidate| candidate.corners) {
            starts[corner as usize + 1] += 1;
        }
        for index in 0..count {
            starts[index + 1] += starts[index];
        }
        let mut next = starts.clone();
        let mut items = vec![(0, [0; 2]); 3 * candidates.len()];
        for (number, candidate) in candidates.iter().enumerate() {
            for (corner, sector) in sectors(candidate.corners) {
                items[next[corner as usize]] = (number as u32, sector);
                next[corner as usize] += 1;
            }
        }
        Self { starts, items }
    }

    fn of(&self, particle: usize) -> &[(u32, Sector)] {
        &self.items[self.starts[particle]..self.starts[particle + 1]]
    }

    /// The sectors of some candidates at each particle.
    fn stars(&self, takes: impl Fn(usize) -> bool + Sync) -> Vec<Vec<Sector>> {
        let taken = |(number, sector): &(u32, Sector)| takes(*number as usize).then_some(*sector);
        (0..self.starts.len() - 1)
            .into_par_iter()
            .map(|particle| self.of(particle).iter().filter_map(taken).collect())
            .collect()
    }

    /// Whether another candidate overlaps this one at a corner.
    fn overlap(&self, particles: &SheetParticles, number: usize, corner: u32, sector: Sector) -> bool {
        self.of(corner as usize)
            .iter()
            .any(|(other, with)| *other as usize != number && overlap(particles, corner, sector, *with))
    }
}

/// Whether a triangle at nearby particles crosses this one without a common corner.
pub(super) fn is_crossed(
    particles: &SheetParticles,
    stars: &Stars,
    corners: [u32; 3],
    near: impl Iterator<Item = u32>,
) -> bool {
    let origin = particles.positions[corners[0] as usize];
    let normal =
        particles.offset(corners[0], corners[1]).cross(particles.offset(corners[0], corners[2])).normalize_or_zero();
    let points = |corners: [u32; 3]| corners.map(|corner| particles.positions[corner as usize] - origin);
    let own = points(corners);
    let crosses = |other: [u32; 3]| {
        !other.iter().any(|corner| corners.contains(corner)) && any_sides_cross(normal, own, points(other))
    };
    let mut triangles = near.flat_map(|other| stars.sectors[other as usize].iter().map(move |[a, b]| [other, *a, *b]));
    triangles.any(crosses)
}

/// Whether sides of two triangles cross properly, seen along a direction.
fn any_sides_cross(along: DVec3, one: [DVec3; 3], other: [DVec3; 3]) -> bool {
    let sides = |t: [DVec3; 3]| [(t[0], t[1]), (t[1], t[2]), (t[2], t[0])];
    let twice_area = |(a, b): (DVec3, DVec3), c: DVec3| along.dot((b - a).cross(c - a));
    let separates = |side, [a, b]: [DVec3; 2]| {
        let [a, b] = [a, b].map(|point| twice_area(side, point));
        a * b < 0.0 && a.abs().min(b.abs()) > TOUCHING
    };
    let cross = |a: (DVec3, DVec3), b: (DVec3, DVec3)| separates(a, [b.0, b.1]) && separates(b, [a.0, a.1]);
    sides(one).into_iter().any(|side| sides(other).into_iter().any(|with| cross(side, with)))
}
