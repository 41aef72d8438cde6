//! What thin walls part: a knife cuts what breaks, however little it strains it. Kernels are wider than a blade, and
//! smooth the tear at its edge to a strain that few solids break by.

use super::cells::{CellPoints, Cells, Point};
use super::walls::{NearWalls, WallCell};
use crate::grid::Rows;
use glam::IVec3;
use rayon::prelude::*;
use rustc_hash::FxHashSet;
use std::ops::RangeInclusive;

/// How far from a wall what it cuts lies, in cells: a spacing.
const LAYER: f32 = 0.5;
/// Where matter on the other side is looked for, in half cells behind a wall's surface: within the reach of kernels
/// from both sides.
const BEHIND: RangeInclusive<i32> = 1..=6;
/// The cosine of the angle between the normals of both sides, at most.
const OPPOSITE: f32 = -0.5;

/// Where matter lies at walls.
pub struct Cuts<'a> {
    pub cells: &'a Cells,
    pub rows: &'a Rows,
    pub near: &'a NearWalls,
}

impl Cuts<'_> {
    /// The numbers of points that a wall thinner than kernels parts from others.
    pub fn points(&self) -> Vec<u32> {
        let occupied = self.near.occupied(self.cells);
        let of = |cell: &CellPoints| self.wall_at(cell, &occupied).map(|wall| self.layer(cell, wall));
        self.cells.occupied.par_iter().with_min_len(64).filter_map(of).flatten_iter().collect()
    }

    /// Whether there are any such points.
    pub fn part_any(&self) -> bool {
        let occupied = self.near.occupied(self.cells);
        let layer = |cell: &CellPoints| self.wall_at(cell, &occupied).map(|wall| self.layer(cell, wall));
        let is_cut = |cell: &CellPoints| layer(cell).is_some_and(|layer| !layer.is_empty());
        self.cells.occupied.par_iter().with_min_len(64).any(is_cut)
    }

    /// The wall that parts the matter of a cell from other.
    fn wall_at(&self, cell: &CellPoints, occupied: &FxHashSet<usize>) -> Option<&WallCell> {
        let wall = self.near.at(cell.at).filter(|wall| wall.may_be_within(LAYER))?;
        self.is_parted(cell.cell, wall, occupied).then_some(wall)
    }

    fn layer(&self, cell: &CellPoints, wall: &WallCell) -> Vec<u32> {
        let is_near = |(_, point): &(u32, &Point)| wall.distance_at(point.part) < LAYER;
        cell.points.clone().zip(self.cells.of(cell)).filter(is_near).map(|(number, _)| number).collect()
    }

    /// Whether matter lies behind the wall beside a cell, at a surface that faces the other way.
    fn is_parted(&self, cell: IVec3, wall: &WallCell, occupied: &FxHashSet<usize>) -> bool {
        let (middle, normal) = (cell.as_vec3() + 0.5, wall.normal());
        BEHIND.into_iter().any(|behind| {
            let place = middle - normal * (wall.distance() + 0.5 * behind as f32);
            let other = place.floor().as_ivec3();
            let Some(at) = self.rows.index(other).filter(|at| other != cell && occupied.contains(at)) else {
                return false;
            };
            self.near.at(at).is_some_and(|wall| {
                wall.normal().dot(normal) < OPPOSITE && wall.distance_at(place - other.as_vec3()) > 0.0
            })
        })
    }
}
