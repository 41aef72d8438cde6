//! Which walls matter meets on its grid, as liquids do, and which in contacts, as solids do.
//!
//! A body that melts does both: the wall below a pool in a bar of chocolate is wet by it, and the bar around the pool
//! lies on the wall. Cells tell by the matter at their wall.

use super::cells::{Cells, Neighbour, nearness};
use super::cuts::Cuts;
use super::fluids::Fluids;
use super::walls::{NearWalls, WallCell};
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

impl WallsMet {
    /// How an island meets the walls near it.
    pub fn of(cells: &Cells, rows: &Rows, near: NearWalls, fluids: &Fluids, particles: &Particles) -> Self {
        let solid = || cells.points.iter().filter(|point| fluids.slides(point, particles)).count();
        let solid = if near.cells.is_empty() { 0 } else { solid() };
        // Cells with matter on both sides of a wall have one velocity.
        let is_parted = || Cuts { cells, rows, near: &near }.part_any();
        let (none, len) = (|| NearWalls::none(rows.len()), cells.points.len());
        if solid == 0 || is_parted() {
            let all = Arc::new(near);
            return Self { on_grid: all.clone(), all, in_contacts: None };
        }
        if solid == len {
            let all = Arc::new(near);
            return Self { on_grid: Arc::new(none()), in_contacts: Some(all.clone()), all };
        }
        let mostly = 2 * solid > len;
        let is_solid = |(cell, _, wall): &(IVec3, usize, WallCell)| {
            is_solid_at(cells, *cell, wall, fluids, particles).unwrap_or(mostly)
        };
        let solid: Vec<bool> = near.cells.par_iter().with_min_len(64).map(is_solid).collect();
        let [on_grid, in_contacts] = [false, true].map(|wanted| Arc::new(near.only(|number| solid[number] == wanted)));
        Self { all: Arc::new(near), on_grid, in_contacts: Some(in_contacts) }
    }
}

/// Whether more of the matter around the place on a wall that is nearest to a cell is solid; none where there is none.
fn is_solid_at(cells: &Cells, cell: IVec3, wall: &WallCell, fluids: &Fluids, particles: &Particles) -> Option<bool> {
    let surface = 0.5 - wall.normal() * wall.distance();
    let votes = cells.around(cell).map(|Neighbour { point, place, .. }| {
        let weight = nearness(place - surface, FAR);
        if fluids.slides(point, particles) { weight } else { -weight }
    });
    let sum: f32 = votes.sum();
    (sum != 0.0).then_some(sum > 0.0)
}
