//! The points of a fit: distinct, sorted, in units of the distance of particles.

use super::cloud::Cloud;
use super::kd_tree::KdTree;
use super::{FitError, MAX_PARTICLES, Points, planes};
use glam::DVec3;
use std::cmp::Ordering;

/// Reach of a seed, in distances of the points around it.
const REACH: f64 = 2.0;

/// Tolerance of collinearity, as a fraction of the distance of points.
const LINE_TOLERANCE: f64 = 1e-4;

/// Default ratio of the distance of points to that of particles.
const REFINEMENT: f64 = 2.0;

/// Least limit on the number of particles, for few points: they take a minute or two ...
const MIN_PARTICLE_LIMIT: f64 = 1e5;
/// ... and the limit as a multiple of the number at the widest spacing, for many points.
const PARTICLE_LIMIT_FACTOR: f64 = 9.0;

/// If there would be too many particles, the next trial spacing is this many times larger.
const COARSENING: f64 = 1.05;

/// Least and largest spacing of particles, m. Beyond these, single precision cannot represent the mesh.
const MIN_SPACING: f64 = 1e-32;
const MAX_SPACING: f64 = 1e28;

/// The seeds, and the mapping back to the points.
pub(super) struct Seeds {
    /// The seeds. Their normals are given, or those of planes with arbitrary sign.
    pub cloud: Cloud,
    /// Positions of the seeds, m.
    pub points: Vec<DVec3>,
    /// Numbers of the seeds in the order of the points.
    pub in_order: Vec<usize>,
    pub duplicates: usize,
    pub spacing: f64,
    centre: DVec3,
}

impl Seeds {
    pub fn new(given: Points, spacing: Option<f64>) -> Result<Self, FitError> {
        if spacing.is_some_and(|spacing| !(spacing.is_finite() && spacing > 0.0)) {
            return Err(FitError::Spacing);
        }
        let DistinctPoints { positions: points, normals, in_order } = distinct(given)?;
        let (centre, size) = box_of(&points);
        if !size.is_finite() {
            return Err(FitError::Size(size));
        }
        // Scales to size 1, so that squares neither vanish nor overflow.
        let mut positions: Vec<DVec3> = points.iter().map(|point| (*point - centre) / size).collect();
        let spacings = planes::spacings(&positions, &KdTree::new(&positions));
        if are_collinear(&positions, median(spacings.clone())) {
            return Err(FitError::Line);
        }
        let distance =
            distance(&spacings, spacing.map(|spacing| spacing / size)).map_err(|error| error.scaled(size))?;
        let spacing = distance * size;
        if !(MIN_SPACING..=MAX_SPACING).contains(&spacing) {
            return Err(FitError::Size(spacing));
        }
        // Particles are triangulated in single precision, which is finest near the origin.
        let middle = middle(&positions);
        for position in &mut positions {
            *position = (*position - middle) / distance;
        }
        let centre = centre + middle * size;
        let mut planes = planes::normals(&positions, &KdTree::new(&positions));
        let normal_given: Vec<bool> = normals.iter().map(|normal| *normal != DVec3::ZERO).collect();
        planes.iter_mut().zip(&normals).for_each(|(normal, normal_given)| *normal = normal_given.normalize_or(*normal));
        let reach = spacings.iter().map(|around| REACH * (around / distance).max(1.0)).collect();
        let cloud = Cloud { seeds: positions.len(), positions, normals: planes, reach, normal_given };
        let duplicates = given.positions.len() - points.len();
        Ok(Self { cloud, points, in_order, duplicates, spacing, centre })
    }

    /// Converts a position to m.
    pub fn to_world(&self, position: DVec3) -> DVec3 {
        position * self.spacing + self.centre
    }
}

/// Points without duplicates, sorted.
struct DistinctPoints {
    positions: Vec<DVec3>,
    normals: Vec<DVec3>,
    /// The numbers of the points in the given order.
    in_order: Vec<usize>,
}

/// Removes duplicates and sorts.
fn distinct(given: Points) -> Result<DistinctPoints, FitError> {
    let normal = |number: usize| given.normals.get(number).copied().unwrap_or_default();
    let is_bad = |&number: &usize| !(given.positions[number].is_finite() && normal(number).is_finite());
    if let Some(number) = (0..given.positions.len()).find(is_bad) {
        return Err(FitError::NotFinite(number));
    }
    let mut order: Vec<usize> = (0..given.positions.len()).collect();
    let position = |number: usize| given.positions[number] + DVec3::ZERO;
    // Among duplicates, one with a normal comes first.
    let by =
        |a: &usize, b: &usize| by_coordinates(position(*a), position(*b)).then(by_coordinates(normal(*b), normal(*a)));
    order.sort_by(by);
    order.dedup_by(|a, b| position(*a) == position(*b));
    if order.len() < 4 {
        return Err(FitError::TooFew(order.len()));
    }
    let positions: Vec<DVec3> = order.iter().map(|&n| position(n)).collect();
    let order: Vec<usize> = KdTree::new(&positions).order().map(|n| order[n]).collect();
    let mut in_order: Vec<usize> = (0..order.len()).collect();
    in_order.sort_unstable_by_key(|seed| order[*seed]);
    let (positions, normals) = (order.iter().map(|&n| position(n)), order.iter().map(|&n| normal(n)));
    Ok(DistinctPoints { positions: positions.collect(), normals: normals.collect(), in_order })
}

fn by_coordinates(a: DVec3, b: DVec3) -> Ordering {
    let parts = a.to_array().into_iter().zip(b.to_array());
    parts.fold(Ordering::Equal, |order, (a, b)| order.then(a.total_cmp(&b)))
}

/// The centre of the bounding box of points, and its longest side.
fn box_of(points: &[DVec3]) -> (DVec3, f64) {
    let low = points.iter().copied().fold(DVec3::INFINITY, DVec3::min);
    let high = points.iter().copied().fold(DVec3::NEG_INFINITY, DVec3::max);
    (low / 2.0 + high / 2.0, 2.0 * (high / 2.0 - low / 2.0).max_element())
}

/// The median along each axis.
fn middle(positions: &[DVec3]) -> DVec3 {
    let along = |axis: usize| median(positions.iter().map(|position| position[axis]).collect());
    DVec3::from_array([0, 1, 2].map(along))
}

fn median(mut numbers: Vec<f64>) -> f64 {
    let middle = numbers.len() / 2;
    *numbers.select_nth_unstable_by(middle, f64::total_cmp).1
}

/// Whether all points are collinear, up to a small fraction of the distance of neighbours.
fn are_collinear(positions: &[DVec3], distance: f64) -> bool {
    let offsets = || positions.iter().map(|position| *position - positions[0]);
    let longest = offsets().fold(DVec3::ZERO, |a, b| if b.length_squared() > a.length_squared() { b } else { a });
    offsets().all(|offset| offset.cross(longest).length() <= LINE_TOLERANCE * distance * longest.length())
}

/// The spacing of particles, given the distances of points to their neighbours.
fn distance(around: &[f64], wanted: Option<f64>) -> Result<f64, FitError> {
    let coarsest = median(around.to_vec());
    if coarsest <= 0.0 {
        return Err(FitError::TooUneven);
    }
    let particles = |distance: f64| around.iter().map(|around| (around / distance).powi(2).max(1.0)).sum::<f64>();
    let distance = wanted.unwrap_or(coarsest / REFINEMENT);
    if distance > coarsest {
        return Err(FitError::TooCoarse(coarsest));
    }
    let most = (PARTICLE_LIMIT_FACTOR * particles(coarsest)).clamp(MIN_PARTICLE_LIMIT, MAX_PARTICLES);
    if particles(distance) <= most {
        return Ok(distance);
    }
    let largest = around.iter().copied().fold(0.0, f64::max);
    let first = distance.max(largest / most.sqrt());
    let coarser = |distance: &f64| Some(distance * COARSENING).filter(|distance| *distance <= coarsest);
    let enough = std::iter::successors(Some(first), coarser).find(|distance| particles(*distance) <= most);
    Err(enough.map_or(FitError::TooUneven, |least| FitError::TooFine { least, most }))
}
