//! How walls that move drive matter on the grid.

use super::cells::{Placing, axes, middle_of_face};
use super::wall_pieces::Pieces;
use super::walls::NearWalls;
use crate::boundary::Walls;
use crate::grid::{Fields, Flow, Level, Rows};
use glam::{IVec3, Vec3};
use rayon::prelude::*;
use rustc_hash::FxHashMap;

/// The motion of walls that move.
#[derive(Debug, Default)]
pub struct WallMotion {
    /// Velocities, m/s, on faces that are nearest to one of them: by storage and axis.
    of_faces: FxHashMap<(u32, u8), f32>,
    /// Cells at walls of which some move, by storage.
    cells: FxHashMap<u32, (IVec3, Pieces)>,
    is_flat: bool,
}

impl WallMotion {
    /// The motion of walls on a grid.
    pub fn new(near: &NearWalls, rows: &Rows, walls: &Walls, placing: &Placing) -> Self {
        if walls.all_stand() {
            return Self::default();
        }
        let nearest = |cell: IVec3| Some(near.at(rows.index(cell)?)?.collider);
        let driven = |cell: IVec3| {
            let beside = axes(placing.is_flat).iter().flat_map(|&axis| [IVec3::AXES[axis], -IVec3::AXES[axis]]);
            let around = std::iter::once(IVec3::ZERO).chain(beside);
            let mut all: Vec<u32> = around.filter_map(|by| nearest(cell + by)).collect();
            all.sort_unstable();
            all.dedup();
            let at = rows.index(cell)?;
            let is_driven = all.iter().any(|&collider| !walls.stands(collider as usize));
            let pieces = is_driven.then(|| Pieces::find(cell, near.at(at), &all, walls, placing))?;
            pieces.any_moves().then_some((at as u32, (cell, pieces)))
        };
        let cells = near.cells.par_iter().flat_map_iter(|&(cell, _, wall)| {
            // A cell far from walls may have one in its high face.
            let before = axes(placing.is_flat).iter().map(move |&axis| cell - IVec3::AXES[axis]);
            let before = before.filter(|&cell| nearest(cell).is_none());
            (!wall.is_closed()).then_some(cell).into_iter().chain(before).filter_map(driven)
        });
        let cells: Vec<_> = cells.collect();
        Self { of_faces: of_faces(near, walls, placing), cells: cells.into_iter().collect(), is_flat: placing.is_flat }
    }

    /// The velocity at a face, by storage; 0 where no wall that moves is nearest.
    pub fn at(&self, at: usize, axis: usize) -> f32 {
        self.of_faces.get(&(at as u32, axis as u8)).copied().unwrap_or(0.0)
    }

    /// Gives covered faces the velocity of their wall.
    pub fn put(&self, level: &Level, u: &mut Fields) {
        for (&(at, axis), &velocity) in &self.of_faces {
            let (at, axis) = (at as usize, axis as usize);
            if level.covered[axis][at] >= 1.0 {
                u[axis][at] = velocity;
            }
        }
    }

    /// What walls bring into a cell by their motion, m/s times a cell's area, given what they cover of low faces.
    pub fn inflow(&self, rows: &Rows, at: usize, covered: impl Fn(usize, usize) -> f32) -> f32 {
        let Some((cell, pieces)) = self.cells.get(&(at as u32)) else { return 0.0 };
        let mut area = Vec3::ZERO;
        for &axis in axes(self.is_flat) {
            let high = rows.index(cell + IVec3::AXES[axis]);
            area[axis] = covered(at, axis) - high.map_or(0.0, |high| covered(high, axis));
        }
        pieces.inflow(area)
    }

    /// Adds the drag of moving walls, and the volume that they displace.
    pub fn push(&self, level: &Level, right: &mut Flow) {
        for (&(at, axis), &velocity) in &self.of_faces {
            let (at, axis) = (at as usize, axis as usize);
            right.u[axis][at] += level.drag[axis][at] * velocity;
        }
        for &at in self.cells.keys() {
            let at = at as usize;
            right.p[at] = -self.inflow(&level.rows, at, |at, axis| level.covered[axis][at]) * level.full[at];
        }
    }
}

/// Velocities on faces that are nearest to a wall that moves.
fn of_faces(near: &NearWalls, walls: &Walls, placing: &Placing) -> FxHashMap<(u32, u8), f32> {
    let mut all = FxHashMap::default();
    for (cell, at, wall) in &near.cells {
        if walls.stands(wall.collider as usize) {
            continue;
        }
        let velocities = [0, 1, 2].map(|axis| {
            let place = placing.place(middle_of_face(*cell, axis));
            walls.velocity(wall.collider as usize, place)[axis] as f32
        });
        // One that rests for now stands.
        if velocities.iter().any(|velocity| velocity.abs() > 0.0) {
            all.extend((0..3).map(|axis| ((*at as u32, axis as u8), velocities[axis])));
        }
    }
    all
}
