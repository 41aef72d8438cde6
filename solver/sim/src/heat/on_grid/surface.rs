//! Where the cells of an island meet the air and warm walls.

use super::nodes::Nodes;
use crate::grid::{Field, Rows, pass_by};
use crate::material::continuum::{Island, NearWalls, moving_axes};
use glam::{IVec3, Vec3};

/// The largest surface of what is in a cell, over its area, for what it is filled with: wisps have none.
const MOST: f32 = 3.0;

/// What a cell is filled to from which on it is no part of the free surface. By it flat, round and edged bodies of some
/// cells have their surface within a tenth.
const FILLED: f32 = 0.55;

/// The part of what a wall leaves of a cell from which on matter in it touches all of the wall there.
const TOUCHES: f32 = 0.95;

/// The surfaces of an island's matter by cells, over the area of a cell's face.
#[derive(Debug)]
pub struct Surfaces {
    /// All matter.
    pub filled: Field,
    /// To the air.
    pub free: Field,
    /// At walls: by storage, the number of the collider and the area.
    pub walls: Vec<(usize, u32, f32)>,
}

impl Surfaces {
    /// The surfaces of the matter of all substances; at the colliders of some numbers.
    pub fn find(all: &[Nodes], island: &Island, is_flat: bool, warm: &[usize]) -> Self {
        let Island { rows, near, .. } = island;
        let mut filled = vec![0.0; rows.len()];
        for nodes in all {
            filled.iter_mut().zip(&nodes.filled).for_each(|(all, own)| *all += own);
        }
        let free = free(&filled, rows, near, is_flat);
        let walls = if warm.is_empty() { Vec::new() } else { at_walls(&filled, rows, near, is_flat, warm) };
        Self { filled, free, walls }
    }
}

/// How much of the kernel at a cell walls take.
fn wall_part(near: &NearWalls, at: usize) -> f32 {
    near.at(at).map_or(0.0, |wall| 1.0 - wall.of_cell().1)
}

/// The free surface: what the filled part, of matter and walls, falls by to the cells beside. Over all cells across a
/// surface that adds up to its area.
fn free(filled: &Field, rows: &Rows, near: &NearWalls, is_flat: bool) -> Field {
    let mut taken = filled.clone();
    near.cells.iter().for_each(|(_, at, _)| taken[*at] += wall_part(near, *at));
    for taken in &mut taken {
        *taken = (*taken / FILLED).min(1.0);
    }
    let mut free = vec![0.0; rows.len()];
    pass_by::<1, ()>(rows, [&mut free], |(), row, [free]| {
        let own = rows.own(&taken, row);
        for axis in moving_axes(is_flat) {
            let both = rows.beside(&taken, row, axis, -1).iter().zip(rows.beside(&taken, row, axis, 1));
            for ((free, own), (low, high)) in free.iter_mut().zip(own).zip(both) {
                *free += ((own - low).max(0.0) + (own - high).max(0.0)).powi(2);
            }
        }
        for (free, filled) in free.iter_mut().zip(rows.own(filled, row)) {
            *free = free.sqrt().min(MOST * filled);
        }
    });
    free
}

/// The surfaces at walls.
fn at_walls(filled: &Field, rows: &Rows, near: &NearWalls, is_flat: bool, warm: &[usize]) -> Vec<(usize, u32, f32)> {
    let mut found = Vec::new();
    for (cell, at, wall) in &near.cells {
        if filled[*at] <= 0.0 || warm.binary_search(&(wall.collider as usize)).is_err() {
            continue;
        }
        let along = |axis: usize| {
            let beside = |by: IVec3| rows.index(*cell + by).map_or(0.0, |at| wall_part(near, at));
            (beside(IVec3::AXES[axis]) - beside(-IVec3::AXES[axis])) / 2.0
        };
        let slope: Vec3 = moving_axes(is_flat).map(|axis| Vec3::AXES[axis] * along(axis)).sum();
        let touching = (filled[*at] / (TOUCHES * wall.of_cell().1)).min(1.0);
        let area = (slope.length() * touching).min(MOST * filled[*at]);
        if area > 0.0 {
            found.push((*at, wall.collider, area));
        }
    }
    found
}
