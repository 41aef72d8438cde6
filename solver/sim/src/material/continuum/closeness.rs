//! Particles that come closer than they were filled make room: a cell can be full on the whole and yet hold all its
//! matter in a layer at its bottom, which then is too thin.
//!
//! The density of particles in half cells, a spacing wide, tells who is close. Each goes a part of the way down its
//! slope.

use super::cells::{CellPoints, Cells};
use super::gather::each_cell;
use super::scatter::by_strips;
use super::walls::{NearWalls, WallCell};
use super::weights::HalfCellAxis;
use crate::grid::{Field, Rows, corner};
use glam::{IVec3, Vec3};
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

/// Values in the half cells from one before a cell to one behind it, by z, then y, then x.
type Around = [[[f32; 4]; 4]; 4];

/// Adds displacements, in cells, of particles that are close; none where there are none yet.
pub fn separate(cells: &Cells, rows: &Rows, near: &NearWalls, is_flat: bool, moves: &mut Vec<Vec3>) {
    let halves = rows.halved();
    let mut excess = density(cells, &halves, is_flat);
    meet_walls(&halves, near, &mut excess);
    excess.par_iter_mut().with_min_len(1 << 14).for_each(|value| *value = (*value - CLOSE).clamp(0.0, MOST));
    moves.resize(cells.points.len(), Vec3::ZERO);
    each_cell(moves, &cells.occupied, |cell, moves| {
        let around = around(&halves, &excess, cell.cell);
        let wall = near.at(cell.at).filter(|wall| wall.distance() < 1.0);
        if around.as_flattened().as_flattened().iter().any(|value| *value > 0.0) {
            for (sum, point) in moves.iter_mut().zip(cells.of(cell)) {
                *sum -= slope(&around, &axes(point.part, is_flat)) * (AT_ONCE / 2.0);
            }
        }
        if let Some(wall) = wall {
            for (sum, point) in moves.iter_mut().zip(cells.of(cell)) {
                let distance = wall.distance_at(point.part) + wall.normal().dot(*sum);
                *sum += wall.normal() * (NEAREST - distance).clamp(0.0, NEAREST);
            }
        }
    });
}

#[inline(always)]
fn axes(part: Vec3, is_flat: bool) -> [HalfCellAxis; 3] {
    let along_y = if is_flat { HalfCellAxis::FIRST } else { HalfCellAxis::of(part.y) };
    [HalfCellAxis::of(part.x), along_y, HalfCellAxis::of(part.z)]
}

/// Particles in half cells over those that fit in.
fn density(cells: &Cells, halves: &Rows, is_flat: bool) -> Field {
    let mut fields = [vec![0.0; halves.len()]];
    let from = |at: i32| [at, at + 1, at - 1, at - 2].map(|at| at.div_euclid(2));
    by_strips(cells, halves, &mut fields, from, |strip, cell, row: &[CellPoints]| {
        let beside = strip.beside(halves, [2 * cell.y - 1, 2 * cell.z - 1]);
        for cell in row {
            let mut around = Around::default();
            for point in cells.of(cell) {
                add(&mut around, &axes(point.part, is_flat));
            }
            for (around, beside) in around.iter().zip(&beside) {
                for (around, beside) in around.iter().zip(beside) {
                    if let Some(at) = *beside {
                        strip.add(at, 0, 2 * cell.cell.x - 1, around);
                    }
                }
            }
        }
    });
    let [density] = fields;
    density
}

#[inline(always)]
fn add(around: &mut Around, [x, y, z]: &[HalfCellAxis; 3]) {
    for (around, z) in around.iter_mut().zip(z.weights) {
        for (around, y) in around.iter_mut().zip(y.weights) {
            let weight = y * z;
            for (around, x) in around.iter_mut().zip(x.weights) {
                *around += weight * x;
            }
        }
    }
}

#[inline(always)]
fn around(halves: &Rows, field: &Field, cell: IVec3) -> Around {
    let mut around = Around::default();
    for (z, around) in (2 * cell.z - 1..).zip(&mut around) {
        for (y, around) in (2 * cell.y - 1..).zip(around) {
            if let Some(number) = halves.find(y, z) {
                around.copy_from_slice(halves.stored(field, number, 2 * cell.x - 1..2 * cell.x + 3));
            }
        }
    }
    around
}

#[inline(always)]
fn slope(around: &Around, [x, y, z]: &[HalfCellAxis; 3]) -> Vec3 {
    let (mut along, mut across_y, mut across_z) = ([0.0_f32; 4], [0.0_f32; 4], [0.0_f32; 4]);
    for (k, around) in around.iter().enumerate() {
        for (j, around) in around.iter().enumerate() {
            for (n, &value) in around.iter().enumerate() {
                along[n] += value * (y.weights[j] * z.weights[k]);
                across_y[n] += value * (y.slopes[j] * z.weights[k]);
                across_z[n] += value * (y.weights[j] * z.slopes[k]);
            }
        }
    }
    let sum = |a: &[f32; 4], b: &[f32; 4]| (a[0] * b[0] + a[1] * b[1]) + (a[2] * b[2] + a[3] * b[3]);
    Vec3::new(sum(&along, &x.slopes), sum(&across_y, &x.weights), sum(&across_z, &x.weights))
}

/// What walls leave of half cells is full when as much is in it; the density goes on behind walls as in a mirror.
fn meet_walls(halves: &Rows, near: &NearWalls, density: &mut Field) {
    let each = |act: &mut dyn FnMut(usize, IVec3, &WallCell, f32, f32)| {
        for (cell, _, wall) in &near.cells {
            for n in 0..8 {
                let half = 2 * *cell + corner(n);
                let (distance, part) = wall.of_half(n as usize);
                if let Some(at) = halves.index(half).filter(|_| distance < 0.75) {
                    act(at, half, wall, distance, part);
                }
            }
        }
    };
    each(&mut |at, _, _, distance, part| {
        if distance > 0.0 {
            density[at] /= part.max(LEAST_PART);
        }
    });
    let known = density.clone();
    each(&mut |at, half, wall, distance, _| {
        if distance <= 0.0 {
            let mirrored = half.as_vec3() + 0.5 - wall.normal() * (4.0 * distance);
            density[at] = halves.index(mirrored.floor().as_ivec3()).map_or(0.0, |at| known[at]);
        }
    });
}
