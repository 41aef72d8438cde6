//! The particles of a fit.

use super::kd_tree::KdTree;
use glam::DVec3;
use rayon::prelude::*;
use std::ops::Range;

/// Largest number of neighbours of a particle; the nearest count.
const MAX_NEIGHBOURS: usize = 14;

/// Radius that holds about that many neighbours on an even surface.
const USUAL_REACH: f64 = 2.0;

/// Largest slope, as a sine, of the line to a neighbour over the tangent plane of either.
const MAX_SLOPE: f64 = 0.8;

/// Cosine of the largest deviation of the normals of neighbours from a common arc.
const MIN_EVENNESS: f64 = 0.5;

/// Oriented particles. Lengths are in distances of neighbours. The first particles are the seeds, which do not move.
#[derive(Debug, Default, Clone)]
pub(super) struct Cloud {
    pub positions: Vec<DVec3>,
    /// Unit vectors.
    pub normals: Vec<DVec3>,
    /// Largest distance of a neighbour.
    pub reach: Vec<f64>,
    pub seeds: usize,
    /// For each seed, whether its normal was given and stays.
    pub normal_given: Vec<bool>,
}

/// The neighbours of each particle; the relation is symmetric.
#[derive(Debug, Default)]
pub(super) struct CloudNeighbours {
    starts: Vec<usize>,
    neighbours: Vec<u32>,
    /// The particle that each entry is a neighbour of.
    owners: Vec<u32>,
}

impl CloudNeighbours {
    pub fn of(&self, particle: usize) -> &[u32] {
        &self.neighbours[self.range(particle)]
    }

    /// The range of a particle's neighbours among all entries.
    pub fn range(&self, particle: usize) -> Range<usize> {
        self.starts[particle]..self.starts[particle + 1]
    }

    /// Computes a value for each pair of a particle and a neighbour, in order.
    pub fn each<T: Send>(&self, of: impl Fn(usize, usize) -> T + Sync) -> Vec<T> {
        let pairs = self.owners.par_iter().zip(&self.neighbours);
        pairs.map(|(one, other)| of(*one as usize, *other as usize)).collect()
    }
}

impl Cloud {
    pub fn len(&self) -> usize {
        self.positions.len()
    }

    pub fn is_seed(&self, particle: usize) -> bool {
        particle < self.seeds
    }

    /// Whether the normal of a particle was given.
    pub fn is_normal_given(&self, particle: usize) -> bool {
        self.normal_given.get(particle).copied().unwrap_or(false)
    }

    pub fn add(&mut self, position: DVec3, normal: DVec3, reach: f64) {
        self.positions.push(position);
        self.normals.push(normal);
        self.reach.push(reach);
    }

    /// Whether two particles may be neighbours: near enough, and approximately on an arc that fits their normals.
    pub fn is_one_layer(&self, one: usize, other: usize) -> bool {
        let offset = self.positions[other] - self.positions[one];
        let length = offset.length();
        let (a, b) = (self.normals[one], self.normals[other]);
        length <= self.reach_between(one, other)
            && offset.dot(a).abs() <= MAX_SLOPE * length
            && offset.dot(b).abs() <= MAX_SLOPE * length
            && mirrored(a, offset).dot(b) >= MIN_EVENNESS
    }

    fn reach_between(&self, one: usize, other: usize) -> f64 {
        f64::midpoint(self.reach[one], self.reach[other])
    }

    /// Finds the nearest neighbours of all particles in their layers.
    pub fn neighbours(&self) -> CloudNeighbours {
        let near = KdTree::new(&self.positions);
        let of = |particle: usize| {
            let within = |distance: f64| {
                let found = near.within(self.positions[particle], distance);
                let others = found.into_iter().map(|(_, other)| other).filter(|other| *other as usize != particle);
                others
                    .filter(|&other| self.is_one_layer(particle, other as usize))
                    .take(MAX_NEIGHBOURS)
                    .collect::<Vec<_>>()
            };
            // A small radius suffices for most particles.
            let nearby = within(self.reach[particle].min(USUAL_REACH));
            if nearby.len() == MAX_NEIGHBOURS || self.reach[particle] <= USUAL_REACH {
                nearby
            } else {
                within(self.reach[particle])
            }
        };
        let nearest: Vec<Vec<u32>> = (0..self.len()).into_par_iter().map(of).collect();
        symmetric(&nearest)
    }
}

/// Makes neighbour lists symmetric and sorts them.
fn symmetric(nearest: &[Vec<u32>]) -> CloudNeighbours {
    let mut lists = vec![vec![]; nearest.len()];
    for (one, others) in (0..).zip(nearest) {
        for &other in others {
            lists[other as usize].push(one);
        }
    }
    lists.par_iter_mut().zip(nearest).for_each(|(list, others)| {
        list.extend(others);
        list.sort_unstable();
        list.dedup();
    });
    let ends = lists.iter().scan(0, |end, list| {
        *end += list.len();
        Some(*end)
    });
    let owners = (0..).zip(&lists).flat_map(|(one, list)| std::iter::repeat_n(one, list.len()));
    CloudNeighbours {
        starts: std::iter::once(0).chain(ends).collect(),
        owners: owners.collect(),
        neighbours: lists.concat(),
    }
}

/// The normal at the end of a chord, for an arc with this normal at its start.
pub(super) fn mirrored(normal: DVec3, chord: DVec3) -> DVec3 {
    let squared = chord.length_squared();
    if squared > 0.0 { normal - chord * (2.0 * chord.dot(normal) / squared) } else { normal }
}
