//! Inserts seeds that are corners of no triangle, as on sharp edges, which the sheet cuts off. Either the seed replaces
//! a particle, or it splits the triangle or edge below it, whichever bends and narrows triangles least.

use super::cloud::Cloud;
use super::kd_tree::KdTree;
use crate::mesh::closest_point::closest_point;
use glam::{DVec3, Vec3};

/// Largest distance of a seed from its triangle.
const MAX_DISTANCE: f64 = 1.5;

/// Least score of the new triangles: the cosine of the rotation of the normal times the shape, 1 for an equilateral
/// triangle and 0 for a degenerate one.
const MIN_SCORE: f64 = 0.05;

/// Triangles, and the triangles at each particle.
struct IncidenceMesh<'a> {
    cloud: &'a Cloud,
    triangles: &'a mut Vec<[u32; 3]>,
    at: Vec<Vec<u32>>,
}

/// A change that makes a seed a corner: new triangles, and the old triangle that each comes from.
struct Retriangulation {
    score: f64,
    triangles_after: Vec<(u32, [u32; 3])>,
}

/// Makes missed seeds corners, if triangles are near.
pub(super) fn insert(cloud: &mut Cloud, triangles: &mut Vec<[u32; 3]>) {
    let mut mesh = IncidenceMesh { cloud, triangles, at: vec![vec![]; cloud.len()] };
    (0..mesh.triangles.len() as u32).for_each(|number| mesh.register(number));
    let missed_seeds: Vec<u32> = (0..cloud.seeds as u32).filter(|&seed| mesh.at[seed as usize].is_empty()).collect();
    if missed_seeds.is_empty() {
        return;
    }
    let tree = KdTree::new(&cloud.positions);
    let mut inserted = vec![];
    for seed in missed_seeds {
        if let Some(change) = mesh.under(&tree, seed).and_then(|triangle| mesh.best(seed, triangle)) {
            mesh.apply(&change);
            inserted.push((seed, mesh.at[seed as usize].iter().map(|number| mesh.area_vector(*number)).sum::<DVec3>()));
        }
    }
    for (seed, area_vector) in inserted {
        if !cloud.is_normal_given(seed as usize) {
            cloud.normals[seed as usize] = area_vector.normalize_or(cloud.normals[seed as usize]);
        }
    }
}

impl IncidenceMesh<'_> {
    fn register(&mut self, number: u32) {
        for corner in self.triangles[number as usize] {
            self.at[corner as usize].push(number);
        }
    }

    fn apply(&mut self, change: &Retriangulation) {
        for (index, &(number, corners)) in change.triangles_after.iter().enumerate() {
            if change.triangles_after[..index].iter().any(|(before, _)| *before == number) {
                self.triangles.push(corners);
                self.register(self.triangles.len() as u32 - 1);
                continue;
            }
            for corner in std::mem::replace(&mut self.triangles[number as usize], corners) {
                self.at[corner as usize].retain(|other| *other != number);
            }
            self.register(number);
        }
    }

    /// Twice the area of a triangle times its normal.
    fn area_vector_of(&self, corners: [u32; 3]) -> DVec3 {
        let [a, b, c] = corners.map(|corner| self.cloud.positions[corner as usize]);
        (b - a).cross(c - a)
    }

    fn area_vector(&self, number: u32) -> DVec3 {
        self.area_vector_of(self.triangles[number as usize])
    }

    /// The triangle closest to a seed; if the normal of the seed was given, only triangles that face the same side.
    fn under(&self, tree: &KdTree, seed: u32) -> Option<u32> {
        let (position, normal) = (self.cloud.positions[seed as usize], self.cloud.normals[seed as usize]);
        let is_normal_given = self.cloud.is_normal_given(seed as usize);
        let others = tree.within(position, MAX_DISTANCE + 1.0);
        let all = others.iter().flat_map(|(_, other)| &self.at[*other as usize]);
        let distance = |number: u32| {
            let corners = self.triangles[number as usize];
            let corners = corners.map(|corner| (self.cloud.positions[corner as usize] - position).as_vec3());
            f64::from(closest_point(Vec3::ZERO, corners).length())
        };
        let allowed = all.filter(|number| !is_normal_given || self.area_vector(**number).dot(normal) > 0.0);
        let nearest =
            allowed.map(|&number| (distance(number), number)).filter(|(distance, _)| *distance <= MAX_DISTANCE);
        nearest.min_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1))).map(|(_, number)| number)
    }

    /// The best change that makes a seed a corner at a triangle.
    fn best(&self, seed: u32, number: u32) -> Option<Retriangulation> {
        let [a, b, c] = self.triangles[number as usize];
        let turns = [[a, b, c], [b, c, a], [c, a, b]];
        let replaceable = turns.into_iter().filter(|[corner, ..]| !self.cloud.is_seed(*corner as usize));
        let replaced = replaceable.map(|[corner, ..]| self.replaced(seed, corner));
        let split = turns.into_iter().map(|corners| self.edge_split(seed, corners));
        let changes = replaced.chain(split).chain([self.split(seed, number)]);
        changes.filter(|change| change.score > MIN_SCORE).max_by(|a, b| a.score.total_cmp(&b.score))
    }

    /// Replaces a particle by the seed.
    fn replaced(&self, seed: u32, particle: u32) -> Retriangulation {
        self.scored(self.at[particle as usize].iter().map(|&number| self.with(seed, particle, number)).collect())
    }

    /// Splits a triangle into three.
    fn split(&self, seed: u32, number: u32) -> Retriangulation {
        let [a, b, c] = self.triangles[number as usize];
        self.scored([[a, b, seed], [b, c, seed], [c, a, seed]].map(|corners| (number, corners)).to_vec())
    }

    /// Splits an edge, and so the two triangles next to it.
    fn edge_split(&self, seed: u32, [a, b, _]: [u32; 3]) -> Retriangulation {
        let adjacent = self.at[a as usize].iter().filter(|number| self.triangles[**number as usize].contains(&b));
        self.scored(adjacent.flat_map(|&number| [a, b].map(|old| self.with(seed, old, number))).collect())
    }

    /// A triangle with one corner replaced by the seed.
    fn with(&self, seed: u32, old: u32, number: u32) -> (u32, [u32; 3]) {
        (number, self.triangles[number as usize].map(|corner| if corner == old { seed } else { corner }))
    }

    /// Scores a change; an old triangle may have several new ones.
    fn scored(&self, triangles_after: Vec<(u32, [u32; 3])>) -> Retriangulation {
        let scores = triangles_after.iter().map(|(number, corners)| self.score(*number, *corners));
        Retriangulation { score: scores.fold(f64::INFINITY, f64::min), triangles_after }
    }

    /// Score of a triangle that replaces another: high if its normal and shape are good.
    fn score(&self, from: u32, corners: [u32; 3]) -> f64 {
        let area_vector = self.area_vector_of(corners);
        let [a, b, c] = corners.map(|corner| self.cloud.positions[corner as usize]);
        let sides = a.distance_squared(b) + b.distance_squared(c) + c.distance_squared(a);
        let shape = 2.0 * 3.0_f64.sqrt() * area_vector.length() / sides;
        shape * area_vector.normalize_or_zero().dot(self.area_vector(from).normalize_or_zero())
    }
}
