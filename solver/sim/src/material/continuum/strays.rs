//! Particles that ride on a surface, which are drawn back into it.
//!
//! On the grid a particle a spacing above the surface moves as what is below it does. On a liquid nothing there tells
//! that its own surface is sharply bent, and on the sides of a crack that it belongs to one of them: a crack has no
//! width. Each goes a part of the way, along the slope of the smoothed density, to where the outermost layer lies.

// Only code that is inlined into a task for `dispatch` uses the machine's vector instructions; iterators may not be.
#![allow(clippy::inline_always)]

use super::cells::{CellPoints, Cells, Point};
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
/// The farthest that a particle is away from its surface, in half cells, and the least slope that tells where to.
const FARTHEST: f32 = 1.0;
const LEAST_SLOPE: f32 = 0.05;
/// How far the middle of a fragment's matter lies from a particle that touches it, about, in cells.
const TOUCHES: f32 = 0.75;

/// What draws strays.
pub struct Strays<'a> {
    pub cells: &'a Cells,
    pub halves: &'a Rows,
    /// Of half cells, smoothed.
    pub density: &'a Field,
    pub is_flat: bool,
    /// The part of its way that a particle, with its number, goes in the step.
    pub part: &'a (dyn Fn(usize, &Point) -> f32 + Sync),
    /// From particles to the middle of the fragments about them, in cells; none where nothing breaks.
    pub toward: &'a [Vec3],
}

/// The part of its way that a particle on a liquid goes in some seconds: in the time in which tension flattens a bump
/// of a spacing, m, against inertia and viscosity.
pub fn by_tension(fluids: &Fluids, point: &Point, spacing: f64, seconds: f64) -> f32 {
    let tension = f64::from(fluids.tensions[point.source as usize][0]);
    if tension <= 0.0 {
        return 0.0;
    }
    let inertial = (fluids.density(point) * spacing.powi(3) / tension).sqrt();
    let viscous = fluids.viscosity(point) * spacing / tension;
    (seconds / (seconds + inertial + viscous)) as f32
}

impl Strays<'_> {
    /// Adds displacements, in cells.
    pub fn draw(&self, moves: &mut [Vec3]) {
        each_cell(moves, &self.cells.occupied, self);
    }

    /// How far a particle in a cell goes, in half cells.
    #[inline(always)]
    fn way(&self, around: &Around, (at, point): (usize, &Point), cell: IVec3) -> Vec3 {
        let axes = half_cell_axes(point.part, self.is_flat);
        let lack = OUTERMOST - value(around, &axes);
        if lack <= 0.0 {
            return Vec3::ZERO;
        }
        let part = (self.part)(at, point);
        let slope = slope(around, &axes);
        let steep = slope.length();
        let down = slope / steep.max(f32::MIN_POSITIVE);
        if steep >= LEAST_SLOPE && self.at(2 * cell, 2.0 * point.part + down * DOWN) >= LIQUID {
            return down * ((lack / steep).min(FARTHEST) * part);
        }
        let toward = self.toward.get(at).copied().unwrap_or_default();
        let far = toward.length();
        if far > TOUCHES { toward * (2.0 * part * (far - TOUCHES) / far) } else { Vec3::ZERO }
    }

    /// The density at a place beyond the corner of a half cell, in half cells.
    fn at(&self, half: IVec3, place: Vec3) -> f32 {
        let mut shifted = place - 0.5;
        if self.is_flat {
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
        for (own, point) in moves.iter_mut().zip((cell.points.start as usize..).zip(self.cells.of(cell))) {
            *own += self.way(&around, point, cell.cell) / 2.0;
        }
    }
}
