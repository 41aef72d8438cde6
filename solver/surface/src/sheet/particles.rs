//! The valid particles, in an order that does not depend on the input order; and whether two lie in one layer.

use super::SheetPoints;
use crate::lattice::buckets::{Buckets, CubeKey};
use crate::lattice::radix_sort::sorted_by_cube;
use glam::{DVec3, Vec3};
use rayon::prelude::*;
use std::cmp::Ordering;

/// Particles further from the origin are left out, so that cube coordinates fit into integers.
const MAX_COORDINATE: f64 = (1 << 30) as f64;

/// Spheres are measured in a space stretched by this fraction along [`STRETCH`]. It is ten times the motion between
/// frames that a square lattice tolerates without effect, and too little to be visible.
const STRETCHED_BY: f64 = 0.02;

/// A unit vector that is slanted to all likely directions.
const STRETCH: DVec3 = DVec3::new(0.4396, 0.2731, 0.8557);

/// Cosine of the largest angle between two normals of one layer: 70 degrees. Neighbours differ by up to 60; parallel
/// layers that face each other differ by more.
const MIN_COSINE: f64 = 0.342;

/// Largest slope, as a sine, of the line between two particles of one layer over the plane between their normals: zero
/// on an arc of any radius.
const MAX_SLOPE: f64 = 0.42;

/// Largest height of that line, longest edges: layers are as close as 0.44.
const MAX_HEIGHT: f64 = 0.3;

/// Largest slope of that line, as a sine, over the tangent plane of either particle.
const MAX_SLOPE_OVER_TANGENT: f64 = 0.77;

/// Particles sorted by cube, with the longest edge as edge, and by position within a cube. The index of a particle in
/// these lists is its number here.
#[derive(Debug)]
pub(super) struct SheetParticles {
    /// The numbers of the caller.
    pub numbers: Vec<u32>,
    /// Positions, longest edges.
    pub positions: Vec<DVec3>,
    /// Positions in the stretched space.
    pub stretched: Vec<DVec3>,
    pub normals: Vec<DVec3>,
    pub cubes: Buckets,
}

impl SheetParticles {
    pub fn new(points: SheetPoints, longest_edge: f64) -> Self {
        let SheetPoints { positions, normals } = points;
        let scaled = |number: u32| positions[number as usize].as_dvec3() / longest_edge;
        let entry = |number: u32| Some((cube(scaled(number), normals[number as usize])?, number));
        let count = positions.len().min(normals.len()) as u32;
        let mut entries: Vec<(CubeKey, u32)> = sorted_by_cube((0..count).into_par_iter().filter_map(entry).collect());
        let order = |a: u32, b: u32| {
            let [(p, n), (q, m)] = [a, b].map(|number| (positions[number as usize], normals[number as usize]));
            by_coordinates(p, q).then(by_coordinates(n, m)).then(a.cmp(&b))
        };
        entries.par_chunk_by_mut(|a, b| a.0 == b.0).for_each(|cube| cube.sort_unstable_by(|a, b| order(a.1, b.1)));
        // Merges equal positions early: very many of them would be slow later.
        entries.dedup_by_key(|entry| positions[entry.1 as usize]);
        let cubes = Buckets::new(&entries);
        let numbers: Vec<u32> = entries.into_iter().map(|(_, number)| number).collect();
        let positions_in_edges: Vec<DVec3> = numbers.iter().map(|&number| scaled(number)).collect();
        Self {
            stretched: positions_in_edges.iter().map(|p| p + STRETCH * (STRETCHED_BY * p.dot(STRETCH))).collect(),
            normals: numbers.iter().map(|&n| normals[n as usize].as_dvec3().normalize()).collect(),
            numbers,
            positions: positions_in_edges,
            cubes,
        }
    }

    pub fn len(&self) -> usize {
        self.numbers.len()
    }

    /// The vector from one particle to another.
    pub fn offset(&self, from: u32, to: u32) -> DVec3 {
        self.positions[to as usize] - self.positions[from as usize]
    }

    /// Whether two particles lie in one layer, judged by their positions and normals.
    pub fn same_layer(&self, one: u32, other: u32) -> bool {
        let [a, b] = [one, other].map(|particle| self.normals[particle as usize]);
        if a.dot(b) < MIN_COSINE {
            return false;
        }
        let offset = self.offset(one, other);
        let length = offset.length();
        let (sum, over_tangent) = (a + b, MAX_SLOPE_OVER_TANGENT * length);
        offset.dot(sum).abs() <= (MAX_SLOPE * length).min(MAX_HEIGHT) * sum.length()
            && offset.dot(a).abs() <= over_tangent
            && offset.dot(b).abs() <= over_tangent
    }

    /// Whether a triangle is counter-clockwise seen from where the normals of its corners point, with at least
    /// `least_cosine` between its normal and each of theirs.
    pub fn faces(&self, [a, b, c]: [u32; 3], least_cosine: f64) -> bool {
        let across = self.offset(a, b).cross(self.offset(a, c));
        let least = least_cosine * across.length();
        least > 0.0 && [a, b, c].into_iter().all(|corner| self.normals[corner as usize].dot(across) >= least)
    }
}

/// The cube of a particle, if the particle is valid.
fn cube(position: DVec3, normal: Vec3) -> Option<CubeKey> {
    let is_usable = position.abs().max_element() < MAX_COORDINATE && normal.is_finite() && normal != Vec3::ZERO;
    (is_usable && position.is_finite()).then(|| position.floor().as_ivec3().to_array())
}

fn by_coordinates(a: Vec3, b: Vec3) -> Ordering {
    let [a, b] = [a, b].map(|v| v.to_array());
    a.iter().zip(&b).fold(Ordering::Equal, |order, (a, b)| order.then(a.total_cmp(b)))
}
