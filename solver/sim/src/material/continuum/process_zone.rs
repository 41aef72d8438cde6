//! The process zone of a crack: what has broken there belongs to the fragments beside it.
//!
//! A crack has no width, but the band of cells that it takes on a grid has. Where nothing presses the band together,
//! its particles would go on one by one, as the grid interpolates between the fragments. Instead each moves as the
//! unbroken matter around it does, which soon is that of one fragment, and gives that matter the momentum that it
//! takes.

use super::cells::{CellPoints, Cells, Numbered, Point};
use super::fluids::Fluids;
use crate::grid::{Rows, cells_within};
use glam::{IVec3, Vec3};
use rayon::prelude::*;

/// How far unbroken matter draws what is broken along, in cells.
const REACH: f32 = 2.0;
/// The least unbroken matter that draws a particle along wholly, as a part of a full cell's.
const HOLDS: f32 = 0.05;

/// Where an island comes apart.
#[derive(Debug)]
pub struct ProcessZone<'a> {
    cells: &'a Cells,
    fluids: &'a Fluids<'a>,
    /// Of particles.
    damages: &'a [f32],
    numbers: Numbered<'a>,
}

/// How a particle is drawn along.
#[derive(Debug, Clone, Copy, Default)]
struct Drawn {
    /// What its velocity and its gradient change by, m/s and m/s a cell.
    change: Vec3,
    gradient: [Vec3; 3],
    /// The momentum of that over the weights of what draws it, m/s.
    pull: Vec3,
    /// From the particle to what draws it, in cells.
    toward: Vec3,
}

/// The motion of particles with that of fragments.
#[derive(Debug, Default)]
pub struct Followed {
    /// Velocities, m/s, and gradients, m/s a cell.
    pub motion: Vec<(Vec3, [Vec3; 3])>,
    /// From each particle in an open cell to the fragments about it, in cells; 0 for the others.
    pub toward: Vec<Vec3>,
}

impl<'a> ProcessZone<'a> {
    pub fn new(cells: &'a Cells, rows: &'a Rows, fluids: &'a Fluids, damages: &'a [f32]) -> Self {
        Self { cells, fluids, damages, numbers: cells.numbered(rows) }
    }

    /// The motion of particles of which those in some cells, by their numbers among the occupied ones, follow unbroken
    /// matter.
    pub fn follow(&self, open: &[u32]) -> Followed {
        let mut drawn = vec![Drawn::default(); self.cells.points.len()];
        let found: Vec<Vec<(usize, Drawn)>> = open.par_iter().map(|&number| self.draw(number)).collect();
        for (at, of) in found.into_iter().flatten() {
            drawn[at] = of;
        }
        let mut is_beside = vec![false; self.cells.occupied.len()];
        for &number in open {
            self.around(&self.cells.occupied[number as usize]).for_each(|(number, _)| is_beside[number] = true);
        }
        let of = |(cell, is_beside): (&CellPoints, bool)| {
            let own = cell.points.start as usize..cell.points.end as usize;
            let moved = |at: usize| {
                let (point, own) = (&self.cells.points[at], &drawn[at]);
                let back = if is_beside { self.back(cell, at, &drawn) } else { Vec3::ZERO };
                let gradient = [0, 1, 2].map(|row| point.gradient[row] + own.gradient[row]);
                (point.velocity + own.change - back, gradient)
            };
            own.map(moved).collect::<Vec<_>>()
        };
        let motion = self.cells.occupied.par_iter().zip(is_beside).flat_map_iter(of).collect();
        Followed { motion, toward: drawn.iter().map(|drawn| drawn.toward).collect() }
    }

    /// The occupied cells that matter reaches, and how far each lies off, in cells.
    fn around(&self, cell: &CellPoints) -> impl Iterator<Item = (usize, IVec3)> {
        cells_within(cell.cell, 2).filter_map(move |beside| Some((self.numbers.find(beside)?, beside - cell.cell)))
    }

    /// What draws the broken particles of a cell.
    fn draw(&self, number: u32) -> Vec<(usize, Drawn)> {
        let cell = &self.cells.occupied[number as usize];
        let own = cell.points.start as usize..cell.points.end as usize;
        own.map(|at| (at, self.drawn(cell, at))).collect()
    }

    fn drawn(&self, cell: &CellPoints, at: usize) -> Drawn {
        let (point, damage) = (&self.cells.points[at], self.damages[at]);
        let (mut all, mut velocity, mut gradient, mut place) = (0.0, Vec3::ZERO, [Vec3::ZERO; 3], Vec3::ZERO);
        for (number, by) in self.around(cell) {
            let other = &self.cells.occupied[number];
            for (other, at) in self.cells.of(other).iter().zip(other.points.start as usize..) {
                let off = point.part - other.part - by.as_vec3();
                let weight = self.weight(other, at, off);
                if weight > 0.0 {
                    all += weight;
                    place -= off * weight;
                    velocity += (other.velocity + other.velocity_added(off)) * weight;
                    (0..3).for_each(|row| gradient[row] += other.gradient[row] * weight);
                }
            }
        }
        if all <= 0.0 {
            return Drawn::default();
        }
        let part = damage * (all / HOLDS).min(1.0);
        let change = (velocity / all - point.velocity) * part;
        let gradient = [0, 1, 2].map(|row| (gradient[row] / all - point.gradient[row]) * part);
        Drawn {
            pull: change * (self.fluids.shares[point.source as usize].mass / all),
            change,
            gradient,
            toward: place / all,
        }
    }

    /// How much a particle that lies off another, in cells, draws it along.
    fn weight(&self, point: &Point, at: usize, off: Vec3) -> f32 {
        let near = (1.0 - off.length_squared() / (REACH * REACH)).max(0.0);
        near * near * near * (1.0 - self.damages[at]) * self.fluids.shares[point.source as usize].mass
    }

    /// What the velocity of a particle loses to those that it draws along, m/s.
    fn back(&self, cell: &CellPoints, at: usize, drawn: &[Drawn]) -> Vec3 {
        let (point, mut sum) = (&self.cells.points[at], Vec3::ZERO);
        let mass = self.fluids.shares[point.source as usize].mass;
        for (number, by) in self.around(cell) {
            let other = &self.cells.occupied[number];
            for (other, of) in self.cells.of(other).iter().zip(&drawn[other.points.start as usize..]) {
                if of.pull != Vec3::ZERO {
                    sum += of.pull * self.weight(point, at, other.part + by.as_vec3() - point.part);
                }
            }
        }
        sum / mass
    }
}
