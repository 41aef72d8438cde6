//! Where matter lies at walls: whether its last layer of particles is as close to them as particles are to each other.
//!
//! Cells alone do not tell: a gap of a spacing is half a cell.

// Only code that is inlined into a task for `dispatch` uses the machine's vector instructions; iterators may not be.
#![allow(clippy::inline_always)]

use super::cells::{CellPoints, Cells};
use super::scatter::{Share, Strip, StripAction, axes_in_cells, by_strips, rows_that_add};
use super::walls::{NearWalls, WallCell};
use super::weights::{Plane, spline_below};
use crate::grid::{Field, Rows};
use glam::IVec3;

/// How thick the layer at walls is that counts, in cells: a spacing.
const LAYER: f32 = 0.5;
/// The part of the layer from which on matter reaches a wall: particles lie as they come.
const ENOUGH: f32 = 0.6;
/// The least part of a kernel in the layer by which a cell tells of it.
const LEAST: f32 = 0.02;

/// The layer of matter at walls.
#[derive(Debug)]
pub struct Wetting {
    /// Volume in the layer around the middles of cells, over that of a cell.
    layer: Field,
}

impl Wetting {
    /// The wetting of walls by particles, given what those of each body bring.
    pub fn find(cells: &Cells, rows: &Rows, near: &NearWalls, shares: &[Share], is_flat: bool) -> Self {
        let mut fields = [vec![0.0; rows.len()]];
        by_strips(cells, rows, &mut fields, rows_that_add, &Layer { cells, rows, near, shares, is_flat });
        let [layer] = fields;
        Self { layer }
    }

    /// The wet part of a wall near some cells, from 0 to 1.
    pub fn part(&self, near: &NearWalls, cells: impl IntoIterator<Item = usize>) -> f32 {
        let (mut found, mut whole) = (0.0, 0.0);
        for at in cells {
            if let Some(wall) = near.at(at) {
                found += self.layer[at];
                whole += of_kernel(wall);
            }
        }
        if whole < LEAST { 0.0 } else { (found / whole).min(1.0) }
    }

    /// How much of a kernel a wall leaves open to matter in some cells beside it: all of it where matter does not reach
    /// the wall.
    pub fn open_part(&self, near: &NearWalls, cells: impl IntoIterator<Item = usize>, part: f32) -> f32 {
        1.0 - self.reach(near, cells) * (1.0 - part)
    }

    /// How much the matter in some cells reaches the wall: from 0, where air is between, to 1.
    pub fn reach(&self, near: &NearWalls, cells: impl IntoIterator<Item = usize>) -> f32 {
        (self.part(near, cells) / ENOUGH).min(1.0)
    }
}

/// How much of a kernel at the middle of a cell lies in the layer at a flat wall.
fn of_kernel(wall: &WallCell) -> f32 {
    spline_below(wall.distance()) - spline_below(wall.distance() - LAYER)
}

struct Layer<'a> {
    cells: &'a Cells,
    rows: &'a Rows,
    near: &'a NearWalls,
    shares: &'a [Share],
    is_flat: bool,
}

impl StripAction<1> for Layer<'_> {
    #[inline(always)]
    fn act(&self, strip: &mut Strip<1>, row: &[CellPoints]) {
        let IVec3 { y, z, .. } = row[0].cell;
        let beside = strip.beside(self.rows, [y - 1, z - 1]);
        for cell in row {
            let Some(wall) = self.near.at(cell.at).filter(|wall| wall.may_be_within(LAYER)) else {
                continue;
            };
            let mut around = [Plane::ZERO; 3];
            for point in self.cells.of(cell) {
                if wall.distance_at(point.part) < LAYER {
                    let [x, y, z] = axes_in_cells(point.part, self.is_flat);
                    let across = Plane::of(&x.weights, &y.weights);
                    let volume = self.shares[point.source as usize].volume;
                    for (around, weight) in around.iter_mut().zip(z.weights) {
                        around.add(&across, volume * weight);
                    }
                }
            }
            strip.add_cells(&beside, 0, cell.cell.x, &around);
        }
    }
}
