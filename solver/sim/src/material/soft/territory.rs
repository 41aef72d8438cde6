//! Territories: which part of the matter is whose, DG95 section 3.2.
//!
//! A particle sends seeds along axes that are the same for all. Each goes out until it meets the skin, where it is valid, another particle's territory, a wall, or
//! the surface at which its piece touches another. The pyramids between them make the volume, V = sum of K d^3.

use super::pieces::Kinship;
use super::skin::Skin;
use super::wall::{self, Plane, Seen, clip};
use crate::cells::Cells;
use glam::DVec3;
use rayon::prelude::*;
use std::f64::consts::{PI, TAU};

/// No seed is taken to go farther on than so many times as far as offsets grow.
const MOST_GAIN: f64 = 4.0;

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
    /// The way to the wall that its skin may lie on, m; zero where there is none.
    pub wall: DVec3,
}

/// What is known of a territory.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Territory {
    /// Volume, m^3.
    pub volume: f64,
    /// Area of the skin on it, m^2.
    pub skin: f64,
    /// What the volume gains by as all offsets around grow, m^2.
    pub gain: f64,
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
    /// How far it goes on as all offsets around grow by as much.
    pub gain: f64,
}

/// A field that is felt around a particle, as it sees it.
#[derive(Clone, Copy)]
struct Beside {
    /// From it, m.
    place: DVec3,
    offset: f64,
    skin: Skin,
    /// How much of it is felt.
    part: f64,
    /// What it adds to.
    side: Side,
    /// Whether all of its lump feel it.
    fused: bool,
    /// The wall beside it.
    wall: Option<Plane>,
}

/// What a field adds to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Side {
    /// That of one's own piece.
    Own,
    /// The same, by an image behind a wall, which has no territory.
    Image,
    /// That of another, by its place in a list of these.
    Other(usize),
}

/// Another piece, or what has fused of another lump, which adds to all of that.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Rival {
    lump: u32,
    /// None of what has fused.
    piece: Option<u32>,
}

/// All that is felt around a particle.
#[derive(Default)]
struct Around {
    beside: Vec<Beside>,
    rivals: Vec<Rival>,
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

    /// The wall beside it.
    fn plane(&self) -> Option<Plane> {
        (self.wall != DVec3::ZERO).then(|| Plane::beside(self.wall))
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
        self.seeds(at).fold(Territory::default(), |Territory { volume, skin, gain }, seed| {
            let area = if seed.valid { part * seed.distance.powi(2) } else { 0.0 };
            Territory {
                volume: volume + part / 3.0 * seed.distance.powi(3),
                skin: skin + area,
                gain: gain + seed.gain * area,
            }
        })
    }

    /// The seeds of one by its place among all.
    pub fn seeds(&self, at: usize) -> impl Iterator<Item = Seed> {
        let own = &self.coats[at];
        let felt = self.felt(at);
        self.axes.iter().map(move |&axis| seed(own, &felt, axis))
    }

    /// Those whose fields meet that of one in its piece by its place among all, and itself: places in the order of their numbers, and how much each belongs to
    /// its surroundings, 1 for itself.
    pub fn around(&self, at: usize) -> Vec<(usize, f64)> {
        let own = &self.coats[at].kinship;
        self.meeting(at).filter(|&(other, _)| own.feels(&self.coats[other].kinship)).collect()
    }

    /// Those whose fields meet that of one, whatever they are of.
    fn meeting(&self, at: usize) -> impl Iterator<Item = (usize, f64)> {
        let own = &self.coats[at];
        let mut near: Vec<u32> = self.cells.around(own.place).collect();
        near.sort_unstable();
        let weighed = near.into_iter().map(|other| other as usize).map(move |other| {
            let touch = own.reach() + self.coats[other].reach();
            (other, 1.0 - self.coats[other].place.distance_squared(own.place) / (touch * touch))
        });
        weighed.filter(|&(_, weight)| weight > 0.0)
    }

    /// What is felt in the territory of one, in the order of their numbers.
    fn felt(&self, at: usize) -> Around {
        let own = &self.coats[at];
        let mut around = Around::default();
        for (other, _) in self.meeting(at) {
            let coat = &self.coats[other];
            let side = if own.kinship.feels(&coat.kinship) { Side::Own } else { around.side_of(&coat.kinship) };
            let place = coat.place - own.place;
            let fused = coat.kinship.fused;
            let beside = Beside {
                place,
                offset: f64::from(coat.offset),
                skin: coat.skin,
                part: 1.0,
                side,
                fused,
                wall: coat.plane(),
            };
            let image = coat.skin.image(coat.wall.length());
            if coat.wall != DVec3::ZERO && image > 0.0 {
                let side = if side == Side::Own { Side::Image } else { side };
                around.beside.push(Beside {
                    place: place + 2.0 * coat.wall,
                    part: image,
                    side,
                    wall: beside.wall.map(Plane::behind),
                    ..beside
                });
            }
            if other != at {
                around.beside.push(beside);
            }
        }
        around
    }
}

impl Around {
    /// What those of a kinship add to that is not one's own.
    fn side_of(&mut self, &Kinship { piece, lump, fused }: &Kinship) -> Side {
        let rival = Rival { lump, piece: (!fused).then_some(piece) };
        let known = self.rivals.iter().position(|&other| other == rival);
        Side::Other(known.unwrap_or_else(|| {
            self.rivals.push(rival);
            self.rivals.len() - 1
        }))
    }

    /// The largest field of another piece, given the sums of all and what has fused of one's own lump, which pieces of that feel, too.
    fn largest_rival(&self, sums: &[f64], (lump, fused): (u32, f64)) -> f64 {
        let with_fused = |(rival, &sum): (&Rival, &f64)| match rival.piece {
            Some(_) if rival.lump == lump => sum + fused,
            Some(_) => {
                let of_lump = Rival { piece: None, ..*rival };
                sum + self.rivals.iter().zip(sums).find(|(other, _)| **other == of_lump).map_or(0.0, |(_, sum)| *sum)
            }
            None => sum,
        };
        self.rivals.iter().zip(sums).map(with_fused).fold(0.0, f64::max)
    }
}

/// What is felt at a point, each field over its isovalue.
struct Sums {
    /// The field of one's own piece.
    own: f64,
    /// The part of it that has fused, which all of the lump feel.
    fused: f64,
    /// The largest that has a territory but for that of the particle.
    most: f64,
    /// Those of [`Around::rivals`].
    rivals: Vec<f64>,
}

/// Where the seed along an axis stops.
fn seed(own: &Coat, around: &Around, axis: DVec3) -> Seed {
    // What may ever be felt on the axis.
    let reach = own.reach();
    let felt = |other: &&Beside| {
        let along = other.place.dot(axis).clamp(0.0, reach);
        let far = other.skin.reach + other.offset;
        other.place.distance_squared(along * axis) < far * far
    };
    let felt: Vec<&Beside> = around.beside.iter().filter(felt).collect();
    let is_walled = own.wall != DVec3::ZERO || felt.iter().any(|other| other.wall.is_some());
    let (mut values, mut seen) = (Vec::with_capacity(felt.len()), Seen::default());
    let mut stops = |distance: f64| {
        let point = distance * axis;
        values.clear();
        values.extend(felt.iter().map(|other| other.value(point)));
        let field = own.field(distance) / own.skin.isovalue;
        let start = Sums {
            own: field,
            fused: if own.kinship.fused { field } else { 0.0 },
            most: 0.0,
            rivals: vec![0.0; around.rivals.len()],
        };
        let sums = felt.iter().zip(&values).fold(start, |sums, (other, &value)| sums.and(other, value));
        if sums.most > field || is_walled && behind_wall((own, field), (&felt, &values), point, &mut seen) {
            return Some(false);
        }
        if sums.own < 1.0 {
            return Some(true);
        }
        let touches = around.largest_rival(&sums.rivals, (own.kinship.lump, sums.fused)) > sums.own;
        touches.then_some(false)
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
    let distance = low.midpoint(high);
    Seed { axis, distance, valid, gain: if valid { gain(own, &felt, distance * axis) } else { 1.0 } }
}

/// Whether a point is behind the wall that cuts the skin off, given all that is felt there and how much of it is. What has been seen is forgotten.
fn behind_wall(
    (own, field): (&Coat, f64),
    (felt, values): (&[&Beside], &[f64]),
    point: DVec3,
    seen: &mut Seen,
) -> bool {
    seen.clear();
    let place = |centre: DVec3, skin: &Skin, wall: Option<Plane>, is_image: bool| wall::Beside {
        centre: centre.as_vec3(),
        reach: skin.reach as f32,
        wall,
        is_image,
    };
    seen.add(&place(DVec3::ZERO, &own.skin, own.plane(), false), field as f32, point.as_vec3());
    for (other, &value) in felt.iter().zip(values) {
        if value > 0.0 && !matches!(other.side, Side::Other(_)) {
            seen.add(
                &place(other.place, &other.skin, other.wall, other.side == Side::Image),
                value as f32,
                point.as_vec3(),
            );
        }
    }
    clip(seen).is_some_and(|(left, _)| left < 1.0)
}

/// How far a seed on the skin goes on as all offsets around grow by as much: more than that where the skin leans away, or where fields from both sides hardly fall.
fn gain(own: &Coat, felt: &[&Beside], point: DVec3) -> f64 {
    let axis = point.normalize_or_zero();
    let slope = |skin: &Skin, part: f64, way: DVec3, offset: f64| {
        let slope = part * skin.slope(way.length() - offset) / skin.isovalue;
        (slope, slope * way.normalize_or_zero().dot(axis))
    };
    let start = slope(&own.skin, 1.0, point, f64::from(own.offset));
    let (all, along) = felt.iter().filter(|other| !matches!(other.side, Side::Other(_))).fold(start, |sum, other| {
        let (all, along) = slope(&other.skin, other.part, point - other.place, other.offset);
        (sum.0 + all, sum.1 + along)
    });
    if along < 0.0 { (all / along).min(MOST_GAIN) } else { MOST_GAIN }
}

impl Beside {
    /// Its field at a point over the isovalue.
    fn value(&self, point: DVec3) -> f64 {
        self.part * self.skin.value(point.distance(self.place) - self.offset) / self.skin.isovalue
    }
}

impl Sums {
    fn and(mut self, other: &Beside, value: f64) -> Self {
        match other.side {
            Side::Other(rival) => {
                self.rivals[rival] += value;
                return self;
            }
            Side::Own => self.most = self.most.max(value),
            Side::Image => {}
        }
        self.own += value;
        if other.fused {
            self.fused += value;
        }
        self
    }
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
