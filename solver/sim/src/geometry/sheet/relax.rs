//! Samples push each other along the surface until they lie evenly.
//!
//! A soft repulsion of short range, under which points in a plane settle on the hexagonal lattice. The edge of the
//! sheet pushes as much as the missing half of the lattice would, with the outermost row half a row inside.

use super::grow::MARGIN;
use super::samples::{Point, Samples, grid_of};
use super::surface::SheetSurface;
use crate::hash_grid::HashGrid;
use glam::DVec3;
use rayon::prelude::*;

/// Range of the push between samples, in the distance of neighbours: between the first and the second shell of the
/// lattice.
const RANGE: f64 = 1.6;

/// Range of the push by the edge of the sheet, in the distance of neighbours.
const RIM_RANGE: f64 = 1.0;

/// Distance below which the push grows no harder, in the distance of neighbours: the steps would be too long for it.
const HARDEST: f64 = 0.7;

/// Reach of the lists of neighbours beyond the range, and number of steps that a list serves.
const SKIN: f64 = 0.1;
const STEPS_PER_LIST: u32 = 16;

/// Displacement per push, the part of a step's displacement that the next step repeats, and the longest displacement in
/// a step; in the distance of neighbours.
const MOBILITY: f64 = 0.3;
const INERTIA: f64 = 0.8;
const LONGEST: f64 = 0.12;

/// Samples do not move by less than this in a step, in the distance of neighbours.
const SHORTEST: f64 = 3e-4;

/// Points along an edge of the sheet for each distance of neighbours.
const RIM_POINTS: f64 = 4.0;

/// The push between two samples, by their distance over that of neighbours.
fn push(ratio: f64) -> f64 {
    if ratio < RANGE { ((1.0 - ratio / RANGE) / ratio.max(HARDEST)).powi(2) } else { 0.0 }
}

/// The push of a point of the rim, up to a factor.
fn rim_push(ratio: f64) -> f64 {
    if ratio < RIM_RANGE { (1.0 - ratio / RIM_RANGE).powi(2) } else { 0.0 }
}

/// The factor with which a straight rim pushes the outermost row at rest inwards as hard as the next row pushes it
/// outwards.
fn rim_factor() -> f64 {
    let count = 400;
    let step = 2.0 * RIM_RANGE / f64::from(count);
    let at = |i: i32| f64::hypot(MARGIN, (f64::from(i) + 0.5) * step - RIM_RANGE);
    let sum: f64 = (0..count).map(|i| rim_push(at(i)) * step).sum();
    3.0_f64.sqrt() * push(1.0) / sum
}

/// The edges of the sheets as points that push.
pub(super) struct Rim {
    pub points: Vec<Point>,
    /// The push of each point, towards the inside so that no sample is caught on the edge, in proportion to the length
    /// of edge that the point stands for, in the distance of neighbours.
    pushes: Vec<DVec3>,
    pub grid: HashGrid,
}

impl Rim {
    pub fn new(surface: &SheetSurface, distance: f64) -> Self {
        let factor = rim_factor();
        let (mut points, mut pushes) = (Vec::new(), Vec::new());
        for (face, k) in surface.rim(0..surface.faces.len()) {
            let [a, b] = face.ends(k);
            let length = a.distance(b) / distance;
            let count = (length * RIM_POINTS).ceil().max(1.0);
            for i in 0..count as u32 {
                let position = a.lerp(b, (f64::from(i) + 0.5) / count);
                points.push(Point::of(surface, face, position));
                pushes.push(face.inwards(k) * (factor * length / count));
            }
        }
        let grid = grid_of(&points, distance);
        Self { points, pushes, grid }
    }
}

/// What lies near a sample, on the same sheet.
struct RelaxList {
    /// Numbers of samples.
    samples: Vec<u32>,
    /// Numbers of points of the rim.
    rim: Vec<u32>,
}

impl RelaxList {
    /// The list of each sample.
    fn all(samples: &Samples, rim: &Rim, distance: f64) -> Vec<Self> {
        let grid = grid_of(&samples.points, (RANGE + SKIN) * distance);
        let listed = |grid: &HashGrid, points: &[Point], point: &Point, reach: f64| {
            let near = |number: &u32| {
                let other = &points[*number as usize];
                let squared = other.position.distance_squared(point.position);
                squared < reach * reach && squared > 0.0 && point.same_sheet(other, distance)
            };
            let mut list: Vec<u32> = grid.near(point.position, reach).filter(near).collect();
            list.sort_unstable();
            list
        };
        let of = |point: &Point| Self {
            samples: listed(&grid, &samples.points, point, (RANGE + SKIN) * distance),
            rim: listed(&rim.grid, &rim.points, point, (RIM_RANGE + SKIN) * distance),
        };
        samples.points.par_iter().with_min_len(256).map(of).collect()
    }
}

/// Moves the samples for `steps` steps; samples of held pieces stay.
pub(super) fn relax(
    surface: &SheetSurface,
    samples: &mut Samples,
    rim: &Rim,
    held: &[bool],
    distance: f64,
    steps: u32,
) {
    let mut displacements = vec![DVec3::ZERO; samples.len()];
    let mut lists = Vec::new();
    for step in 0..steps {
        // The last steps lead straight to rest.
        let inertia = if 4 * step < 3 * steps { INERTIA } else { 0.3 };
        if step % STEPS_PER_LIST == 0 {
            lists = RelaxList::all(samples, rim, distance);
        }
        let displaced = |(number, &before): (usize, &DVec3)| {
            let point = &samples.points[number];
            if held[point.piece as usize] {
                return DVec3::ZERO;
            }
            let push = pushes(point, &lists[number], samples, rim, distance);
            let normal = surface.faces[samples.places[number].face as usize].normal;
            let displacement = (before * inertia + push * (MOBILITY * distance)).reject_from_normalized(normal);
            displacement.clamp_length_max(LONGEST * distance)
        };
        displacements = displacements.par_iter().enumerate().with_min_len(256).map(displaced).collect();
        let go = |((place, point), displacement): ((&mut super::walk::SurfacePoint, &mut Point), &DVec3)| {
            if displacement.length_squared() > (SHORTEST * distance).powi(2) {
                *place = surface.walk(*place, *displacement, displacement.length()).place;
                *point = Point::new(surface, *place);
            }
        };
        samples.places.par_iter_mut().zip(&mut samples.points).zip(&displacements).with_min_len(256).for_each(go);
    }
}

/// The sum of all pushes on a sample.
fn pushes(point: &Point, list: &RelaxList, samples: &Samples, rim: &Rim, distance: f64) -> DVec3 {
    let by_sample = |&n: &u32| {
        let other = &samples.points[n as usize];
        let squared = point.position.distance_squared(other.position);
        if squared >= (RANGE * distance).powi(2) {
            return DVec3::ZERO;
        }
        point.unfolded(other).normalize_or_zero() * push(squared.sqrt() / distance)
    };
    let by_rim = |&n: &u32| {
        let length = point.position.distance(rim.points[n as usize].position);
        rim.pushes[n as usize] * rim_push(length / distance)
    };
    list.samples.iter().map(by_sample).sum::<DVec3>() + list.rim.iter().map(by_rim).sum::<DVec3>()
}
