//! What stays on a wall that matter sticks to when the rest leaves it: a coat.
//!
//! On the grid, what lies on a wall moves with all that is within a cell and a half of it, and so would leave the wall
//! with the last of it. But a liquid does not slip on what it wets. A layer of particles with nothing on it is a film
//! of a spacing's thickness: it comes to the mean velocity of such a film, g h^2 / (3 nu) (Nusselt 1916), and a paste
//! whose yield stress bears its weight to the wall's.

use super::cells::{CellPoints, Cells, Neighbour, Placing, Point, axes, nearness};
use super::fluids::Fluids;
use super::law::PlasticFlow;
use super::model::THINNEST;
use super::walls::{NearWalls, WallCell};
use crate::boundary::{Impulses, Walls};
use crate::grid::Field;
use crate::particles::Particles;
use glam::{DVec3, Vec3};
use rayon::prelude::*;

/// How deep in a wall and how far from it the particles of a layer on it lie at most, in cells.
const IN_WALL: f32 = -0.2;
const LAYER: f32 = 0.5;
/// Where the middle of a layer that lies on a wall is.
const LIES: f32 = 0.25;
/// Where what lies on a particle of the layer is, in cells: from so far above it to so far, and so far beside it.
const ABOVE: f32 = 0.3;
const BEYOND: f32 = 1.1;
const BESIDE: f32 = 0.6;
/// The sum of [nearness] of what covers a particle; a layer above it has about twice as much.
const COVERS: f32 = 1.0;

/// What holds a coat.
#[derive(Debug, Clone, Copy)]
pub struct Coats<'a> {
    pub near: &'a NearWalls,
    pub walls: &'a Walls<'a>,
    pub fluids: &'a Fluids<'a>,
    /// Before the step.
    pub particles: &'a Particles,
    pub placing: Placing,
    /// 1 in cells that matter fills.
    pub full: &'a Field,
    /// m/s^2.
    pub gravity: Vec3,
    pub seconds: f64,
}

/// A particle of a coat.
#[derive(Debug, Clone, Copy)]
pub struct Coating {
    number: usize,
    collider: u32,
    normal: Vec3,
    /// From the wall, in cells.
    distance: f32,
    /// How far it moves as the film.
    part: f32,
    /// What the wall takes of its velocity, m/s.
    taken: Vec3,
    /// The gradient that it gets, by rows, m/s a cell.
    gradient: [Vec3; 3],
}

impl Coats<'_> {
    /// Gives the particles of coats the velocities of films.
    pub fn hold(&self, cells: &mut Cells) -> Vec<Coating> {
        if !self.near.cells.iter().any(|(_, _, wall)| self.sticks(wall)) {
            return Vec::new();
        }
        let found = cells.occupied.par_iter().with_min_len(64).flat_map_iter(|cell| self.in_cell(cells, cell));
        let coatings: Vec<Coating> = found.collect();
        for Coating { number, taken, gradient, .. } in &coatings {
            let point = &mut cells.points[*number];
            point.velocity -= *taken;
            point.gradient = *gradient;
        }
        coatings
    }

    fn in_cell(&self, cells: &Cells, cell: &CellPoints) -> Vec<Coating> {
        let Some(wall) = self.near.at(cell.at).filter(|wall| self.sticks(wall)) else { return Vec::new() };
        let lies = |point: &Point| (IN_WALL..LAYER).contains(&wall.distance_at(point.part));
        if !cells.of(cell).iter().any(lies) {
            return Vec::new();
        }
        let around: Vec<Neighbour> = cells.around(cell.cell).collect();
        let coating = |(number, point): (usize, &Point)| {
            if !lies(point) || !self.fluids.sticks_for_good(point, self.particles) {
                return None;
            }
            // A solid is bound to what it never comes off.
            let may_move = self.full[cell.at] > 0.0 && !self.fluids.slides(point, self.particles);
            let covered = if may_move { covered(&around, point, wall.normal()) } else { 0.0 };
            (covered < 1.0).then(|| self.coating(number, point, wall, 1.0 - covered))
        };
        (cell.points.start as usize..).zip(cells.of(cell)).filter_map(coating).collect()
    }

    /// A particle that is bare as far as a part.
    fn coating(&self, number: usize, point: &Point, wall: &WallCell, bare: f32) -> Coating {
        let (collider, normal, slot) = (wall.collider, wall.normal(), point.slot as usize);
        let (place, width) = (self.particles.positions[slot], self.placing.width);
        let motion = |by: DVec3| self.walls.velocity(collider as usize, place + by * width).as_vec3();
        let standing = motion(DVec3::ZERO);
        // Backward Euler: u' = g - u / time. What is thin for the step goes as the grid says.
        let time = self.film_time(point, normal);
        let left = (time / (time + self.seconds)) as f32;
        let part = bare * (1.0 - left);
        let fallen = self.particles.velocities[slot].as_vec3() - standing + self.gravity * self.seconds as f32;
        let more = point.velocity - standing - fallen.reject_from_normalized(normal) * left;
        // Nothing keeps it from coming nearer.
        let taken = (more - normal * more.dot(normal).min(0.0)) * part;
        let mut gradient = point.gradient;
        // What keeps its shape is strained by what draws at it.
        if !self.fluids.slides(point, self.particles) {
            for &axis in axes(self.placing.is_flat) {
                let along = motion(DVec3::AXES[axis]) - standing;
                for (row, own) in gradient.iter_mut().enumerate() {
                    own[axis] += (along[row] - own[axis]) * part;
                }
            }
        }
        Coating { number, collider, normal, distance: wall.distance_at(point.part), part, taken, gradient }
    }

    /// Whether matter sticks to a wall within reach.
    fn sticks(&self, wall: &WallCell) -> bool {
        wall.may_be_within(LAYER) && self.walls.is_sticky(wall.collider as usize)
    }

    /// The time in which a film of a spacing's thickness on a wall with a normal comes to its velocity, s: that over
    /// what gravity is along the wall.
    fn film_time(&self, point: &Point, normal: Vec3) -> f64 {
        let (thickness, density) = (self.placing.width / 2.0, self.fluids.density(point));
        let gravity = f64::from(self.gravity.reject_from_normalized(normal).length());
        let viscosity = self.fluids.own_viscosity(point, self.particles).max(THINNEST);
        let viscous = density * thickness.powi(2) / (3.0 * viscosity);
        let Some((law, _)) = self.fluids.law(point, self.particles) else { return viscous };
        let Some(PlasticFlow { yield_stress, consistency, index, .. }) = law.flow else { return 0.0 };
        let beyond = density * gravity * thickness - yield_stress;
        if beyond <= 0.0 {
            return 0.0;
        }
        // n / (2 n + 1) h (tau / K)^(1 / n)
        let velocity = index / (2.0 * index + 1.0) * thickness * (beyond / consistency).powf(1.0 / index);
        viscous.min(velocity / gravity)
    }
}

impl Coating {
    /// Keeps a coat where it is against what else displaces it, in cells; but what pushes it out of the wall does.
    pub fn keep(&self, moves: &mut [Vec3]) {
        let way = &mut moves[self.number];
        let across = way.dot(self.normal);
        let kept = if self.distance < LIES { across } else { across.min(0.0) };
        *way -= (*way - self.normal * kept) * self.part;
    }

    /// Adds what the wall takes, given the mass of a full cell, kg.
    pub fn add_to(&self, cells: &Cells, fluids: &Fluids, particles: &Particles, mass: f64, impulses: &mut Impulses) {
        let Point { source, slot, .. } = cells.points[self.number];
        let own = f64::from(fluids.shares[source as usize].mass) * mass;
        impulses.add_to(self.collider, particles.positions[slot as usize], -self.taken.as_dvec3() * own);
    }
}

/// How far a particle of a layer with a normal is covered by those around its cell, from 0 to 1.
fn covered(around: &[Neighbour], point: &Point, normal: Vec3) -> f32 {
    let cover = |Neighbour { place, .. }: &Neighbour| {
        let off = *place - point.part;
        let above = off.dot(normal);
        if (ABOVE..BEYOND).contains(&above) { nearness(off - normal * above, BESIDE) } else { 0.0 }
    };
    (around.iter().map(cover).sum::<f32>() / COVERS).min(1.0)
}
