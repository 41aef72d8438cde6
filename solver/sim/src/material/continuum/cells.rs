//! The particles of a step, sorted by the cells that they are in.

use crate::grid::{Field, Rows, cells_around};
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
    /// Viscosity besides that of its body, as its [share](super::scatter::Share::viscous) counts it.
    pub viscous: f32,
    /// Its slot among all particles.
    pub slot: u32,
    /// Its body.
    pub source: u32,
}

impl Point {
    /// What its gradient adds to its velocity at some cells from it, m/s.
    #[inline(always)]
    pub fn velocity_added(&self, by: Vec3) -> Vec3 {
        let [x, y, z] = self.gradient;
        Vec3::new(x.dot(by), y.dot(by), z.dot(by))
    }
}

/// Particles in one cell, by their numbers among all [points](Cells::points).
#[derive(Debug, Clone)]
pub struct CellPoints {
    pub cell: IVec3,
    /// Where it is stored.
    pub at: usize,
    pub points: Range<u32>,
}

/// A particle in a cell or around it.
#[derive(Debug, Clone, Copy)]
pub struct Neighbour<'a> {
    /// Among all [points](Cells::points).
    pub number: usize,
    pub point: &'a Point,
    /// Where its own cell is stored.
    pub at: usize,
    /// From the low corner of the cell that it is around, in cells.
    pub place: Vec3,
}

/// Particles in slots in a row that share a cell.
#[derive(Debug, Clone, Copy)]
pub struct Run {
    pub cell: IVec3,
    /// Their first slot.
    pub first: u32,
    pub count: u32,
}

impl Run {
    pub fn slots(&self) -> Range<u32> {
        self.first..self.first + self.count
    }
}

/// Particles that lie together.
pub type Runs = Vec<Run>;

/// All particles of a step.
#[derive(Debug, Default)]
pub struct Cells {
    /// By cell.
    pub points: Vec<Point>,
    /// Those with particles, by z, y, x.
    pub occupied: Vec<CellPoints>,
    /// Those with the same z and y.
    pub rows: Vec<Range<usize>>,
}

/// The numbers of cells with particles among the [occupied](Cells::occupied) ones.
#[derive(Debug)]
pub struct Numbered<'a> {
    rows: &'a Rows,
    /// By storage; `u32::MAX` for cells without particles.
    numbers: Vec<u32>,
}

impl Numbered<'_> {
    /// The number of a cell; none without particles.
    pub fn find(&self, cell: IVec3) -> Option<usize> {
        let number = self.numbers[self.rows.index(cell)?];
        (number != u32::MAX).then_some(number as usize)
    }
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
    pub fn in_cells(&self, place: DVec3) -> DVec3 {
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

/// How much a particle counts that is off a place, from 1 there to 0 from some distance on, in cells.
pub fn nearness(off: Vec3, far: f32) -> f32 {
    (1.0 - off.length_squared() / far.powi(2)).max(0.0)
}

/// The axes along which matter moves.
pub fn moving_axes(is_flat: bool) -> impl Iterator<Item = usize> {
    axes(is_flat).iter().copied()
}

/// The same as a list.
pub fn axes(is_flat: bool) -> &'static [usize] {
    if is_flat { &[0, 2] } else { &[0, 1, 2] }
}

impl Cells {
    /// A cell if there are particles in it.
    pub fn find(&self, cell: IVec3) -> Option<&CellPoints> {
        let key = |cell: IVec3| [cell.z, cell.y, cell.x];
        let found = self.occupied.binary_search_by_key(&key(cell), |own| key(own.cell));
        found.ok().map(|number| &self.occupied[number])
    }

    /// The particles in a cell and all around it.
    pub fn around(&self, cell: IVec3) -> impl Iterator<Item = Neighbour<'_>> {
        cells_around(cell).filter_map(|beside| self.find(beside)).flat_map(move |own| {
            let numbers = own.points.start as usize..;
            let low = (own.cell - cell).as_vec3();
            numbers.zip(self.of(own)).map(move |(number, point)| {
                let place = low + point.part;
                Neighbour { number, point, at: own.at, place }
            })
        })
    }

    /// Sorts the particles in some slots, whose cells are known, into the rows around these. Those of a cell are by
    /// number.
    pub fn sort(particles: &Particles, island: &Runs, rows: &Rows, placing: &Placing) -> Self {
        let at = |run: &Run| rows.index(run.cell);
        // Counts of the particles of cells become the places where those of each begin, and then where they end.
        let mut ends = vec![0_u32; rows.len()];
        let mut runs = Vec::with_capacity(island.len());
        for run in island {
            let Some(at) = at(run) else { continue };
            ends[at] += run.count;
            runs.push((at, run));
        }
        let (occupied, row_ranges, count) = count_out(rows, &mut ends);
        let mut order: Vec<u32> = vec![0; count as usize];
        for (at, run) in runs {
            let next = ends[at] as usize;
            ends[at] += run.count;
            order[next..next + run.count as usize].iter_mut().zip(run.slots()).for_each(|(own, slot)| *own = slot);
        }
        sort_cells(&occupied, &mut order, &particles.numbers);
        let width = placing.width as f32;
        let point = |&slot: &u32| {
            let at = slot as usize;
            let place = placing.in_cells(particles.positions[at]);
            let (velocity, gradient) = motion_of(particles, at, width);
            Point {
                part: (place - place.floor()).as_vec3(),
                velocity,
                gradient,
                viscous: 0.0,
                slot,
                source: particles.sources[at],
            }
        };
        let points = order.par_iter().with_min_len(1024).map(point).collect();
        Self { points, occupied, rows: row_ranges }
    }

    /// The numbers of the cells with particles among those of some rows.
    pub fn numbered<'a>(&self, rows: &'a Rows) -> Numbered<'a> {
        let mut numbers = vec![u32::MAX; rows.len()];
        (0..).zip(&self.occupied).for_each(|(number, cell)| numbers[cell.at] = number);
        Numbered { rows, numbers }
    }

    /// In cells with particles, the mean of a value of these; so many cells are stored.
    pub fn means(&self, len: usize, of: impl Fn(&Point) -> f32) -> Field {
        let mut means = vec![0.0; len];
        for cell in &self.occupied {
            means[cell.at] = self.of(cell).iter().map(&of).sum::<f32>() / cell.points.len() as f32;
        }
        means
    }

    /// The slots of all particles.
    pub fn slots(&self) -> impl Iterator<Item = usize> {
        self.points.iter().map(|point| point.slot as usize)
    }

    /// The points of a cell.
    pub fn of(&self, cell: &CellPoints) -> &[Point] {
        &self.points[cell.points.start as usize..cell.points.end as usize]
    }
}

/// The velocity of a particle in a slot, m/s, and its gradient by rows, m/s a cell.
pub fn motion_of(particles: &Particles, slot: usize, width: f32) -> (Vec3, [Vec3; 3]) {
    let gradient = particles.gradients[slot].map(|row| Vec3::from(row) * width);
    (particles.velocities[slot].as_vec3(), gradient)
}

/// Sorts the slots of each cell by the numbers of their particles.
fn sort_cells(occupied: &[CellPoints], order: &mut [u32], numbers: &[u32]) {
    let number = |slot: &u32| numbers[*slot as usize];
    for cell in occupied {
        let own = &mut order[cell.points.start as usize..cell.points.end as usize];
        if !own.is_sorted_by_key(number) {
            own.sort_unstable_by_key(number);
        }
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
