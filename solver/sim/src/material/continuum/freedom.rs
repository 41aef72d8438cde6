//! What walls leave free of the motion of matter on the whole: what they do not push on, only gravity changes.
//!
//! A wall pushes along its normal, and one with friction holds along itself too. How much it does follows from the
//! particles that reach it, each weighted by how near it is, so nothing jumps as a wall comes near.

use super::cells::Cells;
use super::fluids::Fluids;
use super::walls::NearWalls;
use crate::boundary::Walls;
use glam::{DMat3, DVec3};

/// The distances of particles from a wall, in cells, from which on they begin to reach it and do so wholly: a spacing,
/// and half of it, where the middle of a layer that lies on the wall is.
const BEGINS: f32 = 0.5;
const REACHES: f32 = 0.25;
/// The wall, in faces of cells, that leaves a quarter of the motion across it: that under a particle.
const WALL: f64 = 0.25;
/// The least area of a wall over the matter on it, in faces over cells, that holds all of it.
const HELD: f64 = 0.01;
/// What is no freedom.
const NONE: f64 = 1e-3;

/// The part of motions on the whole that is free of walls.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Freedom {
    /// Of velocities, along all directions.
    ways: DMat3,
    /// Of turning.
    turning: f64,
}

/// The freedom of an island.
#[derive(Debug, Clone, Copy)]
pub struct Freedoms {
    /// From walls as they push.
    pub across: Freedom,
    /// From walls as they push and hold.
    pub all: Freedom,
}

impl Freedom {
    /// What walls leave, given the sum over them of their areas, in faces of cells, times the squares of normals.
    pub fn beside(walls: DMat3) -> Self {
        let part = (DMat3::IDENTITY + walls * (1.0 / WALL)).inverse();
        let all = walls.x_axis.x + walls.y_axis.y + walls.z_axis.z;
        Self { ways: part * part, turning: (1.0 + all / WALL).powi(-2) }
    }

    /// Whether walls leave nothing of moment.
    pub fn is_none(&self) -> bool {
        let [x, y, z] = [self.ways.x_axis.x, self.ways.y_axis.y, self.ways.z_axis.z];
        x.max(y).max(z) < NONE
    }

    /// What is free of a velocity and of a rate of turning.
    pub fn of(&self, [velocity, rate]: [DVec3; 2]) -> [DVec3; 2] {
        [self.ways * velocity, rate * self.turning]
    }
}

impl Freedoms {
    /// What the walls near some particles leave.
    pub fn find(cells: &Cells, near: &NearWalls, fluids: &Fluids, walls: &Walls) -> Self {
        let (mut across, mut along) = (DMat3::ZERO, DMat3::ZERO);
        for cell in &cells.occupied {
            let Some(wall) = near.at(cell.at).filter(|wall| wall.may_be_within(BEGINS)) else { continue };
            let reach = |part| ((BEGINS - wall.distance_at(part)) / (BEGINS - REACHES)).clamp(0.0, 1.0);
            let sum: f32 = cells.of(cell).iter().map(|point| reach(point.part)).sum();
            // A layer of a spacing is half a cell thick.
            let (area, normal) = (f64::from(sum) * fluids.volume / 0.5, wall.normal().as_dvec3());
            let square = DMat3::from_cols(normal * normal.x, normal * normal.y, normal * normal.z);
            across += square * area;
            if walls.friction(wall.collider as usize) > 0.0 {
                along += (DMat3::IDENTITY - square) * area;
            }
        }
        // What barely touches a wall goes on along it.
        let holding = along * (1.0 / (HELD * cells.occupied.len() as f64).max(1.0));
        Self { across: Freedom::beside(across), all: Freedom::beside(across + holding) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A plane leaves what goes along it, a corner what goes along its edge, and what is far off leaves all.
    #[test]
    fn walls_leave_what_goes_along_them() {
        let square = |n: DVec3| DMat3::from_cols(n * n.x, n * n.y, n * n.z);
        let free = |walls: DMat3, way: DVec3| Freedom::beside(walls).of([way, DVec3::ZERO])[0];
        let normal = DVec3::new(0.6, 0.0, 0.8);
        let along = DVec3::new(0.8, 0.0, -0.6);
        let plane = square(normal) * 100.0;
        assert!((free(plane, along + normal * 3.0) - along).length() < 1e-4);
        let corner = plane + square(DVec3::Y) * 10.0;
        assert!((free(corner, along + DVec3::Y) - along).length() < 1e-3);
        assert!(Freedom::beside(DMat3::IDENTITY * 10.0).is_none());
        assert_eq!(Freedom::beside(DMat3::ZERO), Freedom { ways: DMat3::IDENTITY, turning: 1.0 });
    }
}
