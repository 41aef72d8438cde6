//! Of candidates that overlap, those that cost less are chosen: smaller spheres, longer shortest sides.

use super::candidates::Candidate;
use super::lists::Lists;
use super::particles::Particles;
use super::stars::{Sector, Stars, overlap, sectors};
use glam::DVec3;
use rayon::prelude::*;

/// Twice the area, squares of the longest edge, of a triangle over a side that is too flat to tell from it.
const TOUCHING: f64 = 1e-3;

/// The candidates that overlap no other, and of the rest those that overlap none that costs less and was chosen.
pub(super) fn choose(particles: &Particles, lists: &Lists, candidates: &[Candidate]) -> Stars {
    let at = Incidences::new(particles.len(), candidates);
    let is_contested = |(number, candidate): (usize, &Candidate)| {
        candidate.is_crowded
            || sectors(candidate.corners).into_iter().any(|at_corner| at.overlap(particles, number, at_corner))
    };
    let contested: Vec<bool> = candidates.par_iter().enumerate().map(is_contested).collect();
    let mut stars = Stars { sectors: at.stars(|number| !contested[number]) };
    let mut rest: Vec<Candidate> = candidates.iter().zip(&contested).filter(|(_, is)| **is).map(|(c, _)| *c).collect();
    rest.sort_unstable_by(|a, b| a.cost.total_cmp(&b.cost).then(a.corners.cmp(&b.corners)));
    for candidate in rest {
        let near = candidate.corners.into_iter().flat_map(|corner| lists.of(corner)).copied();
        let is_crossed = || candidate.is_crowded && is_crossed(particles, &stars, candidate.corners, near);
        if !stars.overlaps(particles, candidate.corners) && !is_crossed() {
            stars.add(candidate.corners);
        }
    }
    stars
}

/// The candidates at each particle, with their sectors there.
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
        for place in 0..count {
            starts[place + 1] += starts[place];
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

    /// For each particle the sectors of some candidates.
    fn stars(&self, takes: impl Fn(usize) -> bool + Sync) -> Vec<Vec<Sector>> {
        let taken = |(number, sector): &(u32, Sector)| takes(*number as usize).then_some(*sector);
        (0..self.starts.len() - 1)
            .into_par_iter()
            .map(|particle| self.of(particle).iter().filter_map(taken).collect())
            .collect()
    }

    /// Whether another candidate overlaps that one at this corner.
    fn overlap(&self, particles: &Particles, number: usize, (corner, sector): (u32, Sector)) -> bool {
        self.of(corner as usize)
            .iter()
            .any(|(other, with)| *other as usize != number && overlap(particles, corner, sector, *with))
    }
}

/// Whether a triangle at some particles nearby crosses that one without a common corner.
pub(super) fn is_crossed(
    particles: &Particles,
    stars: &Stars,
    corners: [u32; 3],
    near: impl Iterator<Item = u32>,
) -> bool {
    let origin = particles.places[corners[0] as usize];
    let across = particles.way(corners[0], corners[1]).cross(particles.way(corners[0], corners[2])).normalize_or_zero();
    let points = |corners: [u32; 3]| corners.map(|corner| particles.places[corner as usize] - origin);
    let own = points(corners);
    let crosses = |other: [u32; 3]| {
        !other.iter().any(|corner| corners.contains(corner)) && any_sides_cross(across, own, points(other))
    };
    let mut triangles = near.flat_map(|other| stars.sectors[other as usize].iter().map(move |[a, b]| [other, *a, *b]));
    triangles.any(crosses)
}

/// Whether two triangles' sides cross, seen along a direction, and do not merely touch.
fn any_sides_cross(along: DVec3, one: [DVec3; 3], other: [DVec3; 3]) -> bool {
    let sides = |t: [DVec3; 3]| [(t[0], t[1]), (t[1], t[2]), (t[2], t[0])];
    let twice_area = |(a, b): (DVec3, DVec3), c: DVec3| along.dot((b - a).cross(c - a));
    let parts = |side, [a, b]: [DVec3; 2]| {
        let [a, b] = [a, b].map(|point| twice_area(side, point));
        a * b < 0.0 && a.abs().min(b.abs()) > TOUCHING
    };
    let cross = |a: (DVec3, DVec3), b: (DVec3, DVec3)| parts(a, [b.0, b.1]) && parts(b, [a.0, a.1]);
    sides(one).into_iter().any(|side| sides(other).into_iter().any(|with| cross(side, with)))
}
