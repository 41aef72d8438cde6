//! The particles that can be used, in an order that does not depend on how they are listed, and which two lie in one layer.

use super::SheetPoints;
use crate::buckets::{Buckets, Key};
use crate::order::sorted;
use glam::{DVec3, Vec3};
use rayon::prelude::*;
use std::cmp::Ordering;

/// What is farther from the origin is left out, so that cubes have whole numbers.
const FARTHEST: f64 = (1 << 30) as f64;

/// Space is stretched by this part along [`STRETCH`] where spheres are measured: ten times what a particle may move by between frames
/// without effect on a square lattice, and too little to be seen.
const STRETCHED_BY: f64 = 0.02;

/// A unit vector that is slanted to all that is likely.
const STRETCH: DVec3 = DVec3::new(0.4396, 0.2731, 0.8557);

/// The cosine of the angle between two normals of one layer: 70 degrees. Neighbours differ by up to 60; parallel layers that face
/// each other, by more.
const LEAST_COSINE: f64 = 0.342;

/// How steeply, as a sine, the way between two particles of one layer may rise over the plane between their normals: not at all on
/// an arc, whatever its radius.
const STEEPEST: f64 = 0.42;

/// How far it may rise, longest edges: layers are as near to each other as 0.44.
const HIGHEST: f64 = 0.3;

/// How steeply, as a sine, it may rise over the tangent plane of either particle.
const STEEPEST_OVER_TANGENT: f64 = 0.77;

/// Particles by cubes of the longest edge, and within a cube by position: a particle's place in these lists is its name here.
#[derive(Debug)]
pub(super) struct Particles {
    /// The caller's numbers.
    pub numbers: Vec<u32>,
    /// Longest edges.
    pub places: Vec<DVec3>,
    /// Where they are in the stretched space.
    pub stretched: Vec<DVec3>,
    pub normals: Vec<DVec3>,
    pub cubes: Buckets,
}

impl Particles {
    pub fn new(points: SheetPoints, longest_edge: f64) -> Self {
        let SheetPoints { positions, normals } = points;
        let place = |number: u32| positions[number as usize].as_dvec3() / longest_edge;
        let entry = |number: u32| Some((cube(place(number), normals[number as usize])?, number));
        let count = positions.len().min(normals.len()) as u32;
        let mut entries: Vec<(Key, u32)> = sorted((0..count).into_par_iter().filter_map(entry).collect());
        let order = |a: u32, b: u32| {
            let [(p, n), (q, m)] = [a, b].map(|number| (positions[number as usize], normals[number as usize]));
            by_coordinates(p, q).then(by_coordinates(n, m)).then(a.cmp(&b))
        };
        entries.par_chunk_by_mut(|a, b| a.0 == b.0).for_each(|cube| cube.sort_unstable_by(|a, b| order(a.1, b.1)));
        // Others near to one are told from it later; were very many in one place, that would take long.
        entries.dedup_by_key(|entry| positions[entry.1 as usize]);
        let cubes = Buckets::new(&entries);
        let numbers: Vec<u32> = entries.into_iter().map(|(_, number)| number).collect();
        let places: Vec<DVec3> = numbers.iter().map(|&number| place(number)).collect();
        Self {
            stretched: places.iter().map(|place| place + STRETCH * (STRETCHED_BY * place.dot(STRETCH))).collect(),
            normals: numbers.iter().map(|&n| normals[n as usize].as_dvec3().normalize()).collect(),
            numbers,
            places,
            cubes,
        }
    }

    pub fn len(&self) -> usize {
        self.numbers.len()
    }

    /// The way from one particle to another.
    pub fn way(&self, from: u32, to: u32) -> DVec3 {
        self.places[to as usize] - self.places[from as usize]
    }

    /// Whether two particles lie in one layer, as far as their places and normals tell.
    pub fn same_layer(&self, one: u32, other: u32) -> bool {
        let [a, b] = [one, other].map(|particle| self.normals[particle as usize]);
        if a.dot(b) < LEAST_COSINE {
            return false;
        }
        let way = self.way(one, other);
        let length = way.length();
        let (sum, over_tangent) = (a + b, STEEPEST_OVER_TANGENT * length);
        way.dot(sum).abs() <= (STEEPEST * length).min(HIGHEST) * sum.length()
            && way.dot(a).abs() <= over_tangent
            && way.dot(b).abs() <= over_tangent
    }

    /// Whether a triangle is counter-clockwise seen from where the normals of all its corners point, and how little it may
    /// lean over for any of them, as a cosine.
    pub fn faces(&self, [a, b, c]: [u32; 3], least_cosine: f64) -> bool {
        let across = self.way(a, b).cross(self.way(a, c));
        let least = least_cosine * across.length();
        least > 0.0 && [a, b, c].into_iter().all(|corner| self.normals[corner as usize].dot(across) >= least)
    }
}

/// The cube of a particle that can be used.
fn cube(place: DVec3, normal: Vec3) -> Option<Key> {
    let is_usable = place.abs().max_element() < FARTHEST && normal.is_finite() && normal != Vec3::ZERO;
    (is_usable && place.is_finite()).then(|| place.floor().as_ivec3().to_array())
}

fn by_coordinates(a: Vec3, b: Vec3) -> Ordering {
    let [a, b] = [a, b].map(|v| v.to_array());
    a.iter().zip(&b).fold(Ordering::Equal, |order, (a, b)| order.then(a.total_cmp(b)))
}
