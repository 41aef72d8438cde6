//! Particles that come closer than they were filled make room: a cell can be full on the whole and yet hold all its
//! matter in a layer at its bottom, which then is too thin.
//!
//! The density of particles in half cells tells who is close. Each goes a part of the way down its slope.

// Only code that is inlined into a task for `dispatch` uses the machine's vector instructions; iterators may not be.
#![allow(clippy::inline_always)]

use super::cells::{CellPoints, Cells};
use super::density::{Density, NearHalf, around, half_cell_axes, near_halves, slope};
use super::gather::{CellAction, each_cell};
use super::walls::NearWalls;
use crate::grid::{Field, Rows};
use glam::Vec3;
use rayon::prelude::*;

/// The part of the slope of the density, in half cells, that particles go. Diffusion is stable up to a sixth.
const AT_ONCE: f32 = 0.12;
/// The least distance of a particle from a wall, in cells. One in the wall itself would never leave it.
const NEAREST: f32 = 0.06;
/// The least part of a kernel on the open side of a wall.
const LEAST_PART: f32 = 0.3;
/// The density from which on particles are close: a little more than they are filled with.
const CLOSE: f32 = 1.05;
/// The most that counts as too much in a half cell, of what fits in.
const MOST: f32 = 1.0;

/// Adds displacements, in cells, of particles that are close; none where there are none yet.
pub fn separate(cells: &Cells, density: &Density, near: &NearWalls, is_flat: bool, moves: &mut Vec<Vec3>) {
    let Density { halves, values } = density;
    let mut excess = values.clone();
    meet_walls(halves, near, &mut excess);
    excess.par_iter_mut().with_min_len(1 << 14).for_each(|value| *value = (*value - CLOSE).clamp(0.0, MOST));
    moves.resize(cells.points.len(), Vec3::ZERO);
    each_cell(moves, &cells.occupied, &Separate { cells, halves, excess: &excess, near, is_flat });
}

struct Separate<'a> {
    cells: &'a Cells,
    halves: &'a Rows,
    excess: &'a Field,
    near: &'a NearWalls,
    is_flat: bool,
}

impl CellAction<Vec3> for Separate<'_> {
    #[inline(always)]
    fn act(&self, cell: &CellPoints, moves: &mut [Vec3]) {
        let (around, points) = (around(self.halves, self.excess, cell.cell), self.cells.of(cell));
        if around.iter().any(|plane| plane.0.iter().any(|value| *value > 0.0)) {
            for (sum, point) in moves.iter_mut().zip(points) {
                *sum -= slope(&around, &half_cell_axes(point.part, self.is_flat)) * (AT_ONCE / 2.0);
            }
        }
        if let Some(wall) = self.near.at(cell.at).filter(|wall| wall.distance() < 1.0) {
            for (sum, point) in moves.iter_mut().zip(points) {
                let distance = wall.distance_at(point.part) + wall.normal().dot(*sum);
                *sum += wall.normal() * (NEAREST - distance).clamp(0.0, NEAREST);
            }
        }
    }
}

/// What walls leave of half cells is full when as much is in it; the density goes on behind walls as in a mirror.
fn meet_walls(halves: &Rows, near: &NearWalls, density: &mut Field) {
    let beside = || near_halves(halves, near).filter(|half| half.distance < 0.75);
    for NearHalf { at, part, .. } in beside().filter(|half| half.distance > 0.0) {
        density[at] /= part.max(LEAST_PART);
    }
    let known = density.clone();
    for NearHalf { half, at, wall, distance, .. } in beside().filter(|half| half.distance <= 0.0) {
        let mirrored = half.as_vec3() + 0.5 - wall.normal() * (4.0 * distance);
        density[at] = halves.index(mirrored.floor().as_ivec3()).map_or(0.0, |at| known[at]);
    }
}
