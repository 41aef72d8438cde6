//! The points of a fit: different ones, sorted, in units of the particles' distance.

use super::cloud::Cloud;
use super::near::Near;
use super::{FitError, MOST_PARTICLES, Points, planes};
use glam::DVec3;
use std::cmp::Ordering;

/// How far away a neighbour may be, in distances of the points around.
const REACH: f64 = 2.0;

/// Points that are no further from a line than such a part of their distance lie on it.
const ON_LINE: f64 = 1e-4;

/// Particles between neighbouring points, unless told.
const FINER: f64 = 2.0;

/// So many particles a fit may have between however few points: they take a minute or two ...
const MANY: f64 = 1e5;
/// ... and so many times as many as at the widest spacing between many points.
const MANY_TIMES: f64 = 9.0;

/// Where there would be too many particles, this many times the distance is looked at next.
const COARSER: f64 = 1.05;

/// Least and largest distance of particles, m: what is as small a part of them, or so many times as large, has a place in a mesh still.
const SMALLEST: f64 = 1e-32;
const LARGEST: f64 = 1e28;

/// The seeds, and how to go back from them to the points.
pub(super) struct Seeds {
    /// With normals across the planes of neighbours, towards either side, where none was given.
    pub cloud: Cloud,
    /// Where they are, m.
    pub points: Vec<DVec3>,
    /// Their numbers in the order of the points.
    pub in_order: Vec<usize>,
    pub doubles: usize,
    pub spacing: f64,
    centre: DVec3,
}

impl Seeds {
    pub fn new(given: Points, spacing: Option<f64>) -> Result<Self, FitError> {
        if spacing.is_some_and(|spacing| !(spacing.is_finite() && spacing > 0.0)) {
            return Err(FitError::Spacing);
        }
        let (points, normals, in_order) = distinct(given)?;
        let (centre, size) = box_of(&points);
        if !size.is_finite() {
            return Err(FitError::Size(size));
        }
        // Of size 1, so that squares neither vanish nor overflow.
        let mut places: Vec<DVec3> = points.iter().map(|point| (*point - centre) / size).collect();
        let spacings = planes::spacings(&places, &Near::new(&places));
        if is_line(&places, median(spacings.clone())) {
            return Err(FitError::Line);
        }
        let distance =
            distance(&spacings, spacing.map(|spacing| spacing / size)).map_err(|error| error.scaled(size))?;
        let spacing = distance * size;
        if !(SMALLEST..=LARGEST).contains(&spacing) {
            return Err(FitError::Size(spacing));
        }
        // Single precision, in which particles are triangulated, is finest where most are.
        let middle = middle(&places);
        for place in &mut places {
            *place = (*place - middle) / distance;
        }
        let centre = centre + middle * size;
        let mut planes = planes::normals(&places, &Near::new(&places));
        let told: Vec<bool> = normals.iter().map(|normal| *normal != DVec3::ZERO).collect();
        planes.iter_mut().zip(&normals).for_each(|(normal, told)| *normal = told.normalize_or(*normal));
        let reach = spacings.iter().map(|around| REACH * (around / distance).max(1.0)).collect();
        let cloud = Cloud { seeds: places.len(), places, normals: planes, reach, told };
        let doubles = given.positions.len() - points.len();
        Ok(Self { cloud, points, in_order, doubles, spacing, centre })
    }

    /// Where a particle is, m.
    pub fn placed(&self, place: DVec3) -> DVec3 {
        place * self.spacing + self.centre
    }
}

type Distinct = (Vec<DVec3>, Vec<DVec3>, Vec<usize>);

/// Different points with their normals, sorted, and their numbers in the order that they were given in.
fn distinct(given: Points) -> Result<Distinct, FitError> {
    let normal = |number: usize| given.normals.get(number).copied().unwrap_or_default();
    let is_bad = |&number: &usize| !(given.positions[number].is_finite() && normal(number).is_finite());
    if let Some(number) = (0..given.positions.len()).find(is_bad) {
        return Err(FitError::NotFinite(number));
    }
    let mut order: Vec<usize> = (0..given.positions.len()).collect();
    let place = |number: usize| given.positions[number] + DVec3::ZERO;
    // Of doubles, one with a normal comes first.
    let by = |a: &usize, b: &usize| by_coordinates(place(*a), place(*b)).then(by_coordinates(normal(*b), normal(*a)));
    order.sort_by(by);
    order.dedup_by(|a, b| place(*a) == place(*b));
    if order.len() < 4 {
        return Err(FitError::TooFew(order.len()));
    }
    let places: Vec<DVec3> = order.iter().map(|&n| place(n)).collect();
    let order: Vec<usize> = Near::new(&places).order().map(|n| order[n]).collect();
    let mut in_order: Vec<usize> = (0..order.len()).collect();
    in_order.sort_unstable_by_key(|seed| order[*seed]);
    Ok((order.iter().map(|&n| place(n)).collect(), order.iter().map(|&n| normal(n)).collect(), in_order))
}

fn by_coordinates(a: DVec3, b: DVec3) -> Ordering {
    let parts = a.to_array().into_iter().zip(b.to_array());
    parts.fold(Ordering::Equal, |order, (a, b)| order.then(a.total_cmp(&b)))
}

/// The middle of the box around points, and its longest side.
fn box_of(points: &[DVec3]) -> (DVec3, f64) {
    let low = points.iter().copied().fold(DVec3::INFINITY, DVec3::min);
    let high = points.iter().copied().fold(DVec3::NEG_INFINITY, DVec3::max);
    (low / 2.0 + high / 2.0, 2.0 * (high / 2.0 - low / 2.0).max_element())
}

/// Along each axis as many places are below as above.
fn middle(places: &[DVec3]) -> DVec3 {
    let along = |axis: usize| median(places.iter().map(|place| place[axis]).collect());
    DVec3::from_array([0, 1, 2].map(along))
}

fn median(mut numbers: Vec<f64>) -> f64 {
    let middle = numbers.len() / 2;
    *numbers.select_nth_unstable_by(middle, f64::total_cmp).1
}

/// Whether all lie on one line, but for what is little beside the distance of neighbours.
fn is_line(places: &[DVec3], distance: f64) -> bool {
    let ways = || places.iter().map(|place| *place - places[0]);
    let longest = ways().fold(DVec3::ZERO, |a, b| if b.length_squared() > a.length_squared() { b } else { a });
    ways().all(|way| way.cross(longest).length() <= ON_LINE * distance * longest.length())
}

/// The distance of particles where points are so far from their neighbours.
fn distance(around: &[f64], wanted: Option<f64>) -> Result<f64, FitError> {
    let coarsest = median(around.to_vec());
    if coarsest <= 0.0 {
        return Err(FitError::TooUneven);
    }
    let particles = |distance: f64| around.iter().map(|around| (around / distance).powi(2).max(1.0)).sum::<f64>();
    let distance = wanted.unwrap_or(coarsest / FINER);
    if distance > coarsest {
        return Err(FitError::TooCoarse(coarsest));
    }
    let most = (MANY_TIMES * particles(coarsest)).clamp(MANY, MOST_PARTICLES);
    if particles(distance) <= most {
        return Ok(distance);
    }
    let largest = around.iter().copied().fold(0.0, f64::max);
    let first = distance.max(largest / most.sqrt());
    let coarser = |distance: &f64| Some(distance * COARSER).filter(|distance| *distance <= coarsest);
    let enough = std::iter::successors(Some(first), coarser).find(|distance| particles(*distance) <= most);
    Err(enough.map_or(FitError::TooUneven, |least| FitError::TooFine { least, most }))
}
