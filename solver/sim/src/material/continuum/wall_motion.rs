//! How walls that move drive matter on the grid.

use super::cells::{Placing, middle_of_face};
use super::walls::NearWalls;
use crate::boundary::Walls;
use crate::grid::{Fields, Flow, Level};
use glam::IVec3;
use rustc_hash::FxHashMap;

/// Velocities, m/s, on faces that are nearest to a wall that moves: by storage and axis.
#[derive(Debug)]
pub struct WallMotion(FxHashMap<(u32, u8), f32>);

/// What covers a face of a cell.
#[derive(Debug, Clone, Copy)]
struct Cover {
    /// The part of its area.
    part: f32,
    /// How much of the face's axis lies along it, from 0 where it faces the face to 1.
    along: f32,
    /// Its velocity along the axis, m/s; none of what stands.
    velocity: Option<f32>,
}

impl Cover {
    /// What it brings into the cell. What stands on the opposite face and lies along the axis goes on to this one, and
    /// covers as much of it.
    fn inflow(&self, opposite: &Self) -> f32 {
        let Some(velocity) = self.velocity else { return 0.0 };
        let standing = if opposite.velocity.is_none() { opposite.along * opposite.part } else { 0.0 };
        (self.part - standing).max(0.0) * velocity
    }
}

impl WallMotion {
    /// The motion of walls on a grid.
    pub fn new(near: &NearWalls, walls: &Walls, placing: &Placing) -> Self {
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
        Self(all)
    }

    /// The velocity at a face, by storage.
    pub fn at(&self, at: usize, axis: usize) -> f32 {
        self.of_mover(at, axis).unwrap_or(0.0)
    }

    /// The same; none where no wall that moves is nearest.
    fn of_mover(&self, at: usize, axis: usize) -> Option<f32> {
        self.0.get(&(at as u32, axis as u8)).copied()
    }

    /// Gives covered faces the velocity of their wall.
    pub fn put(&self, level: &Level, u: &mut Fields) {
        for (&(at, axis), &velocity) in &self.0 {
            let (at, axis) = (at as usize, axis as usize);
            if level.covered[axis][at] >= 1.0 {
                u[axis][at] = velocity;
            }
        }
    }

    /// Adds the drag of moving walls, and the volume that they displace.
    pub fn push(&self, level: &Level, near: &NearWalls, right: &mut Flow) {
        if self.0.is_empty() {
            return;
        }
        for (cell, at) in level.rows.cells() {
            let mut inflow = 0.0;
            for axis in 0..3 {
                let low = self.cover(level, near, at, axis);
                right.u[axis][at] += level.drag[axis][at] * low.velocity.unwrap_or(0.0);
                let Some(high) = level.rows.index(cell + IVec3::AXES[axis]) else { continue };
                let high = self.cover(level, near, high, axis);
                inflow += low.inflow(&high) - high.inflow(&low);
            }
            right.p[at] = -inflow * level.full[at];
        }
    }

    fn cover(&self, level: &Level, near: &NearWalls, at: usize, axis: usize) -> Cover {
        Cover {
            part: level.covered[axis][at],
            along: near.at(at).map_or(0.0, |wall| wall.along(axis)),
            velocity: self.of_mover(at, axis),
        }
    }
}
