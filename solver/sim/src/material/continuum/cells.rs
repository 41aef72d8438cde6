//! The particles of a step, sorted by the cells that they are in.

use crate::grid::Rows;
use crate::particles::Particles;
use glam::{DVec3, IVec3, Vec3};
use rayon::prelude::*;
use std::ops::Range;

/// A particle on the grid.
#[derive(Debug, Clone, Copy, Default)]
pub struct Point {
    /// The place in its cell, from 0 to 1 along each axis.
    pub part: Vec3,
    /// m/s.
    pub velocity: Vec3,
    /// Rows of the gradient of velocity, m/s a cell.
    pub gradient: [Vec3; 3],
    /// Its slot among all particles.
    pub slot: u32,
    /// Its body.
    pub source: u32,
}

/// Particles in one cell, by their numbers among all [points](Cells::points).
#[derive(Debug, Clone)]
pub struct CellPoints {
    pub cell: IVec3,
    /// Where it is stored.
    pub at: usize,
    pub points: Range<u32>,
}

/// Particles that lie together.
#[derive(Debug, Clone, Default)]
pub struct Island {
    pub slots: Vec<u32>,
    /// The cell of each.
    pub cells: Vec<IVec3>,
}

impl Island {
    pub fn push(&mut self, slot: u32, cell: IVec3) {
        self.slots.push(slot);
        self.cells.push(cell);
    }
}

/// All particles of a step.
#[derive(Debug, Default)]
pub struct Cells {
    pub points: Vec<Point>,
    /// Those with particles, by z, y, x.
    pub occupied: Vec<CellPoints>,
    /// Those with the same z and y.
    pub rows: Vec<Range<usize>>,
}

/// Cells a particle may be away from the origin along an axis.
const FARTHEST: f64 = 5e8;
/// Cells beside those with particles to which these count, and beyond.
pub const MARGIN: usize = 2;

/// Where places lie among cells.
#[derive(Debug, Clone, Copy)]
pub struct Placing {
    /// Width of a cell, m.
    pub width: f64,
    /// Matter in a plane lies in the middle of the cells at y = 0.
    pub is_flat: bool,
}

impl Placing {
    /// A place in cells.
    fn in_cells(&self, place: DVec3) -> DVec3 {
        place / self.width + if self.is_flat { DVec3::Y * 0.5 } else { DVec3::ZERO }
    }

    /// A place, m, given in cells; in the plane for matter in it.
    pub fn place(&self, in_cells: DVec3) -> DVec3 {
        let place = in_cells * self.width;
        if self.is_flat { place.with_y(0.0) } else { place }
    }

    /// The cell of a place; none for a place beyond reach.
    pub fn cell(&self, place: DVec3) -> Option<IVec3> {
        let place = self.in_cells(place);
        (place.abs().max_element() < FARTHEST).then(|| place.floor().as_ivec3())
    }
}

/// The middle of the low face of a cell across an axis, in cells.
pub fn middle_of_face(cell: IVec3, axis: usize) -> DVec3 {
    let mut place = cell.as_dvec3() + 0.5;
    place[axis] -= 0.5;
    place
}

/// The axes along which matter moves.
pub fn moving_axes(is_flat: bool) -> impl Iterator<Item = usize> {
    (0..3).filter(move |&axis| !(is_flat && axis == 1))
}

impl Cells {
    /// Sorts the particles in some slots, whose cells are known, into the rows around these. Those of a cell are by
    /// number.
    pub fn sort(particles: &Particles, island: &Island, rows: &Rows, placing: &Placing) -> Self {
        let Island { slots, cells } = island;
        let at = |cell: &IVec3| rows.index(*cell).map_or(u32::MAX, |at| at as u32);
        let places: Vec<u32> = cells.par_iter().with_min_len(4096).map(at).collect();
        // Counts of the particles of cells become the places where those of each begin, and then where they end.
        let mut ends = vec![0_u32; rows.len()];
        places.iter().filter(|at| **at != u32::MAX).for_each(|&at| ends[at as usize] += 1);
        let (occupied, row_ranges, count) = count_out(rows, &mut ends);
        let mut order: Vec<u32> = vec![0; count as usize];
        for (&slot, &at) in slots.iter().zip(&places).filter(|(_, at)| **at != u32::MAX) {
            let next = &mut ends[at as usize];
            order[*next as usize] = slot;
            *next += 1;
        }
        for cell in &occupied {
            let range = cell.points.start as usize..cell.points.end as usize;
            order[range].sort_unstable_by_key(|&slot| particles.numbers[slot as usize]);
        }
        let width = placing.width as f32;
        let point = |&slot: &u32| {
            let at = slot as usize;
            let place = placing.in_cells(particles.positions[at]);
            let gradient = particles.gradients[at].map(|row| Vec3::from(row) * width);
            let velocity = particles.velocities[at].as_vec3();
            Point { part: (place - place.floor()).as_vec3(), velocity, gradient, slot, source: particles.sources[at] }
        };
        let points = order.par_iter().with_min_len(1024).map(point).collect();
        Self { points, occupied, rows: row_ranges }
    }

    /// The points of a cell.
    pub fn of(&self, cell: &CellPoints) -> &[Point] {
        &self.points[cell.points.start as usize..cell.points.end as usize]
    }
}

/// The cells with particles, their rows, and the number of particles, given the counts of all cells, which become the
/// numbers of the first particles.
fn count_out(rows: &Rows, counts: &mut [u32]) -> (Vec<CellPoints>, Vec<Range<usize>>, u32) {
    let (mut cells, mut row_ranges, mut first) = (Vec::new(), Vec::new(), 0);
    for row in (0..rows.count()).filter(|&row| !rows.row(row).is_empty()) {
        let [y, z] = rows.place(row);
        let begin = cells.len();
        for (x, at) in rows.row(row).span().zip(rows.storage(row)) {
            let count = std::mem::replace(&mut counts[at], first);
            if count > 0 {
                cells.push(CellPoints { cell: IVec3::new(x, y, z), at, points: first..first + count });
                first += count;
            }
        }
        if cells.len() > begin {
            row_ranges.push(begin..cells.len());
        }
    }
    (cells, row_ranges, first)
}
