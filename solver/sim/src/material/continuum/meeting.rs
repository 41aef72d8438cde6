//! Which walls matter meets on its grid, as liquids do, and which in contacts, as solids do.
//!
//! A body that melts does both: the wall below a pool in a bar of chocolate is wet by it, and the bar around the pool
//! lies on the wall. Cells tell by the matter at their wall. A solid that a wall holds for good does not slip there
//! either, and so is held on the grid: a contact would lose its rim as it is drawn away.

use super::cells::{Cells, Neighbour, Point, nearness};
use super::cuts::Cuts;
use super::fluids::Fluids;
use super::walls::{NearWalls, WallCell};
use crate::boundary::Walls;
use crate::grid::Rows;
use crate::particles::Particles;
use glam::IVec3;
use rayon::prelude::*;
use std::sync::Arc;

/// Farther from the place on a wall that is nearest to a cell, in cells, matter does not tell how that is met.
const FAR: f32 = 1.25;

/// The walls near an island, by how it meets them.
#[derive(Debug)]
pub struct WallsMet {
    pub all: Arc<NearWalls>,
    /// Those that it meets on its grid.
    pub on_grid: Arc<NearWalls>,
    /// Those that it touches in contacts, if any.
    pub in_contacts: Option<Arc<NearWalls>>,
}

/// What tells how an island meets walls.
#[derive(Debug, Clone, Copy)]
pub struct Meeting<'a> {
    pub cells: &'a Cells,
    pub rows: &'a Rows,
    pub fluids: &'a Fluids<'a>,
    pub walls: &'a Walls<'a>,
    pub particles: &'a Particles,
}

impl Meeting<'_> {
    /// How the island meets the walls near it.
    pub fn of(&self, near: NearWalls) -> WallsMet {
        let Self { cells, rows, .. } = *self;
        let count = |what: &dyn Fn(&Point) -> bool| cells.points.iter().filter(|point| what(point)).count();
        let (none, len) = (|| NearWalls::none(rows.len()), cells.points.len());
        let solid = if near.cells.is_empty() { 0 } else { count(&|point| self.fluids.slides(point, self.particles)) };
        // Cells with matter on both sides of a wall have one velocity.
        let is_parted = || Cuts { cells, rows, near: &near }.part_any();
        if solid == 0 || is_parted() {
            let all = Arc::new(near);
            return WallsMet { on_grid: all.clone(), all, in_contacts: None };
        }
        let is_sticky = |wall: &WallCell| self.walls.is_sticky(wall.collider as usize);
        let bound = |point: &Point| self.fluids.sticks_for_good(point, self.particles);
        let is_any_bound = near.cells.iter().any(|(_, _, wall)| is_sticky(wall)) && cells.points.iter().any(bound);
        if solid == len && !is_any_bound {
            let all = Arc::new(near);
            return WallsMet { on_grid: Arc::new(none()), in_contacts: Some(all.clone()), all };
        }
        let mostly_solid = 2 * solid > len;
        let mostly_for_good = is_any_bound && 2 * count(&bound) > len;
        let is_solid = |(cell, _, wall): &(IVec3, usize, WallCell)| {
            let where_none_is = || mostly_solid && !(mostly_for_good && is_sticky(wall));
            self.is_solid_at(*cell, wall).unwrap_or_else(where_none_is)
        };
        let solid: Vec<bool> = near.cells.par_iter().with_min_len(64).map(is_solid).collect();
        let [on_grid, in_contacts] = [false, true].map(|wanted| Arc::new(near.only(|number| solid[number] == wanted)));
        let in_contacts = Some(in_contacts).filter(|near| !near.cells.is_empty());
        WallsMet { all: Arc::new(near), on_grid, in_contacts }
    }

    /// Whether any of the matter around the place on a wall that is nearest to a cell is solid and may slide there or
    /// come off; none where there is none.
    fn is_solid_at(&self, cell: IVec3, wall: &WallCell) -> Option<bool> {
        let surface = 0.5 - wall.normal() * wall.distance();
        // A cell deep in the wall reaches no matter itself.
        let beside = surface.floor();
        let is_sticky = self.walls.is_sticky(wall.collider as usize);
        let around = self.cells.around(cell + beside.as_ivec3());
        let near = around.filter(|one| nearness(one.place + beside - surface, FAR) > 0.0);
        let slides = |Neighbour { point, .. }: Neighbour| {
            let is_bound = is_sticky && self.fluids.sticks_for_good(point, self.particles);
            self.fluids.slides(point, self.particles) && !is_bound
        };
        near.map(slides).reduce(|any, one| any || one)
    }
}
