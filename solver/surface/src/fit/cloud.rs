//! The particles of a fit.

use super::near::Near;
use glam::DVec3;
use rayon::prelude::*;
use std::ops::Range;

/// The most neighbours that a particle feels, the nearest.
const MOST: usize = 14;

/// Within so far a particle has about as many on an even surface.
const NEARBY: f64 = 2.0;

/// How steeply, as a sine, the way to a neighbour may rise over the tangent plane of either.
const STEEPEST: f64 = 0.8;

/// The cosine of how far the normals of neighbours may be from lying on one arc.
const LEAST_EVENNESS: f64 = 0.5;

/// Oriented particles; lengths are in distances of neighbours. The first are the seeds, which stay where they are.
#[derive(Debug, Default, Clone)]
pub(super) struct Cloud {
    pub places: Vec<DVec3>,
    /// Unit vectors.
    pub normals: Vec<DVec3>,
    /// How far away a neighbour may be.
    pub reach: Vec<f64>,
    pub seeds: usize,
    /// Of seeds, whether the normal was given and stays.
    pub told: Vec<bool>,
}

/// The neighbours of each particle; each has the other among its own.
#[derive(Debug, Default)]
pub(super) struct Lists {
    starts: Vec<usize>,
    neighbours: Vec<u32>,
    /// Whose neighbour each of these is.
    owners: Vec<u32>,
}

impl Lists {
    pub fn of(&self, particle: usize) -> &[u32] {
        &self.neighbours[self.range(particle)]
    }

    /// Where the neighbours of a particle are among those of all.
    pub fn range(&self, particle: usize) -> Range<usize> {
        self.starts[particle]..self.starts[particle + 1]
    }

    /// A value for each neighbour of each particle, in order.
    pub fn each<T: Send>(&self, of: impl Fn(usize, usize) -> T + Sync) -> Vec<T> {
        let pairs = self.owners.par_iter().zip(&self.neighbours);
        pairs.map(|(one, other)| of(*one as usize, *other as usize)).collect()
    }
}

impl Cloud {
    pub fn len(&self) -> usize {
        self.places.len()
    }

    pub fn is_seed(&self, particle: usize) -> bool {
        particle < self.seeds
    }

    /// Whether the normal of a particle is given.
    pub fn is_told(&self, particle: usize) -> bool {
        self.told.get(particle).copied().unwrap_or(false)
    }

    pub fn add(&mut self, place: DVec3, normal: DVec3, reach: f64) {
        self.places.push(place);
        self.normals.push(normal);
        self.reach.push(reach);
    }

    /// Whether two particles may be neighbours: near enough, and about on an arc that their normals stand on.
    pub fn is_one_layer(&self, one: usize, other: usize) -> bool {
        let way = self.places[other] - self.places[one];
        let length = way.length();
        let (a, b) = (self.normals[one], self.normals[other]);
        length <= self.reach_between(one, other)
            && way.dot(a).abs() <= STEEPEST * length
            && way.dot(b).abs() <= STEEPEST * length
            && mirrored(a, way).dot(b) >= LEAST_EVENNESS
    }

    fn reach_between(&self, one: usize, other: usize) -> f64 {
        f64::midpoint(self.reach[one], self.reach[other])
    }

    /// The nearest neighbours of all in their layers.
    pub fn lists(&self) -> Lists {
        let near = Near::new(&self.places);
        let of = |particle: usize| {
            let within = |distance: f64| {
                let found = near.within(self.places[particle], distance);
                let others = found.into_iter().map(|(_, other)| other).filter(|other| *other as usize != particle);
                others.filter(|&other| self.is_one_layer(particle, other as usize)).take(MOST).collect::<Vec<_>>()
            };
            // Most have enough nearby.
            let nearby = within(self.reach[particle].min(NEARBY));
            if nearby.len() == MOST || self.reach[particle] <= NEARBY { nearby } else { within(self.reach[particle]) }
        };
        let nearest: Vec<Vec<u32>> = (0..self.len()).into_par_iter().map(of).collect();
        both_ways(&nearest)
    }
}

/// Lists in which whoever is named by one names it, too, sorted.
fn both_ways(nearest: &[Vec<u32>]) -> Lists {
    let mut naming = vec![vec![]; nearest.len()];
    for (one, others) in (0..).zip(nearest) {
        for &other in others {
            naming[other as usize].push(one);
        }
    }
    naming.par_iter_mut().zip(nearest).for_each(|(list, others)| {
        list.extend(others);
        list.sort_unstable();
        list.dedup();
    });
    let ends = naming.iter().scan(0, |end, list| {
        *end += list.len();
        Some(*end)
    });
    let owners = (0..).zip(&naming).flat_map(|(one, list)| std::iter::repeat_n(one, list.len()));
    Lists { starts: std::iter::once(0).chain(ends).collect(), owners: owners.collect(), neighbours: naming.concat() }
}

/// The normal at the end of a way whose arc has that normal at its start.
pub(super) fn mirrored(normal: DVec3, way: DVec3) -> DVec3 {
    let squared = way.length_squared();
    if squared > 0.0 { normal - way * (2.0 * way.dot(normal) / squared) } else { normal }
}
