//! The pressures that press grains together, by which they hold each other.
//!
//! A solve finds pressures in the middles of full cells. Grains there and beside them are pressed by what is around
//! them, also at a surface, where cells that are not full have none of their own: with that of its own cell, or with a
//! mean that counts cells without, the topmost grains of a heap held nothing and ran off.

use super::cells::{CellPoints, Cells};
use super::fluids::Fluids;
use super::scalars::at_particles;
use super::walls::NearWalls;
use crate::grid::{Field, Rows};
use crate::particles::Particles;
use glam::Vec3;

/// The part of what a solve finds that counts: the rest is what counted before, or pressures that waver from step to
/// step would leave grains no more than the least of them.
const NEW: f32 = 0.5;
/// What lies on a wall presses on it as a layer of a particle does at least, in cells: a film thinner than a cell has no
/// pressure, and would slide for ever.
const LAYER: f32 = 0.5;
/// Farther from a wall, in cells, grains do not lie on it.
const NEAR: f32 = 1.0;
/// The least weight of cells that are pressed around a grain.
const LEAST: f32 = 1e-3;

/// What the pressures on grains follow from.
#[derive(Debug, Clone, Copy)]
pub struct Pressed<'a> {
    pub cells: &'a Cells,
    pub rows: &'a Rows,
    pub fluids: &'a Fluids<'a>,
    pub near: &'a NearWalls,
    /// m/s^2.
    pub gravity: Vec3,
    /// Width of a cell, m.
    pub width: f32,
    pub is_flat: bool,
}

/// The pressures on points before a step, Pa; none where no matter is of grains.
pub fn pressures_before(cells: &Cells, fluids: &Fluids, particles: &Particles) -> Vec<f32> {
    if !fluids.any_grains() {
        return Vec::new();
    }
    cells.points.iter().map(|point| particles.pressures[point.slot as usize]).collect()
}

impl Pressed<'_> {
    /// Goes on from pressures on points, Pa, to those of a solve, given in cells.
    pub fn follow(&self, pressures: &mut [f32], of_cells: &Field, scale: f32) {
        let Self { cells, rows, is_flat, .. } = *self;
        let [mut pressed, mut filled]: [Field; 2] = [vec![0.0; rows.len()], vec![0.0; rows.len()]];
        for cell in &cells.occupied {
            let own = (of_cells[cell.at] / scale).max(self.least(cell));
            if own > 0.0 {
                (pressed[cell.at], filled[cell.at]) = (own, 1.0);
            }
        }
        let [pressed, filled] = [pressed, filled].map(|field| at_particles(cells, rows, &field, is_flat));
        for (own, (pressed, filled)) in pressures.iter_mut().zip(pressed.into_iter().zip(filled)) {
            *own += NEW * (pressed / filled.max(LEAST) - *own);
        }
    }

    /// What a layer in a cell presses on a wall with, Pa.
    fn least(&self, cell: &CellPoints) -> f32 {
        let Some(wall) = self.near.at(cell.at).filter(|wall| wall.distance() < NEAR) else { return 0.0 };
        let density = self.cells.of(cell).first().map_or(0.0, |point| self.fluids.density(point) as f32);
        (-self.gravity.dot(wall.normal())).max(0.0) * density * self.width * LAYER
    }
}
