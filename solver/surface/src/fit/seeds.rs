//! The points of a fit: different ones, sorted, in units of the particles' distance.

use super::cloud::Cloud;
use super::near::Near;
use super::{FitError, MOST_PARTICLES, Points, planes};
use glam::DVec3;
use std::cmp::Ordering;

/// How far away a neighbour may be, in distances of the points around.
const REACH: f64 = 2.0;

/// Points that are no further from a line than such a part of its length lie on it.
const ON_LINE: f64 = 1e-6;

/// Particles between neighbouring points, unless told.
const FINER: f64 = 2.0;

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
        let centre = centre(&points);
        let mut places: Vec<DVec3> = points.iter().map(|point| *point - centre).collect();
        if is_line(&places) {
            return Err(FitError::Line);
        }
        let extent = places.iter().map(|place| place.abs().max_element()).fold(0.0, f64::max);
        let cube = 4.0 * extent / (places.len() as f64).sqrt();
        let spacings = planes::spacings(&places, &Near::new(&places, cube));
        let spacing = distance(&spacings, spacing)?;
        for place in &mut places {
            *place /= spacing;
        }
        let mut planes = planes::normals(&places, &Near::new(&places, cube / spacing));
        let told: Vec<bool> = normals.iter().map(|normal| *normal != DVec3::ZERO).collect();
        planes.iter_mut().zip(&normals).for_each(|(normal, told)| *normal = told.normalize_or(*normal));
        let reach = spacings.iter().map(|around| REACH * (around / spacing).max(1.0)).collect();
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
    let mut in_order: Vec<usize> = (0..order.len()).collect();
    in_order.sort_unstable_by_key(|seed| order[*seed]);
    Ok((order.iter().map(|&n| place(n)).collect(), order.iter().map(|&n| normal(n)).collect(), in_order))
}

fn by_coordinates(a: DVec3, b: DVec3) -> Ordering {
    let parts = a.to_array().into_iter().zip(b.to_array());
    parts.fold(Ordering::Equal, |order, (a, b)| order.then(a.total_cmp(&b)))
}

fn centre(points: &[DVec3]) -> DVec3 {
    let low = points.iter().copied().fold(DVec3::INFINITY, DVec3::min);
    let high = points.iter().copied().fold(DVec3::NEG_INFINITY, DVec3::max);
    low / 2.0 + high / 2.0
}

fn is_line(places: &[DVec3]) -> bool {
    let ways = || places.iter().map(|place| *place - places[0]);
    let longest = ways().fold(DVec3::ZERO, |a, b| if b.length_squared() > a.length_squared() { b } else { a });
    ways().all(|way| way.cross(longest).length() <= ON_LINE * longest.length_squared())
}

/// The distance of particles where points are so far from their neighbours.
fn distance(around: &[f64], wanted: Option<f64>) -> Result<f64, FitError> {
    let mut sorted = around.to_vec();
    sorted.sort_unstable_by(f64::total_cmp);
    let middle = sorted[sorted.len() / 2];
    let distance = wanted.map_or(middle / FINER, |wanted| wanted.min(middle));
    let particles: f64 = around.iter().map(|around| (around / distance).powi(2).max(1.0)).sum();
    if particles > MOST_PARTICLES {
        Err(FitError::TooFine(distance * (particles / MOST_PARTICLES).sqrt()))
    } else {
        Ok(distance)
    }
}
