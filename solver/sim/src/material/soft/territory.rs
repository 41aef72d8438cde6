//! Territories: which part of the matter is whose, DG95 section 3.2.
//!
//! A particle sends seeds along axes that are the same for all. Each goes out until it meets the skin, where it is valid, or another particle's territory. The
//! pyramids between them make the volume, V = sum of K d^3.

use super::pieces::Kinship;
use super::skin::Skin;
use crate::cells::Cells;
use glam::DVec3;
use rayon::prelude::*;
use std::f64::consts::{PI, TAU};

/// Axes of a particle.
const AXES: usize = 64;

/// Steps to the reach of a field in which a seed looks for where it stops, and halvings of the last of them.
const STEPS: u32 = 10;
const HALVINGS: u32 = 14;

/// A soft particle as others see it.
#[derive(Debug, Clone, Copy)]
pub struct Coat {
    /// Particle number.
    pub number: u32,
    /// Position, m.
    pub place: DVec3,
    /// Who it blends with.
    pub kinship: Kinship,
    /// epsilon, m.
    pub offset: f32,
    /// Of its body.
    pub skin: Skin,
}

/// What is known of a territory.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Territory {
    /// Volume, m^3.
    pub volume: f64,
    /// Area of the skin on it, as it changes the volume where the skin moves out, m^2.
    pub skin: f64,
}

/// Where a seed stops.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Seed {
    /// Along a unit axis.
    pub axis: DVec3,
    /// Distance from the particle, m.
    pub distance: f64,
    /// Whether it is on the skin.
    pub valid: bool,
}

/// Particles that blend with one, as it sees them.
struct Beside {
    /// From it, m.
    place: DVec3,
    offset: f64,
    skin: Skin,
}

/// The territories of some coats.
pub struct Territories<'a> {
    coats: &'a [Coat],
    cells: Cells,
    axes: Vec<DVec3>,
}

impl Coat {
    fn reach(&self) -> f64 {
        self.skin.reach + f64::from(self.offset)
    }

    /// Its field at a point so far from it, m.
    pub fn field(&self, distance: f64) -> f64 {
        self.skin.value(distance - f64::from(self.offset))
    }
}

impl<'a> Territories<'a> {
    /// Of coats in the order of their numbers.
    pub fn new(coats: &'a [Coat]) -> Self {
        let widest = coats.iter().map(Coat::reach).fold(0.0, f64::max);
        Self { coats, cells: Cells::new(2.0 * widest, coats.iter().map(|coat| coat.place)), axes: axes() }
    }

    /// The territory of each.
    pub fn all(&self) -> Vec<Territory> {
        (0..self.coats.len()).into_par_iter().with_min_len(16).map(|at| self.territory(at)).collect()
    }

    /// The territory of one by its place among all.
    fn territory(&self, at: usize) -> Territory {
        // Each axis stands for as much of all directions.
        let part = 4.0 * PI / AXES as f64;
        self.seeds(at).fold(Territory::default(), |Territory { volume, skin }, seed| Territory {
            volume: volume + part / 3.0 * seed.distance.powi(3),
            skin: skin + if seed.valid { part * seed.distance.powi(2) } else { 0.0 },
        })
    }

    /// The seeds of one by its place among all.
    pub fn seeds(&self, at: usize) -> impl Iterator<Item = Seed> {
        let own = &self.coats[at];
        let beside = self.beside(at);
        self.axes.iter().map(move |&axis| seed(own, &beside, axis))
    }

    /// Those whose fields meet that of one in its piece by its place among all, and itself: places in the order of their numbers, and how much each belongs to
    /// its surroundings, 1 for itself.
    pub fn around(&self, at: usize) -> Vec<(usize, f64)> {
        let own = &self.coats[at];
        let mut near: Vec<u32> = self.cells.around(own.place).collect();
        near.sort_unstable();
        let kin = near
            .into_iter()
            .map(|other| other as usize)
            .filter(|&other| self.coats[other].kinship.blends(&own.kinship));
        let weighed = kin.map(|other| {
            let touch = own.reach() + self.coats[other].reach();
            (other, 1.0 - self.coats[other].place.distance_squared(own.place) / (touch * touch))
        });
        weighed.filter(|&(_, weight)| weight > 0.0).collect()
    }

    /// Those whose fields are felt in its territory, in the order of their numbers.
    fn beside(&self, at: usize) -> Vec<Beside> {
        let own = &self.coats[at];
        let others = self.around(at).into_iter().filter(|&(other, _)| other != at);
        let seen = |(other, _): (usize, f64)| {
            let other = &self.coats[other];
            Beside { place: other.place - own.place, offset: f64::from(other.offset), skin: other.skin }
        };
        others.map(seen).collect()
    }
}

/// Where the seed along an axis stops.
fn seed(own: &Coat, beside: &[Beside], axis: DVec3) -> Seed {
    // What may ever be felt on the axis.
    let reach = own.reach();
    let felt = |other: &&Beside| {
        let along = other.place.dot(axis).clamp(0.0, reach);
        let far = other.skin.reach + other.offset;
        other.place.distance_squared(along * axis) < far * far
    };
    let felt: Vec<&Beside> = beside.iter().filter(felt).collect();
    let stops = |distance: f64| {
        let point = distance * axis;
        let field = own.field(distance);
        let (sum, most) = felt.iter().fold((field, 0.0), |(sum, most), other| {
            let value = other.skin.value(point.distance(other.place) - other.offset);
            (sum + value, value.max(most))
        });
        if most > field { Some(false) } else { (sum < own.skin.isovalue).then_some(true) }
    };
    let (mut low, mut high, mut valid) = (0.0, 0.0, true);
    for step in 0..=STEPS {
        high = reach * f64::from(step) / f64::from(STEPS);
        if let Some(skin) = stops(high) {
            valid = skin;
            break;
        }
        low = high;
    }
    for _ in 0..HALVINGS {
        let middle = low.midpoint(high);
        match stops(middle) {
            Some(skin) => (high, valid) = (middle, skin),
            None => low = middle,
        }
    }
    Seed { axis, distance: low.midpoint(high), valid }
}

/// Unit vectors spread evenly: a spiral by the golden angle.
fn axes() -> Vec<DVec3> {
    let golden = TAU * (1.0 - 2.0 / (1.0 + 5.0_f64.sqrt()));
    let axis = |n: usize| {
        let z = 1.0 - (2 * n + 1) as f64 / AXES as f64;
        let (sin, cos) = (golden * n as f64).sin_cos();
        DVec3::new(cos, sin, 0.0) * (1.0 - z * z).sqrt() + DVec3::Z * z
    };
    (0..AXES).map(axis).collect()
}
