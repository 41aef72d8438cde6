//! Territories: the part of the matter that belongs to each particle, DG95 section 3.2.
//!
//! A particle sends seeds along axes that are the same for all. Each goes out until it meets the skin, where it is
//! valid, another particle's territory, a wall, or the surface at which its piece touches another. The pyramids between
//! the axes make the volume, V = sum of K d^3.

use super::seed::{Seed, SeedEnd, SeedSurroundings};
use crate::frame::Skin;
use crate::frame::wall::WallPlane;
use crate::hash_grid::HashGrid;
use crate::particles::Membership;
use glam::DVec3;
use rayon::prelude::*;
use std::f64::consts::{PI, TAU};

/// Number of axes of a particle.
const AXES: usize = 64;

/// The properties of a soft particle that others read.
#[derive(Debug, Clone, Copy)]
pub struct SoftParticle {
    /// Particle number.
    pub number: u32,
    /// Position, m.
    pub place: DVec3,
    /// Its piece and lump.
    pub membership: Membership,
    /// epsilon, m.
    pub offset: f32,
    /// The skin of its body.
    pub skin: Skin,
    /// The offset to the wall that its skin may lie on, m; zero where there is none.
    pub wall: DVec3,
}

/// Measures of a territory.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Territory {
    /// Volume, m^3.
    pub volume: f64,
    /// Area of the skin on it, m^2.
    pub skin: f64,
    /// The gain of volume as all offsets around grow, m^2.
    pub gain: f64,
    /// Whether it borders on a colliding piece.
    pub touches: bool,
}

/// The territories of some soft particles.
pub struct Territories<'a> {
    soft_particles: &'a [SoftParticle],
    cells: HashGrid,
    axes: Vec<DVec3>,
}

impl SoftParticle {
    /// The reach of its field, m.
    pub fn reach(&self) -> f64 {
        self.skin.reach + f64::from(self.offset)
    }

    /// The wall beside it.
    pub fn plane(&self) -> Option<WallPlane> {
        (self.wall != DVec3::ZERO).then(|| WallPlane::beside(self.wall))
    }

    /// The distance within which there is no wall, m.
    pub fn free_of_walls(&self) -> f64 {
        self.plane().map_or(self.skin.image_reach(), |_| self.wall.length())
    }

    /// Its field at a point at a distance from it, m.
    pub fn field(&self, distance: f64) -> f64 {
        self.skin.value(distance - f64::from(self.offset))
    }
}

impl<'a> Territories<'a> {
    /// Takes soft particles in the order of their numbers.
    pub fn new(soft_particles: &'a [SoftParticle]) -> Self {
        let widest = soft_particles.iter().map(SoftParticle::reach).fold(0.0, f64::max);
        Self {
            soft_particles,
            cells: HashGrid::new(2.0 * widest, soft_particles.iter().map(|soft_particle| soft_particle.place)),
            axes: axes(),
        }
    }

    /// The territory of each particle.
    pub fn all(&self) -> Vec<Territory> {
        (0..self.soft_particles.len()).into_par_iter().with_min_len(16).map(|at| self.territory(at)).collect()
    }

    /// The territory of a particle by its place among all.
    fn territory(&self, at: usize) -> Territory {
        // Each axis stands for an equal solid angle.
        let part = 4.0 * PI / AXES as f64;
        self.seeds(at).fold(Territory::default(), |sum, seed| {
            let area = part * seed.distance.powi(2);
            let skin = if seed.end == SeedEnd::Skin { area } else { 0.0 };
            Territory {
                volume: sum.volume + area / 3.0 * seed.distance,
                skin: sum.skin + skin,
                gain: sum.gain + seed.gain * skin,
                touches: sum.touches || seed.end == SeedEnd::Contact,
            }
        })
    }

    /// The seeds of a particle by its place among all.
    pub fn seeds(&self, at: usize) -> impl Iterator<Item = Seed> {
        let own = &self.soft_particles[at];
        let felt = self.felt(at);
        self.axes.iter().map(move |&axis| felt.seed(own, axis))
    }

    /// The particles of its piece whose fields meet a particle's, given by its place among all, and itself: places in
    /// the order of their numbers, and how much each belongs to its surroundings, 1 for itself.
    pub fn around(&self, at: usize) -> Vec<(usize, f64)> {
        let own = &self.soft_particles[at].membership;
        self.meeting(at).filter(|&(other, _)| own.feels(&self.soft_particles[other].membership)).collect()
    }

    /// The particles whose fields meet a particle's, of any piece.
    fn meeting(&self, at: usize) -> impl Iterator<Item = (usize, f64)> {
        let own = &self.soft_particles[at];
        let mut near: Vec<u32> = self.cells.around(own.place).collect();
        near.sort_unstable();
        let weighed = near.into_iter().map(|other| other as usize).map(move |other| {
            let touch = own.reach() + self.soft_particles[other].reach();
            (other, 1.0 - self.soft_particles[other].place.distance_squared(own.place) / (touch * touch))
        });
        weighed.filter(|&(_, weight)| weight > 0.0)
    }

    /// The neighbours felt in the territory of a particle, in the order of their numbers.
    pub fn felt(&self, at: usize) -> SeedSurroundings {
        let own = &self.soft_particles[at];
        let mut around = SeedSurroundings::of(&own.membership);
        for (other, _) in self.meeting(at) {
            let soft_particle = &self.soft_particles[other];
            around.add(soft_particle, soft_particle.place - own.place, other == at);
        }
        around
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
