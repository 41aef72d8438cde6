//! Seeds that no triangle has for a corner, as on sharp edges, where the sheet cuts them off: a particle beside one takes its place, or the
//! triangle or side under it is parted there, whichever bends and narrows triangles least.

use super::cloud::Cloud;
use super::near::Near;
use crate::nearest::nearest_point;
use glam::{DVec3, Vec3};

/// How far from a seed its triangle may be.
const FARTHEST: f64 = 1.5;

/// The least that triangles may be bent and narrow: the cosine of a turn times the shape, 1 of equal sides and 0 of a line.
const LEAST: f64 = 0.05;

/// Triangles, and which are at each particle.
struct Net<'a> {
    cloud: &'a Cloud,
    triangles: &'a mut Vec<[u32; 3]>,
    at: Vec<Vec<u32>>,
}

/// A way to make a seed a corner: which triangles come from which.
struct Change {
    score: f64,
    becomes: Vec<(u32, [u32; 3])>,
}

/// Makes seeds corners that are not, where triangles are near.
pub(super) fn reach(cloud: &mut Cloud, triangles: &mut Vec<[u32; 3]>) {
    let mut net = Net { cloud, triangles, at: vec![vec![]; cloud.len()] };
    (0..net.triangles.len() as u32).for_each(|number| net.name(number));
    let missed: Vec<u32> = (0..cloud.seeds as u32).filter(|&seed| net.at[seed as usize].is_empty()).collect();
    if missed.is_empty() {
        return;
    }
    let near = Near::new(&cloud.places);
    let mut reached = vec![];
    for seed in missed {
        if let Some(change) = net.under(&near, seed).and_then(|triangle| net.best(seed, triangle)) {
            net.make(&change);
            reached.push((seed, net.at[seed as usize].iter().map(|number| net.across(*number)).sum::<DVec3>()));
        }
    }
    for (seed, across) in reached {
        if !cloud.is_told(seed as usize) {
            cloud.normals[seed as usize] = across.normalize_or(cloud.normals[seed as usize]);
        }
    }
}

impl Net<'_> {
    fn name(&mut self, number: u32) {
        for corner in self.triangles[number as usize] {
            self.at[corner as usize].push(number);
        }
    }

    fn make(&mut self, change: &Change) {
        for (place, &(number, corners)) in change.becomes.iter().enumerate() {
            if change.becomes[..place].iter().any(|(before, _)| *before == number) {
                self.triangles.push(corners);
                self.name(self.triangles.len() as u32 - 1);
                continue;
            }
            for corner in std::mem::replace(&mut self.triangles[number as usize], corners) {
                self.at[corner as usize].retain(|other| *other != number);
            }
            self.name(number);
        }
    }

    /// Twice the area along the normal.
    fn across_of(&self, corners: [u32; 3]) -> DVec3 {
        let [a, b, c] = corners.map(|corner| self.cloud.places[corner as usize]);
        (b - a).cross(c - a)
    }

    fn across(&self, number: u32) -> DVec3 {
        self.across_of(self.triangles[number as usize])
    }

    /// The triangle nearest to a seed; of one whose normal is given, on the side that this looks to.
    fn under(&self, near: &Near, seed: u32) -> Option<u32> {
        let (place, normal) = (self.cloud.places[seed as usize], self.cloud.normals[seed as usize]);
        let is_told = self.cloud.is_told(seed as usize);
        let others = near.within(place, FARTHEST + 1.0);
        let all = others.iter().flat_map(|(_, other)| &self.at[*other as usize]);
        let off = |number: u32| {
            let corners = self.triangles[number as usize];
            let corners = corners.map(|corner| (self.cloud.places[corner as usize] - place).as_vec3());
            f64::from(nearest_point(Vec3::ZERO, corners).length())
        };
        let allowed = all.filter(|number| !is_told || self.across(**number).dot(normal) > 0.0);
        let nearest = allowed.map(|&number| (off(number), number)).filter(|(off, _)| *off <= FARTHEST);
        nearest.min_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1))).map(|(_, number)| number)
    }

    /// The best of all ways to make a seed a corner at a triangle.
    fn best(&self, seed: u32, number: u32) -> Option<Change> {
        let [a, b, c] = self.triangles[number as usize];
        let turns = [[a, b, c], [b, c, a], [c, a, b]];
        let in_place = turns.into_iter().filter(|[corner, ..]| !self.cloud.is_seed(*corner as usize));
        let replaced = in_place.map(|[corner, ..]| self.replaced(seed, corner));
        let parted = turns.into_iter().map(|corners| self.side_parted(seed, corners));
        let ways = replaced.chain(parted).chain([self.parted(seed, number)]);
        ways.filter(|way| way.score > LEAST).max_by(|a, b| a.score.total_cmp(&b.score))
    }

    /// A seed in the place of a particle.
    fn replaced(&self, seed: u32, particle: u32) -> Change {
        self.scored(self.at[particle as usize].iter().map(|&number| self.with(seed, particle, number)).collect())
    }

    /// A triangle parted in three.
    fn parted(&self, seed: u32, number: u32) -> Change {
        let [a, b, c] = self.triangles[number as usize];
        self.scored([[a, b, seed], [b, c, seed], [c, a, seed]].map(|corners| (number, corners)).to_vec())
    }

    /// A side parted in two, and so the triangles beside it.
    fn side_parted(&self, seed: u32, [a, b, _]: [u32; 3]) -> Change {
        let beside = self.at[a as usize].iter().filter(|number| self.triangles[**number as usize].contains(&b));
        self.scored(beside.flat_map(|&number| [a, b].map(|old| self.with(seed, old, number))).collect())
    }

    /// A triangle with a seed for one of its corners.
    fn with(&self, seed: u32, old: u32, number: u32) -> (u32, [u32; 3]) {
        (number, self.triangles[number as usize].map(|corner| if corner == old { seed } else { corner }))
    }

    /// What becomes of triangles, of some more than one.
    fn scored(&self, becomes: Vec<(u32, [u32; 3])>) -> Change {
        let scores = becomes.iter().map(|(number, corners)| self.score(*number, *corners));
        Change { score: scores.fold(f64::INFINITY, f64::min), becomes }
    }

    /// How little a triangle is bent and narrow that comes from another.
    fn score(&self, from: u32, corners: [u32; 3]) -> f64 {
        let across = self.across_of(corners);
        let [a, b, c] = corners.map(|corner| self.cloud.places[corner as usize]);
        let sides = a.distance_squared(b) + b.distance_squared(c) + c.distance_squared(a);
        let shape = 2.0 * 3.0_f64.sqrt() * across.length() / sides;
        shape * across.normalize_or_zero().dot(self.across(from).normalize_or_zero())
    }
}
