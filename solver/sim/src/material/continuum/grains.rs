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
use glam::Vec3;

/// The part of what a solve finds that counts: the rest is what the step began with, or stress and pressure that follow
/// each other would swing.
const NEW: f32 = 0.5;
/// What lies on a wall presses on it as a layer of a particle does at least, in cells: a film thinner than a cell has
/// no pressure, and would slide for ever.
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
    /// The pressure in the unit of the equations, over Pa.
    pub scale: f32,
    /// m/s^2.
    pub gravity: Vec3,
    /// Width of a cell, m.
    pub width: f32,
    pub is_flat: bool,
}

impl Pressed<'_> {
    /// The pressures on all points, Pa, by those of cells in the unit of the equations; none where there are no grains.
    pub fn find(&self, of_cells: &Field) -> Vec<f32> {
        let Self { cells, rows, fluids, is_flat, .. } = *self;
        if !cells.points.iter().any(|point| fluids.is_grain(point)) {
            return Vec::new();
        }
        let [mut pressed, mut counted]: [Field; 2] = [vec![0.0; rows.len()], vec![0.0; rows.len()]];
        for cell in &cells.occupied {
            let own = (of_cells[cell.at] / self.scale).max(self.least(cell));
            if own > 0.0 {
                (pressed[cell.at], counted[cell.at]) = (own, 1.0);
            }
        }
        let [pressed, counted] = [pressed, counted].map(|field| at_particles(cells, rows, &field, is_flat));
        pressed.into_iter().zip(counted).map(|(pressed, counted)| pressed / counted.max(LEAST)).collect()
    }

    /// Goes on from pressures on points to those that a solve has found.
    pub fn follow(&self, pressures: &mut [f32], of_cells: &Field) {
        if !pressures.is_empty() {
            let found = self.find(of_cells);
            pressures.iter_mut().zip(found).for_each(|(own, found)| *own += NEW * (found - *own));
        }
    }

    /// What a layer in a cell presses on a wall with, Pa.
    fn least(&self, cell: &CellPoints) -> f32 {
        let Some(wall) = self.near.at(cell.at).filter(|wall| wall.distance() < NEAR) else { return 0.0 };
        let own = self.cells.of(cell);
        let density = own.iter().map(|point| self.fluids.density(point) as f32).sum::<f32>() / own.len() as f32;
        (-self.gravity.dot(wall.normal())).max(0.0) * density * self.width * LAYER
    }
}
