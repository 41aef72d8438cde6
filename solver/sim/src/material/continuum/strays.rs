//! Particles that ride on the surface of a liquid, which its tension draws back into it.
//!
//! On the grid a particle a spacing above the surface moves as what is below it does, so nothing there tells that its
//! own surface is sharply bent. Each goes a part of the way, along the slope of the smoothed density, to where the
//! outermost layer lies: in the time in which tension flattens a bump of a spacing against inertia and viscosity.

// Only code that is inlined into a task for `dispatch` uses the machine's vector instructions; iterators may not be.
#![allow(clippy::inline_always)]

use super::cells::{CellPoints, Cells, Placing, Point};
use super::density::{Around, around, half_cell_axes, slope, value};
use super::fluids::Fluids;
use super::gather::{CellAction, each_cell};
use crate::grid::{Field, Rows, weighted_corners};
use glam::{IVec3, Vec3};

/// The smoothed density at the outermost layer, about: a particle that reads less rides on it.
const OUTERMOST: f32 = 0.5;
/// Below a stray there is liquid: the smoothed density so far down its slope, in half cells.
const LIQUID: f32 = 0.6;
const DOWN: f32 = 2.0;
/// The farthest that a step moves a particle, in half cells, and the least slope that tells where to.
const FARTHEST: f32 = 1.0;
const LEAST_SLOPE: f32 = 0.05;

/// What draws strays.
#[derive(Debug, Clone, Copy)]
pub struct Strays<'a> {
    pub cells: &'a Cells,
    pub fluids: &'a Fluids<'a>,
    pub halves: &'a Rows,
    /// Of half cells, smoothed, with what goes on in walls.
    pub density: &'a Field,
    pub placing: Placing,
    pub seconds: f64,
}

impl Strays<'_> {
    /// Adds displacements, in cells.
    pub fn draw(&self, moves: &mut [Vec3]) {
        each_cell(moves, &self.cells.occupied, self);
    }

    /// How far a particle in a cell goes, in half cells.
    #[inline(always)]
    fn way(&self, around: &Around, point: &Point, cell: IVec3) -> Vec3 {
        let axes = half_cell_axes(point.part, self.placing.is_flat);
        let lack = OUTERMOST - value(around, &axes);
        if lack <= 0.0 {
            return Vec3::ZERO;
        }
        let slope = slope(around, &axes);
        let steep = slope.length();
        let down = slope / steep.max(f32::MIN_POSITIVE);
        if steep < LEAST_SLOPE || self.at(2 * cell, 2.0 * point.part + down * DOWN) < LIQUID {
            return Vec3::ZERO;
        }
        down * (lack / steep).min(FARTHEST) * self.part(point)
    }

    /// The part of its way that a particle goes in the step.
    fn part(&self, point: &Point) -> f32 {
        let (spacing, tension) = (self.placing.width / 2.0, f64::from(self.fluids.tensions[point.source as usize][0]));
        if tension <= 0.0 {
            return 0.0;
        }
        let inertial = (self.fluids.density(point) * spacing.powi(3) / tension).sqrt();
        let viscous = self.fluids.viscosity(point) * spacing / tension;
        (self.seconds / (self.seconds + inertial + viscous)) as f32
    }

    /// The density at a place beyond the corner of a half cell, in half cells.
    fn at(&self, half: IVec3, place: Vec3) -> f32 {
        let mut shifted = place - 0.5;
        if self.placing.is_flat {
            shifted.y = 0.0;
        }
        let (low, part) = (half + shifted.floor().as_ivec3(), shifted - shifted.floor());
        let of = |(by, weight)| self.halves.index(low + by).map_or(0.0, |at| weight * self.density[at]);
        weighted_corners(part).map(of).sum()
    }
}

impl CellAction<Vec3> for Strays<'_> {
    #[inline(always)]
    fn act(&self, cell: &CellPoints, moves: &mut [Vec3]) {
        let around = around(self.halves, self.density, cell.cell);
        if around.iter().all(|plane| plane.0.iter().all(|value| *value >= OUTERMOST)) {
            return;
        }
        for (own, point) in moves.iter_mut().zip(self.cells.of(cell)) {
            *own += self.way(&around, point, cell.cell) / 2.0;
        }
    }
}
